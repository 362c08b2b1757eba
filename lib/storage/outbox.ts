import { z } from 'zod'
import type { Failure } from '../core/failure.js'
import { identifier, type Identifier, type PlayerId } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { PlayerStore } from './player-store.js'
import type { StorageTable } from './storage-type.js'
import type { Transaction } from './transaction.js'

const RECEIVED_IDS = 1_024

/** Ids of deliveries that a player got, in the order of arrival: the last 1,024. */
export const RECEIVED: StorageTable<{ readonly order: number }> = {
  id: identifier('system:received'),
  version: 1,
  schema: z.strictObject({ order: z.int().min(0) }),
  rows: 'business',
}

/**
 * Moves value between records that can't be committed together. The side that spends commits first, and with it an entry
 * of a deterministic id; then the receiver takes it once, by that id; then the entry goes. What is interrupted is delivered
 * again by `deliver` at the next login.
 */
export class Outbox<T> {
  readonly table: StorageTable<T>
  readonly #send: (id: string, payload: T, from: PlayerId) => Promise<Result<void>>

  /**
   * `send` makes the delivery durable at the receiver, at most once by its id: for a player by `receiveOnce` in one
   * transaction. It may be called again for what it already delivered.
   */
  constructor(parts: {
    id: Identifier
    schema: z.ZodType<T>
    send: (id: string, payload: T, from: PlayerId) => Promise<Result<void>>
  }) {
    this.table = { id: parts.id, version: 1, schema: parts.schema, rows: 'business' }
    this.#send = parts.send
  }

  /** In the transaction that spends. The same id twice is one delivery. */
  put(tx: Transaction, id: string, payload: T): void {
    if (tx.row(this.table, id) === undefined) tx.put(this.table, id, payload)
  }

  /** Delivers what lies in the player's outbox; gives the first failure, after which the others are still tried. */
  async deliver(store: PlayerStore, player: PlayerId): Promise<Result<void>> {
    const rows = await store.update(player, (tx) => tx.rows(this.table))
    if (!rows.ok) return rows
    let failed: Failure | null = null
    for (const [id, payload] of rows.value) {
      const sent = await this.#send(id, payload, player)
      const gone = sent.ok ? await store.update(player, (tx) => tx.remove(this.table, id)) : sent
      if (!gone.ok) failed ??= gone.failure
    }
    return failed === null ? { ok: true, value: undefined } : { ok: false, failure: failed }
  }
}

/** In the receiver's transaction: runs `insert` unless a delivery of this id has come before; says whether it ran. */
export function receiveOnce(tx: Transaction, id: string, insert: () => void): boolean {
  if (tx.row(RECEIVED, id) !== undefined) return false
  const received = [...tx.rows(RECEIVED)].sort(([, a], [, b]) => a.order - b.order)
  const last = received.at(-1)?.[1].order ?? 0
  for (const [old] of received.slice(0, Math.max(0, received.length + 1 - RECEIVED_IDS)))
    tx.remove(RECEIVED, old)
  tx.put(RECEIVED, id, { order: last + 1 })
  insert()
  return true
}
