import type { Identifier } from '../core/ids.js'
import { ITEM_MARK, compareText, foldText, scanUnits, type Unit } from '../lexical/index.js'
import type { ItemFacts } from './item-facts.js'

/** The words of a name or id, folded: `Jack o'Lantern` is `jack olantern`, `minecraft:oak_log` is `oak log`. */
export const nameWords = (text: string): string[] =>
  scanUnits(foldText(text).replace(/^\s*minecraft:/, '')).map((unit) => unit.text)

/** The other number of an English noun: plurals of a singular, singulars of a plural. Rules, not a dictionary. */
export function otherNumber(word: string): string[] {
  if (word.length < 3) return []
  if (word.endsWith('ies')) return [`${word.slice(0, -3)}y`, word.slice(0, -1)]
  if (word.endsWith('ves')) return [`${word.slice(0, -3)}f`, `${word.slice(0, -3)}fe`]
  if (/(?:[sxz]|ch|sh|o)es$/.test(word)) return [word.slice(0, -2), word.slice(0, -1)]
  if (/[^sui]s$/.test(word)) return [word.slice(0, -1)]
  if (/[^aeiou]y$/.test(word)) return [`${word.slice(0, -1)}ies`]
  if (/(?:lf|[^fo]af|fe)$/.test(word)) return [`${word.replace(/fe?$/, '')}ves`, `${word}s`]
  if (/(?:[sxz]|ch|sh|[^aeiou]o)$/.test(word)) return [`${word}es`, `${word}s`]
  return [`${word}s`]
}

/** A name in a folded sentence. */
interface Found {
  readonly item: Identifier
  readonly start: number
  readonly end: number
  readonly words: number
}

/**
 * Item names in running text. Every name, id and other number of their last word is one entry of a map; a sentence
 * costs (its words) × (words of the longest name that starts with that word) look-ups, whatever the number of items.
 */
export class ItemNames {
  readonly #items = new Map<string, Identifier>()
  /** Most words of any name that starts with the word. */
  readonly #longest = new Map<string, number>()

  constructor(items: readonly ItemFacts[]) {
    const ordered = [...items].sort((a, b) => compareText(a.id, b.id))
    // ids first: they are unique, so a name that another item's id spells does not win
    for (const { id } of ordered) this.#add(nameWords(id), id)
    for (const { id, name } of ordered) this.#add(nameWords(name), id)
    for (const { id, name } of ordered)
      for (const words of [nameWords(id), nameWords(name)])
        for (const last of otherNumber(words.at(-1) ?? '')) this.#add([...words.slice(0, -1), last], id)
  }

  #add(words: readonly string[], item: Identifier): void {
    const [first] = words
    const key = words.join(' ')
    if (first === undefined || this.#items.has(key)) return
    this.#items.set(key, item)
    this.#longest.set(first, Math.max(words.length, this.#longest.get(first) ?? 0))
  }

  /** The item of most words named in the text; of equals the longer name, then the earlier one. */
  findInSentence(text: string): Identifier | null {
    return this.#find(foldText(text))?.item ?? null
  }

  /** The folded text with the item's name replaced by the item mark. */
  mask(text: string): { item: Identifier; masked: string } | null {
    const folded = foldText(text)
    const found = this.#find(folded)
    if (found === undefined) return null
    const before = folded.slice(0, found.start).replace(/minecraft:$/, '')
    return { item: found.item, masked: before + ITEM_MARK + folded.slice(found.end) }
  }

  #find(folded: string): Found | undefined {
    const units = scanUnits(folded)
    let best: Found | undefined
    for (let at = 0; at < units.length;) {
      const found = this.#longestAt(units, at)
      if (found !== undefined && (best === undefined || isLonger(found, best))) best = found
      at += found?.words ?? 1
    }
    return best
  }

  #longestAt(units: readonly Unit[], at: number): Found | undefined {
    const first = units[at]
    const most = first === undefined ? 0 : (this.#longest.get(first.text) ?? 0)
    if (first === undefined || most === 0) return undefined
    let key = ''
    let best: Found | undefined
    for (let words = 1; words <= most; words += 1) {
      const unit = units[at + words - 1]
      if (unit === undefined || (words > 1 && !unit.joined)) break
      key = words === 1 ? unit.text : `${key} ${unit.text}`
      const item = this.#items.get(key)
      if (item !== undefined) best = { item, start: first.start, end: unit.end, words }
    }
    return best
  }
}

function isLonger(a: Found, b: Found): boolean {
  return a.words !== b.words ? a.words > b.words : a.end - a.start > b.end - b.start
}
