import { failure, FailureError } from '../core/failure.js'
import { identifier, type Identifier } from '../core/ids.js'
import { canonicalJson } from '../core/json.js'
import type { Logger } from '../core/logger.js'
import {
  entryOf,
  INBOX,
  owedId,
  reservedId,
  type Booked,
  type InboxEntry,
  type ItemChange,
  type ItemTransaction,
  type Order,
  type ResourceLine,
} from '../inventory/index.js'
import { credit } from './ledger.js'
import type { RewardTypes } from './reward-types.js'

/** The built-in kind that gives a currency. */
const RESOURCE_REWARD = identifier('system:resource')

/**
 * Moves what the store itself holds together with the state that it belongs to, inside the same transaction: a claimed entry
 * is booked, an order that came to nothing gives back what was reserved. May run again for the same
 * change. Throws a FailureError only where an entry that is booked alone can't be: the claim changes nothing then.
 */
export class Bookkeeping {
  readonly #rewards: RewardTypes
  readonly #logger: Logger

  constructor(rewards: RewardTypes, logger: Logger) {
    this.#rewards = rewards
    this.#logger = logger
  }

  readonly changed = (tx: ItemTransaction, change: ItemChange): void => {
    if (change.kind === 'entry') {
      if (change.entry.state === 'DONE') this.#book(tx, change.entry)
    } else if (change.order.state === 'FAILED' || change.order.state === 'VOIDED')
      this.#release(tx, change.order)
  }

  /** What can't be booked now stays owed, as an entry of its own. */
  #book(tx: ItemTransaction, entry: InboxEntry): void {
    const owed = entry.booked.filter((booked) => {
      const done = this.#rewards.book(tx, booked)
      if (!done.ok)
        this.#logger.warn(`entry ${entry.id}: ${booked.type} stays in the inbox, ${done.failure.code}`)
      return !done.ok
    })
    if (owed.length === 0) return
    // nothing else of it was given: it stays as it is
    if (entry.lines.length === 0 && entry.xp === 0) throw new FailureError(failure('system:resource_full'))
    const id = owedId(entry.id)
    const entries = tx.get(INBOX)
    if (entries.some((other) => other.id === id)) return
    tx.set(INBOX, [...entries, { ...entry, id, lines: [], xp: 0, booked: owed, state: 'AVAILABLE' }])
  }

  #release(tx: ItemTransaction, order: Order): void {
    const owed = order.reserved.filter(({ resource, amount }) => {
      const done = credit(tx, resource as Identifier, amount)
      if (!done.ok) this.#logger.warn(`order ${order.id}: ${amount} ${resource} waits in the inbox`)
      return !done.ok
    })
    if (owed.length > 0) oweReserved(tx, order, owed)
    if (order.state !== 'VOIDED' || order.entry === null) return
    // the price is back with the player: what the entry booked goes
    const entry = tx.get(INBOX).find(({ id }) => id === order.entry)
    if (entry?.state !== 'DONE') return
    for (const booked of bookedOf(tx, entry)) {
      const done = this.#rewards.unbook(tx, booked)
      if (!done.ok) this.#logger.warn(`flagged: order ${order.id} is void, ${booked.type} of it stays`)
    }
  }
}

/** What can't be given back now waits. Not as a part of the order: whatever undoes its payment in the file leaves this. */
function oweReserved(tx: ItemTransaction, { id, source }: Order, owed: readonly ResourceLine[]): void {
  const booked = owed.map((line) => ({ type: RESOURCE_REWARD, value: { type: RESOURCE_REWARD, ...line } }))
  const entry = entryOf({ id: reservedId(id), source, lines: [], xp: 0, booked })
  const others = tx.get(INBOX).filter((other) => other.id !== entry.id)
  tx.set(INBOX, [...others, entry])
}

/** What a delivered entry has booked: without what still is, or was until now, owed. */
function bookedOf(tx: ItemTransaction, { id, booked }: InboxEntry): readonly Booked[] {
  const owed = tx.get(INBOX).find((other) => other.id === owedId(id))
  const missed = owed === undefined || owed.state === 'DONE' ? [] : owed.booked.map(canonicalJson)
  return booked.filter((one) => {
    const at = missed.indexOf(canonicalJson(one))
    if (at >= 0) missed.splice(at, 1)
    return at < 0
  })
}
