import t from 'tap'
import type { AgentModule, AgentResult, Tool } from '../../lib/agent/index.js'
import type { CardButton, CardType, CardView } from '../../lib/cards/index.js'
import {
  itemCardType,
  itemListCardType,
  itemModule,
  itemTools,
  loadItemCatalogue,
  recipeCardType,
  recipeModule,
  unknownItemCardType,
} from '../../lib/items/index.js'
import { toolContext, type ToolContextOptions } from '../support/tool-context.js'

const { item, recipe } = itemTools(loadItemCatalogue('1.21.4'))
const TOOLS = [item, recipe] as readonly unknown[] as readonly Tool[]
const MODULES = [itemModule, recipeModule] as readonly unknown[] as readonly AgentModule[]
const TYPES = [
  itemCardType,
  itemListCardType,
  recipeCardType,
  unknownItemCardType,
] as readonly unknown[] as readonly CardType[]

/** Runs a module on undecoded input, as a command or a button gives it. */
async function run(id: string, input: unknown, options: ToolContextOptions = {}): Promise<AgentResult> {
  const module = MODULES.find((candidate) => candidate.id === id)
  if (module === undefined) throw new Error(`no module ${id}`)
  const context = toolContext(TOOLS, options)
  const result = await module.execute(context, module.action.parse(input))
  for (const called of context.calls)
    if (!module.tools.includes(called)) throw new Error(`${called} is not declared`)
  return result
}

/** Presses a button, as the surface does. */
async function press(button: CardButton | undefined, options: ToolContextOptions = {}): Promise<AgentResult> {
  if (button?.action.kind !== 'server') throw new Error('no such button')
  const { module: id, params } = button.action
  const module = MODULES.find((candidate) => candidate.id === id)
  return run(id, module?.routing.fromButton?.(params), options)
}

/** The type and the view of a result's only card; its data has passed through JSON and the type's schema. */
function view(result: AgentResult): { type: string; view: CardView; mode: string } {
  const [update] = result.cards
  if (result.cards.length !== 1 || update === undefined || update.mode === 'REMOVE')
    throw new Error(`not one card: ${JSON.stringify(result)}`)
  const type = TYPES.find(({ id }) => id === update.card.type)
  if (type === undefined) throw new Error(`no card type ${update.card.type}`)
  const data: unknown = type.schema.parse(JSON.parse(JSON.stringify(update.card.data)))
  return { type: type.id, view: type.build(data), mode: update.mode }
}

const labelled = (shown: CardView, key: string): CardButton | undefined =>
  shown.buttons.find(({ label }) => label.key === key)

const OUTCOMES: readonly [string, string, string, string | null][] = [
  ['system:item_query', 'diamond pickaxe', 'system:item', null],
  ['system:item_query', 'torches', 'system:item', null],
  ['system:item_query', 'dimond pickax', 'system:item', null],
  ['system:item_query', 'planks', 'system:item_list', null],
  ['system:item_query', 'music disc', 'system:item_list', null],
  ['system:item_query', 'diamond gun', 'system:item_unknown', 'system:unknown_item'],
  ['system:recipe_query', 'piston', 'system:recipe', null],
  ['system:recipe_query', 'minecraft:barrel', 'system:recipe', null],
  ['system:recipe_query', 'planks', 'system:item_list', null],
  ['system:recipe_query', 'diamond gun', 'system:item_unknown', 'system:unknown_item'],
]

void t.test('each query has one card or a typed failure', async (t) => {
  for (const [module, query, card, code] of OUTCOMES) {
    const result = await run(module, { query })
    t.equal(view(result).type, card, `${module} ${query}`)
    t.equal(result.failure?.code ?? null, code, `${module} ${query}`)
    t.equal(result.status, code === null ? 'succeeded' : 'failed', `${module} ${query}`)
  }
  const silent = await run('system:item_query', { query: '活塞' })
  t.strictSame([silent.cards, silent.failure?.code], [[], 'system:unknown_item'])
  const bedrock = await run('system:recipe_query', { query: 'bedrock' })
  t.strictSame([bedrock.cards, bedrock.failure?.code], [[], 'system:no_recipe'])
})

void t.test('item and recipe lead to each other', async (t) => {
  const piston = view(await run('system:item_query', { query: 'piston' })).view
  t.match(piston.title, { params: { item: { translate: 'block.minecraft.piston', fallback: 'Piston' } } })
  t.match(piston.lines[0], { label: { key: 'system.item.id' }, value: 'minecraft:piston' })
  const recipes = view(await press(labelled(piston, 'system.item.recipe')))
  t.equal(recipes.type, 'system:recipe')
  const back = view(await press(labelled(recipes.view, 'system.recipe.item')))
  t.equal(back.type, 'system:item')
  const bedrock = view(await run('system:item_query', { query: 'bedrock' })).view
  t.equal(labelled(bedrock, 'system.item.recipe'), undefined, 'what cannot be crafted has no such button')
})

void t.test('a list has a button for each entry and opens what was asked for', async (t) => {
  for (const [module, opened] of [
    ['system:item_query', 'system:item'],
    ['system:recipe_query', 'system:recipe'],
  ] as const) {
    const list = view(await run(module, { query: 'planks' })).view
    const entries = list.buttons.filter(({ label }) => label.key === 'system.item.open')
    t.equal(entries.length, 8)
    t.equal(new Set(entries.map(({ hover }) => hover?.params?.['id'])).size, 8, 'each hover has its id')
    t.equal(view(await press(entries[0])).type, opened)
  }
})

void t.test('paging replaces the card whose button was pressed, to the last page and back', async (t) => {
  for (const [module, query] of [
    ['system:item_query', 'spawn egg'],
    ['system:recipe_query', 'spawn egg'],
    ['system:recipe_query', 'minecraft:barrel'],
  ] as const) {
    let shown = view(await run(module, { query }))
    const first = shown.view
    t.equal(shown.mode, 'SHOW')
    t.equal(labelled(first, 'system.item.previous'), undefined)
    let pages = 1
    for (; labelled(shown.view, 'system.item.more') !== undefined; pages += 1) {
      const card = { id: 'card', revision: pages }
      const result = await press(labelled(shown.view, 'system.item.more'), { card })
      t.match(result.cards, [{ mode: 'REPLACE', ref: card }])
      shown = view(result)
    }
    t.ok(pages > 1)
    for (; pages > 1; pages -= 1) shown = view(await press(labelled(shown.view, 'system.item.previous')))
    t.strictSame(shown.view, first)
  }
})

void t.test('recipes of one shape are drawn once, a line of ingredients each', async (t) => {
  const { lines } = view(await run('system:recipe_query', { query: 'barrel' })).view
  t.equal(lines.filter(({ kind }) => kind === 'text').length, 3, 'one pattern')
  const variants = lines.filter((line) => line.kind === 'row' && line.label.key === 'system.recipe.variant')
  t.equal(variants.length, 6)
  t.match(variants[0], {
    value: [
      { params: { letter: 'A', count: 6, items: { extra: [{ translate: 'block.minecraft.oak_planks' }] } } },
      { params: { letter: 'B', count: 2, items: { extra: [{ translate: 'block.minecraft.oak_slab' }] } } },
    ],
  })
})

void t.test('opening an entry shows a new card beside the list', async (t) => {
  const list = view(await run('system:item_query', { query: 'planks' })).view
  const result = await press(list.buttons[0], { card: { id: 'card', revision: 1 } })
  t.match(result.cards, [{ mode: 'SHOW' }])
})

void t.test('a recipe card draws the pattern and names alternatives', async (t) => {
  const { lines } = view(await run('system:recipe_query', { query: 'piston' })).view
  const rows = lines.flatMap((line) => (line.kind === 'text' ? [line.text] : []))
  t.strictSame(rows, ['A A A', 'B C B', 'B D B'])
  t.match(
    lines.filter(({ kind }) => kind === 'row'),
    [
      {
        label: { key: 'system.recipe.letter', params: { letter: 'A' } },
        value: { key: 'system.recipe.amount', params: { count: 3, items: { key: 'system.recipe.any_of' } } },
      },
      {
        value: {
          params: {
            count: 4,
            items: { extra: [{ translate: 'block.minecraft.cobblestone', fallback: 'Cobblestone' }] },
          },
        },
      },
    ],
  )
  t.match(lines.at(-1), { message: { key: 'system.recipe.incomplete' } })
  const torch = view(await run('system:recipe_query', { query: 'torch' })).view
  t.match(
    torch.lines.filter(({ kind }) => kind === 'row').at(-1),
    { label: { key: 'system.recipe.makes' }, value: '4' },
    'a recipe that makes several says so',
  )
})

const BUTTONS: readonly [Readonly<Record<string, string>>, boolean][] = [
  [{ query: 'piston' }, true],
  [{ query: 'piston', page: '3' }, true],
  [{}, false],
  [{ query: '' }, false],
  [{ query: 'piston', page: '-1' }, false],
  [{ query: 'piston', page: '1e3' }, false],
  [{ query: 'piston', page: '99999' }, false],
  [{ query: 'piston', page: '' }, false],
]

void t.test('button parameters are decoded again', async (t) => {
  for (const { routing, action, id } of MODULES)
    for (const [params, isGood] of BUTTONS)
      t.equal(
        action.safeParse(routing.fromButton?.(params)).success,
        isGood,
        `${id} ${JSON.stringify(params)}`,
      )
})

void t.test('commands, sentences and memory', async (t) => {
  for (const { routing, action } of MODULES) {
    t.match(routing.command, { argument: { name: 'query', suggest: 'item' } })
    t.strictSame(action.parse(routing.fromCommand?.('oak planks')), { query: 'oak planks' })
    t.equal(action.safeParse(routing.fromCommand?.('')).success, false)
    t.equal(routing.extract?.({ text: 'recipe', item: null }), undefined)
  }
  const [update] = (await run('system:item_query', { query: 'piston' })).cards
  const facts = update?.mode === 'SHOW' ? itemCardType.schema.parse(update.card.data) : undefined
  t.match(facts === undefined ? '' : itemCardType.memoryFact?.(facts), /minecraft:piston/)
})
