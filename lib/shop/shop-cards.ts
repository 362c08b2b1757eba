import { z } from 'zod'
import type { CardButton, CardLine, CardType } from '../cards/index.js'
import {
  asks,
  cardPriceSchema,
  confirmButtons,
  failureCodeSchema,
  failureLines,
  priceLines,
  soldEntry,
  soldSchema,
  thingLines,
  worded,
} from '../commerce/index.js'
import { identifier } from '../core/ids.js'

export const SHOP_MODULE = identifier('system:shop')
export const QUOTE_MODULE = identifier('system:shop_quote')
export const PURCHASE_MODULE = identifier('system:shop_purchase')

const MAX_OFFERS = 500
/** Offers that a later model call is told of. */
const TOLD = 12

const shopSchema = z.strictObject({
  /** What was searched for; empty: nothing. */
  query: z.string().max(100),
  offers: z.array(soldSchema).max(MAX_OFFERS),
  /** Offers after these. */
  more: z.int().min(0),
})

const all: CardButton = {
  id: 'shop',
  icon: identifier('minecraft:chest'),
  label: { key: 'system.shop.all' },
  action: asks(SHOP_MODULE),
}

/** The offers that the player sees: each opens its quote. */
export const shopCardType: CardType<z.infer<typeof shopSchema>> = {
  id: identifier('system:shop'),
  schema: shopSchema,
  build: ({ query, offers, more }) => ({
    title: query === '' ? { key: 'system.shop.title' } : { key: 'system.shop.found', params: { query } },
    lines:
      offers.length === 0
        ? [{ kind: 'message', message: { key: query === '' ? 'system.shop.empty' : 'system.shop.none' } }]
        : offers.map((offer): CardLine => ({
            kind: 'entry',
            ...soldEntry(offer, asks(QUOTE_MODULE, { offer: offer.id })),
          })),
    buttons: [
      ...(query === '' ? [] : [all]),
      ...(more === 0
        ? []
        : [
            {
              id: 'search',
              label: { key: 'system.shop.more', params: { more } },
              action: { kind: 'suggest' as const, command: '/system shop ' },
            },
          ]),
    ],
  }),
  memoryFact: ({ offers }) => {
    const ids = offers.slice(0, TOLD).map(({ id }) => id)
    return `Showed ${offers.length} offers of the shop: ${ids.join(', ')}.`
  },
}

export const quoteSchema = z.strictObject({
  offer: soldSchema,
  price: z.array(cardPriceSchema).max(36),
  /** Null: it can't be bought now, and `failure` says why. */
  quote: z.string().max(64).nullable(),
  failure: failureCodeSchema.nullable(),
})

export type ShopQuote = z.infer<typeof quoteSchema>

/** What an offer gives and costs, with the button that buys it: the one place to buy. */
export const shopQuoteCardType: CardType<z.infer<typeof quoteSchema>> = {
  id: identifier('system:shop_quote'),
  schema: quoteSchema,
  build: ({ offer, price, quote, failure }) => ({
    title: { key: 'system.shop.quote', params: { title: worded(offer.title) } },
    lines: [...thingLines(offer.things), ...priceLines(price), ...failureLines(failure)],
    buttons: [
      ...confirmButtons({
        module: PURCHASE_MODULE,
        entry: offer.id,
        quote,
        label: { key: 'system.shop.buy' },
        again: asks(QUOTE_MODULE, { offer: offer.id }),
      }),
      all,
    ],
  }),
  memoryFact: ({ offer, quote }) =>
    `Showed the price of the offer ${offer.id}. ` +
    (quote === null
      ? 'The player cannot pay it now.'
      : 'Only the player can confirm it, by pressing the button.'),
}
