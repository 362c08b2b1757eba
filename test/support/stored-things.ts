import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import type {
  ChatTable,
  PlayerView,
  StorageTable,
  StorageType,
  Transaction,
} from '../../lib/storage/index.js'

/** Types that tests keep. */
export const COUNT: StorageType<{ readonly n: number }> = {
  id: identifier('test:count'),
  version: 1,
  schema: z.strictObject({ n: z.int() }),
  empty: { n: 0 },
}

export const TWIN: StorageType<{ readonly n: number }> = { ...COUNT, id: identifier('test:twin') }

export const NOTES: StorageType<{ readonly notes: readonly { readonly text: string }[] }> = {
  id: identifier('test:notes'),
  version: 1,
  schema: z.strictObject({ notes: z.array(z.strictObject({ text: z.string() })) }),
  empty: { notes: [] },
}

export const LOG: StorageTable<{ readonly text: string }> = {
  id: identifier('test:log'),
  version: 1,
  schema: z.strictObject({ text: z.string() }),
  rows: 'business',
}

export const ROUNDS: ChatTable<string> = {
  id: identifier('test:rounds'),
  version: 1,
  schema: z.string(),
  rows: 'chat',
  isHistory: true,
}

export const ALL = [COUNT, TWIN, NOTES, LOG, ROUNDS]

/** Counts one up and gives the new number. */
export function countUp(tx: Transaction): number {
  const n = tx.get(COUNT).n + 1
  tx.set(COUNT, { n })
  return n
}

/** The bodies of the rounds, oldest first. */
export const roundsOf = (kept: Pick<PlayerView, 'entries'>): readonly string[] =>
  kept.entries(ROUNDS).map(({ body }) => body)
