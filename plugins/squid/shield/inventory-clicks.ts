import { canonicalJson } from '../../../lib/core/json.js'
import type { SquidItem } from '../types.js'

/** The player's own inventory as clicks see it: armour, main part, hot bar and off hand may be touched. */
export interface ClickedInventory {
  readonly slots: readonly (SquidItem | null | undefined)[]
  readonly cursor: SquidItem | null
}

/** A click of window 0 whose numbers are still the client's. */
export interface Click {
  readonly mode: unknown
  readonly slot: unknown
  readonly button: unknown
}

/** What a click changes: slots to write, the new cursor, and a stack to throw into the world. */
export interface ClickEffect {
  readonly slots: ReadonlyMap<number, SquidItem | null>
  readonly cursor: SquidItem | null
  readonly thrown: SquidItem | null
}

/** The crafting grid (0 to 4) computes nothing on this host and is not saved: what lies there is lost. */
const FIRST_SLOT = 5
const HOTBAR = 36
const OFF_HAND = 45
const OUTSIDE = -999
const OFF_HAND_BUTTON = 40

/**
 * Plans a click with the server's own items, never with what the client claims to see. Undefined: refused, which
 * includes shift (1), middle (3), drag (5) and double click (6).
 */
export function planClick(inventory: ClickedInventory, click: Click): ClickEffect | undefined {
  const { mode, slot, button } = click
  if (mode === 0 && slot === OUTSIDE && isButton(button)) return throwCursor(inventory, button)
  if (!isSlot(slot)) return undefined
  if (mode === 0 && isButton(button))
    return button === 0 ? leftClick(inventory, slot) : rightClick(inventory, slot)
  if (mode === 2) return swapWithKey(inventory, slot, button)
  if (mode === 4 && isButton(button)) return throwFromSlot(inventory, slot, button)
  return undefined
}

const isSlot = (slot: unknown): slot is number =>
  Number.isInteger(slot) && (slot as number) >= FIRST_SLOT && (slot as number) <= OFF_HAND
const isButton = (button: unknown): button is 0 | 1 => button === 0 || button === 1

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

const effect = (
  slots: readonly (readonly [number, SquidItem | null])[],
  cursor: SquidItem | null,
  thrown: SquidItem | null = null,
): ClickEffect => ({ slots: new Map(slots), cursor, thrown })

function leftClick({ slots, cursor }: ClickedInventory, slot: number): ClickEffect {
  const there = slots[slot] ?? null
  if (cursor === null || there === null || !isSameThing(cursor, there)) return effect([[slot, cursor]], there)
  return merge(cursor, there, { slot, count: cursor.count })
}

function rightClick({ slots, cursor }: ClickedInventory, slot: number): ClickEffect {
  const there = slots[slot] ?? null
  if (cursor === null) {
    if (there === null) return effect([], null)
    const taken = Math.ceil(there.count / 2)
    return effect([[slot, withCount(there, there.count - taken)]], withCount(there, taken))
  }
  if (there === null) return effect([[slot, withCount(cursor, 1)]], withCount(cursor, cursor.count - 1))
  if (!isSameThing(cursor, there)) return effect([[slot, cursor]], there)
  return merge(cursor, there, { slot, count: 1 })
}

function merge(
  cursor: SquidItem,
  there: SquidItem,
  { slot, count }: { slot: number; count: number },
): ClickEffect {
  const moved = Math.max(0, Math.min(count, there.stackSize - there.count))
  return effect([[slot, withCount(there, there.count + moved)]], withCount(cursor, cursor.count - moved))
}

function swapWithKey(
  { slots, cursor }: ClickedInventory,
  slot: number,
  button: unknown,
): ClickEffect | undefined {
  const isKey = Number.isInteger(button) && (button as number) >= 0 && (button as number) <= 8
  if (cursor !== null || (!isKey && button !== OFF_HAND_BUTTON)) return undefined
  const other = isKey ? HOTBAR + (button as number) : OFF_HAND
  if (other === slot) return effect([], null)
  return effect(
    [
      [slot, slots[other] ?? null],
      [other, slots[slot] ?? null],
    ],
    null,
  )
}

function throwCursor({ cursor }: ClickedInventory, button: 0 | 1): ClickEffect {
  if (cursor === null) return effect([], null)
  const count = button === 0 ? cursor.count : 1
  return effect([], withCount(cursor, cursor.count - count), withCount(cursor, count))
}

function throwFromSlot({ slots, cursor }: ClickedInventory, slot: number, button: 0 | 1): ClickEffect {
  const there = slots[slot] ?? null
  if (there === null || cursor !== null) return effect([], cursor)
  const count = button === 0 ? 1 : there.count
  return effect([[slot, withCount(there, there.count - count)]], null, withCount(there, count))
}
