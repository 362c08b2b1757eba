import type { CancelTimer, Clock } from '../../../lib/core/clock.js'
import type { SquidClient, SquidItem, SquidPlayer, SquidServer } from '../types.js'
import { playerInternals } from './internals.js'
import { safeWrite, type WriteOutcome } from './safe-write.js'

/** Slots of a player: crafting 0 to 4, armour 5 to 8, main part 9 to 35, hot bar 36 to 44, off hand 45. */
const SLOTS = 46
export const FIRST_WORN = 5
export const FIRST_MAIN = 9
export const HOTBAR = 36
export const OFF_HAND = 45
/** Rows of the host's only kind of chest, which holds nothing. */
const CHEST_SLOTS = 27
/** As vanilla counts states of windows. */
const STATE_IDS = 0x8000
/** A client that is put right later is put right at most so often. */
const SOON_MS = 250

/** The static part of prismarine-item's class, reached through any item. */
interface ItemClass {
  toNotch(item: SquidItem | null): unknown
}

/** How many states lie between two, the second being the later one. */
export const statesBetween = (from: number, to: number): number => (to - from + STATE_IDS) % STATE_IDS

/** A drag is many packets; the client shows its guess only after the last. */
export const isWithinDrag = ({ mode, mouseButton }: Readonly<Record<string, unknown>>): boolean =>
  mode === 5 && mouseButton !== 2 && mouseButton !== 6 && mouseButton !== 10

/** Shows clients their things as the server has them. All messages about windows count in one row for each player. */
export class InventorySync {
  readonly #stateIds = new WeakMap<SquidPlayer, number>()
  readonly #soon = new Map<SquidPlayer, CancelTimer>()
  #showOurs: (player: SquidPlayer) => boolean = () => false

  constructor(
    private readonly serv: SquidServer,
    private readonly clock: Clock,
  ) {}

  /** Who shows windows of our own once more; false where none is open. */
  ours(show: (player: SquidPlayer) => boolean): void {
    this.#showOurs = show
  }

  /** Everything the client shows of its things: the window that is open, its inventory and its cursor. */
  resync(player: SquidPlayer): void {
    if (!this.#showOurs(player)) this.#showChest(player)
    const items = Array.from({ length: SLOTS }, (_, slot) => this.#of(player, slot))
    this.#items(player, 0, items)
  }

  /** The same once within a quarter of a second, however often it is asked for. */
  resyncSoon(player: SquidPlayer): void {
    if (this.#soon.has(player)) return
    const show = (): void => {
      this.#soon.delete(player)
      this.resync(player)
    }
    this.#soon.set(player, this.clock.after(SOON_MS, show))
  }

  /** Shows a window: its own slots, above the player's. Gives the number of the state that the client is in then. */
  showWindow(player: SquidPlayer, windowId: number, top: readonly unknown[]): number {
    const own = Array.from({ length: OFF_HAND - FIRST_MAIN }, (_, at) => this.#of(player, FIRST_MAIN + at))
    return this.#items(player, windowId, [...top, ...own])
  }

  /** Shows one slot of a window. */
  showSlot(player: SquidPlayer, place: { windowId: number; slot: number; item: unknown }): WriteOutcome {
    return safeWrite(player._client, 'set_slot', { ...place, stateId: this.#nextState(player) })
  }

  /** Before 1.17 each click waits for a yes or no. */
  answer(client: SquidClient, click: Readonly<Record<string, unknown>>, accepted: boolean): void {
    if (this.serv.supportFeature('stateIdUsed')) return
    safeWrite(client, 'transaction', { windowId: click['windowId'], action: click['action'], accepted })
  }

  /** A stack in the form of the protocol. */
  wire(item: SquidItem | null): unknown {
    if (item !== null) return (item.constructor as unknown as ItemClass).toNotch(item)
    return this.serv.supportFeature('itemsWithComponents') ? { itemCount: 0 } : { present: false }
  }

  /** Ends what is to be shown later. */
  close(): void {
    for (const cancel of this.#soon.values()) cancel()
    this.#soon.clear()
  }

  #of(player: SquidPlayer, slot: number): unknown {
    return this.wire(player.inventory?.slots[slot] ?? null)
  }

  #showChest(player: SquidPlayer): void {
    const { windowId, windowType = '' } = playerInternals(player)
    if (windowId === undefined || windowType === '') return
    const empty = Array.from({ length: CHEST_SLOTS }, () => this.wire(null))
    this.showWindow(player, windowId, empty)
  }

  #items(player: SquidPlayer, windowId: number, items: readonly unknown[]): number {
    const client = player._client
    const cursor = (player.inventory as { selectedItem?: SquidItem | null } | undefined)?.selectedItem ?? null
    const carriedItem = this.wire(cursor)
    const stateId = this.#nextState(player)
    safeWrite(client, 'window_items', { windowId, stateId, items, carriedItem })
    if (!this.serv.supportFeature('stateIdUsed'))
      safeWrite(client, 'set_slot', { windowId: -1, slot: -1, item: carriedItem })
    return stateId
  }

  /** Never 0, which is what the host's own messages say. */
  #nextState(player: SquidPlayer): number {
    const next = ((this.#stateIds.get(player) ?? 0) + 1) % STATE_IDS || 1
    this.#stateIds.set(player, next)
    return next
  }
}
