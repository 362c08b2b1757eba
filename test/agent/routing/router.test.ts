import t from 'tap'
import { z } from 'zod'
import { FAST_POLICY, Registry, Router, ROUTING_POLICY, type AgentModule } from '../../../lib/agent/index.js'
import { LiveRequest } from '../../../lib/agent/live-request.js'
import { failure } from '../../../lib/core/failure.js'
import { identifier, randomIds } from '../../../lib/core/ids.js'
import { ScriptedModel, type ModelStep } from '../../../lib/testing/index.js'
import { DONE, TestKernel, codeOf, testModule, type KernelSetup } from '../../support/kernel.js'

let ran: [string, unknown][] = []
/** A module that records the action it was given. */
function recording(id: string, over: Partial<AgentModule> = {}): AgentModule {
  return {
    ...testModule(id, () => Promise.resolve(DONE), over),
    execute(_, action) {
      ran.push([id, action])
      return Promise.resolve(DONE)
    },
  }
}
const item = recording('test:item', {
  action: z.strictObject({ query: z.string() }),
  routing: {
    selection: 'NORMAL',
    examples: { en_us: ['what is {item}'] },
    extract: ({ item, text }) =>
      text.includes('?') ? { wrong: 1 } : item === null ? undefined : { query: item },
  },
})
const spell = recording('test:spell', { routing: { selection: 'EXPLICIT_ONLY' } })
const pay = recording('test:pay', { routing: { selection: 'STRUCTURED_ONLY' } })
const plain = recording('test:plain')

async function route(text: string, script: readonly ModelStep[], over: KernelSetup = {}) {
  ran = []
  const model = new ScriptedModel(...script)
  const k = new TestKernel({ model, modules: [item, spell, pay, plain], ...over })
  const player = await k.join()
  const outcome = await k.text(player, text)
  return { k, player, outcome, model, code: codeOf(outcome) }
}
const local =
  (moduleId: string, found: string | null = 'minecraft:stone'): NonNullable<KernelSetup['local']> =>
  (text) =>
    Promise.resolve({ moduleId, sentence: { text, item: found === null ? null : identifier(found) } })

void t.test('a local match asks no model and takes no place', async (t) => {
  const { outcome, model, k } = await route('what is stone', [], {
    local: local('test:item'),
    lane: { active: 1, waiting: 0 },
    isOffline: true,
  })
  t.match(outcome, { source: 'local', module: 'test:item' })
  t.same(ran, [['test:item', { query: 'minecraft:stone' }]])
  t.equal(model.requests.length, 0)
  t.match(k.engine.log.routes(), { local: 1, model: 0 })
})

void t.test('a local match that does not hold goes to the model, exactly once', async (t) => {
  const cases: readonly [string, string, KernelSetup][] = [
    ['an argument is missing', 'what is it', { local: local('test:item', null) }],
    ['the action does not decode', 'what is stone?', { local: local('test:item') }],
    ['no such module', 'what is stone', { local: local('constructor') }],
    ['a module for plain requests only', 'cast it', { local: local('test:spell') }],
    ['a module for buttons', 'pay', { local: local('test:pay') }],
    [
      'a module that is closed to the player',
      'what is stone',
      {
        local: local('test:item'),
        access: (_, module) => (module === 'test:item' ? failure('system:no_permission') : null),
      },
    ],
    ['nothing found', 'hello', {}],
  ]
  for (const [name, text, over] of cases) {
    const { outcome, model } = await route(text, [{ module: 'test:plain', input: {} }], over)
    t.match(outcome, { source: 'model', module: 'test:plain' }, name)
    t.equal(model.requests.length, 1, name)
    t.same(ran, [['test:plain', {}]], name)
  }
})

void t.test('without a model the sentence is answered plainly', async (t) => {
  t.equal((await route('hello', [], { isOffline: true })).code, 'system:no_model')
})

void t.test(
  'the catalogue: what is open to this player, explicit ones marked, none for buttons',
  async (t) => {
    const { model } = await route('hello', [{ module: 'test:plain' }], {
      access: (_, module) => (module === 'test:item' ? failure('system:no_permission') : null),
    })
    const user = JSON.parse(model.requests[0]?.user ?? '{}') as { modules: unknown[]; question: string }
    t.equal(user.question, 'hello')
    t.match(user.modules, [
      { id: 'test:spell', description: 'does test:spell', explicitOnly: true },
      { id: 'test:plain', description: 'does test:plain' },
    ])
    t.equal(user.modules.length, 2)
    t.notOk('explicitOnly' in (user.modules[1] as object))
  },
)

void t.test('an explicit module may be chosen by the model', async (t) => {
  const { outcome } = await route('cast the spell', [{ module: 'test:spell', input: {} }])
  t.match(outcome, { source: 'model', module: 'test:spell' })
})

void t.test('whatever is no choice of the catalogue was not understood', async (t) => {
  const replies: readonly ModelStep[] = [
    { module: 'test:pay', input: {} },
    { module: 'test:nowhere', input: {} },
    { module: '__proto__' },
    { module: 'constructor', input: {} },
    { module: 7 },
    { module: 'x'.repeat(300) },
    { type: 'answer', text: 'Hi!' },
    {},
    { module: 'test:item' },
    { module: 'test:item', input: { query: 7 } },
    { module: 'test:item', input: { query: 'x', more: 1 } },
    { module: 'test:plain', input: null, more: 1 },
    'Sure, I can help!',
    '[{"module":"test:plain"}]',
    '{"module":"test:plain"}{"module":"test:item"}',
    '{"module":"test:plain","module":"test:item"}',
  ]
  for (const reply of replies) {
    const { code, model, outcome } = await route('hello', [reply])
    const isPlain = typeof reply === 'object' && 'more' in reply
    t.equal(code, isPlain ? 'ok' : 'system:not_understood', JSON.stringify(reply))
    t.equal(model.requests.length, 1, 'asked once')
    if (!isPlain) t.match(outcome, { source: null, module: null })
  }
})

void t.test('a model that fails is no misunderstanding', async (t) => {
  for (const code of ['system:model_timeout', 'system:model_auth', 'system:model_unavailable'] as const) {
    const step = { ok: false, code, usage: null, httpStatus: 0, unbilled: false } as const
    t.equal((await route('hello', [step])).code, code)
  }
  t.equal((await route('hello', [''])).code, 'system:model_empty')
})

void t.test('what routing spent counts against the module that it found', async (t) => {
  const answer = z.object({ text: z.string() })
  const outcomes: unknown[] = []
  const asking = (over: object): AgentModule =>
    testModule(
      'test:ask',
      async (context) => {
        outcomes.push(await context.complete({ question: 'q', prompt: 'question', answer }))
        return DONE
      },
      { policy: { ...FAST_POLICY, ...over } },
    )
  const choice = { module: 'test:ask', input: {} }
  const ask = (over: object, script: readonly ModelStep[]) =>
    route('hello', script, { modules: [asking(over)] })
  await ask({ modelCalls: 2 }, [choice, { text: 'x' }])
  await ask({ modelCalls: 1 }, [choice])
  await ask({ modelCalls: 2, steps: 1 }, [choice])
  const { k, player } = await ask({ modelCalls: 2, totalTokens: 1_536 + 120 }, [choice])
  t.match(outcomes, [
    { ok: true },
    { ok: false, failure: { code: 'system:budget_model_calls' } },
    { ok: false, failure: { code: 'system:budget_steps' } },
    { ok: false, failure: { code: 'system:budget_tokens' } },
  ])
  t.match(k.engine.log.recent(player), [{ source: 'model', modelCalls: 1, code: 'ok' }])
  t.match(k.meter.state(), { calls: 1, tokens: 120, running: 0 })
})

void t.test('routing has its own policy', async (t) => {
  const none = { ...ROUTING_POLICY, modelCalls: 0 }
  const { code, model } = await route('hello', [], { policies: { routingPolicy: none } })
  t.equal(code, 'system:budget_model_calls')
  t.equal(model.requests.length, 0)
})

void t.test('a right that is lost while the model thinks: the module does not run', async (t) => {
  let isLost = false
  const choose: ModelStep = () => {
    isLost = true
    return { module: 'test:plain', input: {} }
  }
  const { code } = await route('hello', [choose], {
    access: () => (isLost ? failure('system:no_permission') : null),
  })
  t.equal(code, 'system:no_permission')
  t.same(ran, [])
})

void t.test('a module that slipped past registration is still not routed to locally', async (t) => {
  const { k, player } = await route('hello', [{ module: 'test:plain', input: {} }])
  const session = k.sessions.get(player)
  const found = k.registry.findModule('test:spell')
  if (session === undefined || found === undefined) throw new Error('missing')
  for (const selection of ['NORMAL', 'EXPLICIT_ONLY', 'STRUCTURED_ONLY'] as const) {
    const module = { ...found, routing: { selection, extract: () => ({}) } }
    const registry = Object.assign(new Registry(), { findModule: () => module })
    const ports = { route: local('test:spell'), nearest: () => Promise.resolve([]) }
    const router = new Router({ ...k.kernel, registry }, ports)
    const request = new LiveRequest(randomIds.requestId(), session, k.kernel)
    const routed = await router.routeLocally(request, 'cast it')
    t.equal(routed?.module.id, selection === 'NORMAL' ? 'test:spell' : undefined, selection)
  }
})

void t.test('what was not understood is answered with the nearest commands that are open', async (t) => {
  const withCommand = (id: string, name: string): AgentModule =>
    recording(id, { routing: { selection: 'NORMAL', command: { name, argument: { name: 'query' } } } })
  const { outcome } = await route('hello', [{ module: 'nope' }], {
    modules: [
      withCommand('test:a', 'aaa'),
      withCommand('test:b', 'bbb'),
      withCommand('test:c', 'ccc'),
      pay,
      plain,
    ],
    nearest: ['test:c', 'test:gone', 'test:b'],
    access: (_, module) => (module === 'test:b' ? failure('system:no_permission') : null),
  })
  t.match(outcome.result, {
    status: 'failed',
    failure: { code: 'system:not_understood' },
    cards: [
      { mode: 'SHOW', card: { data: { commands: [{ typed: '/system ccc ' }, { typed: '/system aaa ' }] } } },
    ],
  })
})
