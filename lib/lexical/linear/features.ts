import { stemmer } from 'stemmer'
import { foldText, isCharacter, scanUnits } from '../analysis.js'

/** Lengths of the character sequences inside of words. Those of 5 were measured too: they made it worse. */
const [SHORTEST, LONGEST] = [3, 4]
const [UNIT, PAIR, SEQUENCE, EDGE] = [1, 2, 3, 4]
/** Before and behind each word, so that beginnings and ends of words differ from what is inside of them. */
const [OPEN, CLOSE] = [0x3c, 0x3e]
const LATIN = /^[a-z]+$/
/** Words whose hashes are remembered: a stem is most of what a word costs, and all of its garbage. */
const MAX_WORDS = 8_192

/** FNV-1a over UTF-16 units, https://datatracker.ietf.org/doc/html/draft-eastlake-fnv; each step spread to the low bits. */
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
const mix = (hash: number, unit: number): number => {
  const next = Math.imul(hash ^ unit, FNV_PRIME)
  return next ^ (next >>> 15)
}
const begin = (kind: number): number => mix(FNV_OFFSET, kind)
const EDGE_HASH = begin(EDGE)

/**
 * What a sentence is made of, as 32-bit hashes: its words (stems of Latin ones) and characters, each pair of neighbours with
 * the sentence's edges, and the sequences of characters inside of words. One buffer is kept for all sentences: no text is
 * made of sequences. Two features of one hash count as one; among 60,000 there is one such pair or none.
 */
export class FeatureScanner {
  #hashes = new Uint32Array(1_024)
  #count = 0
  readonly #words = new Map<string, number>()

  /** The features of a sentence in ascending order, repetitions included; overwritten by the next one. */
  scan(text: string): Uint32Array {
    this.#count = 0
    const units = scanUnits(foldText(text))
    let before = EDGE_HASH
    for (const unit of units) {
      const hash = this.#hashOf(unit.text)
      this.#add(hash)
      this.#add(pairOf(before, hash))
      before = hash
      if (!isCharacter(unit)) this.#sequences(unit.text)
    }
    if (units.length > 0) this.#add(pairOf(before, EDGE_HASH))
    return this.#hashes.subarray(0, this.#count).sort()
  }

  #hashOf(word: string): number {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    if (this.#words.size === MAX_WORDS) this.#words.clear()
    const hash = hashOf(LATIN.test(word) ? stemmer(word) : word)
    this.#words.set(word, hash)
    return hash
  }

  #sequences(word: string): void {
    const length = word.length + 2
    const unit = (at: number): number =>
      at === 0 ? OPEN : at === length - 1 ? CLOSE : word.charCodeAt(at - 1)
    for (let start = 0; start + SHORTEST <= length; start += 1) {
      let hash = begin(SEQUENCE)
      const end = Math.min(length, start + LONGEST)
      for (let at = start; at < end; at += 1) {
        hash = mix(hash, unit(at))
        // the whole word is a feature already
        if (at - start + 1 >= SHORTEST && at - start + 1 < length) this.#add(mix(hash, at - start))
      }
    }
  }

  #add(hash: number): void {
    if (this.#count === this.#hashes.length) {
      const larger = new Uint32Array(2 * this.#count)
      larger.set(this.#hashes)
      this.#hashes = larger
    }
    this.#hashes[this.#count] = hash
    this.#count += 1
  }
}

function hashOf(word: string): number {
  let hash = begin(UNIT)
  for (let at = 0; at < word.length; at += 1) hash = mix(hash, word.charCodeAt(at))
  return hash
}

const pairOf = (before: number, hash: number): number => mix(mix(begin(PAIR), before), hash)
