import type { Identifier, PlayerId } from '../core/ids.js'

/** A player's binding to one System. */
export interface Binding {
  readonly system: Identifier
  /** Epoch milliseconds. */
  readonly since: number
}

/** What is kept for one player. Committed records are frozen, to their depth. */
export interface PlayerRecord {
  readonly version: 1
  readonly binding: Binding | null
}

/** A player nobody wrote anything about. */
export const EMPTY_RECORD: PlayerRecord = Object.freeze({ version: 1, binding: null })

/** Where players' records are kept. No notion of files: a database driver keeps the same contract. */
export interface PlayerStore {
  /** The committed record. */
  read(player: PlayerId): Promise<PlayerRecord>
  /**
   * Runs `change` on the committed record, one at a time per player, and resolves with the new record once it is
   * durable. A throwing `change` leaves everything as it was and rejects with what it threw.
   */
  update(player: PlayerId, change: (record: PlayerRecord) => PlayerRecord): Promise<PlayerRecord>
  /** Forgets the player. */
  delete(player: PlayerId): Promise<void>
  close(): Promise<void>
}
