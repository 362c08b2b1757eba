import { z } from 'zod'
import { failedResult, FAST_POLICY, shown, type AgentModule } from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import { confirmModule, replaced, type ConfirmAction, type Market } from '../commerce/index.js'
import { failure } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import {
  DRAW_MODULE,
  LOTTERY_MODULE,
  lotteryCardType,
  lotteryPoolCardType,
  PREVIEW_MODULE,
} from './lottery-cards.js'
import { LOTTERY_EXAMPLES } from './lottery-examples.js'
import { drawType, lotteryPreviewType, lotteryQueryType } from './lottery-tools.js'

const querySchema = z.strictObject({ query: z.string().trim().max(100).optional() })

/** `/system lottery [query]`: what there is to draw from. */
export const lotteryModule: AgentModule<z.infer<typeof querySchema>> = {
  id: LOTTERY_MODULE,
  version: 1,
  action: querySchema,
  description: "Lists this server's lotteries. `query` narrows it; without one all are listed.",
  help: { key: 'system.command.help.lottery' },
  workbench: { icon: identifier('minecraft:gold_ingot'), title: { key: 'system.workbench.lottery' } },
  tools: [lotteryQueryType.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'lottery', argument: { name: 'query', optional: true } },
    fromCommand: (query) => ({ query }),
    examples: LOTTERY_EXAMPLES,
    extract: () => ({}),
  },
  async execute(context, { query = '' }) {
    const found = await context.tool(lotteryQueryType, { query })
    if (!found.ok) return failedResult(found.failure)
    return replaced(context, cardOf(lotteryCardType, { query, ...found.value }))
  },
}

const poolSchema = z.strictObject({
  pool: identifierSchema.optional().describe('id of a lottery'),
  query: z.string().trim().min(1).max(100).optional().describe('words of the lottery or of a prize'),
})

/** One lottery with its odds and price: what a model can lead to at most. */
export const lotteryPreviewModule: AgentModule<z.infer<typeof poolSchema>> = {
  id: PREVIEW_MODULE,
  version: 1,
  action: poolSchema,
  description:
    'Shows the prizes of one lottery with their exact odds and its price, for the player to confirm. Give `pool`, or `query` ' +
    'where its id is not known.',
  help: { key: 'system.command.help.lottery' },
  tools: [lotteryQueryType.id, lotteryPreviewType.id],
  policy: FAST_POLICY,
  routing: { selection: 'EXPLICIT_ONLY' },
  async execute(context, { pool, query = '' }) {
    if (pool === undefined) {
      const found = await context.tool(lotteryQueryType, { query })
      if (!found.ok) return failedResult(found.failure)
      const [first, ...others] = found.value.pools
      if (first === undefined) return failedResult(failure('system:offer_gone'))
      if (others.length > 0) return shown(cardOf(lotteryCardType, { query, ...found.value }))
      return this.execute(context, { pool: first.id })
    }
    const previewed = await context.tool(lotteryPreviewType, { pool })
    if (!previewed.ok) return failedResult(previewed.failure)
    return replaced(context, cardOf(lotteryPoolCardType, previewed.value))
  },
}

/** What the button of a lottery runs. */
export const lotteryDrawModule = (market: Market): AgentModule<ConfirmAction> =>
  confirmModule(market, {
    id: DRAW_MODULE,
    tool: drawType,
    tools: [lotteryPreviewType.id],
    help: { key: 'system.command.help.lottery' },
    preview: async (context, pool) => {
      const previewed = await context.tool(lotteryPreviewType, { pool })
      return previewed.ok ? cardOf(lotteryPoolCardType, previewed.value) : null
    },
  })
