/** Items and crafting recipes: facts, search, tools, modules and cards. */
export { loadItemCatalogue, type ItemCatalogue } from './item-catalogue.js'
export { itemCardType, itemListCardType, unknownItemCardType } from './item-cards.js'
export type { ItemFacts, ItemName } from './item-facts.js'
export { itemModule, recipeModule } from './item-modules.js'
export type { ItemMatch, MatchKind } from './item-search.js'
export {
  itemQueryType,
  itemTools,
  recipeQueryType,
  type ItemAnswer,
  type ItemQuery,
  type RecipeAnswer,
  type RecipeQuery,
} from './item-tools.js'
export { recipeCardType } from './recipe-cards.js'
export type { Ingredient, Recipe } from './recipes.js'
