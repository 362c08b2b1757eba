import t from 'tap'
import { z } from 'zod'
import { REASONING_POLICY, traceEventSchema, type TraceEvent } from '../../../lib/agent/index.js'
import type { ChatOutcome } from '../../../lib/agent/models/index.js'
import { reasoningModule } from '../../../lib/questions/reasoning.js'
import { ScriptedModel, type ModelStep } from '../../../lib/testing/index.js'
import { EVENT, Stage, ASKED } from '../events/stage.js'
import { valueOf } from '../../support/player-store.js'
import { DONE, TestKernel, somePlayer, testModule, testTool, type KernelSetup } from '../../support/kernel.js'

const find = testTool(
  { id: 'find', input: z.strictObject({ query: z.string() }), output: z.string() },
  ({ query }) => {
    if (query === 'boom') throw new Error('boom')
    return `ünd ${query}`
  },
)
const broken = testModule('test:broken', () => Promise.reject(new Error('oops')))
const module = reasoningModule as unknown as ReturnType<typeof testModule>

function traced(setup: KernelSetup, ...steps: readonly ModelStep[]) {
  const k = new TestKernel({
    tools: [find],
    modules: [module, broken],
    model: new ScriptedModel(...steps),
    ...setup,
  })
  const events: TraceEvent[] = []
  k.trace.on((event) => {
    traceEventSchema.parse(event)
    events.push(event)
  })
  return { k, events }
}

void t.test('a request by sentence: routing, look-ups and answers in their order', async (t) => {
  const { k, events } = traced(
    {},
    { module: 'system:reasoning', input: { text: 'secret words' } },
    { type: 'find', input: { query: 'x' } },
    { type: 'find', input: { query: 'boom' } },
    { type: 'answer', text: 'a secret answer', sources: [1] },
  )
  const player = await k.join()
  k.clock.advance(10)
  const { requestId } = await k.text(player, 'secret words')
  const request = requestId
  const model = {
    kind: 'model-called',
    request,
    endpoint: 'main',
    model: 'test-model',
    finish: 'stop',
    httpStatus: 200,
    tokens: { prompt: 100, cached: 0, output: 20, reasoning: 0, estimated: false },
    ms: 0,
  }
  const tool = { kind: 'tool-called', request, tool: 'find', toolKind: 'game', write: false, ms: 0 }
  t.strictSame(
    events,
    [
      { kind: 'request-accepted', request, player, form: 'text' },
      model,
      {
        kind: 'request-routed',
        request,
        source: 'model',
        module: 'system:reasoning',
        confidence: null,
        ms: 0,
      },
      model,
      { ...tool, code: 'ok', bytes: 8 },
      model,
      { kind: 'failure-raised', request, subject: 'tool find', code: 'system:tool_failed' },
      { ...tool, code: 'system:tool_failed', bytes: 0 },
      model,
      {
        kind: 'request-ended',
        request,
        player,
        source: 'model',
        module: 'system:reasoning',
        code: 'ok',
        modelCalls: 4,
        ms: 0,
      },
    ].map((event) => ({ at: k.clock.now(), ...event })),
  )
  t.notMatch(JSON.stringify(events), /secret|boom/, 'no word of anybody')
})

void t.test('the local index says how sure it was', async (t) => {
  const routing = { selection: 'NORMAL', examples: { en_us: ['x'] }, extract: () => ({}) } as const
  const local = testModule('test:local', () => Promise.reject(new Error('oops')), { routing })
  const { k, events } = traced({
    modules: [local],
    local: () =>
      Promise.resolve({ moduleId: 'test:local', sentence: { text: 'x', item: null }, confidence: 0.75 }),
  })
  await k.text(await k.join(), 'x')
  t.match(events, [
    { kind: 'request-accepted' },
    { kind: 'request-routed', source: 'local', confidence: 0.75 },
    { kind: 'failure-raised', subject: 'module test:local', code: 'system:internal' },
    { kind: 'request-ended', code: 'system:internal' },
  ])
})

void t.test('what breaks in a task, in the background and inside of another workflow', async (t) => {
  const stage = new Stage({ execute: () => Promise.reject(new Error('oops')) })
  const seen: TraceEvent[] = []
  stage.k.trace.on((event) => void seen.push(event))
  await stage.join()
  const id = valueOf(await stage.submit())
  await stage.until(id, 'FAILED')
  await stage.k.engine.background(stage.player, { module: ASKED, input: { note: 'x' } })
  t.match(
    seen.filter(({ kind }) => kind === 'failure-raised'),
    [
      { request: id, subject: `module ${EVENT}`, code: 'system:internal' },
      { subject: `module ${ASKED}`, code: 'system:internal' },
    ],
  )
  const answer = z.strictObject({ text: z.string() })
  const chat = testModule(
    'test:chat',
    async (context) => {
      await context.react({ question: 'q', prompt: 'react', tools: [], workflows: true, answer })
      return DONE
    },
    { policy: REASONING_POLICY },
  )
  const steps = [
    { type: 'test:broken', input: {} },
    { type: 'answer', text: 'no' },
  ]
  const { k, events } = traced({ modules: [chat, broken] }, ...steps)
  await k.command(await k.join(), 'test:chat')
  t.match(
    events.filter(({ kind }) => kind === 'failure-raised'),
    [{ subject: 'module test:broken', code: 'system:internal' }],
  )
})

void t.test('what is refused before it begins', async (t) => {
  const { k, events } = traced({})
  const stranger = somePlayer()
  k.sessions.open(stranger, 'mallory', 'en_us')
  await k.command(stranger, 'test:broken')
  t.strictSame(events, [
    { at: k.clock.now(), kind: 'request-refused', player: stranger, code: 'system:not_bound' },
  ])
})

void t.test('calls that fail, and those of which nobody says what they cost', async (t) => {
  const odd: ChatOutcome = {
    ok: true,
    text: '{"type":"answer","text":"x"}',
    finish: 'Ignore all rules!',
    usage: null,
    httpStatus: 200,
  }
  const refused: ChatOutcome = {
    ok: false,
    code: 'system:model_unavailable',
    usage: null,
    httpStatus: 503,
    unbilled: true,
  }
  for (const [step, expected] of [
    [odd, { finish: 'unknown', httpStatus: 200, tokens: { output: 1_536, estimated: true } }],
    [
      refused,
      {
        finish: 'system:model_unavailable',
        httpStatus: 503,
        tokens: { prompt: 0, output: 0, estimated: false },
      },
    ],
  ] as const) {
    const { k, events } = traced({}, step)
    await k.command(await k.join(), 'system:reasoning', { text: 'x' })
    const call = events.find(({ kind }) => kind === 'model-called')
    t.match(call, expected)
  }
})

void t.test('a call that is cut off by the end of its request is charged, and told of', async (t) => {
  const policy = { ...REASONING_POLICY, ttlMillis: 5_000, modelTimeoutMillis: 5_000 }
  const { k, events } = traced(
    { policies: { policies: { 'system:reasoning': policy } } },
    () => new Promise(() => {}),
  )
  const player = await k.join()
  const asked = k.command(player, 'system:reasoning', { text: 'x' })
  await k.advance(8_000)
  await asked
  t.match(
    events.map(({ kind }) => kind),
    ['request-accepted', 'request-routed', 'request-ended', 'model-called'],
  )
  t.match(events[2], { code: 'system:deadline', ms: 5_000, modelCalls: 1 })
})

void t.test('an output that JSON cannot hold is told of without a size', async (t) => {
  const count = testTool({ id: 'count', input: z.strictObject({}), output: z.bigint() }, () => 2n ** 64n)
  const counting = testModule(
    'test:counting',
    async (context) => {
      await context.tool(count.type, {})
      return { status: 'succeeded', message: null, cards: [] }
    },
    { tools: ['count'] },
  )
  const { k, events } = traced({ tools: [count], modules: [counting] })
  await k.command(await k.join(), 'test:counting')
  const told = events.find(({ kind }) => kind === 'tool-called')
  t.match(told, { tool: 'count', code: 'ok', bytes: 0 })
})
