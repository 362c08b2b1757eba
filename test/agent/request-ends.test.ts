import t from 'tap'
import { z } from 'zod'
import { REASONING_POLICY, type SubmitOptions } from '../../lib/agent/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { ScriptedModel, type ModelStep } from '../../lib/testing/index.js'
import {
  callOf,
  TestKernel,
  codeOf,
  DONE,
  testModule,
  testTool,
  turn,
  type KernelSetup,
} from '../support/kernel.js'

const empty = z.strictObject({})
const forever = <T>(): Promise<T> => new Promise<T>(() => {})
const calls: string[] = []
const wait = testTool({ id: 'wait', input: empty, output: empty, kind: 'async' }, () => forever())
const look = testTool({ id: 'look', input: empty, output: empty }, () => {
  calls.push('look')
  return {}
})
const answer = z.strictObject({ text: z.string() })
const modules = [
  testModule('test:done', () => Promise.resolve(DONE)),
  testModule('test:hang', () => forever(), { policy: REASONING_POLICY }),
  testModule('test:wait', (context) => context.tool(wait.type, {}), { tools: ['wait'] }),
  testModule('test:look', (context) => context.tool(look.type, {}), { tools: ['look'] }),
  testModule('test:loop', (context) => context.react({ question: 'q', prompt: 'react', answer }), {
    tools: ['look', 'wait'],
    policy: REASONING_POLICY,
  }),
  testModule('test:once', (context) => context.complete({ question: 'q', prompt: 'question', answer }), {
    policy: REASONING_POLICY,
  }),
]

interface Stage {
  readonly name: string
  readonly setup?: KernelSetup
  readonly script?: readonly ModelStep[]
  /** Prepares what the request will wait for. */
  readonly before?: (k: TestKernel) => Promise<unknown>
  readonly ask: (k: TestKernel, player: PlayerId, options: SubmitOptions) => ReturnType<TestKernel['text']>
  /** The request hangs where it should. */
  readonly isThere: (k: TestKernel) => boolean
  /** Model calls that a provider may have billed. */
  readonly billed: number
}

const stages: readonly Stage[] = [
  {
    name: 'local routing',
    setup: { local: () => forever() },
    ask: (k, player, options) => k.text(player, 'hello', options),
    isThere: (k) => k.engine.state().active === 1,
    billed: 0,
  },
  {
    name: 'the wait for a place',
    setup: { lane: { active: 1, waiting: 4 } },
    before: async (k) => k.command(await k.join('holder'), 'test:hang'),
    ask: (k, player, options) => k.command(player, 'test:loop', {}, options),
    isThere: (k) => k.engine.state().waiting === 1,
    billed: 0,
  },
  {
    name: 'the wait for a model call',
    setup: { limits: { modelConcurrency: 1 } },
    before: async (k) =>
      k.meter.acquire(callOf(await k.join('holder')), { waitMs: 1, signal: new AbortController().signal }),
    ask: (k, player, options) => k.command(player, 'test:once', {}, options),
    isThere: (k) => k.meter.state().waiting === 1,
    billed: 0,
  },
  {
    name: 'the model call of routing',
    script: [forever],
    ask: (k, player, options) => k.text(player, 'hello', options),
    isThere: (k) => k.model.requests.length === 1,
    billed: 1,
  },
  {
    name: 'the model call of a loop',
    script: [{ type: 'look', input: {} }, forever],
    ask: (k, player, options) => k.command(player, 'test:loop', {}, options),
    isThere: (k) => k.model.requests.length === 2,
    billed: 2,
  },
  {
    name: 'a tool that waits',
    ask: (k, player, options) => k.command(player, 'test:wait', {}, options),
    isThere: (k) => k.engine.state().active === 1,
    billed: 0,
  },
  {
    name: 'a tool of a loop',
    script: [{ type: 'wait', input: {} }],
    ask: (k, player, options) => k.command(player, 'test:loop', {}, options),
    isThere: (k) => k.meter.state().running === 0 && k.model.requests.length === 1,
    billed: 1,
  },
  {
    name: 'the tick queue',
    before: async (k) => {
      const holder = await k.join('holder')
      for (let at = 0; at < 16; at++) void k.tickQueue.schedule({ player: holder, label: '', run() {} })
    },
    ask: (k, player, options) => k.command(player, 'test:look', {}, options),
    isThere: (k) => k.tickQueue.state().waiting === 1,
    billed: 0,
  },
  {
    name: 'the workflow itself',
    ask: (k, player, options) => k.command(player, 'test:hang', {}, options),
    isThere: (k) => k.engine.state().active === 1,
    billed: 0,
  },
]

const ends: readonly [string, (k: TestKernel, player: PlayerId) => unknown, string][] = [
  ['cancel', (k, player) => k.engine.cancel(player), 'system:cancelled'],
  ['logout', (k, player) => k.sessions.close(player), 'system:disconnected'],
  ['revoke', (k, player) => k.sessions.moveGeneration(player), 'system:revoked'],
  ['stop', (k) => k.engine.stop(), 'system:stopping'],
  ['deadline', (k) => k.advance(60_000), 'system:deadline'],
]

for (const stage of stages)
  for (const [how, end, code] of ends)
    void t.test(`${how} during ${stage.name}`, async (t) => {
      const model = new ScriptedModel(...(stage.script ?? []))
      const k = new TestKernel({ modules, tools: [wait, look], model, ...stage.setup })
      // not awaited: it may be held itself
      const before = stage.before?.(k)
      for (let turns = 0; turns < 4; turns++) await turn()
      const player = await k.join('alice')
      const told: string[] = []
      const outcome = stage.ask(k, player, { onProgress: ({ key }) => told.push(key) })
      for (let turns = 0; turns < 100 && !stage.isThere(k); turns++) await turn()
      t.ok(stage.isThere(k), 'it hangs there')
      calls.length = 0
      const modelCalls = k.meter.state().calls
      const ended = end(k, player)
      t.equal(codeOf(await outcome), code)
      told.length = 0
      const recorded = k.engine.log.recent(player)
      t.match(recorded, [{ code, modelCalls: stage.billed }])
      await k.advance(3_000)
      k.tickQueue.tick()
      await Promise.all([ended, turn()])
      t.same(calls, [], 'no tool ran afterwards')
      t.same(told, [], 'the player is told nothing more')
      t.equal(k.model.requests.length, stage.billed, 'no request followed')
      t.ok(k.meter.state().calls <= modelCalls, 'no call was taken')
      t.same(k.engine.log.recent(player), recorded, 'one outcome')
      if (how === 'stop') return
      t.ok(k.meter.state().running <= (stage.name === 'the wait for a model call' ? 1 : 0))
      t.equal(codeOf(await k.command(await k.join('bob'), 'test:done')), 'ok', 'the next is served')
      void before
    })
