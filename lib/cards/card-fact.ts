import { clipCodePoints } from '../core/code-points.js'
import type { Message } from '../text/index.js'
import type { CardTypes } from './card-types.js'
import type { CardData, CardUpdate } from './card.js'

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
    return bounded(newCards(updates).map((card) => types.memoryFact(card)))
  },
  /** What the player reads of them in the history: their titles, and what a card without a title says. */
  titles(
    types: Pick<CardTypes, 'memoryFact' | 'view'>,
    updates: readonly CardUpdate[],
    text: (message: Message) => string,
  ): readonly string[] {
    return bounded(
      newCards(updates).map((card) => {
        const { title } = types.view(card)
        return title === null ? types.memoryFact(card) : text(title)
      }),
    )
  },
} as const

const newCards = (updates: readonly CardUpdate[]): CardData[] =>
  updates.flatMap((update) => (update.mode === 'SHOW' ? [update.card] : []))

const bounded = (texts: readonly (string | undefined)[]): readonly string[] =>
  texts
    .filter((text) => typeof text === 'string')
    .filter((text) => text.trim() !== '')
    .slice(0, MAX_FACTS)
    .map((text) => clipCodePoints(text, FACT_LIMIT))
