/** What a host sets, on the real index in its compute job: modes, examples, synonyms, target. */
import t from 'tap'
import { LocalRouter, type RouteJob } from '../../../lib/agent/routing/index.js'
import { DEFAULT_ROUTING, type RoutingSettings } from '../../../lib/agent/routing/settings.js'
import type { Result } from '../../../lib/core/result.js'
import { loadItemCatalogue } from '../../../lib/items/index.js'
import compute from '../../../workers/compute.js'
import { RecordingLogger, turn } from '../../support/kernel.js'
import { impatient, SHIPPED_MODULES, shippedSynonyms } from './shipped.js'

async function open(given: Partial<RoutingSettings> = {}) {
  let settings: RoutingSettings = { ...DEFAULT_ROUTING, ...given }
  const logger = new RecordingLogger()
  const kinds: string[] = []
  const router = new LocalRouter({
    async run(job: RouteJob) {
      kinds.push(job.kind)
      return structuredClone(await compute(structuredClone(job))) as Result<unknown>
    },
    items: loadItemCatalogue('1.21.4'),
    clock: impatient,
    logger,
    settings: () => settings,
  })
  const synonyms = await shippedSynonyms()
  router.rebuild(SHIPPED_MODULES, synonyms)
  return {
    router,
    logger,
    kinds,
    module: async (text: string) => (await router.route(text))?.moduleId ?? null,
    async set(changed: Partial<RoutingSettings>, isRebuilt = true) {
      settings = { ...settings, ...changed }
      if (!isRebuilt) return
      router.rebuild(SHIPPED_MODULES, synonyms)
      for (let turns = 0; turns < 3; turns += 1) await turn()
    },
  }
}

void t.test('OFF asks the index for no route, only for the nearest', async (t) => {
  const { module, kinds, router, set } = await open({ mode: 'OFF' })
  t.equal(await module('where am i'), null)
  t.strictSame(kinds, [])
  t.equal((await router.nearest('where am i'))[0], 'system:player_info')
  await set({ mode: 'ENFORCE' }, false)
  t.equal(await module('where am i'), 'system:player_info', 'live')
})

void t.test('SHADOW says what it would have done, in ids and numbers', async (t) => {
  const { module, logger } = await open({ mode: 'SHADOW' })
  t.equal(await module('how do I craft a piston'), null)
  t.equal(await module('what is love'), null)
  t.equal(logger.lines.length, 1)
  t.match(
    logger.messages()[0],
    /^local routing: SHADOW would choose system:recipe_query confidence=[01]\.\d{3} coverage=[01]\.\d{3}$/,
  )
  t.notMatch(logger.messages().join(), /piston|craft|love/)
})

void t.test('sentences and synonyms of the host count after the rebuild', async (t) => {
  const { module, set, router } = await open()
  const before = router.state().examples
  t.equal(await module('whither hath fate cast me'), null)
  t.equal(await module('durableness of shears'), null)
  await set({
    examples: { 'system:player_info': { en_us: ['whither hath fate cast me'] }, 'system:gone': {} },
    synonyms: { en_us: { durability: ['durableness'] } },
  })
  t.equal(await module('whither hath fate cast me'), 'system:player_info')
  t.equal(await module('durableness of shears'), 'system:item_query')
  t.equal(router.state().examples, before + 1)
  await set({ examples: {}, synonyms: {} })
  t.equal(await module('whither hath fate cast me'), null)
})

void t.test('what is wrong is said once as long as it stays the same', async (t) => {
  const { logger, set } = await open({ examples: { 'system:gone': {} } })
  await set({})
  t.strictSame(logger.messages(), [
    'system-semantic.json: examples.system:gone: is no module here; it is skipped',
  ])
  await set({ examples: { 'system:question': {} } })
  t.equal(logger.lines.length, 2)
})

void t.test(
  'how it stands: nothing until the index is built, then the limits that the examples gave',
  async (t) => {
    const { router, module, set } = await open()
    t.match(router.state(), { mode: 'ENFORCE', limits: null })
    await module('where am i')
    const { limits, examples } = router.state()
    t.ok(limits !== null && limits.confidence >= 0.25 && limits.coverage >= 0.85)
    t.ok(examples > 300)
    // what asks for everything at once makes nothing sure
    const everything = ['where am i', 'what is {item}', 'how do i craft {item}', 'what can you do']
    const all = Object.fromEntries(SHIPPED_MODULES.map(({ id }) => [id, { en_us: everything }]))
    await set({ examples: all, targetPrecision: 1 })
    t.equal(await module('where am i'), null)
  },
)
