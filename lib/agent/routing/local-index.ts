import {
  SparseIndex,
  compareText,
  compileSynonyms,
  featuresOf,
  foldText,
  scanUnits,
  type SynonymReplacer,
  type Synonyms,
} from '../../lexical/index.js'

/** What a label is known by. */
export interface LocalProfile {
  readonly id: string
  readonly examples: readonly string[]
}

/** The nearest label of a sentence. Whether it is near enough is for `isAccepted` to say. */
export interface LocalMatch {
  readonly id: string
  /** Cosine of the nearest example minus that of the best example of any other label, 0 to 1. */
  readonly confidence: number
  /** Share of the sentence's features, weighted by rarity, that the label's examples contain, 0 to 1. */
  readonly coverage: number
  /** The runner-up label, or null when no other label shares a feature with the sentence. */
  readonly second: string | null
}

/** Limits above which a match may be acted on. */
export interface LocalThresholds {
  readonly confidence: number
  readonly coverage: number
}

/**
 * The floor, chosen on held-out sentences (test/agent/routing/held-out.test.ts keeps the claim true): each shipped example
 * asked of an index without it, and over 500 sentences that no module answers, half of them near misses. At these limits no
 * wrong label and no foreign sentence is accepted, and 63 % of the held-out examples are; foreign ones first appear at a
 * coverage of 0.79, wrong labels at a confidence of 0.15. Of 43,000 sentences of public intent collections 39 pass, all of
 * which do ask for an item, a recipe, the speaker's position or help.
 */
export const LOCAL_THRESHOLDS: LocalThresholds = { confidence: 0.25, coverage: 0.85 }

// articles, politeness and particles say nothing about what is wanted
const FILLERS: ReadonlySet<string> = new Set(
  'a an the some please hey hi hello just system 请 請 吧 呢 啊 呀 哦 嘛 呗 嘞 哈 哇 咯 啦 诶 吗 么 嗎'.split(
    ' ',
  ),
)

/** Whether the match passes; NaN never does. */
export const isAccepted = (match: LocalMatch, limits: LocalThresholds = LOCAL_THRESHOLDS): boolean =>
  match.confidence >= limits.confidence && match.coverage >= limits.coverage

/** Example sentences of all labels, ready to be asked. */
export interface LocalIndex {
  /** How many examples there are. */
  readonly size: number
  /** The example with this number below `size`, and its label. */
  example(document: number): { readonly id: string; readonly text: string }
  /**
   * Null when the sentence has fewer than two words or shares none with any example. `without`: as if the example with this
   * number were not there, but for the weights of words, which stay those of all.
   */
  query(text: string, without?: number): LocalMatch | null
  /** The labels that share a feature with the sentence, nearest first; no more than `limit`. */
  nearest(text: string, limit: number): string[]
}

/** Builds the index: one document per example; labels are ordered by id so that ties fall the same way. */
export function buildLocalIndex(
  profiles: readonly LocalProfile[],
  synonyms: readonly Synonyms[] = [],
): LocalIndex {
  return new ExampleIndex(
    [...profiles].sort((a, b) => compareText(a.id, b.id)),
    compileSynonyms(synonyms),
  )
}

class ExampleIndex implements LocalIndex {
  readonly #labels: readonly string[]
  readonly #synonyms: SynonymReplacer
  readonly #index: SparseIndex
  /** The label of each document. */
  readonly #labelOf: Uint16Array
  /** At label × terms + term: how many examples of the label have the term. */
  readonly #known: Uint16Array
  readonly #documents: readonly {
    readonly id: string
    readonly text: string
    readonly features: Set<string>
  }[]
  readonly #best: Float64Array

  constructor(profiles: readonly LocalProfile[], synonyms: SynonymReplacer) {
    this.#labels = profiles.map((profile) => profile.id)
    this.#synonyms = synonyms
    const documents = profiles.flatMap((profile, label) =>
      profile.examples.map((text) => ({ id: profile.id, label, text, features: this.#features(text) })),
    )
    this.#index = new SparseIndex(documents)
    this.#labelOf = Uint16Array.from(documents, (document) => document.label)
    this.#documents = documents.map(({ id, text, features }) => ({ id, text, features: new Set(features) }))
    this.#known = new Uint16Array(this.#labels.length * this.#index.termCount)
    this.#best = new Float64Array(this.#labels.length)
    documents.forEach(({ label }, document) => {
      for (const feature of this.#documents[document]?.features ?? [])
        this.#known[this.#place(label, feature)] = this.#knownTo(label, feature) + 1
    })
  }

  get size(): number {
    return this.#documents.length
  }

  example(document: number): { readonly id: string; readonly text: string } {
    const found = this.#documents[document]
    if (found === undefined) throw new RangeError(`no example ${document}`)
    return found
  }

  #features(text: string): string[] {
    const units = this.#synonyms.apply(scanUnits(foldText(text)))
    return featuresOf(units.filter((unit) => !FILLERS.has(unit.text)))
  }

  query(text: string, without = -1): LocalMatch | null {
    const features = this.#features(text)
    // one word is never a wish: `life` is a synonym of health
    if (features.length < 2) return null
    const best = this.#scores(features, without)
    const first = indexOfMax(best, -1)
    const top = best[first] ?? 0
    const id = this.#labels[first]
    if (!(top > 0) || id === undefined) return null
    const other = indexOfMax(best, first)
    const runnerUp = best[other] ?? 0
    return {
      id,
      confidence: top - runnerUp,
      coverage: this.#coverage(features, first, without),
      second: runnerUp > 0 ? (this.#labels[other] ?? null) : null,
    }
  }

  nearest(text: string, limit: number): string[] {
    const best = this.#scores(this.#features(text), -1)
    return this.#labels
      .map((id, label) => ({ id, score: best[label] ?? 0 }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ id }) => id)
  }

  /** The score of each label's best example; valid until the next call. */
  #scores(features: readonly string[], without: number): Float64Array {
    const best = this.#best.fill(0)
    this.#index.scoreAll(features).forEach((score, document) => {
      if (document === without) return
      const label = this.#labelOf[document] ?? 0
      if (score > (best[label] ?? 0)) best[label] = score
    })
    return best
  }

  #coverage(features: readonly string[], label: number, without: number): number {
    const left = this.#labelOf[without] === label ? this.#documents[without]?.features : undefined
    let known = 0
    let all = 0
    for (const feature of features) {
      const weight = this.#index.idfOf(this.#index.termOf(feature))
      all += weight
      if (this.#knownTo(label, feature) > (left?.has(feature) === true ? 1 : 0)) known += weight
    }
    return all > 0 ? known / all : 0
  }

  #place(label: number, feature: string): number {
    return label * this.#index.termCount + this.#index.termOf(feature)
  }

  /** How many examples of the label have the feature. */
  #knownTo(label: number, feature: string): number {
    return this.#index.termOf(feature) < 0 ? 0 : (this.#known[this.#place(label, feature)] ?? 0)
  }
}

/** The first place of the greatest value, `skip` left out; -1 when there is none. */
function indexOfMax(values: Float64Array, skip: number): number {
  let best = -1
  values.forEach((value, place) => {
    if (place !== skip && (best < 0 || value > (values[best] ?? 0))) best = place
  })
  return best
}
