import {
  failedResult,
  FAST_POLICY,
  shown,
  type AgentModule,
  type AgentResult,
  type ExecutionContext,
  type Sentence,
} from '../agent/index.js'
import { cardOf, type CardData } from '../cards/index.js'
import { failure } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { ok } from '../core/result.js'
import { ITEM_MODULE, RECIPE_MODULE, unknownItemCardType, type UnknownItem } from './item-cards.js'
import { ITEM_EXAMPLES, RECIPE_EXAMPLES } from './item-examples.js'
import {
  itemQuerySchema,
  itemQueryType,
  recipeQuerySchema,
  matchesCard,
  recipeQueryType,
  recipesCard,
  type ItemAnswer,
  type ItemQuery,
  type RecipeQuery,
} from './item-tools.js'

/** Turning a page replaces the card that was turned; anything else is a new card. */
function shownPage({ card: ref }: ExecutionContext, page: number | undefined, card: CardData): AgentResult {
  if (page === undefined || ref === null) return shown(card)
  return { ...shown(card), cards: [{ mode: 'REPLACE', ref, card }] }
}

function unknown(item: UnknownItem): AgentResult {
  const result = failedResult(failure('system:unknown_item', { query: item.query }))
  if (item.nearest.length === 0) return result
  return { ...result, cards: [{ mode: 'SHOW', card: cardOf(unknownItemCardType, item) }] }
}

/** Parameters of a button as an undecoded action: the page is a number in decimal digits. */
function fromButton(params: Readonly<Record<string, string>>): unknown {
  const { query, page } = params
  return page === undefined ? { query } : { query, page: /^\d{1,4}$/.test(page) ? Number(page) : page }
}

/** Several items of one name are listed: none of them is more likely than the others. */
const itemAsked = ({ item, sharedName }: Sentence): ItemQuery | undefined =>
  item === null ? undefined : { query: sharedName ?? item }

async function executeItem(context: ExecutionContext, action: ItemQuery): Promise<AgentResult> {
  const found = await context.tool(itemQueryType, action)
  if (!found.ok) return failedResult(found.failure)
  const card = matchesCard('item', action, found.value)
  if (card === null) return unknown({ target: 'item', query: action.query, nearest: found.value.nearest })
  return shownPage(context, action.page, card)
}

async function executeRecipe(context: ExecutionContext, action: RecipeQuery): Promise<AgentResult> {
  const { query, page = 0 } = action
  const found = await context.tool(itemQueryType, { query })
  if (!found.ok) return failedResult(found.failure)
  const [first] = found.value.matches
  if (first === undefined) return unknown({ target: 'recipe', query, nearest: found.value.nearest })
  const isOne = found.value.exact === 1 || found.value.matches.length + found.value.more === 1
  // a page is one of the list of matches, unless the query means one item: then it is one of its recipes
  if (!isOne) return showMatches(context, action, found.value)
  const answer = await context.tool(recipeQueryType, { query: first.id, page })
  if (!answer.ok) return failedResult(answer.failure)
  const card = recipesCard(answer.value, page)
  if (card === null) return failedResult(failure('system:no_recipe', { query: first.name }))
  return shownPage(context, action.page, card)
}

async function showMatches(
  context: ExecutionContext,
  action: RecipeQuery,
  firstPage: ItemAnswer,
): Promise<AgentResult> {
  const found = (action.page ?? 0) === 0 ? ok(firstPage) : await context.tool(itemQueryType, action)
  if (!found.ok) return failedResult(found.failure)
  const card = matchesCard('recipe', action, found.value)
  // past the last page: the first page had matches
  return card === null
    ? unknown({ target: 'recipe', query: action.query, nearest: [] })
    : shownPage(context, action.page, card)
}

/** `/system item <query>`: what an item is. */
export const itemModule: AgentModule<ItemQuery> = {
  id: ITEM_MODULE,
  version: 1,
  action: itemQuerySchema,
  description: 'Shows the facts of one item: stack size, durability, food values. `query` is its id or name.',
  help: { key: 'system.command.help.item' },
  workbench: { icon: identifier('minecraft:compass'), title: { key: 'system.workbench.item' } },
  tools: [itemQueryType.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'item', argument: { name: 'query', suggest: 'item' } },
    fromCommand: (argument) => ({ query: argument }),
    examples: ITEM_EXAMPLES,
    extract: itemAsked,
    fromButton,
  },
  execute: executeItem,
}

/** `/system recipe <query>`: how an item is crafted. */
export const recipeModule: AgentModule<RecipeQuery> = {
  id: RECIPE_MODULE,
  version: 1,
  action: recipeQuerySchema,
  description: 'Shows the crafting recipes of one item. `query` is its id or name.',
  help: { key: 'system.command.help.recipe' },
  workbench: { icon: identifier('minecraft:crafting_table'), title: { key: 'system.workbench.recipe' } },
  tools: [itemQueryType.id, recipeQueryType.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'recipe', argument: { name: 'query', suggest: 'item' } },
    fromCommand: (argument) => ({ query: argument }),
    examples: RECIPE_EXAMPLES,
    extract: itemAsked,
    fromButton,
  },
  execute: executeRecipe,
}
