import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { ItemContext } from './context.js'
import { bookEntry, isTooMuch, type GiveReceipt } from './give.js'
import { lineTotal, mergeLines, planGive, planTake, type GivePlan } from './plan.js'
import type { ItemLine } from './port.js'
import { type Goods, type Order } from './book.js'
import { findEntry, nextPart, type ItemBook } from './records.js'
import { followAnswer } from './settle.js'
import { askExternal } from './external.js'
import { orderAnswer, toBePaid, type Payment, type TakeReceipt } from './take.js'
import { failOrder, finishEntry, isNothing, withEntry, withNewEntry } from './transitions.js'

/** A give where the host saves players: the store is marked first, what then doesn't arrive may be lost. */
export async function giveOnce(
  context: ItemContext,
  player: PlayerId,
  id: string,
): Promise<Result<GiveReceipt>> {
  const settled = await settleOnce(context, player)
  if (!settled.ok) return settled
  const book = await context.read(player)
  if (!book.ok) return book
  const entry = findEntry(book.value, id)
  if (entry?.state !== 'AVAILABLE') return fail('system:unknown_entry')
  if (isNothing(entry)) return bookEntry(context, player, id)
  const plan = planNow(context, player, entry.lines)
  if (plan === null) return fail('system:disconnected')
  if (plan.moved.length === 0 && plan.rest.length > 0 && entry.xp === 0) return fail('system:inventory_full')
  if (isTooMuch(context.parts.inventories.find(player)?.xp() ?? 0, entry)) return fail('system:resource_full')
  context.fault('give.planned')
  const marked = await context.commit(player, (now) =>
    withEntry(finishEntry(now, id, plan.rest), id, { isVerified: false }),
  )
  if (!marked.ok) return marked
  context.fault('give.saved')
  const missing = deliver(context, player, { lines: plan.moved, xp: entry.xp })
  context.fault('give.applied')
  const lost = lineTotal(missing.lines)
  if (lost > 0 || missing.xp > 0) {
    const left = await context.commit(player, (book) => addToRest(book, id, missing))
    if (!left.ok) context.note('flagged', player, `give ${id}, ${lost} did not fit and are lost`)
  }
  context.note('completed', player, `give ${id}, not verified`)
  return ok({ id, moved: lineTotal(plan.moved) - lost, rest: lineTotal(plan.rest) + lost })
}

function planNow(context: ItemContext, player: PlayerId, lines: readonly ItemLine[]): GivePlan | null {
  const { inventories } = context.parts
  const inventory = inventories.find(player)
  return inventory === null ? null : planGive(inventory.slots(), lines, inventories)
}

/** Puts the goods into the live inventory; returns what does not fit, all of it when the player has left. */
function deliver(context: ItemContext, player: PlayerId, goods: Goods): Goods {
  const plan = planNow(context, player, goods.lines)
  if (plan === null) return goods
  const inventory = context.parts.inventories.find(player)
  inventory?.change(plan.changes, inventory.xp() + goods.xp)
  return { lines: plan.rest, xp: 0 }
}

function addToRest(book: ItemBook, id: string, missing: Goods): ItemBook {
  const restId = nextPart(id)
  const rest = findEntry(book, restId)
  if (rest !== undefined)
    return withEntry(book, restId, {
      lines: mergeLines([...rest.lines, ...missing.lines]),
      xp: rest.xp + missing.xp,
    })
  const entry = findEntry(book, id)
  return entry === undefined
    ? book
    : withNewEntry(book, { ...entry, ...missing, booked: [], id: restId, state: 'AVAILABLE' })
}

/** A take where the host saves players: a crash may bring the price back, so nothing here is verified. */
export async function takeOnce(
  context: ItemContext,
  player: PlayerId,
  payment: Payment,
): Promise<Result<TakeReceipt>> {
  const { id } = payment
  const settled = await settleOnce(context, player)
  if (!settled.ok) return settled
  const reserved = await toBePaid(context, player, payment)
  if ('answer' in reserved) return reserved.answer
  const { order } = reserved
  const inventory = context.parts.inventories.find(player)
  const plan = inventory === null ? null : planTake(inventory.slots(), order.costs.lines)
  if (inventory === null || plan === null || inventory.xp() < order.costs.xp) {
    const code = inventory === null ? 'system:disconnected' : 'system:cost_missing'
    await context.commit(player, (now) => failOrder(now, id, { code }))
    context.note('failed', player, `take ${id} ${code}`)
    return fail(code)
  }
  inventory.change(plan.changes, inventory.xp() - order.costs.xp)
  context.debited.set(player, new Map(context.debited.get(player)).set(id, order))
  context.fault('take.debited')
  const done = await finishOnce(context, player, order)
  return done.ok ? orderAnswer(done.value, id) : done
}

/** Tells the store of prices that were taken while it could not be told. Nothing new begins before that. */
export async function settleOnce(context: ItemContext, player: PlayerId): Promise<Result<void>> {
  for (const order of context.debited.get(player)?.values() ?? []) {
    const done = await finishOnce(context, player, order)
    if (!done.ok) return done
  }
  return ok(undefined)
}

/** The price was taken: the store follows, and only then it is forgotten here. */
async function finishOnce(context: ItemContext, player: PlayerId, order: Order): Promise<Result<ItemBook>> {
  const answer =
    order.external === null ? 'charged' : await askExternal(context.parts, { player, order, how: 'charge' })
  const done = await context.commit(player, (book) =>
    followAnswer(
      {
        ...book,
        orders: book.orders.map((one) => (one.id === order.id ? { ...one, taken: order.costs } : one)),
      },
      order.id,
      answer,
    ),
  )
  if (!done.ok) return fail('system:storage_unknown', {}, done.failure)
  const left = new Map(context.debited.get(player))
  left.delete(order.id)
  if (left.size > 0) context.debited.set(player, left)
  else context.debited.delete(player)
  const outcome = answer === 'charged' ? 'completed' : answer === 'unknown' ? 'flagged' : 'failed'
  context.note(outcome, player, `take ${order.id}, not verified`)
  return done
}
