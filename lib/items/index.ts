import type { Feature } from '../agent/index.js'
import type { ModuleType } from '../systems/index.js'
import { itemCardType, itemListCardType, unknownItemCardType } from './item-cards.js'
import type { ItemCatalogue } from './item-catalogue.js'
import { itemModule, recipeModule } from './item-modules.js'
import { ITEMS_TYPE, itemTools } from './item-tools.js'
import { recipeCardType } from './recipe-cards.js'

/** Items and crafting recipes: facts, search, tools, modules and cards. */
export { loadItemCatalogue, type ItemCatalogue } from './item-catalogue.js'
export { itemCardType, itemListCardType, unknownItemCardType } from './item-cards.js'
export { itemModule, recipeModule } from './item-modules.js'
export type { ItemMention } from './item-names.js'
export type { MatchKind } from './item-search.js'
export { itemTools } from './item-tools.js'
export { recipeCardType } from './recipe-cards.js'
export type { LanguageNames } from './translations.js'

/** What packs configure. */
export const itemsModuleType: ModuleType = { id: ITEMS_TYPE, modules: [itemModule.id, recipeModule.id] }

/** Look-ups of items and crafting recipes over a catalogue. */
export function itemsFeature(catalogue: ItemCatalogue): Feature {
  return (registration) => {
    const tools = itemTools(catalogue)
    registration.moduleType(itemsModuleType)
    registration.tool(tools.item)
    registration.tool(tools.recipe)
    registration.cardType(itemCardType)
    registration.cardType(itemListCardType)
    registration.cardType(unknownItemCardType)
    registration.cardType(recipeCardType)
    registration.module(itemModule)
    registration.module(recipeModule)
  }
}
