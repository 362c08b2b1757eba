import minecraftData from 'minecraft-data'
import { identifier, isIdentifier, type Identifier } from '../core/ids.js'
import { compareText } from '../lexical/index.js'
import type { ItemFacts } from './item-facts.js'
import { ItemNames } from './item-names.js'
import { ItemSearch } from './item-search.js'
import { groupRecipes, type RawRecipe, type Recipe } from './recipes.js'

const loaded = new Map<string, VersionItems>()

/** The items of a version, read once a process. A version that minecraft-data lacks throws a TypeError. */
export function versionItems(version: string): VersionItems {
  const known = loaded.get(version)
  if (known !== undefined) return known
  // null for a version it does not have, whatever its types say
  const data: minecraftData.IndexedData | null = minecraftData(version)
  if (data === null) throw new TypeError(`minecraft-data has no version ${version}`)
  const items = new VersionItems(version, data)
  loaded.set(version, items)
  return items
}

/** What minecraft-data knows of the items of one version, with their English names. Immutable. */
export class VersionItems {
  readonly version: string
  /** Ordered by id. */
  readonly items: readonly ItemFacts[]
  readonly names: ItemNames
  readonly search: ItemSearch
  readonly #data: minecraftData.IndexedData
  readonly #byId: ReadonlyMap<Identifier, ItemFacts>
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
    this.names = new ItemNames(this.items)
    this.search = new ItemSearch(this.items)
  }

  byId(id: Identifier): ItemFacts | undefined {
    return this.#byId.get(id)
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
