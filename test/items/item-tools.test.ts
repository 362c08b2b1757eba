import t from 'tap'
import { z } from 'zod'
import { utf8Bytes } from '../../lib/core/json.js'
import { itemTools, loadItemCatalogue } from '../../lib/items/index.js'
import { ALICE } from '../support/tool-context.js'
import { VERSIONS } from '../support/versions.js'

const call = { player: ALICE, language: 'en_us', signal: new AbortController().signal, configuration: null }
const OBSERVATION_BYTES = 4_096

for (const version of VERSIONS) {
  const catalogue = loadItemCatalogue(version)
  const { item, recipe } = itemTools(catalogue)

  void t.test(`outputs of all items satisfy their schema and stay small, ${version}`, async (t) => {
    for (const { id } of catalogue.items) {
      const facts = item.type.output.parse(await item.handler({ query: id }, call))
      const recipes = recipe.type.output.parse(await recipe.handler({ query: id }, call))
      if (facts.matches[0]?.id !== id || facts.exact !== 1) t.fail(`first match of ${id}`)
      if (recipes.item?.id !== id) t.fail(`recipe of ${id}`)
      for (const text of [
        JSON.stringify(item.type.project?.(facts)),
        JSON.stringify(recipe.type.project?.(recipes)),
      ])
        if (utf8Bytes(text) > OBSERVATION_BYTES) t.fail(`${id}: ${utf8Bytes(text)} bytes`)
    }
  })

  void t.test(`pages of matches join without gap or repetition, ${version}`, async (t) => {
    const seen: string[] = []
    for (let page = 0; ; page += 1) {
      const answer = await item.handler({ query: 'spawn egg', page }, call)
      seen.push(...answer.matches.map(({ id }) => id))
      if (answer.more === 0) break
      t.equal(answer.matches.length, 8)
    }
    t.strictSame(
      seen,
      catalogue.search('spawn egg').map((match) => match.item.id),
    )
    t.ok(seen.length > 40)
    t.strictSame((await item.handler({ query: 'spawn egg', page: 999 }, call)).matches, [])
  })
}

const { item, recipe } = itemTools(loadItemCatalogue('1.21.4'))

void t.test('what does not exist is an answer with suggestions', async (t) => {
  const facts = await item.handler({ query: 'diamond gun' }, call)
  t.match(facts, { matches: [], exact: 0, more: 0 })
  t.equal(facts.nearest.length, 5)
  t.match(await recipe.handler({ query: 'diamond gun' }, call), { item: null, recipes: [], complete: false })
  t.strictSame((await item.handler({ query: '活塞' }, call)).nearest, [])
})

void t.test('the projection says what the data lacks', async (t) => {
  const answer = await recipe.handler({ query: 'glass' }, call)
  t.strictSame(answer.recipes, [])
  t.match(recipe.type.project?.(answer), {
    item: 'minecraft:glass',
    recipes: [],
    complete: false,
    note: /smelting/,
  })
})

void t.test('long lists of alternatives are counted, not cut', async (t) => {
  const answer = await recipe.handler({ query: 'smoker' }, call)
  const most = Math.max(
    ...answer.recipes.flatMap(({ ingredients }) => ingredients.map(({ anyOf }) => anyOf.length)),
  )
  t.ok(most > 12)
  t.match(JSON.stringify(recipe.type.project?.(answer)), new RegExp(`"more":${most - 12}`))
})

const BAD: readonly unknown[] = [
  {},
  { query: '' },
  { query: '   ' },
  { query: 'x'.repeat(101) },
  { query: null },
  { query: 'x', page: null },
  { query: 'x', page: -1 },
  { query: 'x', page: 0.5 },
  { query: 'x', page: '1' },
  { query: 'x', extra: 1 },
]

void t.test('inputs of another shape are refused', async (t) => {
  for (const { type } of [item, recipe])
    for (const input of BAD) t.equal(type.input.safeParse(input).success, false, JSON.stringify(input))
})

void t.test('both are offered to a model and have a JSON Schema', async (t) => {
  for (const { type } of [item, recipe]) {
    t.ok((type.reasoning ?? '').length > 40)
    t.equal(type.write, false)
    t.match(z.toJSONSchema(type.input), { type: 'object', additionalProperties: false, required: ['query'] })
  }
})
