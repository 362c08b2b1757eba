import type { SquidItem } from '../types.js'
import { FIRST_MAIN, FIRST_WORN, HOTBAR, OFF_HAND } from './inventory-sync.js'
import { effect, isSameThing, withCount, type ClickedInventory, type ClickEffect } from './stack-math.js'

/** Slots that a stack is moved to, in their order; `room` is how many of a thing one of them takes at most. */
interface Target {
  readonly from: number
  readonly to: number
  readonly room?: number
  /** Only slots with the same thing, or only empty ones; else first the former, then the latter. */
  readonly only?: 'same' | 'empty'
}

const MAIN: Target = { from: FIRST_MAIN, to: HOTBAR }
const BAR: Target = { from: HOTBAR, to: OFF_HAND }
const CARRIED: Target = { from: FIRST_MAIN, to: OFF_HAND }

/** What is worn, by its slot. */
const WORN: readonly (readonly [slot: number, name: RegExp])[] = [
  [5, /_helmet$|_head$|_skull$|^carved_pumpkin$/],
  [6, /_chestplate$|^elytra$/],
  [7, /_leggings$/],
  [8, /_boots$/],
  [OFF_HAND, /^shield$/],
]

/**
 * A click with shift, as vanilla does it: what can be worn is put on where nothing is, all else goes over to the other part of
 * the inventory; first to stacks of the same thing, then to empty slots. What finds no room stays.
 */
export function moveOver({ slots, cursor }: ClickedInventory, slot: number): ClickEffect {
  const stack = slots[slot] ?? null
  if (stack === null) return effect([], cursor)
  const now: SlotsNow = new Map(slots.map((there, place) => [place, there ?? null]))
  let rest: SquidItem | null = stack
  for (const target of targetsOf(stack, slot, (place) => now.get(place) === null))
    rest = rest === null ? null : pour(now, rest, target)
  now.set(slot, rest)
  const changed = [...now].filter(([place, there]) => there?.count !== slots[place]?.count)
  return effect(changed, cursor)
}

function targetsOf(stack: SquidItem, slot: number, isEmpty: (slot: number) => boolean): readonly Target[] {
  if (slot < FIRST_MAIN) return [CARRIED]
  const worn = WORN.find(([, name]) => name.test(stack.name))?.[0]
  const own = slot === OFF_HAND ? CARRIED : slot < HOTBAR ? BAR : MAIN
  if (worn === undefined || worn === slot || !isEmpty(worn)) return [own]
  return [{ from: worn, to: worn + 1, room: 1 }, own]
}

/** Slots as they will be. */
type SlotsNow = Map<number, SquidItem | null>

/** What comes to a player: first to stacks of the same thing, then to empty slots of the bar and of the main part. */
export function takeIn(
  slots: ClickedInventory['slots'],
  stack: SquidItem,
): { readonly changed: ReadonlyMap<number, SquidItem | null>; readonly rest: SquidItem | null } {
  const now: SlotsNow = new Map(slots.map((there, place) => [place, there ?? null]))
  let rest: SquidItem | null = stack
  const order: readonly Target[] = [
    { ...CARRIED, only: 'same' },
    { ...BAR, only: 'empty' },
    { ...MAIN, only: 'empty' },
  ]
  for (const target of order) rest = rest === null ? null : pour(now, rest, target)
  return { changed: new Map([...now].filter(([place, there]) => there?.count !== slots[place]?.count)), rest }
}

/** Puts as much of a stack as fits, and gives the rest. */
function pour(
  now: SlotsNow,
  stack: SquidItem,
  { from, to, room = stack.stackSize, only }: Target,
): SquidItem | null {
  let left = stack.count
  for (const wantsEmpty of only === undefined ? [false, true] : [only === 'empty'])
    for (let slot = from; slot < to && left > 0; slot += 1) {
      const there = now.get(slot) ?? null
      if (wantsEmpty ? there !== null : there === null || !isSameThing(there, stack)) continue
      const moved = Math.min(left, Math.max(0, room - (there?.count ?? 0)))
      now.set(slot, withCount(stack, (there?.count ?? 0) + moved))
      left -= moved
    }
  return withCount(stack, left)
}

/**
 * A double click with a stack at the cursor fills it up with the same thing from all slots: from those that aren't full
 * first, from the end with the right button. On a slot that holds something it does nothing.
 */
export function gather({ slots, cursor }: ClickedInventory, clicked: number, button: 0 | 1): ClickEffect {
  if (cursor === null || (slots[clicked] ?? null) !== null) return effect([], cursor)
  const order = Array.from({ length: OFF_HAND - FIRST_WORN + 1 }, (_, at) => FIRST_WORN + at)
  if (button === 1) order.reverse()
  const changed = new Map<number, SquidItem | null>()
  let { count } = cursor
  for (const takesFull of [false, true])
    for (const slot of order) {
      const there = slots[slot] ?? null
      if (changed.has(slot) || there === null || !isSameThing(there, cursor)) continue
      if (!takesFull && there.count >= there.stackSize) continue
      const taken = Math.min(there.count, Math.max(0, cursor.stackSize - count))
      if (taken === 0) continue
      changed.set(slot, withCount(there, there.count - taken))
      count += taken
    }
  return { slots: changed, cursor: withCount(cursor, count), thrown: null }
}
