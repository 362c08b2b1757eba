import { z } from 'zod'
import type { CardData } from '../cards/index.js'
import { canonicalJson, parseJson, utf8Bytes } from '../core/json.js'
import { failure, FailureError } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { identifierSchema } from '../codec/index.js'
import type { Reading, StorageTable, Transaction } from '../storage/index.js'

/** Pinned cards of one player. */
export const MAX_PINS = 32
/** Largest data of one, UTF-8 bytes of JSON. */
export const PIN_BYTES = 16_384

const pinSchema = z.strictObject({
  card: identifierSchema,
  /** Of the card type, when it was pinned. */
  version: z.int().min(1),
  /** JSON: the type decodes it when the card is shown, and may be gone then. */
  data: z.string().max(PIN_BYTES),
  /** Epoch milliseconds. */
  at: z.int().min(0),
})

/** Cards that a player has pinned, by id: read-only snapshots. They survive forgetting, and go with the System. */
export const PINS: StorageTable<z.infer<typeof pinSchema>> = {
  id: identifier('system:pins'),
  version: 1,
  schema: pinSchema,
  rows: 'business',
}

/** A pinned card. Whether its type is known, and its data still of that type's shape, is for whoever shows it. */
export interface Pin {
  readonly id: string
  readonly card: CardData
  readonly version: number
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * Pins a card under an id, in the place of the one that has it. Throws a `FailureError`: `system:pins_full` with 32 others,
 * `system:storage_too_large` above 16 KiB; and a TypeError for data that JSON can't hold.
 */
export function pin(tx: Transaction, { id, card, version, at }: Pin): void {
  const isNew = tx.row(PINS, id) === undefined
  if (isNew && tx.rows(PINS).size >= MAX_PINS)
    throw new FailureError(failure('system:pins_full', { limit: MAX_PINS }))
  const data = canonicalJson(card.data)
  if (utf8Bytes(data) > PIN_BYTES) throw new FailureError(failure('system:storage_too_large'))
  tx.put(PINS, id, { card: card.type, version, data, at })
}

/** Takes a pin away; false when there was none. */
export function unpin(tx: Transaction, id: string): boolean {
  if (tx.row(PINS, id) === undefined) return false
  tx.remove(PINS, id)
  return true
}

/** The pins, oldest first. */
export const pinsOf = (kept: Reading): readonly Pin[] =>
  [...kept.rows(PINS)]
    .map(([id, { card, version, data, at }]) => ({
      id,
      card: { type: card, data: parseJson(data) },
      version,
      at,
    }))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
