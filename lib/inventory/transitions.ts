import type { FailureCode } from '../core/failure.js'
import type { ItemLine, MarkedOp } from './port.js'
import { mergeLines } from './plan.js'
import { MAX_REISSUES, NO_GOODS, type Goods, type InboxEntry, type Order } from './book.js'
import {
  awaitsFile,
  entryOf,
  findEntry,
  findOrder,
  logOp,
  nextPart,
  refundId,
  type ItemBook,
} from './records.js'

/*
 * Next states of the store's side, pure and idempotent: whoever repeats one after a crash changes nothing more.
 */

/** Nothing for the player's file. */
export const isNothing = (goods: Goods): boolean => goods.xp === 0 && mergeLines(goods.lines).length === 0

export const withEntry = (book: ItemBook, id: string, change: Partial<InboxEntry>): ItemBook => ({
  ...book,
  entries: book.entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)),
})

const withOrder = (book: ItemBook, id: string, change: Partial<Order>): ItemBook => ({
  ...book,
  orders: book.orders.map((order) => (order.id === id ? { ...order, ...change } : order)),
})

/** Adds the entry unless there is one of that id, or nothing in it. */
export const withNewEntry = (book: ItemBook, entry: InboxEntry): ItemBook =>
  (isNothing(entry) && entry.booked.length === 0) || findEntry(book, entry.id) !== undefined
    ? book
    : { ...book, entries: [...book.entries, entry] }

/** An entry was delivered: DONE, and what did not fit is a new entry. */
export function finishEntry(book: ItemBook, id: string, rest: readonly ItemLine[]): ItemBook {
  const entry = findEntry(book, id)
  if (entry?.state !== 'AVAILABLE') return book
  const left = { ...entry, id: nextPart(id), lines: [...rest], xp: 0, booked: [] }
  return withNewEntry(withEntry(book, id, { state: 'DONE' }), left)
}

/** The same goods once more, for a delivery that nothing proves; null: there is none of that id. */
export function reissueEntry(book: ItemBook, id: string, fresh: string): ItemBook | null {
  const entry = findEntry(book, id)
  if (entry?.state !== 'DONE' || entry.isVerified || isNothing(entry)) return null
  const { lines, xp, source, order } = entry
  const reissueOf = [...entry.reissueOf, id].slice(-MAX_REISSUES)
  return withNewEntry(
    withEntry(book, id, { isVerified: true }),
    entryOf({ id: fresh, lines, xp, source }, { order, reissueOf }),
  )
}

/** The order is paid: COMPLETED, its entry can be claimed. */
export function completeOrder(book: ItemBook, id: string): ItemBook {
  const order = findOrder(book, id)
  if (order === undefined || (order.state !== 'RESERVED' && order.state !== 'PAYMENT_UNKNOWN')) return book
  const external = order.external === null ? null : 'charged'
  const paid = withOrder(book, id, { state: 'COMPLETED', external, taken: order.taken ?? order.costs })
  return order.entry === null || findEntry(book, order.entry)?.state !== 'LOCKED'
    ? paid
    : withEntry(paid, order.entry, { state: 'AVAILABLE' })
}

/** The order came to nothing: FAILED, its entry is withdrawn, and what was taken and not given back waits in the inbox. */
export function failOrder(
  book: ItemBook,
  id: string,
  { code, refund = NO_GOODS }: { code: FailureCode; refund?: Goods },
): ItemBook {
  const order = findOrder(book, id)
  if (order === undefined || (order.state !== 'RESERVED' && order.state !== 'PAYMENT_UNKNOWN')) return book
  const external = order.external === null ? null : 'refused'
  const failed = withOrder(book, id, { state: 'FAILED', external, failure: code })
  const entry = entryOf({ ...refund, id: refundId(id), source: order.source }, { order: id })
  return withNewEntry(
    withdraw(failed, ({ id }) => id === order.entry),
    entry,
  )
}

/** Nobody can say whether it was paid: locked until somebody can. `isExternal`: it hangs on the cost outside alone. */
export function doubtOrder(book: ItemBook, id: string, isExternal: boolean): ItemBook {
  const order = findOrder(book, id)
  if (order?.state !== 'RESERVED') return book
  return withOrder(book, id, { state: 'PAYMENT_UNKNOWN', ...(isExternal ? { external: 'unknown' } : {}) })
}

/** Open entries that match are withdrawn. */
export const withdraw = (book: ItemBook, matches: (entry: InboxEntry) => boolean): ItemBook => ({
  ...book,
  entries: book.entries.map((entry) =>
    (entry.state === 'LOCKED' || entry.state === 'AVAILABLE') && matches(entry)
      ? { ...entry, state: 'WITHDRAWN' }
      : entry,
  ),
})

/** The price is back in the player's file and what it bought is not there: VOIDED, nothing of it stays open. */
export const voidOrder = (book: ItemBook, id: string): ItemBook =>
  withdraw(withOrder(book, id, { state: 'VOIDED' }), ({ order }) => order === id)

/**
 * The player's file holds the operation for certain: its entry or order follows, and the log has it. An order with an
 * open cost outside stays as it is, with its price known to be taken. Unknown ids change nothing.
 */
export function followFile(book: ItemBook, op: MarkedOp): ItemBook {
  if (op.kind === 'give') {
    const entry = findEntry(book, op.id)
    if (entry === undefined) return book
    const { source, order, reissueOf } = entry
    return finishEntry({ ...book, inv: logOp(book.inv, op, { source, order, reissueOf }) }, op.id, op.rest)
  }
  const order = findOrder(book, op.id)
  if (order === undefined) return book
  const from = { source: order.source, order: op.id, reissueOf: [] }
  return followPayment({ ...book, inv: logOp(book.inv, op, from) }, order, op)
}

/** The same of a payment alone, whose place in the log may be unknown. */
export function followPayment(book: ItemBook, order: Order, op: Partial<MarkedOp>): ItemBook {
  if (!awaitsFile(order)) return book
  const rest = op.rest ?? []
  if (rest.length > 0)
    return failOrder(book, order.id, { code: 'system:storage_failed', refund: { lines: rest, xp: 0 } })
  const taken = op.moved === undefined ? order.costs : { lines: op.moved, xp: op.xp ?? 0 }
  const paid = withOrder(book, order.id, { taken, state: 'RESERVED' })
  return order.external === null ? completeOrder(paid, order.id) : paid
}
