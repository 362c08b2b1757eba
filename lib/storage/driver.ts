import type { Result } from '../core/result.js'

/**
 * Kinds of records. `players` is business state, `chats` conversations, `databases` private tables by player,
 * `shared` tables of the server, `quests` progress by team, `world` what belongs to the world as a whole (usage
 * ledger, AI permissions).
 */
export const COLLECTIONS = ['players', 'chats', 'databases', 'shared', 'quests', 'world'] as const
export type Collection = (typeof COLLECTIONS)[number]

/**
 * Names one record. The id is the player's uuid (lower case, dashes) in `players`, `chats` and `databases`, elsewhere a
 * uuid or a word of 1 to 64 `[a-z0-9_]`. Any other id is `system:internal` and never meets a path.
 */
export interface RecordKey {
  readonly collection: Collection
  readonly id: string
}

/**
 * A record as it is kept: named parts, each an encoded NBT tag (a type byte and a payload, see lib/codec), replaced
 * together. Whoever holds the driver decodes the parts it knows and leaves the others as they are. A name has 1 to 512
 * characters and is neither `version` nor `revision`, which are the record's own.
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
  /**
   * Size limit of the record as it is kept (files: gzip), bytes. Above it: `system:storage_full`, unless `spare` helps.
   * A record that would unpack to more than 16 MiB and more than four times this counts as above it too. Without `spare`
   * a record that is above a limit that was lowered can still be changed: by writes that put nothing, and by those that
   * make it larger neither as it is kept nor unpacked.
   */
  readonly maxBytes: number
  /**
   * Parts that may go, first one first, when the record would be too large; names that it hasn't are passed over. When it
   * would be too large even without all of them the write is skipped and the commit goes on. Absent: the record decides something, and a full one fails.
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
 * throws; every method may be called at any time, many at once. Changes of one record wait for each other in the order
 * in which they were asked for; as each names its base, all but the first of such commits are conflicts. After `close`
 * everything is `system:stopping`; once another process owns the data, every change is `system:storage_locked`.
 */
export interface StorageDriver {
  /**
   * The committed record, null when there is none. `system:storage_unreadable` (kept as it is, its place named in the
   * cause), `system:storage_too_large` (above `maxBytes`, or unpacks to too much; kept as it is: a limit that was lowered
   * must not make a record unreadable, so this is the highest one ever allowed), `system:storage_newer` (written by a
   * later version), `system:storage_failed`.
   */
  read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>>
  /**
   * Writes the records in this order and resolves when all are durable. A driver without transactions across records
   * may be interrupted between two: the last one is the commit point, those before it must decide nothing by themselves.
   * `system:storage_full`, `system:storage_conflict`, `system:storage_locked`: every record is as before.
   * `system:storage_failed`: the last record is as before. `system:storage_unknown`: the new bytes may be in place, but
   * whether they survive a power cut is not known. After these two, whatever was written must be read again before its
   * next commit; with one record, `system:storage_failed` leaves it as it was and nothing needs reading.
   * A record that can't be read can't be changed either: the codes of `read`, every record as before.
   */
  commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>>
  /**
   * Forgets a record for good, also one that can't be read; no record is no failure. `system:storage_failed`: it is still
   * there; `system:storage_unknown`: it is gone, but perhaps not for good. Repeating it settles both.
   */
  remove(key: RecordKey): Promise<Result<void>>
  /** Ids of all records of a collection, in no order. */
  list(collection: Collection): Promise<Result<readonly string[]>>
  /** Waits for what was begun, then lets go of whatever it holds (threads are not its own). Idempotent. */
  close(): Promise<void>
}
