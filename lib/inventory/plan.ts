import type { ItemLine, PlayerInventories, SlotChange, Slots, Stack } from './port.js'

/** Slots that goods go into and prices come from, in this order: hotbar, then main. Never armour, grid or off hand. */
const OWN_SLOTS: readonly number[] = [...range(36, 44), ...range(9, 35)]
/** Slots that count as the player's inventory. */
const COUNTED_SLOTS: readonly number[] = range(9, 45)

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** What a give would do. `moved` and `rest` together are the lines that were asked for. */
export interface GivePlan {
  /** The inventory afterwards. */
  readonly slots: Slots
  readonly changes: readonly SlotChange[]
  readonly moved: ItemLine[]
  /** What doesn't fit, or is no item of this version. */
  readonly rest: ItemLine[]
}

/** What a take would do: everything that was asked for. */
export interface TakePlan {
  readonly slots: Slots
  readonly changes: readonly SlotChange[]
  readonly moved: ItemLine[]
}

/** Adds equal lines (item and data) up; lines of nothing go. Order is that of first appearance. */
export function mergeLines(lines: readonly ItemLine[]): ItemLine[] {
  const merged = new Map<string, ItemLine>()
  for (const line of lines) {
    if (line.count === 0) continue
    const key = `${line.item} ${line.data}`
    const before = merged.get(key)
    merged.set(key, before === undefined ? line : { ...line, count: before.count + line.count })
  }
  return [...merged.values()]
}

/** How many items the lines are. */
export const lineTotal = (lines: readonly ItemLine[]): number =>
  lines.reduce((total, line) => total + line.count, 0)

const isSame = (stack: Stack | null | undefined, line: ItemLine): stack is Stack =>
  stack !== null && stack !== undefined && stack.item === line.item && stack.data === line.data

/**
 * Where the lines go: onto equal stacks first, then into empty slots, hotbar before main inventory; never above the
 * largest stack. Pure: equal arguments, equal plans.
 */
export function planGive(
  slots: Slots,
  lines: readonly ItemLine[],
  sizes: Pick<PlayerInventories, 'maxStack'>,
): GivePlan {
  const after = [...slots]
  const touched = new Set<number>()
  const moved: ItemLine[] = []
  const rest: ItemLine[] = []
  for (const line of mergeLines(lines)) {
    const max = sizes.maxStack(line.item)
    const left = max === null ? line.count : fill(after, line, { max, touched })
    if (left < line.count) moved.push({ ...line, count: line.count - left })
    if (left > 0) rest.push({ ...line, count: left })
  }
  return { slots: after, changes: changesOf(after, touched), moved, rest }
}

/** Puts as much of the line as fits into the slots; returns what is left. */
function fill(
  slots: (Stack | null)[],
  line: ItemLine,
  { max, touched }: { max: number; touched: Set<number> },
): number {
  let left = line.count
  const put = (slot: number, have: number, limit: number): void => {
    const added = Math.min(left, limit - have)
    if (added <= 0) return
    slots[slot] = { item: line.item as Stack['item'], count: have + added, max: limit, data: line.data }
    touched.add(slot)
    left -= added
  }
  for (const slot of OWN_SLOTS) {
    const stack = slots[slot]
    if (isSame(stack, line)) put(slot, stack.count, stack.max)
  }
  for (const slot of OWN_SLOTS) if (slots[slot] === null) put(slot, 0, max)
  return left
}

/**
 * Takes all lines together, or null when the inventory doesn't hold all of them: equal lines add up, only stacks with
 * exactly that data count. Main inventory and hotbar alone pay. Pure.
 */
export function planTake(slots: Slots, lines: readonly ItemLine[]): TakePlan | null {
  const after = [...slots]
  const touched = new Set<number>()
  const moved = mergeLines(lines)
  for (const line of moved) {
    let left = line.count
    for (const slot of OWN_SLOTS.toReversed()) {
      const stack = after[slot]
      if (left === 0 || !isSame(stack, line)) continue
      const taken = Math.min(left, stack.count)
      after[slot] = taken === stack.count ? null : { ...stack, count: stack.count - taken }
      touched.add(slot)
      left -= taken
    }
    if (left > 0) return null
  }
  return { slots: after, changes: changesOf(after, touched), moved }
}

/** The stacks that prices can come from. */
export const ownStacks = (slots: Slots): Stack[] => OWN_SLOTS.flatMap((slot) => slots[slot] ?? [])

/** How many of an item a player holds in main inventory, hotbar and off hand, whatever their data. */
export const countItem = (slots: Slots, item: string): number =>
  COUNTED_SLOTS.reduce((total, slot) => {
    const stack = slots[slot]
    return stack?.item === item ? total + stack.count : total
  }, 0)

const changesOf = (slots: Slots, touched: ReadonlySet<number>): SlotChange[] =>
  [...touched].map((slot) => ({ slot, stack: slots[slot] ?? null }))
