import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, type AgentModule } from '../../../lib/agent/index.js'
import { LocalRouter, createRouteJobs, type RouteJob } from '../../../lib/agent/routing/index.js'
import { identifier } from '../../../lib/core/ids.js'
import { silentLogger } from '../../../lib/core/logger.js'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import { loadItemCatalogue } from '../../../lib/items/index.js'
import compute from '../../../workers/compute.js'
import { SHIPPED_MODULES, shippedSynonyms } from './shipped.js'

type Run = (job: RouteJob) => Promise<Result<unknown>>

/** Jobs cross as structured clones, as they do between threads. */
function group(threads = 1): { run: Run; kinds: string[] } {
  const pool = Array.from({ length: threads }, () => createRouteJobs())
  const kinds: string[] = []
  let turn = 0
  const run: Run = async (job) => {
    kinds.push(job.kind)
    const handlers = pool[turn++ % threads]
    return structuredClone(handlers?.get(job.kind)?.(structuredClone(job))) ?? fail('system:protocol')
  }
  return { run, kinds }
}

async function router(run: Run, modules: readonly AgentModule[] = SHIPPED_MODULES): Promise<LocalRouter> {
  const made = new LocalRouter({ run, items: loadItemCatalogue('1.21.4'), logger: silentLogger })
  made.rebuild(modules, await shippedSynonyms())
  return made
}

const ROUTES: readonly [string, string | null, string | null][] = [
  ['what am I holding?', 'system:player_info', null],
  ['Where am I', 'system:player_info', null],
  ['我手里拿的是什么？', 'system:player_info', null],
  ['请问我在哪里', 'system:player_info', null],
  ['怎么合成 piston', 'system:recipe_query', 'minecraft:piston'],
  ['怎么合成piston？', 'system:recipe_query', 'minecraft:piston'],
  ['How do I craft a diamond pickaxe?', 'system:recipe_query', 'minecraft:diamond_pickaxe'],
  ['how do you make bookshelves', 'system:recipe_query', 'minecraft:bookshelf'],
  ['recipe for flint and steel', 'system:recipe_query', 'minecraft:flint_and_steel'],
  ['what is a Sticky Piston?', 'system:item_query', 'minecraft:sticky_piston'],
  ['what is an anvil', 'system:item_query', 'minecraft:anvil'],
  ['stack size of minecraft:ender_pearl', 'system:item_query', 'minecraft:ender_pearl'],
  ['介绍一下 oak log', 'system:item_query', 'minecraft:oak_log'],
  ['tell me a joke about the moon', null, null],
  ['我要签到', null, null],
  ['???', null, null],
  ['😀', null, null],
  ['', null, null],
  ['   ', null, null],
  ['的', null, null],
  ['{item}', null, null],
  ['how do I craft {item}', null, null],
  ['how do I craft a flux capacitor', null, null],
  ['how do I craft a piston and a lever', null, null],
  ["don't tell me what I am holding", null, null],
  ['what am i holding '.repeat(60), null, null],
]

void t.test('sentences go to the module that plainly fits', async (t) => {
  const routes = await router(group().run)
  for (const [text, moduleId, item] of ROUTES) {
    const route = await routes.route(text)
    t.equal(route?.moduleId ?? null, moduleId, text)
    if (moduleId !== null) t.strictSame(route?.sentence, { text, item }, `${text}: the sentence as written`)
  }
})

void t.test('a route names a complete action of its module', async (t) => {
  const routes = await router(group().run)
  const route = await routes.route('怎么合成 piston')
  const module = SHIPPED_MODULES.find(({ id }) => id === route?.moduleId)
  t.ok(route !== null && module !== undefined)
  if (route === null || module === undefined) return
  const action = module.action.safeParse(module.routing.extract?.(route.sentence))
  t.strictSame(action.data, { query: 'minecraft:piston' })
})

void t.test('the index is sent once, and again after a rebuild', async (t) => {
  const { run, kinds } = group()
  const routes = await router(run)
  await routes.route('where am i')
  await routes.route('where am i')
  t.strictSame(kinds, ['route.query', 'route.index', 'route.query'])
  kinds.length = 0
  routes.rebuild([], [])
  t.equal(await routes.route('where am i'), null)
  t.strictSame(kinds, ['route.query', 'route.index'])
})

void t.test('another thread of the group may lack the index', async (t) => {
  const { run } = group(2)
  const routes = await router(run)
  for (let turn = 0; turn < 4; turn += 1)
    t.equal((await routes.route('where am i'))?.moduleId, 'system:player_info')
})

void t.test('a rebuild while a query is away ends that query without a route', async (t) => {
  const handlers = createRouteJobs()
  const routes: LocalRouter = await router(async (job) => {
    routes.rebuild(SHIPPED_MODULES, [])
    return ok(handlers.get(job.kind)?.(job))
  })
  t.equal(await routes.route('where am i'), null)
})

void t.test('the nearest modules of a sentence that is not sure', async (t) => {
  const routes = await router(group().run)
  t.equal((await routes.nearest('where might I be standing'))[0], 'system:player_info')
  t.match(await routes.nearest('craft diamond sword'), [/^system:(recipe|item)_query$/, /_query$/])
  t.strictSame(await routes.nearest('xyzzy'), [])
})

void t.test('a failing or lying group gives no route', async (t) => {
  const answers: readonly Result<unknown>[] = [
    fail('system:worker_lost'),
    ok(undefined),
    ok({ match: { id: 'system:player_info', confidence: '1', coverage: 1, second: null }, nearest: [] }),
    ok({
      match: { id: 'system:player_info', confidence: Number.NaN, coverage: 1, second: null },
      nearest: [],
    }),
    ok({ match: { id: 'system:unheard_of', confidence: 1, coverage: 1, second: null }, nearest: [] }),
    ok({ missing: 1 }),
  ]
  for (const answer of answers) {
    const routes = await router(async () => answer)
    t.equal(await routes.route('where am i'), null, JSON.stringify(answer))
    t.strictSame(await routes.nearest('where am i'), [], 'nor a nearest module')
  }
})

const base: AgentModule = {
  id: identifier('test:module'),
  version: 1,
  action: z.strictObject({}),
  description: '',
  help: { key: 'test' },
  tools: [],
  policy: FAST_POLICY,
  routing: { selection: 'NORMAL' },
  execute: async () => ({ status: 'succeeded', message: null, cards: [] }),
}
const examples = { en_us: ['open the gate', 'open the big gate'] }

void t.test('only NORMAL modules with examples and a willing extractor are routed to', async (t) => {
  const routings: readonly [AgentModule['routing'], boolean][] = [
    [{ selection: 'NORMAL', examples, extract: () => ({}) }, true],
    [{ selection: 'EXPLICIT_ONLY', examples, extract: () => ({}) }, false],
    [{ selection: 'STRUCTURED_ONLY', examples, extract: () => ({}) }, false],
    [{ selection: 'NORMAL', examples }, false],
    [{ selection: 'NORMAL', extract: () => ({}) }, false],
    [{ selection: 'NORMAL', examples, extract: () => undefined }, false],
    [
      {
        selection: 'NORMAL',
        examples,
        extract: () => {
          throw new Error('broken extractor')
        },
      },
      false,
    ],
  ]
  for (const [routing, isRouted] of routings) {
    const routes = await router(group().run, [{ ...base, routing }])
    t.equal((await routes.route('open the gate')) !== null, isRouted, JSON.stringify(routing))
  }
})

void t.test('before the first rebuild there is no route', async (t) => {
  const { run, kinds } = group()
  const routes = new LocalRouter({ run, items: { mask: () => null }, logger: silentLogger })
  t.equal(await routes.route('where am i'), null)
  t.strictSame(kinds, [])
})

void t.test('jobs of a wrong shape are refused', async (t) => {
  const bad: readonly unknown[] = [
    undefined,
    null,
    {},
    { kind: 'unheard.of' },
    { kind: 'constructor' },
    { kind: 'route.query', version: 0, text: 'x' },
    { kind: 'route.query', version: 1, text: 1 },
    { kind: 'route.query', version: 1, text: 'x', extra: 1 },
    { kind: 'route.index', version: 1, profiles: [{ id: 'a', examples: 'x' }], synonyms: [] },
  ]
  for (const job of bad)
    t.match(await compute(job), { ok: false, code: 'system:protocol' }, JSON.stringify(job) ?? 'undefined')
  t.strictSame(await compute({ kind: 'route.query', version: 9, text: 'x y' }), {
    ok: true,
    value: { missing: 9 },
  })
})

void t.test('the latest two versions are kept', async (t) => {
  const jobs = createRouteJobs()
  for (const version of [1, 2, 3])
    t.strictSame(jobs.get('route.index')?.({ kind: 'route.index', version, profiles: [], synonyms: [] }), {
      ok: true,
      value: { built: version },
    })
  const ask = (version: number): unknown =>
    jobs.get('route.query')?.({ kind: 'route.query', version, text: 'a b' })
  t.strictSame(
    [ask(1), ask(2), ask(3)],
    [ok({ missing: 1 }), ok({ match: null, nearest: [] }), ok({ match: null, nearest: [] })],
  )
})
