import { z } from 'zod'
import type { CardButton, CardLine, CardType } from '../cards/index.js'
import {
  asks,
  cardPriceSchema,
  cardThingsSchema,
  confirmButtons,
  failureCodeSchema,
  failureLines,
  oddsMessage,
  pictured,
  priceLines,
  soldEntry,
  soldSchema,
  thingValue,
  worded,
} from '../commerce/index.js'
import { identifier } from '../core/ids.js'

export const LOTTERY_MODULE = identifier('system:lottery')
export const PREVIEW_MODULE = identifier('system:lottery_preview')
export const DRAW_MODULE = identifier('system:lottery_draw')

/** Pools on one card. */
export const MAX_POOLS = 256
/** Prizes on the card of a pool: the rarest. */
export const MAX_PRIZES = 64
/** Pools that a later model call is told of. */
const TOLD = 12

const count = z.int().min(0)

const poolsSchema = z.strictObject({
  query: z.string().max(100),
  /** Each with its two rarest prizes. */
  pools: z.array(soldSchema).max(MAX_POOLS),
  more: count,
})

const all: CardButton = {
  id: 'lottery',
  icon: identifier('minecraft:chest'),
  label: { key: 'system.lottery.all' },
  action: asks(LOTTERY_MODULE),
}

/** The lotteries that the player sees: each opens its prizes. Nothing is priced or drawn for it. */
export const lotteryCardType: CardType<z.infer<typeof poolsSchema>> = {
  id: identifier('system:lottery'),
  schema: poolsSchema,
  build: ({ query, pools, more }) => ({
    title:
      query === '' ? { key: 'system.lottery.title' } : { key: 'system.lottery.found', params: { query } },
    lines:
      pools.length === 0
        ? [
            {
              kind: 'message',
              message: { key: query === '' ? 'system.lottery.empty' : 'system.lottery.none' },
            },
          ]
        : pools.map((pool): CardLine => ({
            kind: 'entry',
            ...soldEntry(pool, asks(PREVIEW_MODULE, { pool: pool.id })),
          })),
    buttons: [
      ...(query === '' ? [] : [all]),
      ...(more === 0
        ? []
        : [
            {
              id: 'search',
              label: { key: 'system.shop.more', params: { more } },
              action: { kind: 'suggest' as const, command: '/system lottery ' },
            },
          ]),
    ],
  }),
  memoryFact: ({ pools }) => {
    const ids = pools.slice(0, TOLD).map(({ id }) => id)
    return `Showed ${pools.length} lotteries: ${ids.join(', ')}.`
  },
}

const prizeSchema = z.strictObject({
  /** Null: it is called after what it gives. */
  title: z.string().max(256).nullable(),
  weight: z.int().min(1),
  things: cardThingsSchema,
})

export const poolSchema = z.strictObject({
  pool: soldSchema,
  price: z.array(cardPriceSchema).max(36),
  /** The rarest first. */
  prizes: z.array(prizeSchema).min(1).max(MAX_PRIZES),
  /** Prizes that are more common than these. */
  more: count,
  /** Of all prizes, those left out too. */
  total: z.int().min(1),
  /** Null: it can't be drawn now, and `failure` says why. */
  quote: z.string().max(64).nullable(),
  failure: failureCodeSchema.nullable(),
})
export type PoolCard = z.infer<typeof poolSchema>

/** All prizes of a lottery with their exact odds, its price, and the button that draws. */
export const lotteryPoolCardType: CardType<PoolCard> = {
  id: identifier('system:lottery_pool'),
  schema: poolSchema,
  build: ({ pool, price, prizes, more, total, quote, failure }) => ({
    title: { key: 'system.lottery.pool', params: { title: worded(pool.title) } },
    lines: [
      ...priceLines(price),
      ...failureLines(failure),
      ...prizes.map(({ title, weight, things }): CardLine => {
        const [first, ...rest] = things.map(thingValue)
        return {
          kind: 'entry',
          ...pictured(things),
          title: title === null ? (first ?? '—') : worded(title),
          about: [...(title === null ? rest : [first ?? '—', ...rest]), oddsMessage({ weight, total })],
        }
      }),
      ...(more === 0
        ? []
        : [{ kind: 'message' as const, message: { key: 'system.lottery.more', params: { more } } }]),
    ],
    buttons: [
      ...confirmButtons({
        module: DRAW_MODULE,
        entry: pool.id,
        quote,
        label: { key: 'system.lottery.draw' },
        again: asks(PREVIEW_MODULE, { pool: pool.id }),
      }),
      all,
    ],
  }),
  memoryFact: ({ pool, prizes, more, quote }) =>
    `Showed the ${prizes.length + more} prizes of the lottery ${pool.id} and its price. ` +
    (quote === null ? 'The player cannot pay it now.' : 'Only the player can draw, by pressing the button.'),
}
