import { z } from 'zod'
import { failedResult, FAST_POLICY, shown, type AgentModule, type AgentResult } from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import {
  CLAIM_MODULE,
  orderCardType,
  orderData,
  ORDERS_MODULE,
  replaced,
  type Market,
} from '../commerce/index.js'
import { failure, type Failure } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { INBOX, isOpenOrder, ORDERS, type ItemView } from '../inventory/index.js'
import { FEATURES, RESOURCES } from '../rewards/index.js'
import { claimType, type Claimed } from './claims.js'
import { INBOX_MODULE, inboxCardType, MAX_SHOWN, ordersCardType, type InboxData } from './inbox-cards.js'
import { INBOX_EXAMPLES, ORDERS_EXAMPLES } from './inbox-examples.js'

const nothing = z.strictObject({})

/** What the card shows of a player's inbox. */
function inboxData(kept: ItemView, { display }: Market, claimed: Claimed | null): InboxData {
  const waiting = kept.get(INBOX).filter(({ state }) => state === 'AVAILABLE')
  const entries = waiting.slice(0, MAX_SHOWN).map(({ id, source, lines, xp, booked }) => ({
    id,
    source,
    things: display.goods(lines, xp, booked),
  }))
  const balances = kept
    .get(RESOURCES)
    .map(({ resource, amount }) => ({ name: display.resource(resource), amount }))
  const features = kept.get(FEATURES).slice(0, MAX_SHOWN)
  return { entries, more: waiting.length - entries.length, balances, features: [...features], claimed }
}

/** `/system inbox`: what waits. */
export const inboxModule = (market: Market): AgentModule<Record<string, never>> => ({
  id: INBOX_MODULE,
  version: 1,
  action: nothing,
  description: "Shows what waits in the asking player's inbox, with buttons that take it.",
  help: { key: 'system.command.help.inbox' },
  workbench: { icon: identifier('minecraft:chest'), title: { key: 'system.workbench.inbox' } },
  tools: [],
  policy: FAST_POLICY,
  routing: { selection: 'NORMAL', command: { name: 'inbox' }, examples: INBOX_EXAMPLES, extract: () => ({}) },
  execute: (context) =>
    Promise.resolve(replaced(context, cardOf(inboxCardType, inboxData(context.store(), market, null)))),
})

const claimSchema = z.union([
  z.strictObject({ entry: z.string().min(1).max(64) }),
  z.strictObject({ all: z.literal('yes') }),
])

/** What the buttons run that take something. */
export const claimModule = (market: Market): AgentModule<z.infer<typeof claimSchema>> => ({
  id: CLAIM_MODULE,
  version: 1,
  action: claimSchema,
  description: "Takes what waits in the player's inbox.",
  help: { key: 'system.command.help.inbox' },
  tools: [claimType.id],
  policy: { ...FAST_POLICY, writeSteps: 1 },
  routing: { selection: 'STRUCTURED_ONLY' },
  async execute(context, action) {
    const done = await context.tool(claimType, { entry: 'entry' in action ? action.entry : null })
    const claimed = done.ok ? done.value : { things: [], left: [], failure: done.failure.code }
    const card = cardOf(inboxCardType, inboxData(context.store(), market, claimed))
    return withFailure(replaced(context, card), claimed, done.ok ? null : done.failure)
  },
})

/** The card says it all; how it went is told beside it. */
function withFailure(
  result: AgentResult,
  { things, left, failure: code }: Claimed,
  reason: Failure | null,
): AgentResult {
  if (code === null && left.length === 0) return result
  if (code === null || things.length > 0) return { ...result, status: 'partially_succeeded' }
  return { ...result, status: 'failed', failure: reason ?? failure(code) }
}

const ordersSchema = z.strictObject({ order: z.string().min(1).max(64).optional() })

/** `/system orders`: what was bought, and what became of it. */
export const ordersModule = (market: Market): AgentModule<z.infer<typeof ordersSchema>> => ({
  id: ORDERS_MODULE,
  version: 1,
  action: ordersSchema,
  description: "Lists the asking player's orders of shop and lottery, with their states.",
  help: { key: 'system.command.help.orders' },
  tools: [],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    fromCommand: () => ({}),
    examples: ORDERS_EXAMPLES,
    extract: () => ({}),
  },
  execute(context, { order }) {
    const kept = context.store()
    const all = kept.get(ORDERS).toReversed()
    const entries = kept.get(INBOX)
    if (order !== undefined) {
      const found = all.find(({ id }) => id === order)
      if (found === undefined) return Promise.resolve(failedResult(failure('system:unknown_entry')))
      return Promise.resolve(shown(cardOf(orderCardType, orderData(found, entries, market.display))))
    }
    // what is not decided is never left out
    const first = [...all.filter(isOpenOrder), ...all.filter((one) => !isOpenOrder(one))]
    const listed = new Set(first.slice(0, MAX_SHOWN))
    const orders = all.filter((one) => listed.has(one)).map((one) => orderData(one, entries, market.display))
    return Promise.resolve(
      replaced(context, cardOf(ordersCardType, { orders, more: all.length - orders.length })),
    )
  },
})
