import { BINDING } from '../../lib/binding/index.js'
import type { CommerceCommand } from '../../lib/command/index.js'
import type { Display, OrderData } from '../../lib/commerce/index.js'
import { orderData } from '../../lib/commerce/index.js'
import { Calendar } from '../../lib/core/calendar.js'
import { failure, FailureError } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { ok, type Result } from '../../lib/core/result.js'
import { INBOX, isOpenOrder, ORDERS, type InboxEntry } from '../../lib/inventory/index.js'
import { balanceOf, credit, debit, RESOURCES } from '../../lib/rewards/index.js'
import { repaired, SIGNIN, todayOf } from '../../lib/signin/index.js'
import type { Message } from '../../lib/text/index.js'
import { findPlayer, type AiLevelParts } from './ai-levels.js'

/** Decided orders, and entries, that are printed; the newest. */
const MAX_LINES = 20

type AdminCommand = Extract<CommerceCommand, { kind: 'orders-of' | 'resource' | 'signin-repair' }>

const line = (text: string): Message => ({ key: 'system.admin.line', params: { line: text } })

/** What an administrator asks about a player's orders and currencies, here or not; each message is a line. */
export async function administerCommerce(
  parts: AiLevelParts,
  command: AdminCommand,
): Promise<Result<readonly Message[]>> {
  const found = await findPlayer(parts, command.player)
  if (!found.ok) return found
  const { id, shown } = found.value
  if (command.kind === 'resource') return changeResource(parts, { id, shown }, command)
  if (command.kind === 'signin-repair') return repairSignin(parts, { id, shown })
  const { lane } = parts.runtime.items
  if (command.verdict === null) return orderLines(parts, id)
  if (command.verdict.do === 'reissue') {
    const issued = await lane.reissue(id, command.verdict.id)
    return issued.ok
      ? ok([{ key: 'system.order.reissued', params: { entry: command.verdict.id, fresh: issued.value } }])
      : issued
  }
  const verdict = command.verdict.do === 'settle' ? 'complete' : 'refund'
  const done = await lane.resolve(id, command.verdict.id, verdict)
  if (!done.ok) return done
  return ok([
    { key: `system.order.by_hand.${verdict}`, params: { order: command.verdict.id, player: shown } },
  ])
}

async function orderLines({ runtime }: AiLevelParts, id: PlayerId): Promise<Result<readonly Message[]>> {
  const kept = await runtime.store.read(id)
  if (!kept.ok) return kept
  const entries = kept.value.get(INBOX)
  const all = kept.value.get(ORDERS).toReversed()
  const recent = new Set(all.slice(0, MAX_LINES))
  // what waits for a verdict is never left out
  const orders = all.filter((order) => isOpenOrder(order) || recent.has(order))
  const more = all.length - orders.length
  const doubted = entries.filter((entry) => entry.state === 'DONE' && !entry.isVerified)
  const { display } = runtime.commerce
  const lines = [
    ...orders.map((order) => line(orderLine(orderData(order, entries, display), order.external))),
    ...(more === 0 ? [] : [{ key: 'system.inbox.more', params: { more } }]),
    ...doubted.slice(-MAX_LINES).map((entry) => line(entryLine(entry, display))),
  ]
  return ok(lines.length === 0 ? [{ key: 'system.order.none' }] : lines)
}

/** One order as scripts and people read it. */
function orderLine(
  { id, state, source, title, price, things, at, failure }: OrderData,
  external: string | null,
): string {
  const words = [
    `order ${id} ${state}`,
    source,
    JSON.stringify(title),
    `price=${price.map(({ part }) => JSON.stringify(part)).join(',') || 'free'}`,
    `gives=${things.map((thing) => JSON.stringify(thing)).join(',')}`,
    ...(external === null ? [] : [`external=${external}`]),
    ...(failure === null ? [] : [failure]),
    ...(at === 0 ? [] : [new Date(at).toISOString()]),
  ]
  return words.join(' ')
}

function entryLine({ id, source, lines, xp, booked }: InboxEntry, display: Display): string {
  const things = display.goods(lines, xp, booked).map((thing) => JSON.stringify(thing))
  return `entry ${id} delivered, not verified ${source} gives=${things.join(',')}`
}

async function changeResource(
  { runtime }: AiLevelParts,
  { id, shown }: { readonly id: PlayerId; readonly shown: string },
  { action, resource, amount }: Extract<AdminCommand, { kind: 'resource' }>,
): Promise<Result<readonly Message[]>> {
  const { store } = runtime
  if (action === 'show' || resource === null) {
    const kept = await store.read(id)
    if (!kept.ok) return kept
    if (resource !== null) return ok([line(`resource ${resource} ${balanceOf(kept.value, resource)}`)])
    const lines = kept.value.get(RESOURCES).map((held) => line(`resource ${held.resource} ${held.amount}`))
    return ok(lines.length === 0 ? [{ key: 'system.admin.resource_none', params: { player: shown } }] : lines)
  }
  const done = await store.update(id, (tx) => {
    // asked in here: a revoke may have come first, and nothing is kept of who has no System
    if (tx.get(BINDING).binding === null)
      throw new FailureError(failure('system:player_not_bound', { player: shown }))
    const balance = balanceOf(tx, resource)
    if (!(action === 'give' ? credit : debit)(tx, resource, amount).ok)
      throw new FailureError(failure('system:balance_refused', { player: shown, resource, balance }))
    return balanceOf(tx, resource)
  })
  if (!done.ok) return done
  const change = action === 'give' ? amount : -amount
  runtime.commerce.audit.write({
    what: 'resource',
    player: id,
    source: 'system:admin',
    resource,
    amount: change,
    balance: done.value,
  })
  return ok([line(`resource ${resource} ${done.value} (${action === 'give' ? '+' : '-'}${amount}) ${shown}`)])
}

/** Takes back days that are still to come: a clock was wrong once. */
async function repairSignin(
  { runtime }: AiLevelParts,
  { id, shown }: { readonly id: PlayerId; readonly shown: string },
): Promise<Result<readonly Message[]>> {
  const zone = runtime.live.config['system-agent'].timeZone
  const today = todayOf(new Calendar(), zone, runtime.clock.now())
  const done = await runtime.store.update(id, (tx) => {
    const kept = tx.get(SIGNIN)
    if (kept.day <= today.day) return null
    const after = repaired(kept, today)
    tx.set(SIGNIN, after)
    return after.day
  })
  if (!done.ok) return done
  if (done.value === null) return ok([{ key: 'system.admin.signin_fine', params: { player: shown } }])
  const day = done.value === '' ? '—' : done.value
  return ok([{ key: 'system.admin.signin_repaired', params: { player: shown, day } }])
}
