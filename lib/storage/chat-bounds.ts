import { z } from 'zod'
import { identifier } from '../core/ids.js'
import type { StorageType } from './storage-type.js'

const sequence = z.int().min(0)
const boundsSchema = z.strictObject({
  /** Entries before it are forgotten. */
  first: sequence,
  /** The last entry that counts. */
  last: sequence,
})

/**
 * Which entries of the chat record count. It lies in the business record, which is written after the chat record: an entry
 * beyond `last` is one whose commit was interrupted, and is dropped at load.
 */
export const CHAT_BOUNDS: StorageType<z.infer<typeof boundsSchema>> = {
  id: identifier('system:chat'),
  version: 1,
  schema: boundsSchema,
  empty: { first: 1, last: 0 },
}

const KEY_DIGITS = 12
/** Keys of entries sort like their sequence numbers. */
export const chatKey = (at: number): string => String(at).padStart(KEY_DIGITS, '0')
/** The sequence number in the name of a chat part, of whatever type; null when there is none. */
export function chatSequence(name: string): number | null {
  const digits = name.slice(name.indexOf('#') + 1)
  return digits.length === KEY_DIGITS && /^\d+$/.test(digits) ? Number(digits) : null
}

/** Entries that don't count by these bounds: of an interrupted commit, or forgotten. They are dropped at load. */
export function staleEntries(
  names: Iterable<string>,
  { first, last }: z.infer<typeof boundsSchema>,
): readonly string[] {
  return [...names].filter((name) => {
    const sequence = chatSequence(name) ?? last
    return sequence > last || sequence < first
  })
}
