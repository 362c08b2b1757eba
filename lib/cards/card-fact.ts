import { clipCodePoints } from '../core/code-points.js'
import type { CardTypes } from './card-types.js'
import type { CardUpdate } from './card.js'

/** Facts kept of one result. */
const MAX_FACTS = 4
/** Longest fact, code points. */
const FACT_LIMIT = 600

/** What later model calls may know of the cards of one result: the one place that counts and cuts. */
export const CardFact = {
  count: MAX_FACTS,
  limit: FACT_LIMIT,
  /** The facts of the new cards that tell one, in their order: a card in another form is nothing new. */
  of(types: Pick<CardTypes, 'memoryFact'>, updates: readonly CardUpdate[]): readonly string[] {
    return updates
      .flatMap((update) => (update.mode === 'SHOW' ? [types.memoryFact(update.card)] : []))
      .filter((fact) => typeof fact === 'string' && fact.trim() !== '')
      .slice(0, MAX_FACTS)
      .map((fact) => clipCodePoints(fact ?? '', FACT_LIMIT))
  },
} as const
