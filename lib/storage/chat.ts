import { CHAT_BOUNDS } from './chat-bounds.js'
import type { StoreLimits } from './limits.js'
import type { ChatEntry, ChatTable } from './storage-type.js'
import type { Transaction } from './transaction.js'

const DAY_MS = 86_400_000

/** Forgets all conversations and results for replay; sequence numbers go on. */
export function forgetChat(tx: Transaction): void {
  const { last } = tx.get(CHAT_BOUNDS)
  tx.set(CHAT_BOUNDS, { first: last + 1, last })
}

/** Adds a round to a conversation, and drops conversations and rounds that are more than the limits allow. */
export function appendRound<T>(
  tx: Transaction,
  table: ChatTable<T>,
  round: { readonly entry: ChatEntry<T>; readonly limits: StoreLimits },
): void {
  tx.append(table, round.entry)
  pruneRounds(tx, table, { limits: round.limits, now: round.entry.at })
}

/** Drops what is too old or too much: whole conversations by age and count, then the oldest rounds. */
function pruneRounds(
  tx: Transaction,
  table: ChatTable<unknown>,
  { limits, now }: { readonly limits: StoreLimits; readonly now: number },
): void {
  const rounds = tx.entries(table)
  const lastWord = new Map<number, number>()
  for (const { conversation, at } of rounds)
    lastWord.set(conversation, Math.max(at, lastWord.get(conversation) ?? 0))
  const newest = [...lastWord].sort(([, a], [, b]) => b - a).slice(0, limits.conversations)
  const kept = new Set(
    newest
      .filter(([, at]) => now - at <= limits.conversationDays * DAY_MS)
      .map(([conversation]) => conversation),
  )
  const living = rounds.filter(({ conversation }) => kept.has(conversation))
  const staying = new Set(living.slice(Math.max(0, living.length - limits.chatRounds)))
  for (const round of rounds) if (!staying.has(round)) tx.drop(table, round.key)
}
