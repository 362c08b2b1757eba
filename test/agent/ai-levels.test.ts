/** What leaves the server at each level, and what a change under way does. */
import t from 'tap'
import { z } from 'zod'
import { REASONING_POLICY, type AgentModule, type ExecutionContext } from '../../lib/agent/index.js'
import { AI_LEVELS, type AiLevel } from '../../lib/core/ai-level.js'
import { ScriptedModel, type ModelStep } from '../../lib/testing/index.js'
import { codeOf, DONE, PROMPT, TestKernel, testModule, testTool, turn } from '../support/kernel.js'

const answer = z.strictObject({ text: z.string() })
const ANSWER = { type: 'answer', text: 'Yes.' }
const look = testTool({ id: 'look', input: z.strictObject({}), output: z.strictObject({}) }, () => ({}))
const PROMPTS = { react: PROMPT, question: PROMPT, route: PROMPT }
const ask = async (context: ExecutionContext) => {
  const said = await context.complete({ question: 'q', prompt: 'question', answer })
  return said.ok ? DONE : { ...DONE, status: 'failed', failure: said.failure }
}
const loop = async (context: ExecutionContext) => {
  const said = await context.react({ question: 'q', prompt: 'react', answer })
  return said.end === 'answer' ? DONE : { ...DONE, status: 'failed', failure: said.failure }
}
const modules = (over: readonly AgentModule[] = []): readonly AgentModule[] => [
  testModule('test:plain', () => Promise.resolve(DONE)),
  testModule('test:routed', ask, { needs: 'route', policy: REASONING_POLICY }),
  testModule('test:chat', ask, { needs: 'chat', policy: REASONING_POLICY }),
  testModule('test:loop', loop, { needs: 'free', policy: REASONING_POLICY, tools: ['look'] }),
  testModule('test:undeclared', ask, { policy: REASONING_POLICY }),
  ...over,
]

const EXPECTED: Readonly<Record<AiLevel, Readonly<Record<string, string>>>> = {
  off: {
    plain: 'ok',
    routed: 'system:ai_off',
    chat: 'system:ai_off',
    loop: 'system:ai_off',
    undeclared: 'system:ai_off',
    text: 'system:ai_off',
  },
  route: {
    plain: 'ok',
    routed: 'ok',
    chat: 'system:chat_off',
    loop: 'system:chat_off',
    undeclared: 'ok',
    text: 'ok',
  },
  chat: { plain: 'ok', routed: 'ok', chat: 'ok', loop: 'system:chat_off', undeclared: 'ok', text: 'ok' },
  free: { plain: 'ok', routed: 'ok', chat: 'ok', loop: 'ok', undeclared: 'ok', text: 'ok' },
}

for (const level of AI_LEVELS)
  void t.test(`level ${level}`, async (t) => {
    const model = new ScriptedModel()
    const k = new TestKernel({ model, modules: modules(), tools: [look], prompts: PROMPTS, aiDefault: level })
    const alice = await k.join()
    for (const [name, code] of Object.entries(EXPECTED[level])) {
      const before = model.requests.length
      const asks = code === 'ok' && name !== 'plain'
      if (asks) model.script(name === 'text' ? { module: 'test:plain' } : ANSWER)
      const outcome = name === 'text' ? k.text(alice, 'hello') : k.command(alice, `test:${name}`)
      t.equal(codeOf(await outcome), code, name)
      t.equal(model.requests.length - before, asks ? 1 : 0, `${name}: what has left`)
    }
    const catalogue = model.requests.map((request) => JSON.stringify(request)).join('\n')
    if (level === 'route') t.notMatch(catalogue, 'test:chat', 'what is closed is not in the catalogue')
    if (level === 'chat') t.match(catalogue, 'test:chat')
    model.assertOver()
  })

void t.test('a sentence that is found locally goes nowhere, and not to what needs a model', async (t) => {
  const local =
    (moduleId: string): (() => Promise<{ moduleId: string; sentence: { text: string; item: null } }>) =>
    () =>
      Promise.resolve({ moduleId, sentence: { text: 'x', item: null } })
  const routing = { selection: 'NORMAL', examples: { en_us: ['x'] }, extract: () => ({}) } as const
  for (const [needs, code] of [
    ['off', 'ok'],
    ['route', 'system:ai_off'],
  ] as const) {
    const found = testModule('test:found', () => Promise.resolve(DONE), { needs, routing })
    const k = new TestKernel({ modules: [found], local: local('test:found'), aiDefault: 'off' })
    t.equal(codeOf(await k.text(await k.join(), 'x')), code, needs)
    t.equal(k.model.requests.length, 0)
  }
})

void t.test('the host is named before each call that goes out', async (t) => {
  const model = new ScriptedModel(ANSWER)
  const k = new TestKernel({ model, modules: modules(), tools: [look] })
  const alice = await k.join()
  await k.command(alice, 'test:plain')
  t.same(k.sent, [])
  await k.command(alice, 'test:routed')
  t.same(k.sent, [[alice, 'provider.test']])
})

/** How a right is taken away, and what the request says then. */
const CHANGES = [
  ['an admin', (k: TestKernel, who: Who) => k.preferences.allow(who, 'off'), 'system:ai_off'],
  [
    'the player',
    (k: TestKernel, who: Who) => k.preferences.set(who, { externalAi: false }),
    'system:ai_off_self',
  ],
] as const
type Who = Awaited<ReturnType<TestKernel['join']>>

for (const [who, take, code] of CHANGES) {
  void t.test(`${who} takes the right while the model answers`, async (t) => {
    for (const kind of ['routing', 'complete', 'react'] as const) {
      const held = new Promise<void>(() => {})
      const model = new ScriptedModel(() => held.then(() => ANSWER))
      const k = new TestKernel({ model, modules: modules(), tools: [look] })
      const alice = await k.join()
      const running =
        kind === 'routing'
          ? k.text(alice, 'hello')
          : k.command(alice, kind === 'complete' ? 'test:routed' : 'test:loop')
      while (model.requests.length === 0) await turn()
      await take(k, alice)
      t.equal(codeOf(await running), code, kind)
      t.equal(k.engine.state().active, 0)
      await k.advance(2_000)
      t.equal(k.meter.state().running, 0, 'its place is free')
    }
  })

  void t.test(`${who} takes the right while it waits in the lane`, async (t) => {
    const model = new ScriptedModel(() => new Promise<never>(() => {}))
    const k = new TestKernel({ model, modules: modules(), tools: [look], lane: { active: 1, waiting: 9 } })
    const [bob, alice] = [await k.join('bob'), await k.join()]
    void k.command(bob, 'test:routed')
    const waiting = k.text(alice, 'hello')
    await turn()
    await take(k, alice)
    t.equal(codeOf(await waiting), code)
    await turn()
    t.equal(model.requests.length, 1, 'only that of bob went out')
    k.engine.cancel(bob)
  })

  void t.test(`${who} takes the right while a tool of a loop runs`, async (t) => {
    let release = (): void => {}
    const slow = testTool(
      { id: 'look', kind: 'async', input: z.strictObject({}), output: z.strictObject({}) },
      () => new Promise((resolve) => (release = () => resolve({}))),
    )
    const model = new ScriptedModel({ type: 'look', input: {} })
    const k = new TestKernel({ model, modules: modules(), tools: [slow] })
    const alice = await k.join()
    const running = k.command(alice, 'test:loop')
    while (model.requests.length === 0) await turn()
    for (let n = 0; n < 5; n++) await turn()
    await take(k, alice)
    t.equal(codeOf(await running), code)
    release()
    for (let n = 0; n < 10; n++) await turn()
    t.equal(model.requests.length, 1, 'no last word')
  })

  void t.test(`${who} takes the right between two steps of a workflow`, async (t) => {
    let go = (): void => {}
    const between = testModule(
      'test:between',
      async (context) => {
        await new Promise<void>((resolve) => (go = resolve))
        return ask(context)
      },
      { policy: REASONING_POLICY },
    )
    const k = new TestKernel({ modules: modules([between]), tools: [look] })
    const alice = await k.join()
    const running = k.command(alice, 'test:between')
    await turn()
    await take(k, alice)
    t.equal(k.engine.state().active, 1, 'what needs no model goes on')
    go()
    t.equal(codeOf(await running), code)
    t.equal(k.model.requests.length, 0)
  })
}

void t.test('what is still allowed goes on', async (t) => {
  let reply = (): void => {}
  const model = new ScriptedModel(() => new Promise((resolve) => (reply = () => resolve(ANSWER))))
  const k = new TestKernel({ model, modules: modules(), tools: [look] })
  const alice = await k.join()
  const running = k.command(alice, 'test:routed')
  while (model.requests.length === 0) await turn()
  await k.preferences.allow(alice, 'route')
  await k.preferences.set(alice, { freeChat: false })
  await k.preferences.set(alice, { history: false })
  reply()
  t.equal(codeOf(await running), 'ok')
})

void t.test('of two model calls at once each has its level, in whatever order they end', async (t) => {
  for (const [lowered, code] of [
    ['off', 'system:ai_off'],
    ['route', 'ok'],
  ] as const) {
    const replies = new Map<string, () => void>()
    const reply =
      (label: string): ModelStep =>
      () =>
        new Promise((resolve) => void replies.set(label, () => resolve(ANSWER)))
    const model = new ScriptedModel(reply('loop'), reply('once'))
    let goOn = (): void => {}
    const both = testModule(
      'test:both',
      async (context) => {
        const looping = context.react({ question: 'q', prompt: 'react', workflows: true, tools: [], answer })
        const asking = ask(context)
        await looping
        if (code !== 'ok') return asking
        await asking
        // none of the two is running now
        await new Promise<void>((resolve) => (goOn = resolve))
        return DONE
      },
      { policy: REASONING_POLICY },
    )
    const k = new TestKernel({ model, modules: modules([both]), tools: [look], prompts: PROMPTS })
    const alice = await k.join()
    const running = k.command(alice, 'test:both')
    while (replies.size < 2) await turn()
    replies.get('loop')?.()
    for (let n = 0; n < 10; n++) await turn()
    if (code === 'ok') {
      replies.get('once')?.()
      for (let n = 0; n < 10; n++) await turn()
    }
    await k.preferences.allow(alice, lowered)
    await turn()
    t.equal(k.engine.state().active, code === 'ok' ? 1 : 0, `${lowered}: at once`)
    goOn()
    replies.get('once')?.()
    t.equal(codeOf(await running), code, lowered)
  }
})

void t.test('a module of plain JavaScript says a level that there is', async (t) => {
  const bad = testModule('test:bad', () => Promise.resolve(DONE), { needs: 'everything' as AiLevel })
  t.throws(() => new TestKernel({ modules: [bad] }), /needs/)
})
