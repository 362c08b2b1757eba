import { z } from 'zod'
import type { Tool, ToolType } from '../agent/index.js'
import { identifierSchema } from '../codec/index.js'
import {
  confirmToolType,
  hasWords,
  soldOf,
  soldSchema,
  type Market,
  type Offer,
  type Seller,
  type SoldCard,
} from '../commerce/index.js'
import { orThrow } from '../core/result.js'
import type { Holder } from '../registry/index.js'
import { quoteSchema, SHOP_MODULE, type ShopQuote } from './shop-cards.js'

/** Offers on one card. */
const MAX_SHOWN = 500
/** Offers that a model is told of. */
const TOLD = 24

const querySchema = z.strictObject({
  query: z.string().trim().max(100).describe('words of the offer or of an item; empty for all'),
})
type ShopQuery = z.infer<typeof querySchema>

const offersSchema = z.strictObject({
  offers: z.array(soldSchema).max(MAX_SHOWN),
  /** Offers after these. */
  more: z.int().min(0),
})
type Offers = z.infer<typeof offersSchema>

/** What the player can buy, with prices as they are now. */
export const shopQueryType: ToolType<ShopQuery, Offers> = {
  id: 'shop.query',
  label: { key: 'system.shop.tool' },
  input: querySchema,
  output: offersSchema,
  kind: 'async',
  write: false,
  reasoning:
    "Lists the offers of this server's shop that the asking player sees, with what they give and cost. Buying is done by the " +
    'player alone, by a button.',
  project: ({ offers, more }) => ({
    offers: offers
      .slice(0, TOLD)
      .map(({ id, title, price, things }) => ({ id, title, price, gives: things })),
    more: more + Math.max(0, offers.length - TOLD),
  }),
}

const offerSchema = z.strictObject({ offer: identifierSchema })

/** Names the price of one offer: a quote is made, and nothing else. */
export const shopQuoteType: ToolType<z.infer<typeof offerSchema>, ShopQuote> = {
  id: 'shop.quote',
  label: { key: 'system.shop.tool' },
  input: offerSchema,
  output: quoteSchema,
  kind: 'async',
  write: false,
}

export const shopConfirmType = confirmToolType('shop.purchase')

/** What the shop sells: every offer gives what it says. */
export const shopSeller = ({ registries }: Pick<Market, 'registries'>): Seller<Offer> => ({
  type: SHOP_MODULE,
  member: 'offers',
  registry: registries.offers,
  all: ({ rewards }) => [rewards],
  outcome: ({ rewards }) => ({ rewards, odds: null }),
})

/** The tools of the shop. */
export function shopTools(
  market: Market,
  seller: Seller<Offer>,
): {
  readonly query: Tool<ShopQuery, Offers>
  readonly quote: Tool<z.infer<typeof offerSchema>, ShopQuote>
} {
  const { trade, display } = market
  const offerOf = (holder: Holder<Offer>, price: SoldCard['price']): SoldCard =>
    soldOf(holder, { things: display.things(holder.value.rewards), price }, display)
  const query: Tool<ShopQuery, Offers> = {
    type: shopQueryType,
    owner: SHOP_MODULE,
    handler: ({ query }, { player }) => {
      const found = trade
        .glance(player, seller)
        .map(({ holder, shown }) => offerOf(holder, shown === null ? null : display.prices(shown)))
        .filter((sold) => hasWords(sold, query))
      return { offers: found.slice(0, MAX_SHOWN), more: Math.max(0, found.length - MAX_SHOWN) }
    },
  }
  const quote: Tool<z.infer<typeof offerSchema>, ShopQuote> = {
    type: shopQuoteType,
    owner: SHOP_MODULE,
    handler: async ({ offer }, call) => {
      const { holder, asked, quote } = orThrow(await trade.preview(seller, call, offer))
      return {
        offer: offerOf(holder, null),
        price: display.prices(asked.price.shown, asked.missing),
        quote: quote?.id ?? null,
        failure: asked.failure?.code ?? null,
      }
    },
  }
  return { query, quote }
}
