import type { Identifier } from '../core/ids.js'
import { foldText, isCharacter, scanUnits } from '../lexical/index.js'
import { NameIndex } from './name-index.js'
import { NameLines, spelled } from './name-lines.js'

/** Further names of items by language, such as `zh_cn`; several of an item are equally good. */
export type LanguageNames = ReadonlyMap<string, ReadonlyMap<Identifier, readonly string[]>>

/** The language of minecraft-data. */
export const ENGLISH = 'en_us'

/** The names of an item beside its English one and its id, of all languages, ready for look-ups. Immutable. */
export interface Translations {
  /** For searches, by language. */
  readonly lines: ReadonlyMap<string, NameLines>
  /** For running text: names with characters of scripts without spaces; they can't be mistaken for words of others. */
  readonly characters: NameIndex
  /** For running text of that language: names of words. In other languages they may be any word: `is` is ice in Swedish. */
  readonly words: ReadonlyMap<string, NameIndex>
}

export const NO_TRANSLATIONS: Translations = {
  lines: new Map(),
  characters: new NameIndex(),
  words: new Map(),
}

/** Names by how much they count for an asker: English further ones and those of the own language, then all others. */
export interface AskersNames {
  readonly own: readonly NameLines[]
  readonly others: readonly NameLines[]
}

export function byAsker({ lines }: Translations, language: string): AskersNames {
  const own: NameLines[] = []
  const others: NameLines[] = []
  for (const [name, held] of lines) (name === ENGLISH || name === language ? own : others).push(held)
  return { own, others }
}

/** What an item is called already: the folded words of its English name and of its id. */
export interface KnownItem {
  readonly id: Identifier
  readonly texts: readonly string[]
}

/** Items between two steps of the work. */
const STEP = 8

/**
 * Builds the look-ups step by step. What the English name and the id say already is left out, and in English also what
 * several items share: there the data's own names tell them apart. Items are numbered in their order, which is by id.
 */
export function* translationsOf(
  names: LanguageNames,
  items: readonly KnownItem[],
): Generator<void, Translations> {
  const characters = new NameIndex()
  const words = new Map<string, NameIndex>()
  const lines = new Map<string, NameLines>()
  const addCharacters = characters.rank()
  for (const [language, named] of names) {
    const index = new NameIndex()
    const addWords = index.rank()
    const shared = language === ENGLISH ? sharedNames(named) : new Set<string>()
    const spellings: [number, string][] = []
    for (const [number, item] of items.entries()) {
      for (const name of named.get(item.id) ?? []) {
        const units = scanUnits(foldText(name))
        const texts = units.map(({ text }) => text)
        if (units.length === 0 || shared.has(name) || item.texts.includes(texts.join(' '))) continue
        if (units.some(isCharacter)) addCharacters(texts, item.id)
        else addWords(texts, item.id)
        spellings.push([number, spelled(units)])
      }
      if (number % STEP === 0) yield
    }
    yield
    lines.set(language, new NameLines(spellings))
    words.set(language, index)
    yield
  }
  return { lines, characters, words }
}

function sharedNames(named: ReadonlyMap<Identifier, readonly string[]>): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const names of named.values())
    for (const name of new Set(names)) {
      if (seen.has(name)) shared.add(name)
      seen.add(name)
    }
  return shared
}
