import type { Result } from '../core/result.js'

/**
 * Kinds of records. `players` is business state, `chats` conversations, `databases` private tables by player,
 * `shared` tables of the server, `quests` progress by team, `world` what belongs to the world as a whole (usage
 * ledger, AI permissions).
 */
export const COLLECTIONS = ['players', 'chats', 'databases', 'shared', 'quests', 'world'] as const
export type Collection = (typeof COLLECTIONS)[number]

/** Names one record. The id is a uuid or a word of `[a-z0-9_]`. */
export interface RecordKey {
  readonly collection: Collection
  readonly id: string
}

/**
 * A record as it is kept: named parts, each an encoded NBT tag (a type byte and a payload, see lib/codec), replaced
 * together. Whoever holds the driver decodes the parts it knows and leaves the others as they are.
 */
export interface StoredRecord {
  /** Grows by one with each commit; 1 is the first. */
  readonly revision: number
  readonly parts: ReadonlyMap<string, Uint8Array>
}

/** A change of one record, in full or none of it. */
export interface RecordWrite {
  readonly key: RecordKey
  /** The revision that this change was made on, 0 when there was no record; another one is `system:storage_conflict`. */
  readonly base: number
  /** Parts to be replaced or added. Their bytes are handed over: the caller doesn't touch them again. */
  readonly put: ReadonlyMap<string, Uint8Array>
  /** Parts to be removed. */
  readonly drop: readonly string[]
  /** Size limit of the record as it is kept, bytes. Above it: `system:storage_full`, unless `spare` helps. */
  readonly maxBytes: number
  /**
   * Parts that may go, first one first, when the record would be too large. When it would be too large even without
   * all of them the write is skipped and the commit goes on. Absent: the record decides something, and a full one fails.
   */
  readonly spare?: readonly string[]
}

/** What became of one write of a commit that succeeded. */
export interface WriteReport {
  /** The record's revision now: `base + 1`, or `base` when the write was skipped. */
  readonly revision: number
  /** Parts that went to make room. */
  readonly spared: readonly string[]
  readonly skipped: boolean
}

/**
 * Keeps records durably. No notion of files: the same contract is held by memory and by a database. Nothing here
 * throws; every method may be called at any time, many at once. Commits of one record must not overlap.
 */
export interface StorageDriver {
  /**
   * The committed record, null when there is none. `system:storage_unreadable` (kept as it is, its place named in the
   * cause), `system:storage_newer` (written by a later version), `system:storage_failed`.
   */
  read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>>
  /**
   * Writes the records in this order and resolves when all are durable. A driver without transactions across records
   * may be interrupted between two: the last one is the commit point, those before it must decide nothing by themselves.
   * `system:storage_full`, `system:storage_conflict`, `system:storage_failed`: the record that failed and those behind
   * it are as before. `system:storage_unknown`: the new bytes are in place, but whether they survive a power cut is not
   * known; the record must be read again before the next commit.
   */
  commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>>
  /** Forgets a record for good; no record is no failure. */
  remove(key: RecordKey): Promise<Result<void>>
  /** Ids of all records of a collection, in no order. */
  list(collection: Collection): Promise<Result<readonly string[]>>
  /** Waits for what was begun, then lets go of whatever it holds (threads are not its own). Idempotent. */
  close(): Promise<void>
}
