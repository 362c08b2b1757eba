import { isFailureCode, type FailureCode } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { ATTEMPTS, type ItemContext } from './context.js'
import { askExternal } from './external.js'
import { isMarked, markOp } from './marks.js'
import { lineTotal, planGive, planTake } from './plan.js'
import type { MarkedOp, Marks, PlayerInventory } from './port.js'
import { type Order } from './book.js'
import { findOrder, hasOwnCosts, type ItemBook } from './records.js'
import { followAnswer, settle, settleOp } from './settle.js'
import { completeOrder, doubtOrder, failOrder } from './transitions.js'

/** A paid order: counts of items and points that it took. */
export interface TakeReceipt {
  readonly id: string
  readonly moved: number
  readonly xp: number
}

/** An order that is to be paid. */
export interface Payment {
  readonly id: string
  /** Asked at the last moment before anything is taken: why it may not be, or null. The order is FAILED then. */
  readonly mayCharge?: (() => FailureCode | null) | undefined
}

/** What an order's state answers to whoever wanted it paid; the same however often it is asked. */
export function orderAnswer(book: ItemBook, id: string): Result<TakeReceipt> {
  const order = findOrder(book, id)
  switch (order?.state) {
    case 'COMPLETED':
      return ok({ id, moved: lineTotal(order.taken?.lines ?? []), xp: order.taken?.xp ?? 0 })
    case 'PAYMENT_UNKNOWN':
      return fail('system:payment_unknown')
    case 'RESERVED':
      return fail('system:storage_unknown')
    case 'FAILED':
      return fail(
        order.failure !== null && isFailureCode(order.failure) ? order.failure : 'system:order_failed',
      )
    case 'VOIDED':
      return fail('system:order_failed')
    case undefined:
      return fail('system:unknown_entry')
  }
}

/** A reserved order whose price the player has to give; or the answer, where nothing is to be taken from the player. */
export async function toBePaid(
  context: ItemContext,
  player: PlayerId,
  { id, mayCharge }: Payment,
): Promise<{ readonly order: Order } | { readonly answer: Result<TakeReceipt> }> {
  const book = await context.read(player)
  if (!book.ok) return { answer: book }
  const order = findOrder(book.value, id)
  if (order?.state !== 'RESERVED') return { answer: orderAnswer(book.value, id) }
  context.fault('take.reserved')
  const refused = order.taken === null ? (mayCharge?.() ?? null) : null
  if (refused !== null) return { answer: await refuse(context, player, { order, code: refused }) }
  if (order.taken !== null) return { answer: await payElsewhere(context, player, { order, how: 'status' }) }
  if (!hasOwnCosts(order)) return { answer: await payElsewhere(context, player, { order, how: 'charge' }) }
  return { order }
}

/** Steps 2 to 4 of a take; step 1 was the transaction that reserved the order. */
export async function takeOrder(
  context: ItemContext,
  player: PlayerId,
  payment: Payment,
): Promise<Result<TakeReceipt>> {
  const { id } = payment
  const settled = await settle(context, player)
  if (!settled.ok) return settled
  const reserved = await toBePaid(context, player, payment)
  if ('answer' in reserved) return reserved.answer
  const { order } = reserved
  const inventory = context.parts.inventories.find(player)
  if (inventory === null) return refuse(context, player, { order, code: 'system:disconnected' })
  const before = inventory.marks()
  if (isMarked(before, id)) return fail('system:storage_unknown')
  const plan = planTake(inventory.slots(), order.costs.lines)
  const xp = inventory.xp() - order.costs.xp
  if (plan === null || xp < 0) return refuse(context, player, { order, code: 'system:cost_missing' })

  const { moved } = plan
  const op: MarkedOp = { id, seq: before.seq + 1, kind: 'take', moved, xp: order.costs.xp, rest: [] }
  inventory.change(plan.changes, xp)
  return save(context, inventory, { order, op, before })
}

/** Step 3, begun in the same turn as the debit: whatever is saved from here on has both or neither. */
async function save(
  context: ItemContext,
  inventory: PlayerInventory,
  { order, op, before }: { order: Order; op: MarkedOp; before: Marks },
): Promise<Result<TakeReceipt>> {
  const marks = markOp(before, op)
  const attempt = (): ReturnType<PlayerInventory['saveAhead']> =>
    inventory.saveAhead({ slots: inventory.slots(), xp: inventory.xp(), marks })
  const first = attempt()
  context.fault('take.debited')
  let outcome = await first
  if (!outcome.saved && outcome.isCertain) return giveBack(context, inventory, { order, op, before })
  for (let n = 1; !outcome.saved && n <= ATTEMPTS; n++) outcome = await attempt()
  inventory.release(marks)
  if (outcome.saved) {
    context.fault('take.saved')
    const done = await settleOp(context, inventory, { op, how: 'charge' })
    if (!done.ok) return done
    context.fault('take.committed')
    return orderAnswer(done.value, op.id)
  }
  context.unsaved.add(inventory.player)
  // a store that can't be told either leaves it reserved, which is decided in the same way
  await context.commit(inventory.player, (book) => doubtOrder(book, op.id, false))
  context.note('flagged', inventory.player, `take ${op.id}, the save is in doubt`)
  context.fault('take.doubted')
  return fail('system:payment_unknown', {}, outcome.failure)
}

/**
 * The save failed for certain: the price goes back. What no longer fits can't be an entry yet, for the file still has it:
 * the marks carry it until a save has both.
 */
async function giveBack(
  context: ItemContext,
  inventory: PlayerInventory,
  { order, op, before }: { order: Order; op: MarkedOp; before: Marks },
): Promise<Result<never>> {
  const { player } = inventory
  const back = planGive(inventory.slots(), op.moved, context.parts.inventories)
  inventory.change(back.changes, inventory.xp() + op.xp)
  const { rest } = back
  const isWhole = rest.length === 0
  inventory.release(isWhole ? before : markOp(before, { ...op, moved: rest, xp: 0, rest }))
  if (!isWhole) context.unsaved.add(player)
  context.fault('take.returned')
  if (isWhole) return refuse(context, player, { order, code: 'system:storage_failed' })
  const settled = await settle(context, player)
  return settled.ok ? fail('system:storage_failed') : settled
}

/** The order came to nothing, and nothing was taken. Where the store can't be told, the next login finds the same. */
async function refuse(
  context: ItemContext,
  player: PlayerId,
  { order, code }: { order: Order; code: FailureCode },
): Promise<Result<never>> {
  await context.commit(player, (book) => failOrder(book, order.id, { code }))
  context.note('failed', player, `take ${order.id} ${code}`)
  return fail(code)
}

/** An order that takes nothing (more) from the player's file: free, or by a cost outside of the server alone. */
export async function payElsewhere(
  context: ItemContext,
  player: PlayerId,
  { order, how }: { order: Order; how: 'charge' | 'status' },
): Promise<Result<TakeReceipt>> {
  const answer =
    order.external === null ? 'charged' : await askExternal(context.parts, { player, order, how })
  context.fault('take.charged')
  const done = await context.commit(player, (book) =>
    order.external === null ? completeOrder(book, order.id) : followAnswer(book, order.id, answer),
  )
  if (!done.ok) return fail('system:storage_unknown', {}, done.failure)
  const state = findOrder(done.value, order.id)?.state
  const outcome = state === 'COMPLETED' ? 'completed' : state === 'FAILED' ? 'failed' : 'flagged'
  context.note(outcome, player, `take ${order.id} ${state}`)
  context.fault('take.committed')
  return orderAnswer(done.value, order.id)
}
