import type { EventEmitter } from 'node:events'
import { identifier } from '../../../../lib/core/ids.js'
import { fail, ok, type Result } from '../../../../lib/core/result.js'
import type { SlotChange, Slots, Stack } from '../../../../lib/inventory/index.js'
import type { SquidItem, SquidPlayer } from '../../types.js'
import { playerInternals } from '../internals.js'
import { isSameThing, withCount } from '../stack-math.js'
import { countOf, type StackData } from '../item-persistence.js'
import type { PlayerStats } from './document.js'
import { CRAFTING, FREE_SLOTS, SLOTS } from './slots.js'
import type { Stacks } from './stacks.js'

/** The own window with what the mouse holds. */
interface OwnWindow {
  slots: (SquidItem | null | undefined)[]
  selectedItem?: SquidItem | null
  updateSlot(slot: number, item: SquidItem | null): void
}

const windowOf = (host: SquidPlayer): OwnWindow => host.inventory as OwnWindow

/** What is written of a player beside the inventory; what makes no sense becomes what a new player has. */
export function statsOf(host: SquidPlayer): PlayerStats {
  const { yaw, pitch, onGround, spawnPoint } = playerInternals(host)
  const at = [host.position, spawnPoint?.clone()].find(
    (place) => place !== undefined && [place.x, place.y, place.z].every(Number.isFinite),
  )
  return {
    health: Number.isFinite(host.health) ? host.health : 20,
    food: whole(host.food, [-1_000, 1_000]) ?? 20,
    gameMode: whole(host.gameMode, [0, 3]) ?? 0,
    xp: whole(host.xp, [0, 2 ** 31 - 1]) ?? 0,
    heldItemSlot: whole(host.heldItemSlot, [0, 8]) ?? 0,
    position: [at?.x ?? 0, at?.y ?? 0, at?.z ?? 0],
    yaw: angle(yaw),
    pitch: angle(pitch),
    onGround: onGround === true,
  }
}

const angle = (value: number | undefined): number => (Number.isFinite(value) ? Number(value) : 0)

function whole(value: unknown, [from, to]: readonly [number, number]): number | null {
  const number = Math.trunc(Number(value))
  return number >= from && number <= to ? number : null
}

export const stacksOf = (host: SquidPlayer): Stacks => {
  const { slots, selectedItem } = windowOf(host)
  return { slots, cursor: selectedItem ?? null }
}

/** All slots as the port shows them. */
export function slotsOf(host: SquidPlayer, data: StackData): Slots {
  const { slots } = windowOf(host)
  return Array.from({ length: SLOTS }, (_, slot) => {
    const item = slots[slot]
    return item === null || item === undefined ? null : portStack(item, data)
  })
}

function portStack(item: SquidItem, data: StackData): Stack {
  const count = Math.max(1, countOf(item))
  return { item: identifier(`minecraft:${item.name}`), count, max: item.stackSize, data: data.textOf(item) }
}

/** Stacks in these slots, with what is at the cursor now; fails when one of them is none of this version. */
export function stacksAhead(host: SquidPlayer, slots: Slots, data: StackData): Result<Stacks> {
  try {
    const made = slots.map((stack) => (stack === null ? null : data.make(host, stack)))
    if (slots.some((stack, slot) => stack !== null && made[slot] === null))
      return fail('system:internal', {}, new Error('a stack of no item'))
    const held = windowOf(host).selectedItem ?? null
    // the host counts down the very object
    return ok({ slots: made, cursor: held === null ? null : withCount(held, countOf(held)) })
  } catch (thrown) {
    return fail('system:internal', {}, thrown)
  }
}

/** The host tells of every change that clients are shown. */
export function onSlotUpdate(host: SquidPlayer, listener: (slot: number) => void): void {
  const window = host.inventory as unknown as EventEmitter
  window.on('updateSlot', listener)
}

/** Puts a stack into a slot, and shows it when there is somebody to see it. */
export function putStack(host: SquidPlayer, slot: number, item: SquidItem | null): void {
  const window = windowOf(host)
  try {
    if (host.disconnected !== true) return window.updateSlot(slot, item)
  } catch {
    // the connection is over, or a listener failed: the slot counts
  }
  if (item !== null) Object.assign(item, { slot })
  window.slots[slot] = item
}

/** Applies changes of the lane; a stack that this version doesn't have leaves its slot as it is. */
export function applyChanges(host: SquidPlayer, changes: readonly SlotChange[], data: StackData): void {
  for (const { slot, stack } of changes) {
    const item = stack === null ? null : data.make(host, stack)
    if (stack === null || item !== null) putStack(host, slot, item)
  }
}

export function setXp(host: SquidPlayer, xp: number): void {
  try {
    if (host.disconnected !== true) playerInternals(host).setXp(xp)
  } catch {
    // the connection is over
  }
  host.xp = xp
}

/** Whoever leaves takes back what lies in the crafting grid and at the cursor, as far as there is room. */
export function takeBack(host: SquidPlayer): void {
  const window = windowOf(host)
  for (const slot of CRAFTING) putStack(host, slot, putAway(window, window.slots[slot] ?? null))
  window.selectedItem = putAway(window, window.selectedItem ?? null)
}

/** What of the stack finds no room. */
function putAway({ slots }: OwnWindow, stack: SquidItem | null): SquidItem | null {
  let rest = stack
  for (const slot of FREE_SLOTS) {
    const there = slots[slot]
    if (rest === null || there === null || there === undefined || !isSameThing(there, rest)) continue
    const moved = Math.min(rest.count, there.stackSize - there.count)
    if (moved <= 0) continue
    there.count += moved
    rest = withCount(rest, rest.count - moved)
  }
  const free = rest === null ? undefined : FREE_SLOTS.find((slot) => (slots[slot] ?? null) === null)
  if (rest === null || free === undefined) return rest
  slots[free] = Object.assign(rest, { slot: free })
  return null
}
