import type { PlayerId } from '../core/ids.js'
import type { Booked, Goods, InboxEntry, Order, ResourceLine } from './book.js'
import type { ItemLine } from './port.js'
import { differing, type ItemBook } from './records.js'

/** One movement of value, for the audit log: after it is durable. Counts are whole items and points. */
export type AuditLine =
  | {
      readonly what: 'order'
      readonly player: PlayerId
      /** The order's id: entries and prices name it too. */
      readonly id: string
      readonly state: Order['state']
      /** What sold it, and which of its entries. */
      readonly source: string
      readonly entry: string | null
      /** What the player's file pays, and what the store does. */
      readonly lines: readonly ItemLine[]
      readonly xp: number
      readonly resources: readonly ResourceLine[]
      readonly external: Order['external']
      readonly failure: string | null
    }
  | {
      readonly what: 'entry'
      readonly player: PlayerId
      readonly id: string
      readonly state: InboxEntry['state']
      readonly source: string
      readonly order: string | null
      readonly lines: readonly ItemLine[]
      readonly xp: number
      readonly booked: readonly Booked[]
      /** Deliveries that it makes up for. */
      readonly reissueOf: readonly string[]
      /** False: handed out where nothing proves that it arrived. */
      readonly isVerified: boolean
    }
  | {
      readonly what: 'resource'
      readonly player: PlayerId
      readonly source: string
      readonly resource: string
      /** Below zero: taken. */
      readonly amount: number
      readonly balance: number
    }
  | {
      /** A System was taken away, and with it all that was open. */
      readonly what: 'deleted'
      readonly player: PlayerId
      readonly orders: readonly string[]
      readonly entries: readonly (Goods & Pick<InboxEntry, 'id' | 'booked'>)[]
      readonly resources: readonly ResourceLine[]
      readonly features: readonly string[]
    }

export type Audit = (line: AuditLine) => void

/** What a transaction has made of orders and entries. */
export function auditOf(player: PlayerId, before: ItemBook, after: ItemBook): AuditLine[] {
  return [
    ...differing(before.orders, after.orders).map((order) => orderLine(player, order)),
    ...differing(before.entries, after.entries).map((entry) => entryLine(player, entry)),
  ]
}

export const orderLine = (player: PlayerId, order: Order): AuditLine => ({
  what: 'order',
  player,
  id: order.id,
  state: order.state,
  source: order.source,
  entry: order.sale?.entry ?? null,
  lines: order.costs.lines,
  xp: order.costs.xp,
  resources: order.reserved,
  external: order.external,
  failure: order.failure,
})

export const entryLine = (player: PlayerId, entry: InboxEntry): AuditLine => ({
  what: 'entry',
  player,
  id: entry.id,
  state: entry.state,
  source: entry.source,
  order: entry.order,
  lines: entry.lines,
  xp: entry.xp,
  booked: entry.booked,
  reissueOf: entry.reissueOf,
  isVerified: entry.isVerified,
})
