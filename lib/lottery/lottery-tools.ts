import { z } from 'zod'
import type { Tool, ToolType } from '../agent/index.js'
import { identifierSchema } from '../codec/index.js'
import {
  confirmToolType,
  hasWords,
  soldOf,
  soldSchema,
  weightOf,
  type Market,
  type Pool,
  type Prize,
  type Seller,
  type SoldCard,
} from '../commerce/index.js'
import type { Chance } from '../core/chance.js'
import { orThrow } from '../core/result.js'
import type { Holder } from '../registry/index.js'
import { LOTTERY_MODULE, MAX_POOLS, MAX_PRIZES, poolSchema, type PoolCard } from './lottery-cards.js'

/** Prizes by which a pool is known in a list. */
const KNOWN_BY = 2
/** Pools that a model is told of. */
const TOLD = 24

const querySchema = z.strictObject({
  query: z.string().trim().max(100).describe('words of the lottery or of a prize; empty for all'),
})
type LotteryQuery = z.infer<typeof querySchema>

const poolsSchema = z.strictObject({
  pools: z.array(soldSchema).max(MAX_POOLS),
  /** Pools after these. */
  more: z.int().min(0),
})
type Pools = z.infer<typeof poolsSchema>

/** What the player can draw from. */
export const lotteryQueryType: ToolType<LotteryQuery, Pools> = {
  id: 'lottery.query',
  label: { key: 'system.lottery.tool' },
  input: querySchema,
  output: poolsSchema,
  kind: 'async',
  write: false,
  reasoning:
    'Lists the lotteries of this server that the asking player sees, each with its two rarest prizes. Drawing is done by the ' +
    'player alone, by a button.',
  project: ({ pools, more }) => ({
    lotteries: pools.slice(0, TOLD).map(({ id, title, things }) => ({ id, title, rarest: things })),
    more: more + Math.max(0, pools.length - TOLD),
  }),
}

const poolIdSchema = z.strictObject({ pool: identifierSchema })

/** Prizes, odds and price of one pool: a quote is made, and nothing is drawn. */
export const lotteryPreviewType: ToolType<z.infer<typeof poolIdSchema>, PoolCard> = {
  id: 'lottery.preview',
  label: { key: 'system.lottery.tool' },
  input: poolIdSchema,
  output: poolSchema,
  kind: 'async',
  write: false,
}

export const drawType = confirmToolType('lottery.draw')

/** The prize that a number below the total of weights stands for: each prize has as many numbers as its weight. */
export function prizeAt(prizes: readonly Prize[], number: number): Prize {
  let left = number
  for (const prize of prizes) {
    if (left < prize.weight) return prize
    left -= prize.weight
  }
  throw new RangeError('a number beyond the weights')
}

/** One draw: a single number of an unbiased source over the whole total. */
export const draw = ({ prizes }: Pick<Pool, 'prizes'>, chance: Chance): Prize =>
  prizeAt(prizes, chance.below(weightOf(prizes)))

/** What a lottery sells: one of its prizes, by their weights. */
export const lotterySeller = ({ registries }: Pick<Market, 'registries'>): Seller<Pool> => ({
  type: LOTTERY_MODULE,
  member: 'pools',
  registry: registries.pools,
  all: ({ prizes }) => prizes.map(({ rewards }) => rewards),
  outcome(pool, chance) {
    const { rewards, weight } = draw(pool, chance)
    return { rewards, odds: { weight, total: weightOf(pool.prizes) } }
  },
})

/** The rarest first, equal ones in the order of the file. */
const rarest = (prizes: readonly Prize[]): Prize[] => prizes.toSorted((a, b) => a.weight - b.weight)

function poolCard(holder: Holder<Pool>, { display }: Market): SoldCard {
  const things = rarest(holder.value.prizes)
    .slice(0, KNOWN_BY)
    .flatMap(({ rewards }) => display.things(rewards).slice(0, 1))
  return soldOf(holder, { things, price: null }, display)
}

/** The tools of the lottery. */
export function lotteryTools(
  market: Market,
  seller: Seller<Pool>,
): {
  readonly query: Tool<LotteryQuery, Pools>
  readonly preview: Tool<z.infer<typeof poolIdSchema>, PoolCard>
} {
  const { trade, display } = market
  const query: Tool<LotteryQuery, Pools> = {
    type: lotteryQueryType,
    owner: LOTTERY_MODULE,
    handler({ query }, { player }) {
      const found = trade
        .entries(player, seller)
        .map((holder) => poolCard(holder, market))
        .filter((pool) => hasWords(pool, query))
      return { pools: found.slice(0, MAX_POOLS), more: Math.max(0, found.length - MAX_POOLS) }
    },
  }
  const preview: Tool<z.infer<typeof poolIdSchema>, PoolCard> = {
    type: lotteryPreviewType,
    owner: LOTTERY_MODULE,
    async handler({ pool }, call) {
      const { holder, asked, quote } = orThrow(await trade.preview(seller, call, pool))
      const { prizes } = holder.value
      const shown = rarest(prizes).slice(0, MAX_PRIZES)
      return {
        pool: poolCard(holder, market),
        price: display.prices(asked.price.shown, asked.missing),
        prizes: shown.map(({ title, weight, rewards }) => ({
          title,
          weight,
          things: display.things(rewards),
        })),
        more: prizes.length - shown.length,
        total: weightOf(prizes),
        quote: quote?.id ?? null,
        failure: asked.failure?.code ?? null,
      }
    },
  }
  return { query, preview }
}
