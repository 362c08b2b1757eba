import type { SquidItem } from '../types.js'
import { gather, moveOver } from './inventory-moves.js'
import { FIRST_WORN, HOTBAR, OFF_HAND } from './inventory-sync.js'
import { effect, isSameThing, withCount, type ClickedInventory, type ClickEffect } from './stack-math.js'

/** A click of window 0 whose numbers are still the client's. */
export interface Click {
  readonly mode: unknown
  readonly slot: unknown
  readonly button: unknown
}

const OUTSIDE = -999
const OFF_HAND_BUTTON = 40

/**
 * Plans a click with the server's own items, never with what the client claims to see. Undefined: refused, which
 * includes the middle button (3). A drag (5) is several clicks, see `stepDrag`.
 */
export function planClick(inventory: ClickedInventory, click: Click): ClickEffect | undefined {
  const { mode, slot, button } = click
  if (mode === 0 && slot === OUTSIDE && isButton(button)) return throwCursor(inventory, button)
  if (!isSlot(slot)) return undefined
  if (mode === 0 && isButton(button))
    return button === 0 ? leftClick(inventory, slot) : rightClick(inventory, slot)
  if (mode === 1 && isButton(button)) return moveOver(inventory, slot)
  if (mode === 2) return swapWithKey(inventory, slot, button)
  if (mode === 4 && isButton(button)) return throwFromSlot(inventory, slot, button)
  if (mode === 6 && isButton(button)) return gather(inventory, slot, button)
  return undefined
}

/** The crafting grid (0 to 4) computes nothing on this host and is not saved: what lies there is lost. */
export const isSlot = (slot: unknown): slot is number =>
  Number.isInteger(slot) && (slot as number) >= FIRST_WORN && (slot as number) <= OFF_HAND
const isButton = (button: unknown): button is 0 | 1 => button === 0 || button === 1

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
