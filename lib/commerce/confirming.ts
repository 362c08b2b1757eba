import { z } from 'zod'
import {
  failedResult,
  FAST_POLICY,
  type AgentModule,
  type AgentResult,
  type ExecutionContext,
  type Tool,
  type ToolType,
} from '../agent/index.js'
import { cardOf, type CardData } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import { failure, type Failure } from '../core/failure.js'
import type { Identifier } from '../core/ids.js'
import { orThrow } from '../core/result.js'
import { INBOX, ORDERS } from '../inventory/index.js'
import type { Message } from '../text/index.js'
import type { Sold } from './catalogue.js'
import type { Market } from './market.js'
import { orderCardType, orderData } from './order-card.js'
import type { Seller } from './trade.js'

const confirmSchema = z.strictObject({ quote: z.string().min(1).max(64) })
const orderedSchema = z.strictObject({ order: z.string() })

export type ConfirmTool = ToolType<z.infer<typeof confirmSchema>, z.infer<typeof orderedSchema>>

/** The type of a tool that confirms quotes: it writes, so no model is ever offered it. */
export const confirmToolType = (id: string): ConfirmTool => ({
  id,
  input: confirmSchema,
  output: orderedSchema,
  kind: 'async',
  write: true,
})

/** The tool itself: a quote becomes an order, which says what became of it. */
export const confirmTool = <T extends Sold>(
  type: ConfirmTool,
  seller: Seller<T>,
  { trade }: Pick<Market, 'trade'>,
): Tool<z.infer<typeof confirmSchema>, z.infer<typeof orderedSchema>> => ({
  type,
  owner: seller.type,
  handler: async ({ quote }, call) => ({ order: orThrow(await trade.purchase(seller, call, quote)) }),
})

const actionSchema = z.strictObject({ quote: z.string().min(1).max(64), entry: identifierSchema })
export type ConfirmAction = z.infer<typeof actionSchema>

/** Longer than a cost outside takes to answer, twice. */
const CONFIRM_MS = 30_000

/**
 * The workflow of the button that confirms: in no catalogue and without a command, so that only the player's own press runs
 * it. A card whose quote is over, or whose offer has changed, becomes a fresh one.
 */
export const confirmModule = (
  { display }: Pick<Market, 'display'>,
  {
    id,
    tool,
    tools,
    help,
    preview,
  }: {
    readonly id: Identifier
    readonly tool: ConfirmTool
    /** What `preview` calls. */
    readonly tools: readonly string[]
    readonly help: Message
    /** The entry's card with a new quote; null: it isn't offered any more. */
    readonly preview: (context: ExecutionContext, entry: Identifier) => Promise<CardData | null>
  },
): AgentModule<ConfirmAction> => ({
  id,
  version: 1,
  action: actionSchema,
  description: 'Confirms a price that the player was shown.',
  help,
  tools: [tool.id, ...tools],
  policy: { ...FAST_POLICY, writeSteps: 1, ttlMillis: CONFIRM_MS },
  routing: { selection: 'STRUCTURED_ONLY' },
  async execute(context, { quote, entry }) {
    const done = await context.tool(tool, { quote }, { step: 'confirm' })
    if (!done.ok) return again(done.failure, { context, card: await preview(context, entry) })
    const store = context.store()
    const order = store.get(ORDERS).find((one) => one.id === done.value.order)
    if (order === undefined) return failedResult(failure('system:order_failed'))
    const card = cardOf(orderCardType, orderData(order, store.get(INBOX), display))
    const shown = replaced(context, card)
    if (order.state === 'COMPLETED') return shown
    return { ...shown, status: order.state === 'FAILED' ? 'failed' : 'partially_succeeded' }
  },
})

/** In place of the card that was pressed. */
export function replaced({ card: ref }: Pick<ExecutionContext, 'card'>, card: CardData): AgentResult {
  const update = ref === null ? ({ mode: 'SHOW', card } as const) : ({ mode: 'REPLACE', ref, card } as const)
  return { status: 'succeeded', message: null, cards: [update] }
}

function again(
  reason: Failure,
  { context, card }: { readonly context: ExecutionContext; readonly card: CardData | null },
): AgentResult {
  const failed = failedResult(reason)
  return card === null ? failed : { ...failed, cards: replaced(context, card).cards }
}
