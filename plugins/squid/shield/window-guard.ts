import type { SquidItem, SquidPlayer } from '../types.js'
import type { PacketIn } from './client-tap.js'
import { playerInternals, serverInternals } from './internals.js'
import { planClick, withCount, type ClickEffect } from './inventory-clicks.js'
import type { InstallRepair, RepairContext } from './repair.js'
import { safeWrite } from './safe-write.js'

const SLOTS = 46
const HOTBAR = 36
const OFF_HAND = 45
/** Rows of the host's only kind of chest, which holds nothing. */
const CHEST_SLOTS = 27
/** How long the host keeps a thrown stack from being picked up, and in the world. */
const THROWN = { pickupTime: 500, deathTime: 300_000 } as const

/** The static part of prismarine-item's class, reached through any item. */
interface ItemClass {
  toNotch(item: SquidItem | null): unknown
}

/**
 * Clicks are planned with the server's items and nothing of stock's click handling runs: there, other windows' clicks hit the
 * own inventory, throwing copies the held stack and an empty hand throws an error past every handler.
 */
export const installWindowGuard: InstallRepair = (context) => {
  const { tap } = context
  const windows = new Windows(context)
  let isActive = true
  tap.filter('window_click', (packet) => {
    if (!isActive || packet.player?.inventory === undefined) return 'pass'
    windows.click(packet, packet.player)
    return 'swallow'
  })
  tap.filter('set_creative_slot', ({ player, data }) => {
    if (!isActive || player === undefined) return 'pass'
    const { slot } = data
    if (Number.isInteger(slot) && (slot as number) >= 0 && (slot as number) < SLOTS) return 'pass'
    windows.resync(player)
    return 'swallow'
  })
  tap.filter('block_dig', ({ player, data }) => {
    if (!isActive || player?.inventory === undefined || (data['status'] !== 3 && data['status'] !== 4))
      return 'pass'
    windows.throwHeld(player, data['status'] === 3)
    return 'swallow'
  })
  return () => {
    isActive = false
  }
}

class Windows {
  /** Grows with every message about a window, as clients from 1.17.1 on expect. */
  readonly #stateIds = new WeakMap<SquidPlayer, number>()
  constructor(private readonly context: RepairContext) {}

  click({ client, data }: PacketIn, player: SquidPlayer): void {
    const inventory = player.inventory as
      (typeof player.inventory & { selectedItem: SquidItem | null }) | undefined
    const effect =
      inventory !== undefined && data['windowId'] === 0
        ? planClick(
            { slots: inventory.slots, cursor: inventory.selectedItem },
            { mode: data['mode'], slot: data['slot'], button: data['mouseButton'] },
          )
        : undefined
    const isDone = effect !== undefined && this.#apply(player, effect)
    if (isDone && inventory !== undefined) inventory.selectedItem = effect.cursor
    // before 1.17 each click waits for a yes or no
    if (!this.context.serv.supportFeature('stateIdUsed'))
      safeWrite(client, 'transaction', {
        windowId: data['windowId'],
        action: data['action'],
        accepted: isDone,
      })
    this.#resyncAfter(player, data)
  }

  /** Throws the held stack or one of it, in place of stock, which loses it when the world is full of entities. */
  throwHeld(player: SquidPlayer, isWhole: boolean): void {
    const slot = HOTBAR + player.heldItemSlot
    const held = player.inventory?.slots[slot]
    if (held === null || held === undefined) return
    const count = isWhole ? held.count : 1
    const slots = new Map([[slot, withCount(held, held.count - count)]])
    if (!this.#apply(player, { slots, cursor: null, thrown: withCount(held, count) })) this.resync(player)
  }

  /** Shows the client its inventory and cursor as they are. */
  resync(player: SquidPlayer): void {
    const cursor = (player.inventory as { selectedItem?: SquidItem | null } | undefined)?.selectedItem ?? null
    const items = Array.from({ length: SLOTS }, (_, slot) =>
      this.#wire(player.inventory?.slots[slot] ?? null),
    )
    this.#send(player, 0, { items, cursor: this.#wire(cursor) })
  }

  #resyncAfter(player: SquidPlayer, { windowId, mode, mouseButton }: Record<string, unknown>): void {
    // a drag is many packets; the client shows its guess only after the last
    if (mode === 5 && mouseButton !== 2 && mouseButton !== 6 && mouseButton !== 10) return
    const chest = playerInternals(player)
    if (chest.windowId !== undefined && windowId === chest.windowId && (chest.windowType ?? '') !== '') {
      const own = player.inventory?.slots.slice(9, OFF_HAND) ?? []
      const empty = Array.from({ length: CHEST_SLOTS }, () => this.#wire(null))
      const items = [...empty, ...own.map((item) => this.#wire(item ?? null))]
      this.#send(player, chest.windowId, { items, cursor: this.#wire(null) })
    }
    this.resync(player)
  }

  /** Throws first: when the world takes no more entities, the inventory stays as it was. */
  #apply(player: SquidPlayer, { slots, thrown }: ClickEffect): boolean {
    if (thrown !== null && !this.#spawn(player, thrown)) return false
    for (const [slot, item] of slots) player.inventory?.updateSlot(slot, item)
    return true
  }

  #spawn(player: SquidPlayer, item: SquidItem): boolean {
    const { serv, log } = this.context
    const { entitiesByName } = serv.registry as unknown as {
      entitiesByName: Record<string, { id: number } | undefined>
    }
    const type = entitiesByName['item']?.id
    if (type === undefined) return false
    try {
      serverInternals(serv).spawnObject(type, player.world, player.position, {
        itemId: item.type,
        itemDamage: (item as { metadata?: number }).metadata ?? 0,
        itemCount: item.count,
        ...THROWN,
      })
      return true
    } catch (error) {
      log.write('throw', 'window-guard: a thrown stack found no place in the world', error)
      return false
    }
  }

  #send(
    player: SquidPlayer,
    windowId: number,
    { items, cursor }: { items: unknown[]; cursor: unknown },
  ): void {
    const client = player._client
    const stateId = ((this.#stateIds.get(player) ?? 0) + 1) & 0x7fff
    this.#stateIds.set(player, stateId)
    safeWrite(client, 'window_items', { windowId, stateId, items, carriedItem: cursor })
    if (!this.context.serv.supportFeature('stateIdUsed'))
      safeWrite(client, 'set_slot', { windowId: -1, slot: -1, item: cursor })
  }

  #wire(item: SquidItem | null): unknown {
    if (item !== null) return (item.constructor as unknown as ItemClass).toNotch(item)
    return this.context.serv.supportFeature('itemsWithComponents') ? { itemCount: 0 } : { present: false }
  }
}
