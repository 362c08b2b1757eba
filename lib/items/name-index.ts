import type { Identifier } from '../core/ids.js'
import { compareText, type Unit } from '../lexical/index.js'

/** A name in a folded sentence; offsets are UTF-16. */
export interface FoundName {
  /** The first by id where several items share the name. */
  readonly item: Identifier
  readonly isShared: boolean
  /** Number of its first unit. */
  readonly at: number
  readonly start: number
  readonly end: number
  readonly words: number
}

/**
 * Item names in running text. Each name is one entry of a map; a sentence costs (its words) × (words of the longest name
 * that starts with that word) look-ups, whatever the number of items.
 */
export class NameIndex {
  readonly #items = new Map<string, Identifier>()
  readonly #shared = new Set<string>()
  /** Most words of any name that starts with the word. */
  readonly #longest = new Map<string, number>()

  /** Adds names of one rank: a name of an earlier rank stays as it is, one that several items of the rank have is shared. */
  rank(): (words: readonly string[], item: Identifier) => void {
    const own = new Set<string>()
    return (words, item) => {
      const [first] = words
      const key = words.join(' ')
      const before = this.#items.get(key)
      if (first === undefined) return
      if (before === undefined) {
        own.add(key)
        this.#items.set(key, item)
        this.#longest.set(first, Math.max(words.length, this.#longest.get(first) ?? 0))
      } else if (before !== item && own.has(key)) {
        this.#shared.add(key)
        if (compareText(item, before) < 0) this.#items.set(key, item)
      }
    }
  }

  /** The name of most words that begins with that unit. */
  longestAt(units: readonly Unit[], at: number): FoundName | undefined {
    const first = units[at]
    const most = first === undefined ? 0 : (this.#longest.get(first.text) ?? 0)
    if (first === undefined || most === 0) return undefined
    let key = ''
    let best: FoundName | undefined
    for (let words = 1; words <= most; words += 1) {
      const unit = units[at + words - 1]
      if (unit === undefined || (words > 1 && !unit.joined)) break
      key = words === 1 ? unit.text : `${key} ${unit.text}`
      const item = this.#items.get(key)
      if (item !== undefined)
        best = { item, isShared: this.#shared.has(key), at, start: first.start, end: unit.end, words }
    }
    return best
  }

  /** The longest name that begins inside of the found one and ends with it or after it. */
  shorterThan(found: FoundName, units: readonly Unit[]): FoundName | undefined {
    let best: FoundName | undefined
    for (let at = found.at + 1; at < found.at + found.words; at += 1) {
      const other = this.longestAt(units, at)
      if (other !== undefined && other.end >= found.end && other.words > (best?.words ?? 0)) best = other
    }
    return best
  }
}
