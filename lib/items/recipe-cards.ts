import { z } from 'zod'
import type { CardLine, CardType } from '../cards/index.js'
import { identifier, type Identifier } from '../core/ids.js'
import type { Component, Message } from '../text/index.js'
import { ITEM_MODULE, RECIPE_MODULE, askButton, nameComponent, pageButtons } from './item-cards.js'
import { itemNameSchema, type ItemName } from './item-facts.js'
import { recipeSchema, type Ingredient, type Recipe } from './recipes.js'

const schema = z.strictObject({
  item: itemNameSchema,
  page: z.int().min(0),
  recipes: z.array(recipeSchema).min(1).max(6),
  more: z.int().min(0),
  /** Names of the ingredients. */
  names: z.array(itemNameSchema),
})
export type RecipeCard = z.infer<typeof schema>

/** Alternatives of an ingredient named on the card; of the rest the number is given. */
const SHOWN_ALTERNATIVES = 3
/** An empty place of a pattern: in the client's font it is as wide as the letters. */
const EMPTY = '-'

type Names = ReadonlyMap<Identifier, ItemName>

/** The alternatives of an ingredient: a few by name, of the rest the number. */
function alternatives({ anyOf }: Ingredient, names: Names): Component | Message {
  const shown = anyOf.slice(0, SHOWN_ALTERNATIVES).map((id): Component => {
    const name = names.get(id)
    return name === undefined ? { text: id } : nameComponent(name)
  })
  const items: Component = {
    text: '',
    extra: shown.flatMap((part, at) => (at === 0 ? [part] : [{ text: ' / ' }, part])),
  }
  const left = anyOf.length - shown.length
  return left > 0 ? { key: 'system.recipe.any_of', params: { items, count: left } } : items
}

/** One recipe's ingredients, a line each. */
const ingredientLines = ({ ingredients }: Recipe, names: Names): CardLine[] =>
  ingredients.map((ingredient) => ({
    kind: 'row',
    label: { key: 'system.recipe.letter', params: { letter: ingredient.letter } },
    value: {
      key: 'system.recipe.amount',
      params: { count: ingredient.count, items: alternatives(ingredient, names) },
    },
  }))

/** One of several recipes of the same shape, in one line. */
const variantLine = ({ ingredients }: Recipe, names: Names): CardLine => ({
  kind: 'row',
  label: { key: 'system.recipe.variant' },
  value: ingredients.map((ingredient) => ({
    key: 'system.recipe.part',
    params: {
      letter: ingredient.letter,
      count: ingredient.count,
      items: alternatives(ingredient, names),
    },
  })),
})

/** The shape once, then its ingredients or, for several recipes of that shape, a line each. */
function shapeLines(recipes: readonly [Recipe, ...Recipe[]], names: Names): CardLine[] {
  const [{ kind, pattern, result }] = recipes
  return [
    { kind: 'message', tone: 'muted', message: { key: `system.recipe.${kind}` } },
    ...pattern.map((row): CardLine => ({
      kind: 'text',
      tone: 'accent',
      text: row.replaceAll(' ', EMPTY).split('').join(' '),
    })),
    ...(recipes.length === 1
      ? ingredientLines(recipes[0], names)
      : recipes.map((recipe) => variantLine(recipe, names))),
    ...(result.count === 1
      ? []
      : [{ kind: 'row', label: { key: 'system.recipe.makes' }, value: String(result.count) } as const]),
  ]
}

/** Recipes that follow each other and differ in their ingredients only. */
function byShape(recipes: readonly Recipe[]): [Recipe, ...Recipe[]][] {
  const groups: [Recipe, ...Recipe[]][] = []
  for (const recipe of recipes) {
    const group = groups.at(-1)
    if (group !== undefined && shapeOf(group[0]) === shapeOf(recipe)) group.push(recipe)
    else groups.push([recipe])
  }
  return groups
}

const shapeOf = ({ kind, pattern, result, ingredients }: Recipe): string =>
  [kind, result.count, ingredients.length, ...pattern].join('|')

/** Crafting recipes of one item, six a page. */
export const recipeCardType: CardType<RecipeCard> = {
  id: identifier('system:recipe'),
  schema,
  build: ({ item, page, recipes, more, names }) => {
    const byId = new Map(names.map((name) => [name.id, name]))
    return {
      title: { key: 'system.recipe.title', params: { item: nameComponent(item) } },
      lines: [
        ...byShape(recipes).flatMap((group) => shapeLines(group, byId)),
        { kind: 'message', tone: 'muted', message: { key: 'system.recipe.incomplete' } },
      ],
      buttons: [
        askButton({ key: 'system.recipe.item' }, ITEM_MODULE, item),
        ...pageButtons({ module: RECIPE_MODULE, query: item.id, page, more }),
      ],
    }
  },
  memoryFact: ({ item, recipes, more }) => `Showed ${recipes.length + more} crafting recipes of ${item.id}.`,
}
