import type { LinearModel } from './model.js'
import { trainLinear, type LinearTraining, type Pieces } from './training.js'
import { crossValidate, marginFor, NO_MARGIN, type Judged, type UnseenMatch } from './validation.js'

/** A sentence and what it asks for; null: something that no label answers. */
export interface LabeledText {
  readonly text: string
  readonly label: string | null
}

/** What routing makes of a sentence. */
export interface LinearRoute {
  /** The likeliest label, whether it is taken or not; null: most likely none. */
  readonly label: string | null
  /** Probability of the likeliest minus that of the next, 0 to 1. */
  readonly confidence: number
  /** Share of the sentence that the examples know, 0 to 1. */
  readonly known: number
  /** Whether the label is certain enough to be acted on. */
  readonly isAccepted: boolean
}

/** How the examples of a label fare when they are asked of models that have not seen them. */
export interface LabelReport {
  readonly label: string
  readonly examples: number
  /** Accepted, and right. */
  readonly right: number
  /** Of other labels or of none, accepted as this one. */
  readonly wrong: number
}

/** Two labels that are taken for one another. */
export interface Confusion {
  /** Null: something that no label answers. */
  readonly label: string | null
  readonly takenFor: string
  /** How often, whether it would have been accepted or not. */
  readonly count: number
  /** One such sentence. */
  readonly example: string
}

export interface RoutingReport {
  readonly targetPrecision: number
  /** Confidence from which on a label is accepted; above 1: none ever is. */
  readonly margin: number
  readonly labels: readonly LabelReport[]
  /** The most frequent first. */
  readonly confusions: readonly Confusion[]
}

/** A trained model with the margin that its own examples gave. */
export interface LinearRouting {
  readonly report: RoutingReport
  /** Bytes that are kept. */
  readonly byteLength: number
  route(text: string): LinearRoute
}

/** Models that are trained to find the margin, each without a part of the examples. */
const FOLDS = 4
/** Share of what players say that no label answers, as far as the margin is concerned. */
const FOREIGN_SHARE = 0.2
/** Without so many examples that were never seen there is no evidence, and nothing is accepted. */
const LEAST_EVIDENCE = 20

/** Trains a model, and finds the margin from which on `targetPrecision` of what it accepts is right. Needs one label at least. */
export function* trainRouting(texts: readonly LabeledText[], targetPrecision: number): Pieces<LinearRouting> {
  const labels = [...new Set(texts.flatMap(({ label }) => (label === null ? [] : [label])))].sort()
  if (labels.length === 0) throw new TypeError('no example has a label')
  const places = new Map<string | null, number>(labels.map((label, place) => [label, place]))
  const foreign = texts.filter(({ label }) => label === null).length
  const known = texts.length - foreign
  if (foreign > 0) places.set(null, labels.length)
  const training: LinearTraining = {
    examples: texts.map(({ text, label }) => ({ text, label: places.get(label) ?? 0 })),
    labels: places.size,
    // however many there are: together they count as one label does
    labelWeights: [...labels.map(() => 1), Math.min(1, known / labels.length / Math.max(1, foreign))],
  }
  const model = yield* trainLinear(training)
  const unseen = yield* crossValidate(training, FOLDS)
  const counts = foreign === 0 ? 0 : ((FOREIGN_SHARE / (1 - FOREIGN_SHARE)) * known) / foreign
  const judged = unseen
    .filter(({ label }) => label < labels.length)
    .map(({ label, margin, example }): Judged => {
      const right = training.examples[example]?.label ?? -1
      return { margin, isRight: label === right, counts: right < labels.length ? 1 : counts }
    })
  const margin = judged.length < LEAST_EVIDENCE ? NO_MARGIN : marginFor(judged, targetPrecision)
  return new TrainedRouting(model, labels, {
    targetPrecision,
    margin,
    ...reportOf({ texts, labels, unseen }, margin),
  })
}

class TrainedRouting implements LinearRouting {
  readonly report: RoutingReport
  readonly #model: LinearModel
  readonly #labels: readonly string[]

  constructor(model: LinearModel, labels: readonly string[], report: RoutingReport) {
    this.#model = model
    this.#labels = labels
    this.report = report
  }

  get byteLength(): number {
    return this.#model.byteLength
  }

  route(text: string): LinearRoute {
    const { label: place, margin, known } = this.#model.match(text)
    const label = this.#labels[place] ?? null
    // what shares nothing with any example has only what labels have by themselves
    const isAccepted = label !== null && known > 0 && margin >= this.report.margin
    return { label, confidence: margin, known, isAccepted }
  }
}

const MOST_CONFUSIONS = 20

interface Validated {
  readonly texts: readonly LabeledText[]
  readonly labels: readonly string[]
  readonly unseen: readonly UnseenMatch[]
}

function reportOf(
  { texts, labels, unseen }: Validated,
  margin: number,
): Pick<RoutingReport, 'labels' | 'confusions'> {
  const rows = new Map(labels.map((label) => [label, { label, examples: 0, right: 0, wrong: 0 }]))
  const confusions = new Map<
    string,
    { label: string | null; takenFor: string; count: number; example: string }
  >()
  for (const { example, label: place, margin: reached } of unseen) {
    const { label, text } = texts[example] ?? { label: null, text: '' }
    const own = label === null ? undefined : rows.get(label)
    if (own !== undefined) own.examples += 1
    const takenFor = labels[place]
    const taken = takenFor === undefined ? undefined : rows.get(takenFor)
    if (takenFor === undefined || taken === undefined) continue
    if (reached >= margin) taken[taken === own ? 'right' : 'wrong'] += 1
    if (taken === own) continue
    const key = JSON.stringify([label, takenFor])
    const known = confusions.get(key) ?? { label, takenFor, count: 0, example: text }
    known.count += 1
    confusions.set(key, known)
  }
  return {
    labels: [...rows.values()],
    confusions: [...confusions.values()].sort((a, b) => b.count - a.count).slice(0, MOST_CONFUSIONS),
  }
}
