import type { SquidPlayer, SquidServer } from '../types.js'
import { playerInternals } from './internals.js'
import { takeIn } from './inventory-moves.js'
import { itemClass } from './item-persistence.js'
import type { InstallRepair, RepairContext } from './repair.js'
import { safeWrite } from './safe-write.js'

/** What lies on the ground, as the host keeps it. */
interface ItemEntity {
  readonly id: number
  readonly itemId?: number
  itemCount?: number
  readonly metadata?: readonly { readonly value?: unknown }[]
  getNearbyPlayers(): readonly SquidPlayer[]
  destroy(): void
}

/** What the host's command makes of its arguments. */
interface GiveArguments {
  readonly players: readonly SquidPlayer[]
  readonly item: string
  readonly count: string | number
}
type GiveAction = (given: GiveArguments, context: { readonly player?: SquidPlayer }) => unknown

/** `/give` adds numbers, stacks end at their limit and what lies on the ground is taken whole, as far as there is room. */
export const installGive: InstallRepair = (context) => {
  const uncommand = wrapCommand(context)
  const undo = new Map<SquidPlayer, () => void>()
  context.tap.onPlayer((player) => {
    const inside = playerInternals(player)
    const stock = inside.collect
    const ours: typeof stock = (entity) => collect(context.serv, player, entity as ItemEntity)
    inside.collect = ours
    undo.set(player, () => {
      if (inside.collect === ours) inside.collect = stock
    })
    player.once('disconnected', () => undo.delete(player))
  })
  return () => {
    uncommand()
    for (const run of undo.values()) run()
  }
}

/** What comes to a player. */
interface Coming {
  readonly type: number
  readonly count: number
}

/** Puts a stack into a player's slots as far as there is room, and gives how many found none. */
function add({ inventory }: SquidPlayer, { type, count }: Coming): number {
  if (inventory === undefined) return count
  const Item = itemClass(inventory)
  const { changed, rest } = takeIn(inventory.slots, new Item(type, count))
  for (const [slot, item] of changed) inventory.updateSlot(slot, item)
  return rest?.count ?? 0
}

function collect(serv: SquidServer, player: SquidPlayer, entity: ItemEntity): void {
  const { itemId, itemCount = 1 } = entity
  // what is gone was taken by somebody else in this very tick
  if (serv.entities[entity.id] !== entity || player.health <= 0) return
  if (itemId === undefined || serv.registry.items[itemId] === undefined) return
  const count = Number.isInteger(itemCount) && itemCount > 0 ? itemCount : 1
  const left = add(player, { type: itemId, count })
  if (left === count) return
  const seen = { collectedEntityId: entity.id, collectorEntityId: player.id, pickupItemCount: count - left }
  const watchers = entity.getNearbyPlayers()
  for (const other of watchers) safeWrite(other._client, 'collect', seen)
  playerInternals(player).playSoundAtSelf('random.pop')
  if (left === 0) {
    entity.destroy()
    return
  }
  entity.itemCount = left
  showLeft(serv, entity, watchers)
}

/** Tells the count of what still lies there: to those who see it, and through the host's own facts to who comes later. */
function showLeft(serv: SquidServer, entity: ItemEntity, watchers: readonly SquidPlayer[]): void {
  const { itemId, itemCount } = entity
  for (const { value } of entity.metadata ?? [])
    if (typeof value === 'object' && value !== null && 'itemCount' in value)
      Object.assign(value, { itemCount })
  const { version } = serv.registry
  const components = {
    addedComponentCount: 0,
    removedComponentCount: 0,
    components: [],
    removeComponents: [],
  }
  const value = { present: true, itemId, itemCount, ...components }
  const key = version['>=']('1.17') ? 8 : 7
  const type = version['>=']('1.19.4') ? 'item_stack' : 6
  for (const other of watchers)
    safeWrite(other._client, 'entity_metadata', { entityId: entity.id, metadata: [{ key, type, value }] })
}

/** The host adds its commands after plugins are loaded. */
function wrapCommand(context: RepairContext): () => void {
  const { serv } = context
  let undo = (): void => {}
  const put = (): void => {
    const params = serv.commands.uniqueHash['give']?.params as { action: GiveAction } | undefined
    if (params === undefined) return
    const stock = params.action
    const ours: GiveAction = (given, by) =>
      give(context, given, by) ?? Reflect.apply(stock, params, [given, by])
    params.action = ours
    undo = () => {
      if (params.action === ours) params.action = stock
    }
  }
  if (serv.pluginsReady) put()
  else serv.once('pluginsReady', put)
  return () => {
    serv.removeListener('pluginsReady', put)
    undo()
  }
}

/** The answer; null for an item that there is none of, about which the host complains itself. */
function give(
  { serv, text }: RepairContext,
  { players, item, count }: GiveArguments,
  by: { readonly player?: SquidPlayer },
): string | null {
  const { items, itemsByName } = serv.registry
  const facts = /^\d+$/.test(item)
    ? serv.registry.itemsArray.find(({ id }) => id === Number(item))
    : serv.registry.itemsArray.find(({ name }) => name === item)
  if (facts === undefined || facts.id === itemsByName['air']?.id || items[facts.id] === undefined) return null
  const each = Number(count)
  if (!/^\d+$/.test(String(count)) || !Number.isSafeInteger(each) || each < 1)
    return text(by.player, { key: 'system.shield.give_count' })
  const left = players.reduce((sum, player) => sum + add(player, { type: facts.id, count: each }), 0)
  const params = {
    players: players.map(({ username }) => username ?? '').join(', '),
    given: each * players.length - left,
    left,
  }
  return text(by.player, { key: left === 0 ? 'system.shield.gave' : 'system.shield.gave_part', params })
}
