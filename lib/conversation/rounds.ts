import { z } from 'zod'
import type { Turn } from '../agent/index.js'
import { CardFact } from '../cards/index.js'
import { identifier } from '../core/ids.js'
import type { ChatEntry, ChatTable } from '../storage/index.js'

/** Longest words of a player or sentence of ours that a round keeps, code points. */
export const TEXT_LIMIT = 1_000
/** A player who says nothing for longer begins a new conversation. */
export const PAUSE_MS = 30 * 60_000
/** Rounds that a later request may know. */
const KNOWN_ROUNDS = 8
/** A code point has at most so many UTF-16 units. */
const UNITS = 2

const words = (limit: number) => z.string().max(limit * UNITS)
const roundSchema = z.strictObject({
  asked: words(TEXT_LIMIT),
  answered: words(TEXT_LIMIT),
  /** Of its cards, for models. */
  facts: z.array(words(CardFact.limit)).max(CardFact.count),
  /** Of its cards, in the player's language; absent in rounds of before. */
  titles: z.array(words(CardFact.limit)).max(CardFact.count).optional(),
})
/** One round: plain text, nothing of it can be pressed. */
export type Round = z.infer<typeof roundSchema>

/** Rounds of all conversations. */
export const ROUNDS: ChatTable<Round> = {
  id: identifier('system:rounds'),
  version: 1,
  schema: roundSchema,
  rows: 'chat',
  isHistory: true,
}

/** The number of the conversation that a round of this time belongs to. */
export function conversationAt(rounds: readonly ChatEntry<Round>[], at: number): number {
  const last = rounds.at(-1)
  if (last === undefined) return 1
  return isOver(last, at) ? last.conversation + 1 : last.conversation
}

/** What a request of this time may know: the last rounds of a conversation that isn't over. */
export function turnsAt(rounds: readonly ChatEntry<Round>[], at: number): readonly Turn[] {
  const last = rounds.at(-1)
  if (last === undefined || isOver(last, at)) return []
  return rounds
    .filter(({ conversation }) => conversation === last.conversation)
    .slice(-KNOWN_ROUNDS)
    .map(({ body: { asked, answered, facts } }) => ({ asked, answered, facts }))
}

const isOver = (last: ChatEntry<Round>, at: number): boolean => at - last.at > PAUSE_MS
