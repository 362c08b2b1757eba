import { z } from 'zod'
import { failure, FailureError } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import type { ChatTable, StorageTable } from './storage-type.js'
import type { Reading, Transaction } from './transaction.js'

const MAX_RECEIPTS = 256
const MAX_AGE_MS = 86_400_000

const receiptSchema = z.strictObject({
  /** What was asked for, as a hash. */
  fingerprint: z.string().min(1).max(128),
  /** Epoch milliseconds. */
  at: z.int().min(0),
  /** `ok` or a failure code. */
  outcome: z.string().min(1).max(128),
})
export type RequestReceipt = z.infer<typeof receiptSchema>

/** How requests ended, by request id: the last 256 of the last 24 hours. */
export const REQUESTS: StorageTable<RequestReceipt> = {
  id: identifier('system:requests'),
  version: 1,
  schema: receiptSchema,
  rows: 'business',
}

/** The whole result of a request, shown again when it is asked for again. */
export interface Replay<T> {
  readonly request: string
  readonly result: T
}

/** Where results for replay are kept. They may be gone although the receipt is there. */
export const replayTable = <T>(result: z.ZodType<T>): ChatTable<Replay<T>> => ({
  id: identifier('system:replay'),
  version: 1,
  schema: z.strictObject({ request: z.string().min(1).max(200), result }),
  rows: 'chat',
  isHistory: false,
})

/** The receipt of a request, null for a new one. Throws `system:receipt_mismatch` when it asked for something else. */
export function findRequest(kept: Reading, id: string, fingerprint: string): RequestReceipt | null {
  const receipt = kept.row(REQUESTS, id)
  if (receipt === undefined) return null
  if (receipt.fingerprint !== fingerprint) throw new FailureError(failure('system:receipt_mismatch'))
  return receipt
}

/** Keeps the receipt of a request that has ended, and lets go of those that are too old or too many. */
export function recordRequest(tx: Transaction, id: string, receipt: RequestReceipt): void {
  tx.put(REQUESTS, id, receipt)
  const newest = [...tx.rows(REQUESTS)].sort(([, a], [, b]) => b.at - a.at)
  newest.forEach(([other, { at }], place) => {
    if (place >= MAX_RECEIPTS || receipt.at - at > MAX_AGE_MS) tx.remove(REQUESTS, other)
  })
}

/** Keeps a result for replay, beside the receipt of its request; results whose receipts are gone go too. */
export function recordReplay<T>(
  tx: Transaction,
  table: ChatTable<Replay<T>>,
  entry: Replay<T> & { readonly at: number },
): void {
  const { at, request, result } = entry
  for (const { key, body } of tx.entries(table))
    if (body.request === request || tx.row(REQUESTS, body.request) === undefined) tx.drop(table, key)
  tx.append(table, { conversation: 0, at, body: { request, result } })
}

/** The result of an earlier request, if it is still there. */
export const findReplay = <T>(kept: Reading, table: ChatTable<Replay<T>>, request: string): T | undefined =>
  kept.entries(table).find(({ body }) => body.request === request)?.body.result
