import type { Clock } from '../core/clock.js'
import { within } from '../core/within.js'

/** How long a cost outside of this server may take to answer. */
const ANSWER_MS = 10_000

const ANSWERS = ['charged', 'not_charged', 'unknown'] as const
export type ExternalAnswer = (typeof ANSWERS)[number]

/** A cost outside of this server, such as that of an economy plugin. May throw, reject, hang or answer nonsense. */
export interface ExternalCosts {
  /** Charges what the order costs, once however often it is called with that id. */
  charge(order: string): Promise<ExternalAnswer>
  /** Whether the order was charged. */
  status(order: string): Promise<ExternalAnswer>
}

/** Charges, or only asks; where the answer to a charge isn't one, the status decides. Never rejects. */
export async function askExternal(
  costs: ExternalCosts | null,
  order: string,
  { how, clock }: { how: 'charge' | 'status'; clock: Clock },
): Promise<ExternalAnswer> {
  if (costs === null) return 'unknown'
  if (how === 'charge') {
    const answer = await answerOf(() => costs.charge(order), clock)
    if (answer !== 'unknown') return answer
  }
  return answerOf(() => costs.status(order), clock)
}

async function answerOf(ask: () => Promise<ExternalAnswer>, clock: Clock): Promise<ExternalAnswer> {
  try {
    const answer = await within(ask(), { clock, ms: ANSWER_MS, late: 'unknown' as const })
    return ANSWERS.includes(answer) ? answer : 'unknown'
  } catch {
    return 'unknown'
  }
}
