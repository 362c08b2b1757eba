import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, type AgentModule } from '../../../lib/agent/index.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { IndexClient } from '../../../lib/agent/routing/index-client.js'
import {
  LOCAL_THRESHOLDS,
  LocalRouter,
  createRouteJobs,
  type RouteJob,
} from '../../../lib/agent/routing/index.js'
import type { ItemFinder } from '../../../lib/agent/routing/local-router.js'
import { identifier } from '../../../lib/core/ids.js'
import { silentLogger } from '../../../lib/core/logger.js'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import { loadItemCatalogue } from '../../../lib/items/index.js'
import { turn } from '../../support/kernel.js'
import compute from '../../../workers/compute.js'
import { impatient, SHIPPED_MODULES, shippedSynonyms } from './shipped.js'

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

async function router(
  run: Run,
  modules: readonly AgentModule[] = SHIPPED_MODULES,
  items: ItemFinder = loadItemCatalogue('1.21.4'),
): Promise<LocalRouter> {
  const made = new LocalRouter({
    run,
    items,
    clock: impatient,
    logger: silentLogger,
  })
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
  ['我要签到', 'system:signin', null],
  ['sign me in', null, null],
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

/** Sentence, module, query of its action. */
const TRANSLATED: readonly [string, string | null, string | null][] = [
  ['怎么合成活塞', 'system:recipe_query', 'minecraft:piston'],
  ['怎么合成书架', 'system:recipe_query', 'minecraft:bookshelf'],
  ['怎么合成书', 'system:recipe_query', 'minecraft:book'],
  ['告诉我怎么合成书', 'system:recipe_query', 'minecraft:book'],
  ['合成成书', 'system:recipe_query', 'minecraft:written_book'],
  ['音乐唱片是什么', 'system:item_query', '音乐唱片'],
  ['what is a music disc', 'system:item_query', 'music disc'],
  ['我手里拿的是什么', 'system:player_info', null],
  ['谁在线', null, null],
  ['怎么合成书柜', null, null],
]

void t.test(
  'names of other languages: the reading that fits best, no choice among items of one name',
  async (t) => {
    const items = loadItemCatalogue('1.21.4')
    const names: Readonly<Record<string, string>> = {
      piston: '活塞',
      book: '书',
      bookshelf: '书架',
      written_book: '成书',
      string: '线',
      // a word of the examples
      stick: '手',
      music_disc_11: '音乐唱片',
      music_disc_13: '音乐唱片',
    }
    const chinese = Object.entries(names).map(
      ([path, name]) => [identifier(`minecraft:${path}`), [name]] as const,
    )
    await items.setNames(new Map([['zh_cn', new Map(chinese)]]))
    const routes = await router(group().run, SHIPPED_MODULES, items)
    for (const [text, moduleId, query] of TRANSLATED) {
      const route = await routes.route(text, 'zh_cn')
      t.equal(route?.moduleId ?? null, moduleId, text)
      const module = SHIPPED_MODULES.find(({ id }) => id === route?.moduleId)
      if (query !== null && route !== null)
        t.match(module?.routing.extract?.(route.sentence), { query }, text)
    }
  },
)

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
  t.strictSame(kinds, ['route.index'], 'in the background')
  await turn()
  t.equal(await routes.route('where am i'), null)
  t.strictSame(kinds, ['route.index', 'route.query'])
})

void t.test('another thread of the group may lack the index', async (t) => {
  const { run } = group(2)
  const routes = await router(run)
  for (let turn = 0; turn < 4; turn += 1)
    t.equal((await routes.route('where am i'))?.moduleId, 'system:player_info')
})

void t.test('a rebuild while a query is away leaves that query what it began with', async (t) => {
  const { run } = group()
  let isFirst = true
  const routes: LocalRouter = await router(async (job) => {
    const isNow = isFirst
    isFirst = false
    if (isNow) routes.rebuild([], [])
    return run(job)
  })
  t.equal((await routes.route('where am i'))?.moduleId, 'system:player_info')
  await turn()
  t.equal(await routes.route('where am i'), null)
})

void t.test('until a new index is built, and when it can not be, questions are answered', async (t) => {
  const { run } = group()
  let build = (): void => {}
  let isLost = false
  const routes = await router(async (job) => {
    if (job.kind === 'route.index' && job.texts.length === 0) {
      await new Promise<void>((resolve) => {
        build = resolve
      })
      if (isLost) return fail('system:worker_lost')
    }
    return run(job)
  })
  const ask = async (): Promise<unknown> => (await routes.route('where am i'))?.moduleId
  t.equal(await ask(), 'system:player_info')
  routes.rebuild([], [])
  t.equal(await ask(), 'system:player_info', 'by the index before')
  build()
  await turn()
  t.equal(await ask(), undefined)
  isLost = true
  routes.rebuild(SHIPPED_MODULES, await shippedSynonyms())
  build()
  await turn()
  t.equal(await ask(), 'system:player_info', 'the question builds it')
})

void t.test('of two new indexes the later is taken, in whatever order they are built', async (t) => {
  const { run } = group()
  const builds: (() => void)[] = []
  const routes = await router(async (job) => {
    if (job.kind === 'route.index' && job.texts.length === 0)
      await new Promise<void>((resolve) => builds.push(resolve))
    return run(job)
  })
  routes.rebuild([], [])
  routes.rebuild(SHIPPED_MODULES.slice(2), await shippedSynonyms())
  builds[1]?.()
  await turn()
  builds[0]?.()
  await turn()
  t.match(await routes.route('where am i'), { moduleId: 'system:player_info' })
  t.equal(await routes.route('recipe for flint and steel'), null)
})

void t.test('the nearest modules of a sentence that is not sure', async (t) => {
  const routes = await router(group().run)
  t.equal((await routes.nearest('where might I be standing'))[0], 'system:player_info')
  const near = await routes.nearest('craft diamond sword')
  t.equal(near[0], 'system:recipe_query')
  t.ok(near.includes('system:item_query'))
  t.strictSame(await routes.nearest('xyzzy'), [])
})

const answered = (match: unknown): Result<unknown> =>
  ok({ limits: LOCAL_THRESHOLDS, answers: [{ match, nearest: [] }] })

void t.test('a failing or lying group gives no route', async (t) => {
  const answers: readonly Result<unknown>[] = [
    fail('system:worker_lost'),
    ok(undefined),
    answered({ id: 'system:player_info', confidence: '1', coverage: 1, second: null }),
    answered({ id: 'system:player_info', confidence: Number.NaN, coverage: 1, second: null }),
    answered({ id: 'system:unheard_of', confidence: 1, coverage: 1, second: null }),
    ok({ answers: [] }),
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
  const routes = new LocalRouter({ run, items: { mask: () => null }, clock: impatient, logger: silentLogger })
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
    { kind: 'route.query', version: 0, texts: ['x'] },
    { kind: 'route.query', version: 1, texts: [1] },
    { kind: 'route.query', version: 1, texts: ['x'], extra: 1 },
    { kind: 'route.query', version: 1, texts: [] },
    { kind: 'route.query', version: 1, texts: Array(65).fill('x') },
    { kind: 'route.index', version: 1, profiles: [{ id: 'a', examples: 'x' }], synonyms: [], texts: ['x'] },
  ]
  for (const job of bad)
    t.match(await compute(job), { ok: false, code: 'system:protocol' }, JSON.stringify(job) ?? 'undefined')
  t.strictSame(await compute({ kind: 'route.query', version: 9, texts: ['x y'] }), {
    ok: true,
    value: { missing: 9 },
  })
})

void t.test('the latest two versions are kept', async (t) => {
  const jobs = createRouteJobs()
  const nothing = ok({ limits: LOCAL_THRESHOLDS, answers: [{ match: null, nearest: [] }] })
  const texts = ['a b']
  for (const version of [1, 2, 3])
    t.strictSame(
      jobs.get('route.index')?.({
        kind: 'route.index',
        version,
        profiles: [],
        synonyms: [],
        targetPrecision: 0.98,
        texts,
      }),
      nothing,
    )
  const ask = (version: number): unknown => jobs.get('route.query')?.({ kind: 'route.query', version, texts })
  t.strictSame([ask(1), ask(2), ask(3)], [ok({ missing: 1 }), nothing, nothing])
})

/** A client whose group answers with the sentence's own length, so that mixed-up answers show. */
function client() {
  const clock = new ManualClock()
  const jobs: number[] = []
  const index = new IndexClient({
    clock,
    logger: silentLogger,
    run: async ({ texts }) => {
      jobs.push(texts.length)
      const answers = texts.map(({ length }) => ({
        match: { id: `l${length}`, confidence: 1, coverage: 1, second: null },
        nearest: [],
      }))
      return ok({ limits: LOCAL_THRESHOLDS, answers })
    },
  })
  void index.publish({ profiles: [], synonyms: [], targetPrecision: 0.98 })
  const ask = async (text: string): Promise<string | undefined> => (await index.ask(text))?.match?.id
  return { clock, jobs, index, ask }
}

void t.test('the first sentence goes at once, those of the tick after it together', async (t) => {
  const { clock, jobs, ask } = client()
  const first = ask('a')
  t.strictSame(jobs, [1])
  const others = ['bb', 'ccc', 'dddd'].map(ask)
  t.strictSame(jobs, [1])
  clock.advance(50)
  t.strictSame(jobs, [1, 3])
  t.strictSame(await Promise.all([first, ...others]), ['l1', 'l2', 'l3', 'l4'])
  clock.advance(50)
  void ask('a')
  t.strictSame(jobs, [1, 3, 1], 'an empty window closes')
})

void t.test('a full job goes before its time', async (t) => {
  const { jobs, ask } = client()
  const asked = Array.from({ length: 65 }, () => ask('a'))
  t.strictSame(jobs, [1, 64])
  t.strictSame(new Set(await Promise.all(asked)), new Set(['l1']))
})

void t.test('a sentence that is too long spoils no job', async (t) => {
  const { jobs, ask } = client()
  t.equal(await ask('x'.repeat(1_001)), undefined)
  t.strictSame(jobs, [])
})

void t.test('a new index and the end leave no sentence waiting', async (t) => {
  const { index, clock, ask } = client()
  await ask('a')
  const overtaken = ask('bb')
  const taken = index.publish({ profiles: [], synonyms: [], targetPrecision: 0.98 })
  await taken
  t.equal(await overtaken, 'l2', 'it goes to the index before')
  const closed = ask('bb')
  index.close()
  t.equal(await closed, undefined)
  t.equal(await ask('bb'), undefined)
  t.equal(clock.pending, 0)
})
