import minecraftData from 'minecraft-data'
import { identifier, isIdentifier, type Identifier } from '../core/ids.js'
import { compareText } from '../lexical/index.js'
import type { ItemFacts } from './item-facts.js'
import { ItemNames } from './item-names.js'
import { ItemSearch, type ItemMatch } from './item-search.js'
import { groupRecipes, type RawRecipe, type Recipe } from './recipes.js'

/**
 * Items and crafting recipes of one Minecraft version, from minecraft-data: English names, plain facts. Immutable.
 * It lives on the main thread: flying-squid has the same package loaded there, so it costs its own maps only, and
 * commands complete item names without waiting for a worker.
 */
export interface ItemCatalogue {
  /** The Minecraft version. */
  readonly version: string
  /** Ordered by id. */
  readonly items: readonly ItemFacts[]
  byId(id: Identifier): ItemFacts | undefined
  /** Best first: id, name, folded name, plural, words in any order, prefixes; else names two typing errors away. */
  search(query: string): ItemMatch[]
  /** What a query without a match may have meant. */
  nearest(query: string, limit: number): Identifier[]
  /** The longest item name or id in running text. */
  findInSentence(text: string): Identifier | null
  /** The same, with the folded text in which `{item}` stands for the name. */
  mask(text: string): { readonly item: Identifier; readonly masked: string } | null
  /** Crafting recipes that make the item. Smelting, stonecutting and smithing are not in the data. */
  recipes(id: Identifier): readonly Recipe[]
}

const loaded = new Map<string, ItemCatalogue>()

/** The catalogue of a version, built once a process. A version that minecraft-data lacks throws a TypeError. */
export function loadItemCatalogue(version: string): ItemCatalogue {
  const known = loaded.get(version)
  if (known !== undefined) return known
  // null for a version it does not have, whatever its types say
  const data: minecraftData.IndexedData | null = minecraftData(version)
  if (data === null) throw new TypeError(`minecraft-data has no version ${version}`)
  const catalogue = new DataCatalogue(version, data)
  loaded.set(version, catalogue)
  return catalogue
}

class DataCatalogue implements ItemCatalogue {
  readonly version: string
  readonly items: readonly ItemFacts[]
  readonly #data: minecraftData.IndexedData
  readonly #byId: ReadonlyMap<Identifier, ItemFacts>
  readonly #names: ItemNames
  readonly #search: ItemSearch
  readonly #recipes = new Map<Identifier, readonly Recipe[]>()

  constructor(version: string, data: minecraftData.IndexedData) {
    this.version = version
    this.#data = data
    // air fills empty slots; nobody holds or asks for it
    this.items = data.itemsArray
      .filter((item) => item.name !== 'air')
      .map((item) => factsOf(item, data))
      .sort((a, b) => compareText(a.id, b.id))
    this.#byId = new Map(this.items.map((item) => [item.id, item]))
    this.#names = new ItemNames(this.items)
    this.#search = new ItemSearch(this.items)
  }

  byId(id: Identifier): ItemFacts | undefined {
    return this.#byId.get(id)
  }

  search(query: string): ItemMatch[] {
    return this.#search.search(query)
  }

  nearest(query: string, limit: number): Identifier[] {
    return this.#search.nearest(query, limit)
  }

  findInSentence(text: string): Identifier | null {
    return this.#names.findInSentence(text)
  }

  mask(text: string): { item: Identifier; masked: string } | null {
    return this.#names.mask(text)
  }

  recipes(id: Identifier): readonly Recipe[] {
    const known = this.#recipes.get(id)
    if (known !== undefined) return known
    const item = this.#data.itemsByName[id.replace(/^minecraft:/, '')]
    const listed = item === undefined ? undefined : this.#data.recipes[item.id]
    const raw = (listed ?? []).map((recipe) => rawRecipe(recipe, this.#data))
    const grouped = groupRecipes(
      id,
      raw.filter((recipe) => recipe !== undefined),
      (a, b) => this.#number(a) - this.#number(b),
    )
    if (this.#byId.has(id)) this.#recipes.set(id, grouped)
    return grouped
  }

  /** The item's number in this version. */
  #number(id: Identifier): number {
    return this.#data.itemsByName[id.replace(/^minecraft:/, '')]?.id ?? 0
  }
}

const vanillaId = (name: string): Identifier => identifier(`minecraft:${name}`)

function factsOf(item: minecraftData.Item, data: minecraftData.IndexedData): ItemFacts {
  const food = data.foodsByName[item.name]
  const repair = item.repairWith?.map((name) => `minecraft:${name}`).filter(isIdentifier)
  // blocks that are items share the block's key unless the item has one of its own (wheat, nether wart)
  const own = `item.minecraft.${item.name}`
  return {
    id: vanillaId(item.name),
    name: item.displayName,
    translationKey: Object.hasOwn(data.language, own) ? own : `block.minecraft.${item.name}`,
    stackSize: item.stackSize,
    ...(item.maxDurability === undefined ? {} : { durability: item.maxDurability }),
    ...(food === undefined ? {} : { food: { points: food.foodPoints, saturation: food.saturation } }),
    ...(repair === undefined || repair.length === 0 ? {} : { repairedWith: repair }),
    block: Object.hasOwn(data.blocksByName, item.name),
    craftable: Object.hasOwn(data.recipes, item.id),
  }
}

/** One listed recipe with names instead of numbers; undefined when it holds what this version doesn't know. */
function rawRecipe(recipe: minecraftData.Recipe, data: minecraftData.IndexedData): RawRecipe | undefined {
  const shaped = 'inShape' in recipe
  const rows: readonly (readonly unknown[])[] = shaped ? recipe.inShape : [recipe.ingredients]
  const named = rows.map((row) => row.map((cell) => (cell === null ? null : nameOf(cell, data))))
  const result: unknown = recipe.result
  const listed = typeof result === 'object' && result !== null && 'count' in result ? result.count : 1
  const count = typeof listed === 'number' ? listed : 1
  if (named.some((row) => row.includes(undefined))) return undefined
  const known = named.map((row) => row.filter((cell) => cell !== undefined))
  return { kind: shaped ? 'shaped' : 'shapeless', rows: known, count }
}

/** Cells are item numbers, in old data also objects with an `id`. */
function nameOf(cell: unknown, data: minecraftData.IndexedData): Identifier | undefined {
  const number = typeof cell === 'object' && cell !== null && 'id' in cell ? cell.id : cell
  const item = typeof number === 'number' ? data.items[number] : undefined
  return item === undefined ? undefined : vanillaId(item.name)
}
