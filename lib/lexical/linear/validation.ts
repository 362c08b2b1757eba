import type { LinearMatch } from './model.js'
import { trainLinear, type LinearTraining, type Pieces } from './training.js'

/** What a model that had never seen the example made of it. */
export interface UnseenMatch extends LinearMatch {
  /** Place of the example. */
  readonly example: number
}

/** Asks each example of a model that was trained on the others; `folds` models in all. The same each time. */
export function* crossValidate(training: LinearTraining, folds: number): Pieces<UnseenMatch[]> {
  const matches: UnseenMatch[] = []
  const foldOf = spread(training, folds)
  for (let fold = 0; fold < folds; fold += 1) {
    const examples = training.examples.filter((_, place) => foldOf[place] !== fold)
    yield
    if (examples.length === 0) continue
    const model = yield* trainLinear({ ...training, examples })
    for (const [example, { text }] of training.examples.entries()) {
      if (foldOf[example] !== fold) continue
      matches.push({ ...model.match(text), example })
      yield
    }
  }
  return matches
}

/**
 * The fold of each example. Those of a label that stand together stay together: their author had one thing in mind, and a
 * sentence that is asked beside its twin would prove nothing.
 */
function spread({ examples, labels }: LinearTraining, folds: number): Uint8Array {
  const [totals, next] = [new Uint32Array(labels), new Uint32Array(labels)]
  for (const { label } of examples) totals[label] = (totals[label] ?? 0) + 1
  return Uint8Array.from(examples, ({ label }) => {
    const turn = next[label] ?? 0
    next[label] = turn + 1
    return Math.floor((turn * folds) / (totals[label] ?? 1) + label) % folds
  })
}

/** What is known of one answer. */
export interface Judged {
  readonly margin: number
  readonly isRight: boolean
  /** How many such there are to be expected for one that is asked about. */
  readonly counts: number
}

/** A margin that none has. */
export const NO_MARGIN = 2

/**
 * The least margin from which on the share of right answers is as wanted, one answer more counted as wrong: few examples
 * prove little. `NO_MARGIN` where there is none.
 */
export function marginFor(judged: readonly Judged[], targetPrecision: number): number {
  const sorted = [...judged].sort((a, b) => b.margin - a.margin)
  let [right, all, least] = [0, 0, NO_MARGIN]
  for (const [place, { margin, isRight, counts }] of sorted.entries()) {
    all += counts
    if (isRight) right += counts
    // equal ones pass together
    if (sorted[place + 1]?.margin !== margin && right / (all + 1) >= targetPrecision) least = margin
  }
  return least
}
