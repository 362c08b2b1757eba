import { z } from 'zod'
import { failedResult, FAST_POLICY, shown, type AgentModule } from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import { confirmModule, replaced, type ConfirmAction, type Market } from '../commerce/index.js'
import { failure } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { PURCHASE_MODULE, QUOTE_MODULE, SHOP_MODULE, shopCardType, shopQuoteCardType } from './shop-cards.js'
import { SHOP_EXAMPLES } from './shop-examples.js'
import { shopConfirmType, shopQueryType, shopQuoteType } from './shop-tools.js'

const shopSchema = z.strictObject({ query: z.string().trim().max(100).optional() })
const quoteSchema = z.strictObject({
  offer: identifierSchema.optional().describe('id of an offer'),
  query: z.string().trim().min(1).max(100).optional().describe('words of the offer or of an item'),
})

/** `/system shop [query]`: what there is to buy. */
export const shopModule: AgentModule<z.infer<typeof shopSchema>> = {
  id: SHOP_MODULE,
  version: 1,
  action: shopSchema,
  description: "Shows what this server's shop sells. `query` narrows it; without one everything is listed.",
  help: { key: 'system.command.help.shop' },
  workbench: { icon: identifier('minecraft:emerald'), title: { key: 'system.workbench.shop' } },
  tools: [shopQueryType.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'shop', argument: { name: 'query', optional: true } },
    fromCommand: (query) => ({ query }),
    examples: SHOP_EXAMPLES,
    extract: () => ({}),
  },
  async execute(context, { query = '' }) {
    const found = await context.tool(shopQueryType, { query })
    if (!found.ok) return failedResult(found.failure)
    return replaced(context, cardOf(shopCardType, { query, ...found.value }))
  },
}

/** One offer with its price: what a model can lead to at most. */
export const shopQuoteModule: AgentModule<z.infer<typeof quoteSchema>> = {
  id: QUOTE_MODULE,
  version: 1,
  action: quoteSchema,
  description:
    'Shows one offer of the shop with its price now, for the player to confirm. Give `offer`, or `query` where its id is not known.',
  help: { key: 'system.command.help.shop' },
  tools: [shopQueryType.id, shopQuoteType.id],
  policy: FAST_POLICY,
  routing: { selection: 'EXPLICIT_ONLY' },
  async execute(context, { offer, query = '' }) {
    if (offer === undefined) {
      const found = await context.tool(shopQueryType, { query })
      if (!found.ok) return failedResult(found.failure)
      const [first, ...others] = found.value.offers
      if (first === undefined) return failedResult(failure('system:offer_gone'))
      if (others.length > 0) return shown(cardOf(shopCardType, { query, ...found.value }))
      return this.execute(context, { offer: first.id })
    }
    const quoted = await context.tool(shopQuoteType, { offer })
    if (!quoted.ok) return failedResult(quoted.failure)
    return replaced(context, cardOf(shopQuoteCardType, quoted.value))
  },
}

/** What the button of a quote runs. */
export const shopPurchaseModule = (market: Market): AgentModule<ConfirmAction> =>
  confirmModule(market, {
    id: PURCHASE_MODULE,
    tool: shopConfirmType,
    tools: [shopQuoteType.id],
    help: { key: 'system.command.help.shop' },
    preview: async (context, offer) => {
      const quoted = await context.tool(shopQuoteType, { offer })
      return quoted.ok ? cardOf(shopQuoteCardType, quoted.value) : null
    },
  })
