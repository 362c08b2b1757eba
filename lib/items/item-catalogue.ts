import type { Identifier } from '../core/ids.js'
import { inSlices } from '../core/slices.js'
import type { ItemFacts } from './item-facts.js'
import type { ItemMention } from './item-names.js'
import type { ItemMatch } from './item-search.js'
import type { Recipe } from './recipes.js'
import {
  ENGLISH,
  NO_TRANSLATIONS,
  byAsker,
  translationsOf,
  type LanguageNames,
  type Translations,
} from './translations.js'
import { versionItems, type VersionItems } from './version-items.js'

/**
 * Items and crafting recipes of one Minecraft version, from minecraft-data: plain facts, English names, and names of other
 * languages as far as they are given. It lives on the main thread: flying-squid has the same package loaded there, so it
 * costs its own maps only, and commands complete item names without waiting for a worker. Look-ups take the asker's
 * language, `en_us` unless given; English is always understood.
 */
export interface ItemCatalogue {
  /** The Minecraft version. */
  readonly version: string
  /** Ordered by id. */
  readonly items: readonly ItemFacts[]
  byId(id: Identifier): ItemFacts | undefined
  /**
   * Best first: id, name, folded name, plural, words in any order, prefixes; else names two typing errors away; else the
   * same by names of languages that aren't the asker's.
   */
  search(query: string, language?: string): ItemMatch[]
  /** What a query without a match may have meant. */
  nearest(query: string, limit: number, language?: string): Identifier[]
  /**
   * The longest item name or id in running text: English, of the asker's language, or of any language that is written
   * without spaces (Chinese, Japanese; Korean as if it were).
   */
  findInSentence(text: string, language?: string): Identifier | null
  /** The same, with the folded text in which `{item}` stands for the name. */
  mask(text: string, language?: string): ItemMention | null
  /** Crafting recipes that make the item. Smelting, stonecutting and smithing are not in the data. */
  recipes(id: Identifier): readonly Recipe[]
  /**
   * Takes the place of all names given before; those of unknown items are left out. Works in slices of about 2 ms, and
   * answers with the names before until it resolves; of two calls the later one holds.
   */
  setNames(names: LanguageNames): Promise<void>
}

/** A catalogue of the version, as yet with English names. A version that minecraft-data lacks throws a TypeError. */
export const loadItemCatalogue = (version: string): ItemCatalogue => new NamedItems(versionItems(version))

class NamedItems implements ItemCatalogue {
  readonly #data: VersionItems
  #translations: Translations = NO_TRANSLATIONS
  /** Calls of setNames so far. */
  #calls = 0

  constructor(data: VersionItems) {
    this.#data = data
  }

  get version(): string {
    return this.#data.version
  }

  get items(): readonly ItemFacts[] {
    return this.#data.items
  }

  byId(id: Identifier): ItemFacts | undefined {
    return this.#data.byId(id)
  }

  search(query: string, language = ENGLISH): ItemMatch[] {
    return this.#data.search.search(query, byAsker(this.#translations, language))
  }

  nearest(query: string, limit: number, language = ENGLISH): Identifier[] {
    return this.#data.search.nearest(query, limit, byAsker(this.#translations, language))
  }

  findInSentence(text: string, language = ENGLISH): Identifier | null {
    return this.mask(text, language)?.item ?? null
  }

  mask(text: string, language = ENGLISH): ItemMention | null {
    return this.#data.names.find(text, this.#translations, language)
  }

  recipes(id: Identifier): readonly Recipe[] {
    return this.#data.recipes(id)
  }

  async setNames(names: LanguageNames): Promise<void> {
    this.#calls += 1
    const call = this.#calls
    const steps = translationsOf(names, this.#data.search.known)
    const built = await inSlices(steps, () => call === this.#calls)
    if (built !== undefined) this.#translations = built
  }
}
