/**
 * The highest limit that a record may be given, bytes as it is kept. Records are read and continued up to this size,
 * whatever holds now: a limit that was lowered makes nothing unreadable.
 */
export const CEILING_BYTES = 64 * 1_048_576

/** How much is kept of one player. Read at each use: a change counts from the next commit on. */
export interface StoreLimits {
  /** Business record as it is kept, bytes. */
  readonly businessBytes: number
  /** Chat record (conversations and replayed results) as it is kept, bytes. */
  readonly chatBytes: number
  /** Rounds of all conversations together. */
  readonly chatRounds: number
  readonly conversations: number
  /** A conversation without a new round for longer goes. */
  readonly conversationDays: number
  /** Receipts of write steps, encoded bytes; clamped to half of the business record. */
  readonly receiptBytes: number
  /** Event tasks, encoded bytes; clamped to a quarter of the business record. */
  readonly eventTaskBytes: number
}
