import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { ATTEMPTS, type ItemContext } from './context.js'
import { isMarked, markOp } from './marks.js'
import { lineTotal, mergeLines, planGive } from './plan.js'
import type { MarkedOp, Marks, PlayerInventory, SaveOutcome } from './port.js'
import type { Goods, InboxEntry } from './book.js'
import { findEntry } from './records.js'
import { settle, settleOp } from './settle.js'
import { finishEntry, isNothing } from './transitions.js'

/** What a claim did: counts of items. */
export interface GiveReceipt {
  readonly id: string
  readonly moved: number
  /** What did not fit and waits in the inbox. */
  readonly rest: number
}

/** An entry of which nothing goes into the player's file: one transaction of the store. */
export async function bookEntry(
  context: ItemContext,
  player: PlayerId,
  id: string,
): Promise<Result<GiveReceipt>> {
  const done = await context.commit(player, (book) => finishEntry(book, id, []))
  if (!done.ok) return done
  context.note('completed', player, `give ${id}, booked`)
  context.fault('give.committed')
  return ok({ id, moved: 0, rest: 0 })
}

/** What a player's file can say. */
const MAX_XP = 2 ** 31 - 1
/** Whether a player would have more experience than can be kept: it is read as none at all. */
export const isTooMuch = (xp: number, goods: Pick<Goods, 'xp'>): boolean =>
  goods.xp > 0 && xp + goods.xp > MAX_XP

/** Steps 1 to 4 of a give. */
export async function giveEntry(
  context: ItemContext,
  player: PlayerId,
  id: string,
): Promise<Result<GiveReceipt>> {
  const settled = await settle(context, player)
  if (!settled.ok) return settled
  const book = await context.read(player)
  if (!book.ok) return book
  const entry = findEntry(book.value, id)
  // found again after every wait: what was live before may be dead by now
  const inventory = context.parts.inventories.find(player)
  if (inventory === null) return fail('system:disconnected')
  const before = inventory.marks()
  if (entry?.state !== 'AVAILABLE' || isMarked(before, id)) return fail('system:unknown_entry')
  if (isNothing(entry)) return bookEntry(context, player, id)
  const plan = planGive(inventory.slots(), entry.lines, context.parts.inventories)
  if (plan.moved.length === 0 && plan.rest.length > 0 && entry.xp === 0) return fail('system:inventory_full')
  if (isTooMuch(inventory.xp(), entry)) return fail('system:resource_full')
  context.fault('give.planned')

  const { moved, rest } = plan
  const op: MarkedOp = { id, seq: before.seq + 1, kind: 'give', moved, rest, xp: entry.xp }
  const content = { slots: plan.slots, xp: inventory.xp() + entry.xp, marks: markOp(before, op) }
  const outcome = await inventory.saveAhead(content)
  if (!outcome.saved) return abandon(context, inventory, { entry, before, outcome })
  context.fault('give.saved')
  return deliver(context, inventory, { op, before })
}

/** Step 2 failed: nothing happened, and the next save of the player has to say so. */
async function abandon(
  context: ItemContext,
  inventory: PlayerInventory,
  { entry, before, outcome }: { entry: InboxEntry; before: Marks; outcome: SaveOutcome & { saved: false } },
): Promise<Result<never>> {
  inventory.release(before)
  let isCertain = outcome.isCertain
  for (let attempt = 1; !isCertain && attempt <= ATTEMPTS; attempt++)
    isCertain = (await inventory.save()).saved
  if (!isCertain) context.unsaved.add(inventory.player)
  context.note(
    'failed',
    inventory.player,
    `give ${entry.id}, the save ${isCertain ? 'failed' : 'is in doubt'}`,
  )
  context.fault('give.abandoned')
  return fail(isCertain ? 'system:storage_failed' : 'system:storage_unknown', {}, outcome.failure)
}

/** Steps 3 and 4: the file has it, so the player may use it; then the store follows. */
async function deliver(
  context: ItemContext,
  inventory: PlayerInventory,
  { op, before }: { op: MarkedOp; before: Marks },
): Promise<Result<GiveReceipt>> {
  const { player } = inventory
  const plan = planGive(inventory.slots(), op.moved, context.parts.inventories)
  const final = { ...op, moved: plan.moved, rest: mergeLines([...op.rest, ...plan.rest]) }
  inventory.change(plan.changes, inventory.xp() + op.xp)
  inventory.release(markOp(before, final))
  if (plan.rest.length > 0) context.unsaved.add(player)
  context.fault('give.applied')
  if (plan.rest.length > 0) {
    // a larger remainder may reach the inbox only when the file no longer has those items
    const again = await inventory.save()
    if (!again.saved) return fail('system:storage_unknown', {}, again.failure)
    context.unsaved.delete(player)
    context.fault('give.enlarged')
  }
  const committed = await settleOp(context, inventory, { op: final, how: 'charge' })
  if (!committed.ok) return committed
  context.fault('give.committed')
  return ok({ id: op.id, moved: lineTotal(final.moved), rest: lineTotal(final.rest) })
}
