import { canonicalJson } from '../../../lib/core/json.js'
import type { SquidItem } from '../types.js'

/** The player's own inventory as clicks see it: armour, main part, hot bar and off hand may be touched. */
export interface ClickedInventory {
  readonly slots: readonly (SquidItem | null | undefined)[]
  readonly cursor: SquidItem | null
}

/** What a click changes: slots to write, the new cursor, and a stack to throw into the world. */
export interface ClickEffect {
  readonly slots: ReadonlyMap<number, SquidItem | null>
  readonly cursor: SquidItem | null
  readonly thrown: SquidItem | null
}

/** A stack of the same thing with another count; none when the count is zero. */
export function withCount(item: SquidItem, count: number): SquidItem | null {
  if (count <= 0) return null
  return Object.assign(Object.create(Object.getPrototypeOf(item) as object) as SquidItem, item, { count })
}

/** Whether two stacks may lie in one slot: same type, damage, tag and components. */
export function isSameThing(a: SquidItem, b: SquidItem): boolean {
  return a.type === b.type && detail(a) === detail(b)
}

function detail(item: SquidItem): string {
  const { metadata, nbt, components, removedComponents } = item as unknown as Record<string, unknown>
  const text = JSON.stringify(
    [metadata, nbt ?? null, components ?? [], removedComponents ?? []],
    (_, value) => (typeof value === 'bigint' ? `${value}n` : (value as unknown)),
  )
  return canonicalJson(JSON.parse(text))
}

export const effect = (
  slots: readonly (readonly [number, SquidItem | null])[],
  cursor: SquidItem | null,
  thrown: SquidItem | null = null,
): ClickEffect => ({ slots: new Map(slots), cursor, thrown })
