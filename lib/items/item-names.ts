import type { Identifier } from '../core/ids.js'
import { ITEM_MARK, compareText, foldText, isCharacter, scanUnits, type Unit } from '../lexical/index.js'
import type { ItemFacts } from './item-facts.js'
import { NameIndex, type FoundName } from './name-index.js'
import { ENGLISH, type Translations } from './translations.js'

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

/** An item named in a sentence. */
export interface ItemMention {
  readonly item: Identifier
  /** The folded sentence with the item mark in the place of the name. */
  readonly masked: string
  /** The folded name, where several items share it; `item` is then the first of them by id. */
  readonly sharedName?: string
  /** A single word or character of another language: it may as well be another word, or a part of one. */
  readonly unsure?: true
  /** The other reading, where the name's beginning may belong to the word before it: `合成书` holds 书 and 成书. */
  readonly otherwise?: ItemMention
}

/** Item names in running text: the English ones, and those of other languages that may stand in the text. */
export class ItemNames {
  readonly #english = new NameIndex()

  constructor(items: readonly ItemFacts[]) {
    const ordered = [...items].sort((a, b) => compareText(a.id, b.id))
    // ids first: they are unique, so a name that another item's id spells does not win
    const [addId, addName, addNumber] = [this.#english.rank(), this.#english.rank(), this.#english.rank()]
    for (const { id } of ordered) addId(nameWords(id), id)
    for (const { id, name } of ordered) addName(nameWords(name), id)
    for (const { id, name } of ordered)
      for (const words of [nameWords(id), nameWords(name)])
        for (const last of otherNumber(words.at(-1) ?? '')) addNumber([...words.slice(0, -1), last], id)
  }

  /** The item of most words named in the text; of equals the longer name, then the earlier one, then the English one. */
  find(text: string, { characters, words }: Translations, language: string): ItemMention | null {
    const folded = foldText(text)
    const units = scanUnits(folded)
    const own = [words.get(ENGLISH), words.get(language)].filter((index) => index !== undefined)
    const found = findLongest(units, [this.#english, characters, ...own])
    if (found === undefined) return null
    const shorter = characters.shorterThan(found, units)
    return {
      ...mentionOf(folded, found),
      ...(found.words === 1 && this.#english.longestAt(units, found.at) === undefined
        ? { unsure: true }
        : {}),
      ...(shorter === undefined ? {} : { otherwise: mentionOf(folded, shorter) }),
    }
  }
}

function mentionOf(folded: string, { item, isShared, start, end }: FoundName): ItemMention {
  const before = folded.slice(0, start).replace(/minecraft:$/, '')
  return {
    item,
    masked: before + ITEM_MARK + folded.slice(end),
    ...(isShared ? { sharedName: folded.slice(start, end) } : {}),
  }
}

function findLongest(units: readonly Unit[], indexes: readonly NameIndex[]): FoundName | undefined {
  let best: FoundName | undefined
  for (let at = 0; at < units.length;) {
    const first = units[at]
    let longest: FoundName | undefined
    for (const index of indexes) {
      const found = index.longestAt(units, at)
      if (found !== undefined && found.words > (longest?.words ?? 0)) longest = found
    }
    if (longest !== undefined && (best === undefined || isLonger(longest, best))) best = longest
    // where no blanks part them, a name may begin inside of what looks like another
    at += first !== undefined && isCharacter(first) ? 1 : (longest?.words ?? 1)
  }
  return best
}

function isLonger(a: FoundName, b: FoundName): boolean {
  return a.words !== b.words ? a.words > b.words : a.end - a.start > b.end - b.start
}
