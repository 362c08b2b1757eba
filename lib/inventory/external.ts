import type { Clock } from '../core/clock.js'
import type { PlayerId } from '../core/ids.js'
import { within } from '../core/within.js'
import type { Order } from './book.js'

/** How long a cost outside of this server may take to answer. */
const ANSWER_MS = 10_000

const ANSWERS = ['charged', 'not_charged', 'unknown'] as const
export type ExternalAnswer = (typeof ANSWERS)[number]

/** A cost outside of this server, such as that of an economy plugin. May throw, reject, hang or answer nonsense. */
export interface ExternalCosts {
  /** Charges what the order costs, once however often it is called for it. */
  charge(player: PlayerId, order: Order): Promise<ExternalAnswer>
  /** Whether the order was charged. */
  status(player: PlayerId, order: Order): Promise<ExternalAnswer>
}

/** Whose order it is, and what to do about it. */
interface ExternalQuestion {
  readonly player: PlayerId
  readonly order: Order
  readonly how: 'charge' | 'status'
}

/** Charges, or only asks; where the answer to a charge isn't one, the status decides. Never rejects. */
export async function askExternal(
  { external: costs, clock }: { external?: ExternalCosts; clock: Clock },
  { player, order, how }: ExternalQuestion,
): Promise<ExternalAnswer> {
  if (costs === undefined) return 'unknown'
  if (how === 'charge') {
    const answer = await answerOf(() => costs.charge(player, order), clock)
    if (answer !== 'unknown') return answer
  }
  return answerOf(() => costs.status(player, order), clock)
}

async function answerOf(ask: () => Promise<ExternalAnswer>, clock: Clock): Promise<ExternalAnswer> {
  try {
    const answer = await within(ask(), { clock, ms: ANSWER_MS, late: 'unknown' as const })
    return ANSWERS.includes(answer) ? answer : 'unknown'
  } catch {
    return 'unknown'
  }
}
