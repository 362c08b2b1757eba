import { encodeTree, type NbtCompound, type NbtTree } from '../../../../lib/codec/nbt/index.js'
import { ok, type Result } from '../../../../lib/core/result.js'
import type { SquidItem, SquidPlayer } from '../../types.js'
import { countOf, itemInternals, type StackData } from '../item-persistence.js'
import {
  encodeDetail,
  type Detail,
  type Parked,
  type PlayerContent,
  type PlayerFile,
  type WrittenStack,
} from './document.js'
import type { EntryCache } from './entry-cache.js'
import { byte, integerOf, membersOf, string, textOf } from './nbt-values.js'
import { CRAFTING, FIRST_KEPT, FREE_SLOTS, SLOTS, slotFromFile, slotInFile } from './slots.js'

/** Most that an entry's count can say. */
const MAX_COUNT = 127
/** A slot number that means none: of what lay at the cursor. */
const NO_SLOT = -1

/** How stacks are turned into entries. */
export interface StackRules {
  readonly data: StackData
  /** Whether components are kept beside the entries; stock loses them. */
  readonly keepsComponents: boolean
  /** Before 1.13 an entry has a damage value and no tag. */
  readonly hasMetadata: boolean
}

/** A player's stacks: by slot of the own window, and what is held by the mouse. */
export interface Stacks {
  readonly slots: readonly (SquidItem | null | undefined)[]
  readonly cursor: SquidItem | null
}

/**
 * The entries of the file, and what goes beside them: the crafting grid and the cursor have no place in it. Entries that
 * the cache knows aren't encoded again.
 */
export function writeStacks(
  { slots, cursor }: Stacks,
  { parked, rules, cache }: { parked: readonly Parked[]; rules: StackRules; cache: EntryCache | null },
): Result<Pick<PlayerContent, 'stacks' | 'parked'>> {
  const stacks: WrittenStack[] = []
  for (let slot = FIRST_KEPT; slot < SLOTS; slot += 1) {
    const item = slots[slot]
    if (item === null || item === undefined) continue
    const written = cache?.find(slot, item) ?? writeStack(item, slotInFile(slot), rules)
    if (written === null) continue
    if ('ok' in written) {
      if (!written.ok) return written
      stacks.push(written.value)
      cache?.keep(slot, item, written.value)
    } else stacks.push(written)
  }
  const loose = [...CRAFTING.map((slot) => slots[slot]), cursor].flatMap((item) => {
    const described = item === null || item === undefined ? null : describe(item, NO_SLOT, rules)
    return described === null ? [] : [{ entry: described.entry, ...described.detail }]
  })
  return ok({ stacks, parked: [...parked, ...loose] })
}

/** Encodes a stack; its tag is the host's own tree, and one that can't be written is kept as text. Null: there is none. */
function writeStack(item: SquidItem, slot: number, rules: StackRules): Result<WrittenStack> | null {
  const described = describe(item, slot, rules)
  if (described === null) return null
  let entry = encodeTree({ type: 'compound', value: described.entry })
  let { detail } = described
  if (!entry.ok) {
    const { tag: _, ...rest } = described.entry
    entry = encodeTree({ type: 'compound', value: rest })
    detail = { ...detail, data: rules.data.textOf(item) }
  }
  if (!entry.ok) return entry
  const encoded = encodeDetail(slot, detail)
  if (encoded?.ok === false) return encoded
  return ok({ entry: entry.value, detail: encoded?.value ?? null })
}

function describe(
  item: SquidItem,
  slot: number,
  { data, keepsComponents, hasMetadata }: StackRules,
): { entry: NbtCompound; detail: Detail } | null {
  const count = countOf(item)
  if (count === 0) return null
  const { nbt, metadata } = itemInternals(item)
  const hasTag = nbt !== null && nbt !== undefined
  const entry: Record<string, NbtTree> = {
    Slot: byte(slot),
    id: string(`minecraft:${item.name}`),
    Count: byte(Math.min(count, MAX_COUNT)),
  }
  if (hasMetadata) entry['Damage'] = { type: 'short', value: metadata }
  else if (hasTag) entry['tag'] = { type: 'compound', value: nbt.value as NbtCompound }
  const isTextNeeded = (keepsComponents && data.hasComponents(item)) || (hasMetadata && hasTag)
  const detail = {
    ...(isTextNeeded ? { data: data.textOf(item) } : {}),
    ...(count > MAX_COUNT ? { count } : {}),
  }
  return { entry, detail }
}

/** The stacks of a file in their slots, and those that found none. */
export function placeStacks(
  { entries, details, parked }: Pick<PlayerFile, 'entries' | 'details' | 'parked'>,
  owner: SquidPlayer,
  data: StackData,
): { readonly slots: ReadonlyMap<number, SquidItem>; readonly parked: readonly Parked[] } {
  const slots = new Map<number, SquidItem>()
  const homeless: { item: SquidItem; from: Parked }[] = []
  const left: Parked[] = []
  const place = (from: Parked, slot: number | null): void => {
    const item = stackOf(from, owner, data)
    if (item === 'nothing') return
    if (item === null) left.push(from)
    else if (slot === null || slots.has(slot)) homeless.push({ item, from })
    else slots.set(slot, item)
  }
  for (const entry of entries) {
    const inFile = integerOf(entry['Slot'])
    place({ entry, ...(inFile === null ? undefined : details.get(inFile)) }, slotFromFile(inFile))
  }
  for (const from of parked) place(from, slotFromFile(integerOf(from.entry['Slot'])))
  for (const { item, from } of homeless) {
    const free = FREE_SLOTS.find((slot) => !slots.has(slot))
    if (free === undefined) left.push(from)
    else slots.set(free, item)
  }
  return { slots, parked: left }
}

/** Null for a stack that has to wait for another version; `nothing` for an entry without content. */
function stackOf(
  { entry, ...detail }: Parked,
  owner: SquidPlayer,
  data: StackData,
): SquidItem | 'nothing' | null {
  const id = textOf(entry['id'])
  // vanilla's name for it since 1.20.5 is in lower case
  const written = integerOf(entry['Count']) ?? integerOf(entry['count'])
  const count = detail.count ?? written
  if (id === 'minecraft:air' || count === 0) return 'nothing'
  if (id === null || count === null || count < 0) return null
  // vanilla's components are written in another form than those on the wire, which `data` holds
  const isVanilla = Object.keys(membersOf(entry['components']) ?? {}).length > 0
  if (isVanilla && detail.data === undefined) return null
  const item = data.make(owner, { item: id, count, data: detail.data ?? '' })
  if (item === null) return null
  if (detail.data !== undefined) return item
  const tag = entry['tag']
  if (tag?.type === 'compound') item.nbt = { type: 'compound', name: '', value: tag.value }
  item.metadata = integerOf(entry['Damage']) ?? item.metadata
  return item
}
