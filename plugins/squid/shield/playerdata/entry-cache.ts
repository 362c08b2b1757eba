import type { SquidItem } from '../../types.js'
import { itemInternals } from '../item-persistence.js'
import type { WrittenStack } from './document.js'

/** What an entry was made from. */
interface Kept {
  readonly item: SquidItem
  readonly parts: readonly unknown[]
  readonly written: WrittenStack
}

/**
 * Entries of stacks that haven't changed since they were written: encoding them is nearly all that a save costs the main
 * thread. A stack counts as changed when it or a part of it is another object, or when the host updated its slot; whoever
 * changes a stack further in without that, which no client would see, is found by the last save.
 */
export class EntryCache {
  readonly #kept = new Map<number, Kept>()

  find(slot: number, item: SquidItem): WrittenStack | undefined {
    const kept = this.#kept.get(slot)
    if (kept?.item !== item) return undefined
    const parts = partsOf(item)
    const isSame = parts.length === kept.parts.length && parts.every((part, n) => part === kept.parts[n])
    return isSame ? kept.written : undefined
  }

  keep(slot: number, item: SquidItem, written: WrittenStack): void {
    this.#kept.set(slot, { item, parts: partsOf(item), written })
  }

  forget(slot: number): void {
    this.#kept.delete(slot)
  }

  clear(): void {
    this.#kept.clear()
  }
}

function partsOf(item: SquidItem): readonly unknown[] {
  const { name, count, nbt, metadata, components, removedComponents, componentMap } = itemInternals(item)
  return [
    name,
    count,
    metadata,
    ...Object.values(nbt?.value ?? {}),
    ...(components ?? []),
    ...(removedComponents ?? []),
    ...(componentMap?.values() ?? []),
  ]
}
