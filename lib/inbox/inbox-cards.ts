import { z } from 'zod'
import type { CardLine, CardType } from '../cards/index.js'
import {
  asks,
  cardThingsSchema,
  CLAIM_MODULE,
  failureLines,
  pictured,
  orderDataSchema,
  ORDERS_MODULE,
  stateText,
  thingValue,
  worded,
  type CardThing,
} from '../commerce/index.js'
import { identifierSchema } from '../codec/index.js'
import { identifier } from '../core/ids.js'
import { isOpenOrder } from '../inventory/index.js'
import { claimedSchema } from './claims.js'

export const INBOX_MODULE = identifier('system:inbox')

/** Entries and orders on one card. */
export const MAX_SHOWN = 256
const MAX_BALANCES = 256
const MAX_FEATURES = 256

const more = z.int().min(0)

const inboxSchema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        id: z.string().max(64),
        /** Where it comes from: a module type or another plugin's word. */
        source: z.string().max(256),
        things: cardThingsSchema,
      }),
    )
    .max(MAX_SHOWN),
  more,
  balances: z.array(z.strictObject({ name: z.string().max(256), amount: more })).max(MAX_BALANCES),
  features: z.array(identifierSchema).max(MAX_FEATURES),
  /** What a claim just before has brought; null: there was none. */
  claimed: claimedSchema.nullable(),
})
export type InboxData = z.infer<typeof inboxSchema>

/** Where an entry comes from, in words: ours have a sentence. */
const sourceText = (source: string) =>
  source.startsWith('system:') ? { key: `system.inbox.from.${source.slice('system:'.length)}` } : source

function claimedLines(claimed: InboxData['claimed']): CardLine[] {
  if (claimed === null) return []
  const { things, left, failure } = claimed
  return [
    ...claimedLine('received', things, 'good'),
    ...claimedLine('left', left, 'accent'),
    ...failureLines(failure),
  ]
}

const claimedLine = (
  what: 'received' | 'left',
  things: readonly CardThing[],
  tone: 'good' | 'accent',
): CardLine[] =>
  things.length === 0
    ? []
    : [{ kind: 'row', label: { key: `system.inbox.${what}` }, value: things.map(thingValue), tone }]

function entryLine({ id, source, things }: InboxData['entries'][number]): CardLine {
  const [first, ...rest] = things
  return {
    kind: 'entry',
    ...pictured(things),
    title: first === undefined ? '—' : thingValue(first),
    about: [...rest.map(thingValue), sourceText(source)],
    action: asks(CLAIM_MODULE, { entry: id }),
  }
}

/** What the player has that no slot holds. */
const ownLines = ({ balances, features }: Pick<InboxData, 'balances' | 'features'>): CardLine[] => [
  ...balances.map(({ name, amount }): CardLine => ({
    kind: 'row',
    label: { key: 'system.inbox.balance' },
    value: { key: 'system.goods.resource', params: { amount, name: worded(name) } },
  })),
  ...features.map((feature): CardLine => ({
    kind: 'row',
    label: { key: 'system.inbox.feature' },
    value: feature,
    tone: 'muted',
  })),
]

/** How many there are that the card doesn't show. */
const moreLines = (more: number): CardLine[] =>
  more === 0 ? [] : [{ kind: 'message', message: { key: 'system.inbox.more', params: { more } } }]

/** What waits for the player, to be taken one by one or all. */
export const inboxCardType: CardType<InboxData> = {
  id: identifier('system:inbox'),
  schema: inboxSchema,
  build: ({ entries, more, balances, features, claimed }) => ({
    title: { key: 'system.inbox.title' },
    lines: [
      ...claimedLines(claimed),
      ...(entries.length === 0
        ? [{ kind: 'message' as const, message: { key: 'system.inbox.empty' }, tone: 'muted' as const }]
        : []),
      ...entries.map(entryLine),
      ...moreLines(more),
      ...ownLines({ balances, features }),
    ],
    buttons: [
      ...(entries.length < 2
        ? []
        : [
            {
              id: 'all',
              icon: identifier('minecraft:hopper'),
              label: { key: 'system.inbox.claim_all' },
              action: asks(CLAIM_MODULE, { all: 'yes' }),
            },
          ]),
      {
        id: 'orders',
        icon: identifier('minecraft:paper'),
        label: { key: 'system.order.all' },
        action: asks(ORDERS_MODULE),
      },
    ],
  }),
  memoryFact: ({ entries, more }) => `${entries.length + more} things wait in the player's inbox.`,
}

const ordersSchema = z.strictObject({ orders: z.array(orderDataSchema).max(MAX_SHOWN), more })

/** A player's orders, the newest first: each opens its receipt. */
export const ordersCardType: CardType<z.infer<typeof ordersSchema>> = {
  id: identifier('system:orders'),
  schema: ordersSchema,
  build: ({ orders, more }) => ({
    title: { key: 'system.order.list' },
    lines: [
      ...(orders.length === 0
        ? [{ kind: 'message' as const, message: { key: 'system.order.none' }, tone: 'muted' as const }]
        : []),
      ...orders.map((order): CardLine => ({
        kind: 'entry',
        ...pictured(order.things),
        title: worded(order.title),
        about: [stateText(order.state)],
        action: asks(ORDERS_MODULE, { order: order.id }),
        isMarked: isOpenOrder(order),
      })),
      ...moreLines(more),
    ],
    buttons: [
      {
        id: 'inbox',
        icon: identifier('minecraft:chest'),
        label: { key: 'system.inbox.open' },
        action: asks(INBOX_MODULE),
      },
    ],
  }),
  memoryFact: ({ orders, more }) => {
    const open = orders.filter(isOpenOrder).length
    return `The player has ${orders.length + more} orders, ${open} of them undecided.`
  },
}
