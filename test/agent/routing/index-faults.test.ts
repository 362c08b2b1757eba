/** Known faults of lexical routers, by their ids. */
import t from 'tap'
import { z } from 'zod'
import type { AgentModule } from '../../../lib/agent/index.js'
import { buildLocalIndex, isAccepted, LocalRouter, type RouteJob } from '../../../lib/agent/routing/index.js'
import { silentLogger } from '../../../lib/core/logger.js'
import type { Result } from '../../../lib/core/result.js'
import { featuresOf, foldText, scanUnits, SparseIndex } from '../../../lib/lexical/index.js'
import { ScriptedModel } from '../../../lib/testing/index.js'
import compute from '../../../workers/compute.js'
import { codeOf, DONE, TestKernel, testModule } from '../../support/kernel.js'
import { impatient } from './shipped.js'

const signIn = testModule('test:sign_in', () => Promise.resolve(DONE), {
  routing: {
    selection: 'NORMAL',
    examples: { zh_cn: ['签到', '我要签到', '帮我签到', '今天签到'], en_us: ['sign in', 'sign me in'] },
    extract: () => ({}),
  },
})
const lottery = testModule('test:lottery', () => Promise.resolve(DONE), {
  routing: {
    selection: 'NORMAL',
    examples: { zh_cn: ['抽奖', '我要抽奖'], en_us: ['draw the lottery'] },
    extract: () => ({}),
  },
})
const pay = testModule('test:pay', () => Promise.resolve(DONE), { routing: { selection: 'EXPLICIT_ONLY' } })

async function engine(model: ScriptedModel, modules: readonly AgentModule[]) {
  const local = new LocalRouter({
    run: async (job: RouteJob) => structuredClone(await compute(job)) as Result<unknown>,
    items: { mask: () => null },
    clock: impatient,
    logger: silentLogger,
  })
  const k = new TestKernel({ model, modules, local: (text) => local.route(text) })
  local.rebuild(k.registry.modules(), [])
  return { k, player: await k.join() }
}

void t.test('B80: Chinese is no empty query, and an empty one is nobody’s', async (t) => {
  const asks = ['???', '😀', ' ', '', '的', '…', '1'] as const
  const model = new ScriptedModel(...asks.map(() => ({ module: 'nowhere' })))
  const { k, player } = await engine(model, [signIn, lottery, pay])
  for (const text of ['我要签到', '签到'])
    t.match(await k.text(player, text), { source: 'local', module: 'test:sign_in' }, text)
  t.equal(model.requests.length, 0)
  for (const text of asks) {
    const outcome = await k.text(player, text)
    t.match(outcome, { source: null, module: null }, JSON.stringify(text))
    t.equal(codeOf(outcome), 'system:not_understood')
  }
  t.equal(model.requests.length, asks.length, 'the model is asked, and nothing is guessed')
})

const documents = (...texts: readonly string[]) =>
  texts.map((text, at) => ({ id: `p${at}`, features: featuresOf(scanUnits(foldText(text))) }))

void t.test('B82: a word of all documents still finds them, in a stable order', async (t) => {
  const search = (word: string, ...texts: readonly string[]) =>
    new SparseIndex(documents(...texts)).search([word], 10)
  const [only] = search('diamond', 'diamond')
  t.ok(only !== undefined && only.id === 'p0' && only.score > 0)
  const all = search('server', 'server rules', 'server map', 'server news')
  t.strictSame(
    all.map(({ id }) => id),
    ['p0', 'p1', 'p2'],
    'ties by id',
  )
  t.ok(all.every(({ score }) => score > 0))
  for (const order of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const index = buildLocalIndex(order.map((id) => ({ id, examples: ['open shop'] })))
    t.match(index.query('open shop'), { id: 'a', second: 'b', confidence: 0 })
    t.strictSame(index.nearest('shop', 2), ['a', 'b'])
  }
})

void t.test('B84: nothing empty makes NaN, and NaN chooses nothing', async (t) => {
  const index = buildLocalIndex([
    { id: 'none', examples: [] },
    { id: 'empty', examples: ['', ' ', '???'] },
    { id: 'fillers', examples: ['please', 'the a an', '请'] },
  ])
  for (const text of ['hello', 'hello there', '', 'please', '的', 'the a an']) {
    t.equal(index.query(text), null, text)
    t.strictSame(index.nearest(text, 6), [])
  }
  t.strictSame(new SparseIndex(documents('', '???')).search(['hello'], 10), [])
  for (const score of new SparseIndex(documents('', 'x')).scoreAll([])) t.equal(score, 0)
  t.notOk(isAccepted({ id: 'a', confidence: Number.NaN, coverage: Number.NaN, second: null }))
  const model = new ScriptedModel({ module: 'nowhere' })
  const quiet = testModule('test:quiet', () => Promise.resolve(DONE), {
    routing: { selection: 'NORMAL', examples: { en_us: ['', '???'] }, extract: () => ({}) },
  })
  const { k, player } = await engine(model, [quiet])
  t.equal(codeOf(await k.text(player, 'hello')), 'system:not_understood')
})

void t.test('B13: a module named as what every object has is an unknown one', async (t) => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']
  const model = new ScriptedModel(
    ...names.flatMap((name) => [
      { module: name, input: {} },
      JSON.stringify({ module: 'test:word', input: { word: name } }),
    ]),
  )
  const seen: unknown[] = []
  const word: AgentModule = {
    ...testModule('test:word', () => Promise.resolve(DONE), { action: z.strictObject({ word: z.string() }) }),
    execute(_, action) {
      seen.push(action)
      return Promise.resolve(DONE)
    },
  }
  const { k, player } = await engine(model, [word])
  for (const name of names) {
    t.equal(codeOf(await k.text(player, name)), 'system:not_understood', name)
    t.equal(codeOf(await k.text(player, name)), 'ok', 'as an argument it is a word')
  }
  t.strictSame(
    seen,
    names.map((name) => ({ word: name })),
  )
})
