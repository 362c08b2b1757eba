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

/** Longest request that is kept with one, UTF-8 bytes of JSON; of a longer one nothing is kept. */
const ASK_BYTES = 4_096

const firstSchema = z.strictObject({
  card: identifierSchema,
  /** Of the card type, when it was pinned. */
  version: z.int().min(1),
  /** JSON: the type decodes it when the card is shown, and may be gone then. */
  data: z.string().max(PIN_BYTES),
  /** Epoch milliseconds. */
  at: z.int().min(0),
})
const pinSchema = z.strictObject({
  ...firstSchema.shape,
  /** JSON of the request that makes the card anew; empty: nothing does. */
  ask: z.string().max(ASK_BYTES),
})

/** Cards that a player has pinned, by id: read-only snapshots. They survive forgetting, and go with the System. */
export const PINS: StorageTable<z.infer<typeof pinSchema>> = {
  id: identifier('system:pins'),
  version: 2,
  schema: pinSchema,
  migrations: [
    { schema: firstSchema, migrate: (older) => ({ ...(older as z.infer<typeof firstSchema>), ask: '' }) },
  ],
  rows: 'business',
}

const askSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
  z.strictObject({ kind: z.literal('action'), module: identifierSchema, input: z.unknown() }),
])
/** What makes a pinned card anew: a player's sentence, or the action of a command or a button, undecoded. */
export type PinnedAsk = z.infer<typeof askSchema>

/** A pinned card. Whether its type is known, and its data still of that type's shape, is for whoever shows it. */
export interface Pin {
  readonly id: string
  readonly card: CardData
  readonly version: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly ask: PinnedAsk | null
}

/**
 * Pins a card under an id, in the place of the one that has it. Throws a `FailureError`: `system:pins_full` with 32 others,
 * `system:storage_too_large` above 16 KiB; and a TypeError for data that JSON can't hold.
 */
export function pin(tx: Transaction, { id, card, version, at, ask }: Pin): void {
  const isNew = tx.row(PINS, id) === undefined
  if (isNew && tx.rows(PINS).size >= MAX_PINS)
    throw new FailureError(failure('system:pins_full', { limit: MAX_PINS }))
  const data = canonicalJson(card.data)
  if (utf8Bytes(data) > PIN_BYTES) throw new FailureError(failure('system:storage_too_large'))
  tx.put(PINS, id, { card: card.type, version, data, at, ask: askText(ask) })
}

/** Empty for what JSON can't hold or is too long: such a card can be looked at, and not be made anew. */
function askText(ask: PinnedAsk | null): string {
  try {
    const text = ask === null ? '' : canonicalJson(ask)
    return utf8Bytes(text) > ASK_BYTES ? '' : text
  } catch {
    return ''
  }
}

/** What makes the pinned card anew; null: nothing. */
function askOf(text: string): PinnedAsk | null {
  const read = askSchema.safeParse(parseJson(text))
  return read.success ? read.data : null
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
    .map(([id, { card, version, data, at, ask }]) => ({
      id,
      card: { type: card, data: parseJson(data) },
      version,
      at,
      ask: askOf(ask),
    }))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
