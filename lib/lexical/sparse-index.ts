import { at, idf, tf } from './weights.js'

/** A document of an index: its id and its features, repetitions included. */
export interface IndexDocument {
  readonly id: string
  readonly features: readonly string[]
}

export interface Hit {
  readonly id: string
  /** Cosine, above 0 and at most 1. */
  readonly score: number
}

/**
 * Sparse TF-IDF with cosine. idf = ln((1 + N) / (1 + df)) + 1 is positive for every feature, so a word of all
 * documents still finds them; tf = 1 + ln(count). Features that no document has count in the length of the query.
 * A document or query without features scores 0, never NaN. Not safe for re-entrant use: one score buffer is kept.
 */
export class SparseIndex {
  readonly #ids: readonly string[]
  readonly #terms = new Map<string, number>()
  /** Postings of term t are the places #offsets[t] … #offsets[t + 1] − 1 of #documents and #weights. */
  readonly #offsets: Uint32Array
  readonly #documents: Uint32Array
  readonly #weights: Float64Array
  readonly #idf: Float64Array
  readonly #unknownIdf: number
  readonly #scores: Float64Array

  constructor(documents: readonly IndexDocument[]) {
    this.#ids = documents.map((document) => document.id)
    const counted = documents.map((document) => countTerms(document.features, this.#terms))
    const size = this.#terms.size
    const frequency = new Uint32Array(size)
    for (const counts of counted) for (const term of counts.keys()) frequency[term] = at(frequency, term) + 1
    this.#idf = Float64Array.from(frequency, (df) => idf(documents.length, df))
    this.#unknownIdf = idf(documents.length, 0)
    this.#offsets = new Uint32Array(size + 1)
    for (let term = 0; term < size; term += 1)
      this.#offsets[term + 1] = at(this.#offsets, term) + at(frequency, term)
    const total = at(this.#offsets, size)
    this.#documents = new Uint32Array(total)
    this.#weights = new Float64Array(total)
    this.#scores = new Float64Array(documents.length)
    this.#fill(counted)
  }

  #fill(counted: readonly ReadonlyMap<number, number>[]): void {
    const next = this.#offsets.slice()
    counted.forEach((counts, document) => {
      let squares = 0
      for (const [term, count] of counts) squares += (tf(count) * at(this.#idf, term)) ** 2
      const length = Math.sqrt(squares)
      for (const [term, count] of counts) {
        const place = at(next, term)
        next[term] = place + 1
        this.#documents[place] = document
        this.#weights[place] = (tf(count) * at(this.#idf, term)) / length
      }
    })
  }

  get termCount(): number {
    return this.#terms.size
  }

  /** The number of a feature, or -1 when no document has it. */
  termOf(feature: string): number {
    return this.#terms.get(feature) ?? -1
  }

  /** The weight of a term's rarity, above 0; -1 asks for that of a feature which no document has. */
  idfOf(term: number): number {
    return term < 0 ? this.#unknownIdf : at(this.#idf, term)
  }

  /** Cosine of each document, in the order they were given. The buffer is overwritten by the next query. */
  scoreAll(features: readonly string[]): Float64Array {
    const scores = this.#scores.fill(0)
    const counts = new Map<string, number>()
    for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1)
    let squares = 0
    for (const [feature, count] of counts) {
      const term = this.termOf(feature)
      const weight = tf(count) * this.idfOf(term)
      squares += weight * weight
      if (term < 0) continue
      const end = at(this.#offsets, term + 1)
      for (let place = at(this.#offsets, term); place < end; place += 1) {
        const document = at(this.#documents, place)
        scores[document] = at(scores, document) + weight * at(this.#weights, place)
      }
    }
    if (squares > 0) {
      const length = Math.sqrt(squares)
      for (let document = 0; document < scores.length; document += 1)
        scores[document] = Math.min(1, at(scores, document) / length)
    }
    return scores
  }

  /** The best documents, best first, ties by id; those that share nothing with the query are left out. */
  search(features: readonly string[], limit: number): Hit[] {
    const hits: Hit[] = []
    this.scoreAll(features).forEach((score, document) => {
      const id = this.#ids[document]
      if (score > 0 && id !== undefined) hits.push({ id, score })
    })
    return hits.sort((a, b) => b.score - a.score || compareText(a.id, b.id)).slice(0, limit)
  }
}

function countTerms(features: readonly string[], terms: Map<string, number>): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const feature of features) {
    let term = terms.get(feature)
    if (term === undefined) terms.set(feature, (term = terms.size))
    counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  return counts
}

/** Order by code units: the same on every machine, whatever its locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
