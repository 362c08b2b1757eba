import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import {
  INBOX,
  INVENTORY_LOG,
  LOG_LENGTH,
  MAX_OPEN,
  ORDERS,
  type Booked,
  type Goods,
  type InboxEntry,
  type InventoryLog,
  type ItemStorageType,
  type LoggedOp,
  type Order,
} from './book.js'
import { mergeLines } from './plan.js'
import type { MarkedOp } from './port.js'

/** Finished entries and orders that are kept to be shown; older ones are in the audit log alone. */
const KEPT_FINISHED = 64

/** What can be read of a player's business record. */
export interface ItemView {
  get<T>(type: ItemStorageType<T>): T
}
/** A transaction on it. */
export interface ItemTransaction extends ItemView {
  set<T>(type: ItemStorageType<T>, value: T): void
}
/** The player store as the lane sees it: `update` resolves when the change is durable, and may run it again. */
export interface PlayerTransactions {
  /** Reads a record again that was found unusable: its failure is not remembered any longer. */
  readAgain(player: PlayerId): Promise<Result<void>>
  read(player: PlayerId): Promise<Result<ItemView>>
  update<R>(player: PlayerId, change: (tx: ItemTransaction) => R): Promise<Result<R>>
}

/** The store's side of the protocol as one value. */
export interface ItemBook {
  readonly entries: readonly InboxEntry[]
  readonly orders: readonly Order[]
  readonly inv: InventoryLog
}

/** An entry or order whose state a transaction changes. */
export type ItemChange =
  { readonly kind: 'entry'; readonly entry: InboxEntry } | { readonly kind: 'order'; readonly order: Order }

/** Called inside the transaction that changes it: receipts and reservations move with the state they belong to. */
export type ItemChanged = (tx: ItemTransaction, change: ItemChange) => void

export const readBook = (view: ItemView): ItemBook => ({
  entries: view.get(INBOX),
  orders: view.get(ORDERS),
  inv: view.get(INVENTORY_LOG),
})

/** Writes what differs, and the log always: an outcome that was unknown becomes durable only with a new write. */
export function writeBook(
  tx: ItemTransaction,
  { before, after }: { before: ItemBook; after: ItemBook },
  changed: ItemChanged,
): void {
  if (after.entries !== before.entries) tx.set(INBOX, pruned(after.entries, isOpenEntry))
  if (after.orders !== before.orders) tx.set(ORDERS, pruned(after.orders, isOpenOrder))
  // a new value even if nothing in it differs, or the store would have nothing to write
  tx.set(INVENTORY_LOG, { ...after.inv })
  for (const order of differing(before.orders, after.orders)) changed(tx, { kind: 'order', order })
  for (const entry of differing(before.entries, after.entries)) changed(tx, { kind: 'entry', entry })
}

export const isOpenEntry = ({ state }: InboxEntry): boolean => state === 'LOCKED' || state === 'AVAILABLE'
export const isOpenOrder = ({ state }: Pick<Order, 'state'>): boolean =>
  state === 'RESERVED' || state === 'PAYMENT_UNKNOWN'

/** Open ones all stay, of the others the newest. */
function pruned<T>(all: readonly T[], isOpen: (one: T) => boolean): readonly T[] {
  let excess = all.filter((one) => !isOpen(one)).length - KEPT_FINISHED
  return excess <= 0 ? all : all.filter((one) => isOpen(one) || excess-- <= 0)
}

export function differing<T extends { readonly id: string; readonly state: string }>(
  before: readonly T[],
  after: readonly T[],
): readonly T[] {
  if (before === after) return []
  const states = new Map(before.map((one) => [one.id, one.state]))
  return after.filter((one) => states.get(one.id) !== one.state)
}

/** What an entry is made from. The id is random, at most 40 characters without a dot, and never used again. */
export interface NewEntry extends Goods {
  readonly id: string
  readonly source: string
  readonly booked?: readonly Booked[]
}

export const entryOf = (entry: NewEntry, more: Partial<InboxEntry> = {}): InboxEntry => ({
  id: entry.id,
  lines: entry.lines,
  xp: entry.xp,
  booked: [...(entry.booked ?? [])],
  source: entry.source,
  state: 'AVAILABLE',
  order: null,
  reissueOf: [],
  isVerified: true,
  ...more,
})

/** Puts goods into the inbox, as part of whatever transaction earned them. `system:inbox_full`. */
export function addEntry(tx: ItemTransaction, entry: NewEntry): Result<void> {
  const entries = tx.get(INBOX)
  if (entries.some(({ id }) => id === entry.id)) return ok(undefined)
  if (entries.filter(isOpenEntry).length >= MAX_OPEN) return fail('system:inbox_full')
  tx.set(INBOX, [...entries, entryOf(entry)])
  return ok(undefined)
}

/** What an order is made from. Both ids are like those of entries. */
export type NewOrder = Pick<Order, 'id' | 'source' | 'costs' | 'gives' | 'entry' | 'isIrreversible'> &
  Partial<Pick<Order, 'reserved' | 'booked' | 'externalType' | 'sale'>>

/** A new order, RESERVED. */
export function orderOf(order: NewOrder): Order {
  const { reserved = [], booked = [], externalType = null, sale = null } = order
  const external = externalType === null ? null : 'open'
  const paying = { state: 'RESERVED', taken: null, external, externalType, failure: null } as const
  return { ...order, reserved, booked, sale, ...paying }
}

/** Step 1 of a take: the order RESERVED and its entry locked, as part of a transaction. `system:inbox_full`. */
export function reserveOrder(tx: ItemTransaction, order: NewOrder): Result<void> {
  const orders = tx.get(ORDERS)
  if (orders.some(({ id }) => id === order.id)) return ok(undefined)
  const entries = tx.get(INBOX)
  if (orders.filter(isOpenOrder).length >= MAX_OPEN || entries.filter(isOpenEntry).length >= MAX_OPEN)
    return fail('system:inbox_full')
  tx.set(ORDERS, [...orders, orderOf(order)])
  if (order.entry === null) return ok(undefined)
  const locked = entryOf({
    ...order.gives,
    id: order.entry,
    source: order.source,
    booked: order.booked ?? [],
  })
  tx.set(INBOX, [...entries, { ...locked, state: 'LOCKED', order: order.id }])
  return ok(undefined)
}

export const findEntry = (book: ItemBook, id: string): InboxEntry | undefined =>
  book.entries.find((entry) => entry.id === id)
export const findOrder = (book: ItemBook, id: string): Order | undefined =>
  book.orders.find((order) => order.id === id)
/** Whether the player's file pays any of it. */
export const hasOwnCosts = ({ costs }: Order): boolean =>
  costs.xp > 0 || costs.lines.some((line) => line.count > 0)
/** Whether it still waits for what the player's file says. */
export const awaitsFile = (order: Order): boolean =>
  order.state === 'RESERVED' || (order.state === 'PAYMENT_UNKNOWN' && order.external !== 'unknown')

/** Remainders of an entry share its base and count on from it. */
export const baseOf = (id: string): string => id.split('.')[0] ?? id
export const partOf = (id: string): number => Number(id.split('.')[1] ?? 0)
/** The id of what is left of an entry: deterministic, so that whoever makes it makes the same one. */
export const nextPart = (id: string): string => `${baseOf(id)}.${partOf(id) + 1}`
/** The id of what an entry could not book: it waits by itself. */
export const owedId = (entry: string): string => `${entry}-owed`

/** What of an entry that was handed out still waits: what did not fit, and what could not be booked. */
export function leftOf(
  entries: readonly InboxEntry[],
  { id }: InboxEntry,
): Goods & Pick<InboxEntry, 'booked'> {
  const left = entries.filter((other) => other.id === nextPart(id) || other.id === owedId(id))
  return {
    lines: mergeLines(left.flatMap(({ lines }) => lines)),
    xp: left.reduce((total, { xp }) => total + xp, 0),
    booked: left.flatMap(({ booked }) => booked),
  }
}

/** The id of the entry that gives an order's price back. */
export const refundId = (order: string): string => `${order}-refund`
/** The id of the entry with what an order had reserved in the store and could not give back at once. */
export const reservedId = (order: string): string => `${order}-reserved`

/** The log with this operation; once is enough. */
export function logOp(
  inv: InventoryLog,
  op: MarkedOp,
  from: Pick<LoggedOp, 'source' | 'order' | 'reissueOf'>,
): InventoryLog {
  const { id, seq, kind, moved, xp } = op
  const log = inv.log.some((one) => one.id === id)
    ? inv.log
    : [...inv.log, { id, seq, kind, moved, xp, ...from }]
  return { seq: Math.max(inv.seq, seq), log: log.toSorted((a, b) => a.seq - b.seq).slice(-LOG_LENGTH) }
}
