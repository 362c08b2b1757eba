import type { z } from 'zod'
import type { Identifier } from '../core/ids.js'

/** How a value of one older version becomes one of the next. Pure. */
export interface Migration {
  /** The shape of the older value. */
  readonly schema: z.ZodType
  migrate(older: unknown): unknown
}

interface Versioned<T> {
  /** Names the data for good: it is what stands in the record. */
  readonly id: Identifier
  /** 1 is the first. Data of a higher one is refused and left as it is. */
  readonly version: number
  readonly schema: z.ZodType<T>
  /** From version 1 on, one for each step up to `version`. */
  readonly migrations?: readonly Migration[]
}

/** One value that is kept of each player, replaced as a whole. Large or growing data belongs in a table. */
export interface StorageType<T> extends Versioned<T> {
  /** What a player has whom nothing was written about. */
  readonly empty: T
  /** What of the value outlives a revoke, null for nothing. Absent: nothing. */
  survive?(value: T): T | null
}

/** Many values of one kind that are kept of each player, each under its own key and written by itself. */
export interface StorageTable<T> extends Versioned<T> {
  /** Distinguishes a table from a single value. */
  readonly rows: 'business'
}

/**
 * Entries of a player's chat record: conversations, results for replay. They decide nothing: the oldest go when there are
 * too many, one that can't be read goes alone. The schema is that of an entry's body.
 */
export interface ChatTable<T> extends Versioned<T> {
  readonly rows: 'chat'
  /** Rounds of conversations are limited by count, conversation and age; other entries by whoever writes them. */
  readonly isHistory: boolean
}

/** An entry of the chat record. */
export interface ChatEntry<T> {
  /** Which conversation; 0 for none. */
  readonly conversation: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly body: T
}
