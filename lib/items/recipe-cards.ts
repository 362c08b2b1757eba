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

function ingredientLine({ letter, anyOf, count }: Ingredient, names: Names): CardLine {
  const shown = anyOf.slice(0, SHOWN_ALTERNATIVES).map((id): Component => {
    const name = names.get(id)
    return name === undefined ? { text: id } : nameComponent(name)
  })
  const items: Component = {
    text: '',
    extra: shown.flatMap((part, at) => (at === 0 ? [part] : [{ text: ' / ' }, part])),
  }
  const left = anyOf.length - shown.length
  const any: Component | Message =
    left > 0 ? { key: 'system.recipe.any_of', params: { items, count: left } } : items
  return {
    kind: 'row',
    label: { key: 'system.recipe.letter', params: { letter } },
    value: { key: 'system.recipe.amount', params: { items: any, count } },
  }
}

function recipeLines(recipe: Recipe, names: Names): CardLine[] {
  const { count } = recipe.result
  return [
    { kind: 'message', tone: 'muted', message: { key: `system.recipe.${recipe.kind}` } },
    ...recipe.pattern.map((row): CardLine => ({
      kind: 'text',
      tone: 'accent',
      text: row.replaceAll(' ', EMPTY).split('').join(' '),
    })),
    ...recipe.ingredients.map((ingredient) => ingredientLine(ingredient, names)),
    ...(count === 1
      ? []
      : [{ kind: 'row', label: { key: 'system.recipe.makes' }, value: String(count) } as const]),
  ]
}

/** Crafting recipes of one item, six a page. */
export const recipeCardType: CardType<RecipeCard> = {
  id: identifier('system:recipe'),
  schema,
  build: ({ item, page, recipes, more, names }) => {
    const byId = new Map(names.map((name) => [name.id, name]))
    return {
      title: { key: 'system.recipe.title', params: { item: nameComponent(item) } },
      lines: [
        ...recipes.flatMap((recipe) => recipeLines(recipe, byId)),
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
