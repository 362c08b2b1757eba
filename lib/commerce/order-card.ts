import { z } from 'zod'
import type { CardButton, CardLine, CardType, CardTone } from '../cards/index.js'
import { isFailureCode, type FailureCode } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import type { InboxEntry, Order } from '../inventory/index.js'
import type { Message } from '../text/index.js'
import { cardPriceSchema, cardThingsSchema, worded, type Display } from './display.js'
import { asks, failureLines, priceLines, thingLines } from './offer-cards.js'
import { oddsMessage } from './odds.js'

/** The workflow that delivers entries of the inbox. */
export const CLAIM_MODULE = identifier('system:inbox_claim')
/** The workflow that lists orders. */
export const ORDERS_MODULE = identifier('system:orders')

const count = z.int().min(0)

/** Why something can't be had, on a card. */
export const failureCodeSchema = z.custom<FailureCode>(
  (code) => typeof code === 'string' && isFailureCode(code),
)

const STATES = ['RESERVED', 'COMPLETED', 'FAILED', 'VOIDED', 'PAYMENT_UNKNOWN'] as const

/** One order on a card. */
export const orderDataSchema = z.strictObject({
  id: z.string().max(64),
  /** What it was bought from: a module type. */
  source: z.string().max(256),
  title: z.string().max(256),
  state: z.enum(STATES),
  price: z.array(cardPriceSchema).max(36),
  things: cardThingsSchema,
  odds: z.strictObject({ weight: count, total: count }).nullable(),
  failure: failureCodeSchema.nullable(),
  /** Epoch milliseconds; 0: unknown. */
  at: count,
  /** Its entry of the inbox while that waits. */
  claim: z.string().max(64).nullable(),
})
export type OrderData = z.infer<typeof orderDataSchema>

/** What a card says of an order, with its entry of the inbox. */
export function orderData(order: Order, entries: readonly InboxEntry[], display: Display): OrderData {
  const { id, source, state, gives, booked, sale } = order
  const things = display.goods(gives.lines, gives.xp, booked)
  const waiting = entries.find((entry) => entry.id === order.entry && entry.state === 'AVAILABLE')
  return {
    id,
    source,
    title: display.title(sale?.title ?? null, things),
    state,
    price: display.prices(sale?.price ?? []),
    things,
    odds: sale?.odds ?? null,
    failure: order.failure !== null && isFailureCode(order.failure) ? order.failure : null,
    at: sale?.at ?? 0,
    claim: waiting?.id ?? null,
  }
}

/** How each state is called in the language files, and how it looks. */
const LOOKS: Readonly<Record<OrderData['state'], { readonly word: string; readonly tone: CardTone }>> = {
  RESERVED: { word: 'reserved', tone: 'muted' },
  COMPLETED: { word: 'completed', tone: 'good' },
  FAILED: { word: 'failed', tone: 'bad' },
  VOIDED: { word: 'voided', tone: 'bad' },
  PAYMENT_UNKNOWN: { word: 'payment_unknown', tone: 'accent' },
}

/** What a state means, in a sentence. */
export const stateText = (state: OrderData['state']): Message => ({
  key: `system.order.state.${LOOKS[state].word}`,
})

/** A line with the state that an order is in. */
const stateLine = ({ state }: Pick<OrderData, 'state'>): CardLine => ({
  kind: 'message',
  message: stateText(state),
  tone: LOOKS[state].tone,
})

/** A receipt: what was bought, what became of it, and what to do next. */
export const orderCardType: CardType<OrderData> = {
  id: identifier('system:order'),
  schema: orderDataSchema,
  build: (order) => ({
    title: { key: 'system.order.title', params: { title: worded(order.title) } },
    lines: [
      stateLine(order),
      ...failureLines(order.state === 'FAILED' ? order.failure : null),
      ...thingLines(order.things),
      ...(order.odds === null
        ? []
        : [{ kind: 'message' as const, message: oddsMessage(order.odds), tone: 'muted' as const }]),
      ...priceLines(order.price),
      { kind: 'row', label: { key: 'system.order.number' }, value: order.id, tone: 'muted' },
    ],
    buttons: buttonsOf(order),
  }),
  memoryFact: ({ source, title, state }) => `The order of "${title}" at ${source} is ${state}.`,
}

/** Takes an entry of the inbox, where one waits. */
export const claimButtons = (entry: string | null): CardButton[] =>
  entry === null
    ? []
    : [
        {
          id: 'claim',
          icon: identifier('minecraft:chest'),
          label: { key: 'system.inbox.claim' },
          action: asks(CLAIM_MODULE, { entry }),
        },
      ]

/** Sellers that can be gone back to. */
const SELLER = /^system:(shop|lottery)$/

function buttonsOf({ source, claim }: OrderData): CardButton[] {
  return [
    ...claimButtons(claim),
    ...(SELLER.test(source)
      ? [{ id: 'back', label: { key: `${source.replace(':', '.')}.all` }, action: asks(identifier(source)) }]
      : []),
    { id: 'orders', label: { key: 'system.order.all' }, action: asks(ORDERS_MODULE) },
  ]
}
