import { z } from 'zod'
import { identifier, type Identifier } from '../core/ids.js'
import { lineSchema, opIdSchema } from './port.js'

/** Entries and orders that are open, at most; only a remainder or a refund may go beyond. */
export const MAX_OPEN = 4096
/** Operations that the log of the store remembers. */
export const LOG_LENGTH = 64
/** Replaced files that an entry remembers. */
export const MAX_REISSUES = 16

/** Parts of one reward that are booked, and of one price. */
export const MAX_BOOKED = 36

const count = z.int().min(0)
const word = z.string().min(1).max(256)

export const goodsSchema = z.strictObject({ lines: z.array(lineSchema).max(64), xp: count })
/** Items and total experience points. */
export type Goods = z.infer<typeof goodsSchema>
export const NO_GOODS: Goods = Object.freeze({ lines: [], xp: 0 })

const bookedSchema = z.strictObject({ type: word, value: z.unknown() })
/** What a claim books in the store itself: the kind of reward that does it, and that reward by value. */
export type Booked = z.infer<typeof bookedSchema>

const resourceLineSchema = z.strictObject({ resource: word, amount: z.int().min(1) })
/** So much of a named currency. */
export type ResourceLine = z.infer<typeof resourceLineSchema>

const firstEntrySchema = z.strictObject({
  id: opIdSchema,
  ...goodsSchema.shape,
  /** Where it comes from, such as `system:signin`. */
  source: word,
  /** LOCKED until its order is paid; AVAILABLE to be claimed; DONE and WITHDRAWN are final. */
  state: z.enum(['LOCKED', 'AVAILABLE', 'DONE', 'WITHDRAWN']),
  /** The order that it was bought with or refunds; remainders keep it. */
  order: opIdSchema.nullable(),
  /** The operations that it makes up for: a player's file that had one was replaced by one that hasn't. */
  reissueOf: z.array(opIdSchema).max(MAX_REISSUES),
  /** False: handed out in mode at-most-once, where nothing proves that it arrived. */
  isVerified: z.boolean(),
})
const entrySchema = z.strictObject({
  ...firstEntrySchema.shape,
  booked: z.array(bookedSchema).max(MAX_BOOKED),
})
export type InboxEntry = z.infer<typeof entrySchema>

export const shownPriceSchema = z.discriminatedUnion('kind', [
  /** An item or `#tag`. */
  z.strictObject({ kind: z.literal('item'), item: word, count }),
  z.strictObject({ kind: z.literal('levels'), levels: count, points: count }),
  z.strictObject({ kind: z.literal('points'), points: count }),
  z.strictObject({ kind: z.literal('resource'), ...resourceLineSchema.shape }),
  /** In the words of another plugin, in the buyer's language. */
  z.strictObject({ kind: z.literal('other'), type: word, text: z.string().max(256) }),
])
/** One part of a price as players read it. */
export type ShownPrice = z.infer<typeof shownPriceSchema>

const saleSchema = z.strictObject({
  /** The offer or pool, as it was called then. */
  entry: word,
  title: z.string().max(256),
  price: z.array(shownPriceSchema).max(MAX_BOOKED),
  /** Of a draw: the weight of what came out, and of all. */
  odds: z.strictObject({ weight: count, total: count }).nullable(),
  /** Epoch milliseconds. */
  at: count,
})
/** What an order is shown as: nothing of it can charge again. */
export type Sale = z.infer<typeof saleSchema>

const firstOrderSchema = z.strictObject({
  id: opIdSchema,
  /** What it belongs to, such as `system:shop`. */
  source: word,
  state: z.enum(['RESERVED', 'COMPLETED', 'FAILED', 'VOIDED', 'PAYMENT_UNKNOWN']),
  /** What the player's file pays. */
  costs: goodsSchema,
  /** What it is for, by value. */
  gives: goodsSchema,
  /** Its entry in the inbox, null when it gives nothing of that kind. */
  entry: opIdSchema.nullable(),
  /** What the player's file has paid for certain, known to the store. */
  taken: goodsSchema.nullable(),
  /** The cost outside of this server, at most one: null for none, `open` until its outcome is known. */
  external: z.enum(['open', 'charged', 'refused', 'unknown']).nullable(),
  /** What followed can't be undone (a quest submission): an older player file is only flagged. */
  isIrreversible: z.boolean(),
  /** Failure code of a FAILED one. */
  failure: word.nullable(),
})
const orderSchema = z.strictObject({
  ...firstOrderSchema.shape,
  /** What the store itself pays: taken when it is reserved, given back when it comes to nothing. */
  reserved: z.array(resourceLineSchema).max(MAX_BOOKED),
  /** What its entry books when it is claimed. */
  booked: z.array(bookedSchema).max(MAX_BOOKED),
  /** The kind of its cost outside of this server. */
  externalType: word.nullable(),
  /** Null: made by nothing that sells. */
  sale: saleSchema.nullable(),
})
export type Order = z.infer<typeof orderSchema>

const loggedSchema = z.strictObject({
  id: opIdSchema,
  seq: count,
  kind: z.enum(['give', 'take']),
  moved: z.array(lineSchema).max(64),
  xp: count,
  source: word,
  order: opIdSchema.nullable(),
  reissueOf: z.array(opIdSchema).max(MAX_REISSUES),
})
export type LoggedOp = z.infer<typeof loggedSchema>

const invSchema = z.strictObject({
  /** Highest `seq` of the player's file that the store knows to be durable. */
  seq: count,
  /** The last operations, by `seq`. */
  log: z.array(loggedSchema).max(LOG_LENGTH),
})
export type InventoryLog = z.infer<typeof invSchema>

/** The part of a storage type that the item lane needs; the player store's own fits. */
export interface ItemStorageType<T> {
  readonly id: Identifier
  readonly version: number
  readonly schema: z.ZodType<T>
  readonly empty: T
  readonly migrations?: readonly { readonly schema: z.ZodType; migrate(older: unknown): unknown }[]
  /** What outlives a revoke. */
  survive?(value: T): T | null
}

const many = <T extends z.ZodType>(element: T) => z.array(element).max(4 * MAX_OPEN)

/** Reads what the first version kept: each element with what has come since. */
const migration = <T extends z.ZodType>(element: T, added: object) => {
  const schema = many(element)
  return {
    schema,
    migrate: (older: unknown) => schema.parse(older).map((one) => ({ ...(one as object), ...added })),
  }
}

export const INBOX: ItemStorageType<readonly InboxEntry[]> = {
  id: identifier('system:inbox'),
  version: 2,
  schema: many(entrySchema),
  migrations: [migration(firstEntrySchema, { booked: [] })],
  empty: [],
}
export const ORDERS: ItemStorageType<readonly Order[]> = {
  id: identifier('system:orders'),
  version: 2,
  schema: many(orderSchema),
  migrations: [migration(firstOrderSchema, { reserved: [], booked: [], externalType: null, sale: null })],
  empty: [],
}
/** Outlives a revoke: the player's file stays too, and its operations would look like those of a lost store. */
export const INVENTORY_LOG: ItemStorageType<InventoryLog> = {
  id: identifier('system:inv'),
  version: 1,
  schema: invSchema,
  empty: { seq: 0, log: [] },
  survive: (value) => value,
}
