import { z } from 'zod'
import { faultSchema } from './messages.js'

export const marketArgumentSchema = z.strictObject({
  folder: z.string(),
  version: z.string(),
  fault: faultSchema.nullable(),
  /** The server is made wrong on purpose: items are credited before the save that names them. */
  isWrong: z.boolean(),
})
export type MarketArgument = z.infer<typeof marketArgumentSchema>

export const marketLineSchema = z.discriminatedUnion('said', [
  z.strictObject({ said: z.literal('ready'), port: z.int() }),
  z.strictObject({ said: z.literal('settled'), items: z.string() }),
])
export type MarketLine = z.infer<typeof marketLineSchema>

export const MARKET_CLIENTS = ['buyer0', 'buyer1'] as const
/** What each buyer begins with; everything that is sold is worth one of it. */
export const WORTH = 90
export const VALUE_ITEM = 'minecraft:diamond'
/** Each is worth as much as the other. */
export const VALUES: readonly string[] = [VALUE_ITEM, 'minecraft:emerald', 'minecraft:gold_ingot']
export const VALUE_COIN = 'market:coin'

const item = (name: string, count: number) => ({ type: 'item', item: `minecraft:${name}`, count })
const items = (name: string, count: number) => ({
  type: 'items',
  items: [{ item: `minecraft:${name}`, count }],
})
const coins = (amount: number) => ({ type: 'resource', resource: VALUE_COIN, amount })

/** A pack of which every offer gives as much as it takes: whatever ends a purchase, nobody is richer or poorer. */
export const MARKET_PACK: Readonly<Record<string, unknown>> = {
  'pack.mcmeta': { pack: { pack_format: 61, supported_formats: [6, 99], description: 'market' } },
  'data/system/system/system_module/shop.json': {
    type: 'system:shop',
    offers: ['market:buy', 'market:sell', 'market:coins', 'market:back', 'market:mixed'],
  },
  'data/system/system/system_module/lottery.json': { type: 'system:lottery', pools: ['market:pool'] },
  'data/market/system/shop_offers/buy.json': {
    title: 'buy',
    costs: [item('diamond', 3)],
    rewards: [items('emerald', 3)],
  },
  'data/market/system/shop_offers/sell.json': {
    title: 'sell',
    costs: [item('emerald', 2)],
    rewards: [items('diamond', 2)],
  },
  'data/market/system/shop_offers/coins.json': {
    title: 'coins',
    costs: [item('diamond', 4)],
    rewards: [coins(4)],
  },
  'data/market/system/shop_offers/back.json': {
    title: 'back',
    costs: [coins(3)],
    rewards: [items('diamond', 3)],
  },
  'data/market/system/shop_offers/mixed.json': {
    title: 'mixed',
    costs: [item('emerald', 1), coins(2)],
    rewards: [items('gold_ingot', 2), coins(1)],
  },
  'data/market/system/lottery_pools/pool.json': {
    title: 'pool',
    costs: [item('diamond', 2)],
    prizes: [
      { weight: 2, rewards: [items('emerald', 2)] },
      { weight: 1, rewards: [coins(1), items('gold_ingot', 1)] },
      { weight: 1, rewards: [items('diamond', 2)] },
    ],
  },
}
