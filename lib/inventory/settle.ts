import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { ItemContext } from './context.js'
import { askExternal, type ExternalAnswer } from './external.js'
import { markSettled } from './marks.js'
import type { MarkedOp, PlayerInventory } from './port.js'
import { NO_GOODS } from './book.js'
import { findOrder, type ItemBook } from './records.js'
import { completeOrder, doubtOrder, failOrder, followFile } from './transitions.js'

/** What the answer of a cost outside makes of an order whose own price is paid. */
export function followAnswer(book: ItemBook, id: string, answer: ExternalAnswer): ItemBook {
  if (answer === 'charged') return completeOrder(book, id)
  if (answer === 'unknown') return doubtOrder(book, id, true)
  const refund = findOrder(book, id)?.taken ?? NO_GOODS
  return failOrder(book, id, { code: 'system:payment_refused', refund })
}

/**
 * Step 4 of both directions: the player's file has the operation durably, the store follows in one transaction, and only
 * then it leaves the marks. A cost outside is charged before, or only asked about.
 */
export async function settleOp(
  context: ItemContext,
  inventory: PlayerInventory,
  { op, how }: { op: MarkedOp; how: 'charge' | 'status' },
): Promise<Result<ItemBook>> {
  const { player } = inventory
  const book = await context.read(player)
  if (!book.ok) return unsettled(book.failure)
  const order = findOrder(book.value, op.id)
  const answer =
    op.rest.length === 0 && order?.external === 'open'
      ? await askExternal(context.parts, { player, order, how })
      : null
  if (answer !== null) context.fault('take.charged')
  const committed = await context.commit(player, (book) => {
    const paid = followFile(book, op)
    return answer === null ? paid : followAnswer(paid, op.id, answer)
  })
  if (!committed.ok) return unsettled(committed.failure)
  inventory.setMarks(markSettled(inventory.marks(), op))
  const state = findOrder(committed.value, op.id)?.state ?? 'COMPLETED'
  const outcome = state === 'COMPLETED' ? 'completed' : state === 'FAILED' ? 'failed' : 'flagged'
  context.note(outcome, player, `${op.kind} ${op.id} ${state}, seq ${op.seq}`)
  return committed
}

/** The player's side is done and the store's isn't, yet. */
const unsettled = (cause: unknown): Result<never> => fail('system:storage_unknown', {}, cause)

/**
 * Ends what earlier operations of the player left open: a save in doubt, then the store's side of what the file has.
 * Nothing new begins before that.
 */
export async function settle(context: ItemContext, player: PlayerId): Promise<Result<void>> {
  const inventory = context.parts.inventories.find(player)
  if (inventory === null) return ok(undefined)
  if (context.unsaved.has(player)) {
    const outcome = await inventory.save()
    if (!outcome.saved) return unsettled(outcome.failure)
    context.unsaved.delete(player)
  }
  for (const op of inventory.marks().ops) {
    const done = await settleOp(context, inventory, { op, how: 'status' })
    if (!done.ok) return done
  }
  return ok(undefined)
}
