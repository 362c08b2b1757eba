import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { settleOnce } from './at-most-once.js'
import type { ItemContext } from './context.js'
import type { FoundFile } from './port.js'
import { reconcile, type Reconciliation } from './reconcile.js'
import { findOrder } from './records.js'
import { payElsewhere } from './take.js'

/** Makes one of file and store, durably; until it succeeds the player stays undecided. */
export async function decideLogin(
  context: ItemContext,
  player: PlayerId,
  found: FoundFile,
): Promise<Result<Reconciliation>> {
  const { ids, onUnreadable } = context.parts
  const paid = await settleOnce(context, player)
  if (!paid.ok) return paid
  const done = await context.transact(player, (book) => {
    const value = reconcile(book, found, { ids, onUnreadable: onUnreadable() })
    const isSame = value.ok && value.value.book === book && (found.marks?.ops.length ?? 0) === 0
    return { book: value.ok && !isSame ? value.value.book : null, value }
  })
  if (!done.ok) return done
  const result = done.value.value
  if (!result.ok) return result
  context.fault('login.committed')
  context.unsaved.delete(player)
  if (context.undecided.get(player) === found) context.undecided.delete(player)
  context.add(result.value.counts)
  for (const line of result.value.audit) context.audit(player, line)
  return result
}

/**
 * Decides for a player who is here what the login could not; null: it did. No operation has begun since, so the file has
 * the marks that the login found. `system:storage_unknown`: still undecided.
 */
export async function decideLate(
  context: ItemContext,
  player: PlayerId,
): Promise<Result<Reconciliation | null>> {
  const found = context.undecided.get(player)
  if (found === undefined) return ok(null)
  // without an inventory nobody could be given the marks that follow
  const inventory = context.parts.inventories.find(player)
  if (inventory === null) return fail('system:storage_unknown')
  const decided = await decideLogin(context, player, found)
  if (!decided.ok) return fail('system:storage_unknown', {}, decided.failure)
  inventory.setMarks(decided.value.marks)
  await decideOutside(context, player, decided.value.external)
  return decided
}

/** Asks about orders that a cost outside of the server decides; answers how many were asked about. */
export async function decideOutside(
  context: ItemContext,
  player: PlayerId,
  orders: readonly string[],
): Promise<Result<number>> {
  let decided = 0
  for (const id of orders) {
    const book = await context.read(player)
    if (!book.ok) return book
    const order = findOrder(book.value, id)
    if (order?.state !== 'RESERVED' || order.external !== 'open') continue
    await payElsewhere(context, player, { order, how: 'status' })
    decided++
  }
  return ok(decided)
}
