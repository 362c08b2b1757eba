import type { IdSource } from '../core/ids.js'
import { isMarked } from './marks.js'
import type { Marks } from './port.js'
import { note, noteOutcome, type Draft } from './draft.js'
import { entryOf, findOrder, type LoggedOp } from './records.js'
import { voidOrder, withdraw, withNewEntry } from './transitions.js'

/**
 * The player's file is older than what the store knows of it (restored, or lost). As far as the log reaches, newer
 * payments are void and newer deliveries wait again; beyond it nothing is certain and nothing is issued again.
 * Afterwards the store counts on from the file's own number, so a second login finds nothing to do.
 */
export function undoNewer(
  draft: Draft,
  marks: Marks,
  { ids, hasFile }: { ids: IdSource; hasFile: boolean },
): void {
  const { seq, log } = draft.book.inv
  const newer = log.filter((op) => op.seq > marks.seq)
  const isCovered = hasFile && newer.length === seq - marks.seq
  draft.book = {
    ...draft.book,
    inv: { seq: marks.seq, log: log.filter((op) => op.seq <= marks.seq) },
  }
  const file = hasFile ? `has ${marks.seq} of ${seq}` : `is missing, it had ${seq}`
  note(draft, 'flagged', `the player's file ${file}${isCovered ? '' : ', nothing is issued again'}`)
  if (!isCovered) return
  const undone = newer.filter((op) => !isMarked(marks, op.id))
  const voided = new Set<string>()
  for (const op of undone) if (op.kind === 'take' && undoTake(draft, op)) voided.add(op.id)
  for (const op of undone) if (op.kind === 'give' && !voided.has(op.order ?? '')) reissue(draft, op, ids)
}

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
  const { lines, xp } = { lines: op.moved, xp: op.xp }
  const entry = entryOf(
    { id: ids.token(), lines, xp, source: op.source },
    { order: op.order, reissueOf: op.id },
  )
  draft.book = withNewEntry(draft.book, entry)
  draft.audit.push(`reissued: entry ${op.id} as ${entry.id}`)
}
