import type { CardData } from '../cards/index.js'
import type { Failure } from '../core/failure.js'
import type { AgentResult } from './module.js'

/** A success that is one new card. */
export function shown(card: CardData): AgentResult {
  return { status: 'succeeded', message: null, cards: [{ mode: 'SHOW', card }] }
}

/** A result that says why there is none. */
export function failedResult(reason: Failure): AgentResult {
  return { status: 'failed', message: null, cards: [], failure: reason }
}
