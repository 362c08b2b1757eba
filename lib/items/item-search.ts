import type { Identifier } from '../core/ids.js'
import { compareText, foldText, scanUnits } from '../lexical/index.js'
import { editDistance } from './edit-distance.js'
import type { ItemFacts } from './item-facts.js'
import { nameWords, otherNumber } from './item-names.js'
import { partsOf, piecesOf, spelled, type LineFits, type NameLines } from './name-lines.js'
import type { AskersNames, KnownItem } from './translations.js'

/** How well a query fits an item, best first. */
export const MATCH_KINDS = ['id', 'name', 'folded', 'plural', 'words', 'prefix', 'close'] as const
export type MatchKind = (typeof MATCH_KINDS)[number]

/** Whether a match of this kind is the item's own id, name or plural. */
export const isExact = (kind: MatchKind): boolean =>
  MATCH_KINDS.indexOf(kind) <= MATCH_KINDS.indexOf('plural')

export interface ItemMatch {
  readonly item: ItemFacts
  readonly kind: MatchKind
}

/** A word of a name with its other number. */
interface NameWord {
  readonly own: string
  readonly forms: readonly string[]
}

interface Entry {
  readonly item: ItemFacts
  readonly path: string
  /** Words of the name and, where it differs, of the id: a query may use either. */
  readonly names: readonly (readonly NameWord[])[]
  readonly texts: readonly string[]
  /** All forms of all words, a space before each: what holds no beginning of a query's word fits in no way. */
  readonly forms: string
}

interface Ranked {
  readonly item: ItemFacts
  readonly rank: number
  /** Words of the item that the query leaves open, or edits. */
  readonly extra: number
}

/** Edits that still count as the same name: none below 4 letters, where almost everything is near. */
const editLimit = (length: number): number => (length < 4 ? 0 : length < 6 ? 1 : 2)

/** Search over all items of a version, by a scan of well under a millisecond. Equal ranks are ordered by id. */
export class ItemSearch {
  readonly #entries: readonly Entry[]

  constructor(items: readonly ItemFacts[]) {
    const words = new Map<string, NameWord>()
    const wordOf = (own: string): NameWord => {
      const known = words.get(own) ?? { own, forms: [own, ...otherNumber(own)] }
      words.set(own, known)
      return known
    }
    const ordered = [...items].sort((a, b) => compareText(a.id, b.id))
    this.#entries = ordered.map((item) => {
      const path = item.id.replace(/^minecraft:/, '')
      const texts = [...new Set([nameWords(item.name).join(' '), nameWords(item.id).join(' ')])]
      const names = texts.map((text) => text.split(' ').map(wordOf))
      const forms = new Set(names.flat().flatMap((word) => word.forms))
      return { item, path, texts, names, forms: [...forms].map((form) => ` ${form}`).join('') }
    })
  }

  /** What the items are called in English, in the order of their numbers. */
  get known(): readonly KnownItem[] {
    return this.#entries.map(({ item, texts }) => ({ id: item.id, texts }))
  }

  /**
   * All items that fit, best first. English and the asker's language are searched first, close misses included; the
   * other languages only when these have nothing, so that no word of theirs stands between an asker and an item.
   */
  search(query: string, { own, others }: AskersNames): ItemMatch[] {
    const asked = askedOf(query)
    if (asked === null) return []
    const tries = [
      () => this.#rankAll((entry) => fit(entry, asked), fitsOf(own, asked)),
      () => this.#rankAll((entry) => closeFit(entry, asked.folded), closeFitsOf(own, asked)),
      () => this.#rankAll(() => undefined, fitsOf(others, asked)),
      () => this.#rankAll(() => undefined, closeFitsOf(others, asked)),
    ]
    for (const attempt of tries) {
      const found = attempt()
      if (found.length > 0) return found
    }
    return []
  }

  /** Items that a failed query may have meant: those that share most of its words, a typing error allowed in each. */
  nearest(query: string, limit: number, { own, others }: AskersNames): Identifier[] {
    const words = nameWords(query).filter((word) => word.length > 2)
    const shared = (entry: Entry): number =>
      words.filter((word) => entry.names.some((names) => names.some((own) => isNearWord(word, own)))).length
    const pieces = piecesOf(partsOf(scanUnits(foldText(query))))
    const inOwn = countsOf(own, pieces)
    const found = this.#mostShared((entry, number) => Math.max(shared(entry), inOwn.get(number) ?? 0), limit)
    if (found.length > 0) return found
    const inOthers = countsOf(others, pieces)
    return this.#mostShared((_entry, number) => inOthers.get(number) ?? 0, limit)
  }

  #mostShared(shared: (entry: Entry, number: number) => number, limit: number): Identifier[] {
    return this.#entries
      .map((entry, number) => ({ entry, count: shared(entry, number) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || wordCount(a.entry) - wordCount(b.entry))
      .slice(0, limit)
      .map(({ entry }) => entry.item.id)
  }

  /** Stable sort over entries in id order, so that ties fall by id. */
  #rankAll(rank: (entry: Entry) => Ranked | undefined, fits: LineFits): ItemMatch[] {
    const ranked: Ranked[] = []
    for (const [number, entry] of this.#entries.entries()) {
      const own = rank(entry)
      const line = fits.get(number)
      const translated =
        line === undefined ? undefined : { item: entry.item, rank: rankOf(line.kind), extra: line.extra }
      const best = translated === undefined || (own !== undefined && own.rank <= translated.rank)
      const chosen = best ? own : translated
      if (chosen !== undefined) ranked.push(chosen)
    }
    ranked.sort((a, b) => a.rank - b.rank || a.extra - b.extra)
    return ranked.map(({ item, rank }) => ({ item, kind: MATCH_KINDS[rank] ?? 'close' }))
  }
}

/** Null for a query without a word. */
function askedOf(query: string): Asked | null {
  const words = nameWords(query)
  if (words.length === 0) return null
  const units = scanUnits(foldText(query))
  return {
    text: query.trim(),
    folded: words.join(' '),
    words,
    beginnings: words.map((word) => ` ${word}`),
    parts: partsOf(units),
    whole: spelled(units),
  }
}

function fitsOf(languages: readonly NameLines[], { parts, whole }: Asked): LineFits {
  const fits: LineFits = new Map()
  for (const lines of languages) lines.fit(parts, whole, fits)
  return fits
}

function closeFitsOf(languages: readonly NameLines[], { whole }: Asked): LineFits {
  const fits: LineFits = new Map()
  for (const lines of languages) lines.close(whole, editLimit(whole.length), fits)
  return fits
}

function countsOf(languages: readonly NameLines[], pieces: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const lines of languages) lines.count(pieces, counts)
  return counts
}

const rankOf = (kind: MatchKind): number => MATCH_KINDS.indexOf(kind)
const wordCount = (entry: Entry): number => entry.names[0]?.length ?? 0

function isNearWord(word: string, own: NameWord): boolean {
  const limit = Math.min(1, editLimit(word.length))
  return own.forms.includes(word) || editDistance(word, own.own, limit) <= limit
}

/** A query, prepared once for all entries. */
interface Asked {
  readonly text: string
  readonly folded: string
  readonly words: readonly string[]
  /** The words as they begin in `Entry.forms`. */
  readonly beginnings: readonly string[]
  /** As `partsOf` and `spelled` give it, for names of other languages. */
  readonly parts: readonly string[]
  readonly whole: string
}

function fit(entry: Entry, { text, folded, words, beginnings }: Asked): Ranked | undefined {
  // nearly all items end here, by one native search each
  for (const beginning of beginnings) if (!entry.forms.includes(beginning)) return undefined
  const made = (kind: MatchKind, extra = 0): Ranked => ({ item: entry.item, rank: rankOf(kind), extra })
  if (text === entry.item.id || text === entry.path) return made('id')
  if (text === entry.item.name) return made('name')
  if (entry.texts.includes(folded)) return made('folded')
  if (entry.names.some((names) => isPlural(names, words))) return made('plural')
  let best: Ranked | undefined
  for (const names of entry.names) {
    const kind = looseKind(names, words)
    if (kind !== undefined && (best === undefined || rankOf(kind) < best.rank))
      best = made(kind, names.length - words.length)
  }
  return best
}

/** The query's words are all in the name, in any order, or all begin a word of it. */
function looseKind(names: readonly NameWord[], words: readonly string[]): 'words' | 'prefix' | undefined {
  if (names.length < words.length) return undefined
  if (words.every((word) => names.some((own) => own.forms.includes(word)))) return 'words'
  return words.every((word) => names.some((own) => own.own.startsWith(word))) ? 'prefix' : undefined
}

/** The words of the name in their order, the last one in either number. */
function isPlural(names: readonly NameWord[], words: readonly string[]): boolean {
  const last = names.length - 1
  return (
    names.length === words.length &&
    names.every(({ own, forms }, at) => {
      const word = words[at] ?? ''
      return own === word || (at === last && forms.includes(word))
    })
  )
}

function closeFit(entry: Entry, text: string): Ranked | undefined {
  const limit = editLimit(text.length)
  const edits = Math.min(...entry.texts.map((own) => editDistance(text, own, limit)))
  return edits > limit ? undefined : { item: entry.item, rank: rankOf('close'), extra: edits }
}
