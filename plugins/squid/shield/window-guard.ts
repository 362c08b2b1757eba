import type { SquidItem, SquidPlayer } from '../types.js'
import type { PacketIn } from './client-tap.js'
import { serverInternals } from './internals.js'
import { planClick } from './inventory-clicks.js'
import { stepDrag, type Drag } from './inventory-drags.js'
import { HOTBAR, isWithinDrag } from './inventory-sync.js'
import type { InstallRepair, RepairContext } from './repair.js'
import { withCount, type ClickedInventory, type ClickEffect } from './stack-math.js'

/** How long the host keeps a thrown stack from being picked up, and in the world. */
const THROWN = { pickupTime: 500, deathTime: 300_000 } as const

/**
 * Clicks are planned with the server's items and nothing of stock's click handling runs: there, other windows' clicks hit the
 * own inventory, throwing copies the held stack and an empty hand throws an error past every handler.
 */
export const installWindowGuard: InstallRepair = (context) => {
  const { tap } = context
  const clicks = new Clicks(context)
  let isActive = true
  tap.filter('window_click', (packet) => {
    if (!isActive || packet.player?.inventory === undefined) return 'pass'
    clicks.apply(packet, packet.player)
    return 'swallow'
  })
  tap.filter('block_dig', ({ player, data }) => {
    if (!isActive || player?.inventory === undefined || (data['status'] !== 3 && data['status'] !== 4))
      return 'pass'
    clicks.throwHeld(player, data['status'] === 3)
    return 'swallow'
  })
  return () => {
    isActive = false
  }
}

class Clicks {
  readonly #drags = new WeakMap<SquidPlayer, Drag>()

  constructor(private readonly context: RepairContext) {}

  apply({ client, data }: PacketIn, player: SquidPlayer): void {
    const inventory = player.inventory as
      (typeof player.inventory & { selectedItem: SquidItem | null }) | undefined
    const effect =
      inventory !== undefined && data['windowId'] === 0
        ? this.#plan(player, { slots: inventory.slots, cursor: inventory.selectedItem }, data)
        : undefined
    const isDone = effect !== undefined && this.#apply(player, effect)
    if (isDone && inventory !== undefined) inventory.selectedItem = effect.cursor
    this.context.sync.answer(client, data, isDone)
    if (!isWithinDrag(data)) this.context.sync.resync(player)
  }

  #plan(player: SquidPlayer, inventory: ClickedInventory, data: PacketIn['data']): ClickEffect | undefined {
    const click = { mode: data['mode'], slot: data['slot'], button: data['mouseButton'] }
    if (click.mode !== 5) {
      this.#drags.delete(player)
      return planClick(inventory, click)
    }
    const { drag, effect } = stepDrag(inventory, this.#drags.get(player) ?? null, click)
    if (drag === null) this.#drags.delete(player)
    else this.#drags.set(player, drag)
    return effect
  }

  /** Throws the held stack or one of it, in place of stock, which loses it when the world is full of entities. */
  throwHeld(player: SquidPlayer, isWhole: boolean): void {
    const slot = HOTBAR + player.heldItemSlot
    const held = player.inventory?.slots[slot]
    if (held === null || held === undefined) return
    const count = isWhole ? held.count : 1
    const slots = new Map([[slot, withCount(held, held.count - count)]])
    if (!this.#apply(player, { slots, cursor: null, thrown: withCount(held, count) }))
      this.context.sync.resync(player)
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
      const thrown = serverInternals(serv).spawnObject(type, player.world, player.position, {
        itemId: item.type,
        itemDamage: (item as { metadata?: number }).metadata ?? 0,
        itemCount: item.count,
        ...THROWN,
      })
      return thrown !== undefined
    } catch (error) {
      log.write('throw', 'window-guard: a thrown stack found no place in the world', error)
      return false
    }
  }
}
