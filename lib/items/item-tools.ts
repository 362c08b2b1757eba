import { z } from 'zod'
import type { Tool, ToolCall, ToolType } from '../agent/index.js'
import { cardOf, type CardData } from '../cards/index.js'
import { identifier, type Identifier } from '../core/ids.js'
import { itemCardType, itemListCardType } from './item-cards.js'
import type { ItemCatalogue } from './item-catalogue.js'
import { itemFactsSchema, itemNameOf, itemNameSchema, type ItemFacts, type ItemName } from './item-facts.js'
import { isExact } from './item-search.js'
import { recipeCardType } from './recipe-cards.js'
import { recipeSchema, type Recipe } from './recipes.js'

const MAX_MATCHES = 8
const MAX_RECIPES = 6
/** Suggestions for a query without a match. */
const MAX_NEAREST = 5
/** Alternatives of one ingredient that a model is told of; the number of the rest follows. */
const MAX_ALTERNATIVES = 12

/** What both look-ups ask for. */
const itemWords = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .describe('an item id or an item name; English names are always known')

export const itemQuerySchema = z.strictObject({
  query: itemWords,
  /** Which eight matches. */
  page: z.int().min(0).max(1_000).optional().describe('page of the matches, from 0'),
})
export type ItemQuery = z.infer<typeof itemQuerySchema>

const more = z.int().min(0)
const nearest = z.array(itemNameSchema).max(MAX_NEAREST)

export const itemAnswerSchema = z.strictObject({
  /** Best first; empty when nothing fits. */
  matches: z.array(itemFactsSchema).max(MAX_MATCHES),
  /** 1 when the query is an id, else how many matches have exactly this name or its plural; they come first. */
  exact: more,
  /** Matches after these. */
  more,
  /** What the query may have meant, only when nothing fits. */
  nearest,
})
export type ItemAnswer = z.infer<typeof itemAnswerSchema>

export const recipeQuerySchema = z.strictObject({
  query: itemWords,
  /** Which six recipes. */
  page: z.int().min(0).max(1_000).optional().describe('page of the recipes, from 0'),
})
export type RecipeQuery = z.infer<typeof recipeQuerySchema>

export const recipeAnswerSchema = z.strictObject({
  /** The best matching item, or null when nothing fits. */
  item: itemFactsSchema.nullable(),
  recipes: z.array(recipeSchema).max(MAX_RECIPES),
  /** Recipes after these. */
  more,
  /** Names of all items in the recipes, each once. */
  names: z.array(itemNameSchema),
  nearest,
  /** Always false: smelting, stonecutting, smithing and special recipes are not in minecraft-data. */
  complete: z.literal(false),
})
export type RecipeAnswer = z.infer<typeof recipeAnswerSchema>

const NOT_LISTED =
  'crafting recipes only: smelting, smoking, stonecutting, smithing and special recipes are not in this data, ' +
  'and some variants may be missing'

/**
 * Kind `async`, not `game`: it reads maps on the main thread and no game state, so it needs neither the game thread's
 * turn nor its budget; a look-up takes well under a millisecond.
 */
export const itemQueryType: ToolType<ItemQuery, ItemAnswer> = {
  id: 'item.query',
  label: { key: 'system.item.tool' },
  input: itemQuerySchema,
  output: itemAnswerSchema,
  kind: 'async',
  write: false,
  reasoning:
    'Looks up items of this game version by id or name (English is always known). Gives id, name, stack size, durability, food ' +
    'values, what repairs it and whether it can be placed. Says nothing about drops, trades or how it is crafted.',
  card: (answer, query) => matchesCard('item', query, answer),
  project: ({ matches, more, nearest }) => ({
    // a language key says nothing to a model
    matches: matches.map((facts) => ({ ...facts, translationKey: undefined })),
    more,
    ...(matches.length === 0 ? { nearest: nearest.map(({ id }) => id) } : {}),
  }),
}

/** Kind `async` for the same reason as `item.query`. */
export const recipeQueryType: ToolType<RecipeQuery, RecipeAnswer> = {
  id: 'recipe.query',
  label: { key: 'system.recipe.tool' },
  input: recipeQuerySchema,
  output: recipeAnswerSchema,
  kind: 'async',
  write: false,
  reasoning:
    'Gives the crafting recipes of the item that fits best: result count, ingredients with alternatives, and the ' +
    'pattern of shaped recipes. Knows crafting tables only, no furnaces, stonecutters or smithing tables.',
  card: (answer, { page = 0 }) => recipesCard(answer, page),
  project: ({ item, recipes, more, nearest }) =>
    item === null
      ? { item: null, nearest: nearest.map(({ id }) => id) }
      : { item: item.id, recipes: recipes.map(projectRecipe), more, complete: false, note: NOT_LISTED },
}

function projectRecipe(recipe: Recipe): unknown {
  return {
    makes: recipe.result.count,
    kind: recipe.kind,
    ...(recipe.pattern.length > 0 ? { pattern: recipe.pattern } : {}),
    ingredients: recipe.ingredients.map(({ letter, anyOf, count }) => {
      const left = anyOf.length - MAX_ALTERNATIVES
      return {
        letter,
        count,
        anyOf: anyOf.slice(0, MAX_ALTERNATIVES).map((id) => id.replace(/^minecraft:/, '')),
        ...(left > 0 ? { more: left } : {}),
      }
    }),
  }
}

/** The one item that was plainly meant, or the matches of the page with one button each; null without a match. */
export function matchesCard(
  target: 'item' | 'recipe',
  { query, page = 0 }: ItemQuery,
  { matches, more, exact }: ItemAnswer,
): CardData | null {
  const [first] = matches
  if (first === undefined) return null
  const isOne = page === 0 && (exact === 1 || matches.length + more === 1)
  return target === 'item' && isOne
    ? cardOf(itemCardType, first)
    : cardOf(itemListCardType, { target, query, page, matches: matches.map(itemNameOf), more })
}

/** The recipes of the page; null without one. */
export function recipesCard(answer: RecipeAnswer, page: number): CardData | null {
  const { item, recipes, more, names } = answer
  if (item === null || recipes.length === 0) return null
  return cardOf(recipeCardType, { item: itemNameOf(item), page, recipes, more, names })
}

/** The module type that opens item and recipe look-ups; their tools belong to it. */
export const ITEMS_TYPE = identifier('system:items')

/** The tools over a catalogue. Finding nothing is an answer with suggestions, not a failure. */
export function itemTools(catalogue: ItemCatalogue): {
  readonly item: Tool<ItemQuery, ItemAnswer>
  readonly recipe: Tool<RecipeQuery, RecipeAnswer>
} {
  return {
    item: {
      type: itemQueryType,
      owner: ITEMS_TYPE,
      handler: (input, call) => queryItems(catalogue, input, call),
    },
    recipe: {
      type: recipeQueryType,
      owner: ITEMS_TYPE,
      handler: (input, call) => queryRecipes(catalogue, input, call),
    },
  }
}

/** Whose language names are looked up in, English beside it. */
type Asker = Pick<ToolCall, 'language'>

function queryItems(
  catalogue: ItemCatalogue,
  { query, page = 0 }: ItemQuery,
  { language }: Asker,
): ItemAnswer {
  const found = catalogue.search(query, language)
  const from = page * MAX_MATCHES
  return {
    matches: found.slice(from, from + MAX_MATCHES).map(({ item }) => item),
    exact: found[0]?.kind === 'id' ? 1 : found.filter(({ kind }) => isExact(kind)).length,
    more: Math.max(0, found.length - from - MAX_MATCHES),
    nearest: found.length > 0 ? [] : suggestions(catalogue, query, language),
  }
}

function queryRecipes(
  catalogue: ItemCatalogue,
  { query, page = 0 }: RecipeQuery,
  { language }: Asker,
): RecipeAnswer {
  const item: ItemFacts | undefined = catalogue.search(query, language)[0]?.item
  const all = item === undefined ? [] : catalogue.recipes(item.id)
  const from = page * MAX_RECIPES
  const recipes = all.slice(from, from + MAX_RECIPES)
  const ids = recipes.flatMap(({ ingredients }) => ingredients.flatMap(({ anyOf }) => anyOf))
  return {
    item: item ?? null,
    recipes,
    more: Math.max(0, all.length - from - MAX_RECIPES),
    names: namesOf(catalogue, [...new Set(ids)]),
    nearest: item === undefined ? suggestions(catalogue, query, language) : [],
    complete: false,
  }
}

const suggestions = (catalogue: ItemCatalogue, query: string, language: string): ItemName[] =>
  namesOf(catalogue, catalogue.nearest(query, MAX_NEAREST, language))

const namesOf = (catalogue: ItemCatalogue, ids: readonly Identifier[]): ItemName[] =>
  ids.flatMap((id) => {
    const facts = catalogue.byId(id)
    return facts === undefined ? [] : [itemNameOf(facts)]
  })
