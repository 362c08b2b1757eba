import type { IdSource } from '../core/ids.js'
import { note, noteOutcome, type Draft } from './draft.js'
import { isMarked } from './marks.js'
import { lineTotal } from './plan.js'
import type { MarkedOp, Marks } from './port.js'
import { MAX_REISSUES, type LoggedOp } from './book.js'
import { baseOf, entryOf, findOrder, nextPart, partOf } from './records.js'
import { voidOrder, withdraw, withNewEntry } from './transitions.js'

/**
 * The player's file lacks operations that the store has (it was restored, its previous generation was read, it is lost).
 * As far as the log reaches, those payments are void and those deliveries wait again; beyond it nothing is certain and
 * nothing is issued again. Operations are told by their ids: numbers repeat after a save that was given up. Afterwards the
 * store counts on from the file's own number, so a second login finds nothing to do.
 */
export function undoNewer(
  draft: Draft,
  marks: Marks,
  { ids, hasFile }: { ids: IdSource; hasFile: boolean },
): void {
  const { seq, log } = draft.book.inv
  const missing = log.filter((op) => !isMarked(marks, op.id))
  const isCovered = hasFile && (log[0]?.seq ?? Infinity) <= marks.seq + 1
  const known = log.filter((op) => isMarked(marks, op.id))
  draft.book = { ...draft.book, inv: { seq: marks.seq, log: known } }
  const file = hasFile ? `has ${marks.seq} of ${seq}` : `is missing, it had ${seq}`
  note(draft, 'flagged', `the player's file ${file}${isCovered ? '' : ', nothing is issued again'}`)
  if (!isCovered) return
  const gone = new Set<string>()
  for (const op of missing) if (op.kind === 'take' && undoTake(draft, op)) gone.add(op.id)
  for (const op of missing) {
    const isThere = op.reissueOf.some((id) => isMarked(marks, id))
    if (op.kind === 'give' && !isThere && !gone.has(op.order ?? '')) reissue(draft, op, ids)
  }
}

/** Whether the store has operations that the file lacks. */
export const isOlder = (draft: Draft, marks: Marks): boolean =>
  marks.seq < draft.book.inv.seq || draft.book.inv.log.some((op) => !isMarked(marks, op.id))

/**
 * The file has a delivery as it was saved first, before some of it turned out not to fit: the remainders that the store
 * made later are in the file already, those of the first save take their place.
 */
export function replaceRemainders(draft: Draft, marks: Marks, ids: IdSource): void {
  for (const op of marks.ops) {
    const logged = draft.book.inv.log.find(({ id }) => id === op.id)
    if (op.kind !== 'give' || logged === undefined || lineTotal(logged.moved) === lineTotal(op.moved))
      continue
    const isLater = (id: string): boolean => baseOf(id) === baseOf(op.id) && partOf(id) > partOf(op.id)
    const log = draft.book.inv.log
      .filter(({ id }) => !isLater(id))
      .map((one) => (one.id === op.id ? { ...one, moved: op.moved } : one))
    draft.book = withdraw({ ...draft.book, inv: { ...draft.book.inv, log } }, ({ id }) => isLater(id))
    note(draft, 'flagged', `give ${op.id} is in the player's file as it was saved first`)
    reissue(draft, remainder(logged, op), ids)
  }
}

const remainder = (logged: LoggedOp, op: MarkedOp): LoggedOp => ({
  ...logged,
  id: nextPart(op.id),
  moved: op.rest,
  xp: 0,
})

/** Whether everything that belongs to the payment is withdrawn. */
function undoTake(draft: Draft, op: LoggedOp): boolean {
  const before = draft.book
  const order = findOrder(before, op.id)
  if (order === undefined || order.isIrreversible) {
    note(draft, 'flagged', `payment ${op.id} is back in the player's file and can't be undone`)
    return false
  }
  // a failed one has a refund at most, and its price is in the file again
  if (order.state === 'FAILED') draft.book = withdraw(before, (entry) => entry.order === op.id)
  else draft.book = voidOrder(before, op.id)
  noteOutcome(draft, before, op.id)
  if (order.external !== null && order.state !== 'FAILED')
    note(draft, 'flagged', `order ${op.id} is void, but its cost outside of the server may stay charged`)
  return true
}

function reissue(draft: Draft, op: LoggedOp, ids: IdSource): void {
  const { moved: lines, xp, source, order } = op
  const reissueOf = [...op.reissueOf, op.id].slice(-MAX_REISSUES)
  const entry = entryOf({ id: ids.token(), lines, xp, source }, { order, reissueOf })
  draft.book = withNewEntry(draft.book, entry)
  draft.audit.push(`reissued: entry ${op.id} as ${entry.id}`)
}
