/** One player before a shop of the test's own. */
import type { Market } from '../../lib/commerce/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { ORDERS, type Order } from '../../lib/inventory/index.js'
import { orThrow } from '../../lib/core/result.js'
import { MarketWorld, MAX_STACK, playerOf } from './market-world.js'

export const ALICE = playerOf(1)
export const COIN = identifier('test:coin')
export const gem = (count: number) => ({ type: 'item', item: 'minecraft:gem', count })
export const bread = (count: number) => ({ type: 'items', items: [{ item: 'minecraft:bread', count }] })

export async function open(
  offers: Record<string, Json>,
  { pools = {}, unknown = [] as string[], tags = {} } = {},
): Promise<MarketWorld> {
  const world = new MarketWorld({ below: () => 0 }, new Set(unknown))
  await world.packs({ 'system/shop_offers': offers, 'system/lottery_pools': pools }, tags)
  await world.login(ALICE)
  return world
}

export function put(world: MarketWorld, slot: number, item: string, count: number, data = ''): void {
  const stack = { item: identifier(item), count, max: MAX_STACK, data }
  world.inventory(ALICE).change([{ slot, stack }])
}

export const has = (world: MarketWorld, item: string): number =>
  world
    .inventory(ALICE)
    .slots()
    .reduce((sum, stack) => sum + (stack?.item === item ? stack.count : 0), 0)
export const orders = (world: MarketWorld): readonly Order[] => world.store.online(ALICE)?.get(ORDERS) ?? []
export const preview = (world: MarketWorld, entry: string) =>
  world.trade.preview(world.shop, { player: ALICE, language: 'en_us' }, identifier(entry))
export async function quoteOf(world: MarketWorld, entry: string): Promise<string> {
  const { quote } = orThrow(await preview(world, entry))
  if (quote === null) throw new Error('no quote')
  return quote.id
}
export const code = (result: { ok: boolean; failure?: { code: string } }): string =>
  result.ok ? 'ok' : (result.failure?.code ?? '')

/** What features are made of, in this world. */
export const marketOf = (world: MarketWorld): Market => ({
  registries: world.registries,
  trade: world.trade,
  display: world.display,
  lane: () => world.lane,
  tell: () => {},
  kept: (player) => world.store.online(player),
})
