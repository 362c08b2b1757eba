import { foldText } from '../../lexical/index.js'
import { complexPhrasing } from './complex-phrasing.js'
import { GENERAL_SENTENCES } from './general-sentences.js'
import {
  isAccepted,
  LOCAL_THRESHOLDS,
  type LocalIndex,
  type LocalMatch,
  type LocalThresholds,
} from './local-index.js'

/** Examples that are asked; of more, every so many-th is. */
const MOST_ASKED = 2_000

/** Coverages that are tried beside the shipped one. */
const COVERAGES = [0.9, 0.95, 1]

/** No match passes these. */
export const NEVER: LocalThresholds = { confidence: 2, coverage: 2 }

/** What the index made of a sentence whose label is known. */
export interface Held {
  readonly match: LocalMatch
  readonly isRight: boolean
}

/**
 * Asks each example of an index without it (leave-one-out), and general sentences that no label answers. Sentences that a
 * model is always asked about are left out, as is what matches nothing.
 */
export function holdOut(index: LocalIndex): Held[] {
  const step = Math.max(1, Math.ceil(index.size / MOST_ASKED))
  const held: Held[] = []
  for (let document = 0; document < index.size; document += step) {
    const { id, text } = index.example(document)
    const match = isAskedHere(text) ? index.query(text, document) : null
    if (match !== null) held.push({ match, isRight: match.id === id })
  }
  for (const text of GENERAL_SENTENCES) {
    const match = isAskedHere(text) ? index.query(text) : null
    if (match !== null) held.push({ match, isRight: false })
  }
  return held
}

const isAskedHere = (text: string): boolean => complexPhrasing(foldText(text)) === null

/**
 * The limits, none below the floor, at which at least `targetPrecision` of what passes is right, and most that is right
 * passes; of several such the strictest. Without any sentence that passes the floor there is no evidence against it, and it
 * holds; where no limits are precise enough, NEVER.
 */
export function calibrate(
  held: readonly Held[],
  targetPrecision: number,
  floor: LocalThresholds = LOCAL_THRESHOLDS,
): LocalThresholds {
  if (!held.some(({ match }) => isAccepted(match, floor))) return floor
  let best = { limits: NEVER, right: 0 }
  for (const coverage of [floor.coverage, ...COVERAGES.filter((tried) => tried > floor.coverage)]) {
    const passing = held.filter(({ match }) => isAccepted(match, { ...floor, coverage }))
    for (const { confidence, right } of reached(passing, targetPrecision, floor.confidence))
      if (right > 0 && right >= best.right) best = { limits: { confidence, coverage }, right }
  }
  return best.limits
}

/** Confidences at which what passes is precise enough, lowest first, and how much of it is right. */
function* reached(
  passing: readonly Held[],
  targetPrecision: number,
  floor: number,
): Iterable<{ confidence: number; right: number }> {
  const sorted = [...passing].sort((a, b) => a.match.confidence - b.match.confidence)
  let right = sorted.filter(({ isRight }) => isRight).length
  let before = Number.NaN
  for (const [at, { match, isRight }] of sorted.entries()) {
    // what has the same confidence passes or fails together
    if (match.confidence !== before && right / (sorted.length - at) >= targetPrecision)
      yield { confidence: at === 0 ? floor : match.confidence, right }
    before = match.confidence
    if (isRight) right -= 1
  }
}
