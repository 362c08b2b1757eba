import type { SquidItem } from '../types.js'
import { isSlot, planClick, type Click } from './inventory-clicks.js'
import { FIRST_MAIN } from './inventory-sync.js'
import { effect, isSameThing, withCount, type ClickedInventory, type ClickEffect } from './stack-math.js'

/** A drag under way: with the left button the stack is shared out, with the right one each slot gets one. */
export interface Drag {
  readonly button: 0 | 1
  /** In the order in which they were passed. */
  readonly slots: readonly number[]
}

/** What follows from one packet of a drag; without an effect it is refused. */
export interface DragStep {
  readonly drag: Drag | null
  readonly effect: ClickEffect | undefined
}

/** The buttons of a drag's packets: the first, one for each slot, the last. */
const BUTTONS: readonly (readonly [start: number, add: number, end: number])[] = [
  [0, 1, 2],
  [4, 5, 6],
]
const REFUSED: DragStep = { drag: null, effect: undefined }

/** Goes on with a drag, or begins one. Nothing moves before its end, when the slots are looked at again. */
export function stepDrag(inventory: ClickedInventory, drag: Drag | null, { slot, button }: Click): DragStep {
  const kind = BUTTONS.findIndex((buttons) => buttons.some((known) => known === button))
  if (kind !== 0 && kind !== 1) return REFUSED
  const [start, add] = BUTTONS[kind] ?? []
  const { cursor } = inventory
  const unchanged = effect([], cursor)
  if (button === start)
    return cursor === null ? REFUSED : { drag: { button: kind, slots: [] }, effect: unchanged }
  if (drag?.button !== kind || cursor === null) return REFUSED
  if (button !== add) return { drag: null, effect: spread(inventory, drag, cursor) }
  const isTaken =
    isSlot(slot) &&
    slot >= FIRST_MAIN &&
    !drag.slots.includes(slot) &&
    cursor.count > drag.slots.length &&
    roomFor(cursor, inventory.slots[slot]) > 0
  return { drag: isTaken ? { ...drag, slots: [...drag.slots, slot] } : drag, effect: unchanged }
}

function roomFor(cursor: SquidItem, there: SquidItem | null | undefined): number {
  if (there === null || there === undefined) return cursor.stackSize
  return isSameThing(cursor, there) ? Math.max(0, cursor.stackSize - there.count) : 0
}

function spread(inventory: ClickedInventory, drag: Drag, cursor: SquidItem): ClickEffect | undefined {
  const [only] = drag.slots
  // no drag at all, but a click that moved a little
  if (drag.slots.length === 1) return planClick(inventory, { mode: 0, slot: only, button: drag.button })
  const each = drag.button === 1 ? 1 : Math.floor(cursor.count / Math.max(1, drag.slots.length))
  let left = cursor.count
  const changed = drag.slots.flatMap((slot) => {
    const there = inventory.slots[slot]
    const moved = Math.min(each, left, roomFor(cursor, there))
    left -= moved
    return moved === 0 ? [] : [[slot, withCount(cursor, (there?.count ?? 0) + moved)] as const]
  })
  return effect(changed, withCount(cursor, left))
}
