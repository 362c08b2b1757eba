/** Slots of the player's window: 0–4 crafting, 5–8 armour, 9–35 main, 36–44 hotbar, 45 off hand. */
export const SLOTS = 46
/** The result at 0 is a view; what lies in 1 to 4 belongs to the player. */
export const CRAFTING = [1, 2, 3, 4] as const
export const FIRST_KEPT = 5
/** Where a stack goes that has no place of its own: main part, then hotbar. */
export const FREE_SLOTS: readonly number[] = Array.from({ length: 36 }, (_, n) => n + 9)

const HOTBAR = 36
const OFF_HAND = 45
const FEET = 100
const OFF_HAND_IN_FILE = -106

/** The number under which a file names a slot of 5 to 45. */
export function slotInFile(slot: number): number {
  if (slot === OFF_HAND) return OFF_HAND_IN_FILE
  if (slot >= HOTBAR) return slot - HOTBAR
  return slot < 9 ? FEET + 8 - slot : slot
}

/** The slot that a file's number means, or null when it means none. */
export function slotFromFile(slot: number | null): number | null {
  if (slot === null) return null
  if (slot === OFF_HAND_IN_FILE) return OFF_HAND
  if (slot >= FEET && slot < FEET + 4) return 8 - (slot - FEET)
  if (slot < 0 || slot >= HOTBAR) return null
  return slot < 9 ? HOTBAR + slot : slot
}
