import type { IdSource } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { NO_MARKS, type FoundFile, type Marks } from './port.js'
import { NO_COUNTS, note, noteOutcome, type Draft, type ItemCounts } from './draft.js'
import { markSettled } from './marks.js'
import { awaitsFile, findEntry, findOrder, hasOwnCosts, type ItemBook } from './records.js'
import { isOlder, replaceRemainders, undoNewer } from './restored.js'
import { failOrder, finishEntry, followFile, followPayment, withdraw } from './transitions.js'

/** What a login decides about the player's operations. */
export interface Reconciliation {
  /** The store's side afterwards. */
  readonly book: ItemBook
  /** The marks of the new session, once the store's side is durable. */
  readonly marks: Marks
  readonly counts: ItemCounts
  /** Lines for the audit log: ids and numbers. */
  readonly audit: readonly string[]
  /** Orders whose cost outside of the server decides, after login. */
  readonly external: readonly string[]
}

/** What is to be done about a player file that can't be read. */
export type OnUnreadable = 'refuse' | 'fresh'

/**
 * Makes one of what the store and the player's file say, at login: pure. The caller commits the book in one transaction
 * and uses the marks when it is durable; doing it again changes nothing. What can't be decided is flagged.
 * `system:storage_unreadable`: the file can't be read and the policy is to refuse.
 */
export function reconcile(
  book: ItemBook,
  found: FoundFile,
  { ids, onUnreadable }: { ids: IdSource; onUnreadable: OnUnreadable },
): Result<Reconciliation> {
  if (!found.isReadable && onUnreadable === 'refuse') return fail('system:storage_unreadable')
  const marks = (found.isReadable ? found.marks : null) ?? NO_MARKS
  const draft: Draft = { book, counts: { ...NO_COUNTS }, audit: [] }
  followOps(draft, marks)
  decideOrders(draft, marks)
  followEntries(draft, marks)
  replaceRemainders(draft, marks, ids)
  const hasFile = found.isReadable && found.marks !== null
  if (isOlder(draft, marks)) undoNewer(draft, marks, { ids, hasFile })
  else raiseSeq(draft, marks, book)
  const external = draft.book.orders.filter((order) => order.state === 'RESERVED').map(({ id }) => id)
  const settled = marks.ops.reduce(markSettled, marks)
  return ok({ book: draft.book, marks: settled, counts: draft.counts, audit: draft.audit, external })
}

/** Operations that the store may not have yet. */
function followOps(draft: Draft, marks: Marks): void {
  for (const op of marks.ops) {
    const before = draft.book
    const order = findOrder(before, op.id)
    const isKnown = order !== undefined || findEntry(before, op.id) !== undefined || op.seq <= before.inv.seq
    if (!isKnown) note(draft, 'flagged', `${op.kind} ${op.id} is unknown to the store`)
    if (order?.state === 'FAILED' && order.taken === null && op.rest.length === 0)
      note(draft, 'flagged', `order ${op.id} failed, but the player's file has paid it`)
    draft.book = followFile(before, op)
    noteOutcome(draft, before, op.id)
  }
}

/** Orders that wait for what the file says, and are not among its newest operations. */
function decideOrders(draft: Draft, marks: Marks): void {
  const recent = new Map(marks.recent.map((op) => [op.id, op]))
  for (const order of draft.book.orders.filter(awaitsFile)) {
    if (order.taken !== null || (order.external !== null && !hasOwnCosts(order))) continue
    const before = draft.book
    const op = recent.get(order.id)
    draft.book =
      op === undefined
        ? failOrder(before, order.id, { code: 'system:order_failed' })
        : followPayment(before, order, { rest: op.rest })
    noteOutcome(draft, before, order.id)
  }
}

/** Entries that the file has, though the store thinks they wait: their remainders may have been delivered too. */
function followEntries(draft: Draft, marks: Marks): void {
  const done = new Map([...marks.recent, ...marks.ops].map(({ id, rest }) => [id, rest]))
  for (let at = 0; at < draft.book.entries.length; at++) {
    const entry = draft.book.entries[at]
    if (entry?.state !== 'AVAILABLE') continue
    const before = draft.book
    const rest = done.get(entry.id)
    if (rest !== undefined) draft.book = finishEntry(before, entry.id, rest)
    // the file that had it is back: what was to make up for it is not needed
    else if (entry.reissueOf.some((id) => done.has(id)))
      draft.book = withdraw(before, ({ id }) => id === entry.id)
    noteOutcome(draft, before, entry.id)
  }
}

/** The file is newer than the store: by what the store has just learned, or because the store was replaced. */
function raiseSeq(draft: Draft, marks: Marks, before: ItemBook): void {
  const learned = draft.book.inv.log.filter(({ seq }) => seq > before.inv.seq).length
  if (before.inv.seq + learned < marks.seq)
    note(draft, 'flagged', `the store is older than the player's file: ${before.inv.seq} of ${marks.seq}`)
  if (marks.seq > before.inv.seq) draft.book = { ...draft.book, inv: { ...draft.book.inv, seq: marks.seq } }
}
