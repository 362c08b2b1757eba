import { FAST_POLICY, type AgentModule, type AgentResult, type ExecutionContext } from '../agent/index.js'
import type { CardData, CardRef, CardUpdate } from '../cards/index.js'
import { failure, type Failure } from '../core/failure.js'
import { ok } from '../core/result.js'
import { ITEM_MODULE, RECIPE_MODULE, cardOf, unknownItemCardType, type UnknownItem } from './item-cards.js'
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

/** The context of a request that a button started also names the button's card. */
type ButtonContext = ExecutionContext & { readonly card?: CardRef | null }

/** Turning a page replaces the card that was turned; anything else is a new card. */
function shown(context: ButtonContext, page: number | undefined, card: CardData): AgentResult {
  const ref = page === undefined ? undefined : context.card
  const update: CardUpdate =
    ref === undefined || ref === null ? { mode: 'SHOW', card } : { mode: 'REPLACE', ref, card }
  return { status: 'succeeded', message: null, cards: [update] }
}

const failed = (value: Failure, cards: readonly CardData[] = []): AgentResult => ({
  status: 'failed',
  message: null,
  cards: cards.map((card) => ({ mode: 'SHOW', card })),
  failure: value,
})

function unknown({ target, query, nearest }: UnknownItem): AgentResult {
  const card = cardOf(unknownItemCardType, { target, query, nearest })
  return failed(failure('system:unknown_item', { query }), nearest.length > 0 ? [card] : [])
}

/** Parameters of a button as an undecoded action: the page is a number in decimal digits. */
function fromButton(params: Readonly<Record<string, string>>): unknown {
  const { query, page } = params
  return page === undefined ? { query } : { query, page: /^\d{1,4}$/.test(page) ? Number(page) : page }
}

async function executeItem(context: ButtonContext, action: ItemQuery): Promise<AgentResult> {
  const found = await context.tool(itemQueryType, action)
  if (!found.ok) return failed(found.failure)
  const card = matchesCard('item', action, found.value)
  if (card === null) return unknown({ target: 'item', query: action.query, nearest: found.value.nearest })
  return shown(context, action.page, card)
}

async function executeRecipe(context: ButtonContext, action: RecipeQuery): Promise<AgentResult> {
  const { query, page = 0 } = action
  const found = await context.tool(itemQueryType, { query })
  if (!found.ok) return failed(found.failure)
  const [first] = found.value.matches
  if (first === undefined) return unknown({ target: 'recipe', query, nearest: found.value.nearest })
  const isOne = found.value.exact === 1 || found.value.matches.length + found.value.more === 1
  // a page is one of the list of matches, unless the query means one item: then it is one of its recipes
  if (!isOne) return showMatches(context, action, found.value)
  const answer = await context.tool(recipeQueryType, { query: first.id, page })
  if (!answer.ok) return failed(answer.failure)
  const card = recipesCard(answer.value, page)
  if (card === null) return failed(failure('system:no_recipe', { query: first.name }))
  return shown(context, action.page, card)
}

async function showMatches(
  context: ButtonContext,
  action: RecipeQuery,
  firstPage: ItemAnswer,
): Promise<AgentResult> {
  const found = (action.page ?? 0) === 0 ? ok(firstPage) : await context.tool(itemQueryType, action)
  if (!found.ok) return failed(found.failure)
  const card = matchesCard('recipe', action, found.value)
  // past the last page: the first page had matches
  return card === null
    ? unknown({ target: 'recipe', query: action.query, nearest: [] })
    : shown(context, action.page, card)
}

/** `/system item <query>`: what an item is. */
export const itemModule: AgentModule<ItemQuery> = {
  id: ITEM_MODULE,
  version: 1,
  action: itemQuerySchema,
  description:
    'Shows the facts of one item: stack size, durability, food values. `query` is its English name or id.',
  help: { key: 'system.command.help.item' },
  tools: [itemQueryType.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'item', argument: { name: 'query', suggest: 'item' } },
    fromCommand: (argument) => ({ query: argument }),
    examples: ITEM_EXAMPLES,
    extract: ({ item }) => (item === null ? undefined : { query: item }),
    fromButton,
  },
  execute: executeItem,
}

/** `/system recipe <query>`: how an item is crafted. */
export const recipeModule: AgentModule<RecipeQuery> = {
  id: RECIPE_MODULE,
  version: 1,
  action: recipeQuerySchema,
  description: 'Shows the crafting recipes of one item. `query` is its English name or id.',
  help: { key: 'system.command.help.recipe' },
  tools: [itemQueryType.id, recipeQueryType.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'recipe', argument: { name: 'query', suggest: 'item' } },
    fromCommand: (argument) => ({ query: argument }),
    examples: RECIPE_EXAMPLES,
    extract: ({ item }) => (item === null ? undefined : { query: item }),
    fromButton,
  },
  execute: executeRecipe,
}
