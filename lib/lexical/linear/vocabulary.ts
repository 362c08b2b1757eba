import { at, idf, tf } from '../weights.js'
import { FeatureScanner } from './features.js'

/** How much of a feature that no example has counts in a sentence's length: with all of it few examples are too timid. */
const UNKNOWN_SHARE = 0.5

/** A sentence as numbers: features that are known, their weights, and what is left. One buffer for all sentences. */
export interface SentenceVector {
  /** Numbers of known features, `length` of them. */
  readonly features: Uint32Array
  /** Their weights; the whole, with its share of what is unknown, has the length 1. */
  readonly weights: Float32Array
  readonly length: number
  /** Share of the sentence that is known, 0 to 1, by rarity; 0 for one without features. */
  readonly known: number
}

/**
 * The features that examples have, by their hash, with idf = ln((1 + N) / (1 + df)) + 1. A table with open addressing in
 * typed arrays: a look-up makes no garbage.
 */
export class Vocabulary {
  /** Hashes of the features in ascending order; a feature's number is its place. */
  readonly hashes: Uint32Array
  readonly idf: Float32Array
  readonly #unknownIdf: number
  /** Number of a feature plus one; 0: free. */
  readonly #slots: Uint32Array
  readonly #scanner = new FeatureScanner()
  #features = new Uint32Array(512)
  #weights = new Float32Array(512)

  /** `frequencies`: sentences that have each feature, out of `sentences`. */
  constructor(hashes: Uint32Array, frequencies: Uint32Array, sentences: number) {
    this.hashes = hashes
    this.idf = Float32Array.from(frequencies, (frequency) => idf(sentences, frequency))
    this.#unknownIdf = idf(sentences, 0)
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * hashes.length + 2)))
    for (let feature = 0; feature < hashes.length; feature += 1) {
      let slot = this.#slotOf(at(hashes, feature))
      while (at(this.#slots, slot) !== 0) slot = (slot + 1) & (this.#slots.length - 1)
      this.#slots[slot] = feature + 1
    }
  }

  get size(): number {
    return this.hashes.length
  }

  /** The number of a feature, or -1. */
  featureOf(hash: number): number {
    for (let slot = this.#slotOf(hash); ; slot = (slot + 1) & (this.#slots.length - 1)) {
      const feature = at(this.#slots, slot) - 1
      if (feature < 0 || at(this.hashes, feature) === hash) return feature
    }
  }

  #slotOf(hash: number): number {
    return (Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> 8) & (this.#slots.length - 1)
  }

  /** Overwritten by the next sentence. Sublinear: a feature that comes n times counts 1 + ln n. */
  vectorOf(text: string): SentenceVector {
    const hashes = this.#scanner.scan(text)
    if (hashes.length > this.#features.length) {
      this.#features = new Uint32Array(2 * hashes.length)
      this.#weights = new Float32Array(2 * hashes.length)
    }
    let length = 0
    let known = 0
    let unknown = 0
    for (let start = 0; start < hashes.length;) {
      let end = start + 1
      while (end < hashes.length && hashes[end] === hashes[start]) end += 1
      const count = end - start
      const feature = this.featureOf(at(hashes, start))
      start = end
      const weight = tf(count) * (feature < 0 ? this.#unknownIdf : at(this.idf, feature))
      if (feature < 0) unknown += weight * weight
      else {
        this.#features[length] = feature
        this.#weights[length] = weight
        length += 1
        known += weight * weight
      }
    }
    const norm = Math.sqrt(known + UNKNOWN_SHARE * unknown)
    for (let place = 0; place < length; place += 1) this.#weights[place] = at(this.#weights, place) / norm
    return {
      features: this.#features,
      weights: this.#weights,
      length,
      known: known === 0 ? 0 : known / (known + unknown),
    }
  }
}
