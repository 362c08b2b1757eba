import t from 'tap'
import { z } from 'zod'
import type { Ask, ExecutionContext } from '../../lib/agent/index.js'
import { FailureError, failure } from '../../lib/core/failure.js'
import { identifier, isUuid } from '../../lib/core/ids.js'
import { TestKernel, DONE, codeOf, somePlayer, testModule, testTool, turn } from '../support/kernel.js'

/** A promise that is settled from outside. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open: () => open(), opened }
}
const done = testModule('test:done', () => Promise.resolve(DONE))
/** A module that may ask a model, so that it needs a place; it runs until the gate of its turn is opened. */
function gated(id = 'test:gated') {
  const gates: ReturnType<typeof gate>[] = []
  const module = testModule(
    id,
    async () => {
      const mine = gate()
      gates.push(mine)
      await mine.opened
      return DONE
    },
    { policy: { modelCalls: 1 } },
  )
  return { module, gates }
}

void t.test('one outcome, and its trace in the log', async (t) => {
  const k = new TestKernel({ modules: [done] })
  const alice = await k.join()
  const standing = k.clock.pending
  const outcome = await k.command(alice, 'test:done')
  t.match(outcome, { source: 'command', module: 'test:done', result: DONE })
  t.ok(isUuid(outcome.requestId ?? ''))
  t.same(k.engine.log.recent(alice), [
    { id: outcome.requestId, module: 'test:done', source: 'command', modelCalls: 0, code: 'ok' },
  ])
  t.match(k.engine.log.routes(), { command: 1, local: 0, model: 0 })
  t.same(k.engine.state(), { active: 0, waiting: 0, refused: 0 })
  t.equal(k.clock.pending, standing, 'its deadline is gone')
})

void t.test('a success stays one, whatever is remembered of it', async (t) => {
  const k = new TestKernel({ modules: [done] })
  const alice = await k.join()
  const [module] = k.registry.modules()
  if (module === undefined) throw new Error('missing')
  const onSucceeded = () => {
    throw new Error('boom')
  }
  k.router.routeLocally = async () => ({ source: 'local', module, action: {}, onSucceeded })
  t.equal(codeOf(await k.text(alice, 'x')), 'ok')
  t.match(k.logger.messages(), [/test:done/])
})

void t.test('refused before it begins: no request, nothing in the log', async (t) => {
  const k = new TestKernel({ modules: [done] })
  const alice = await k.join()
  const stranger = somePlayer()
  k.sessions.open(stranger, 'mallory', 'en_us')
  const offline = await k.join()
  k.sessions.close(offline)
  for (const [player, code] of [
    [stranger, 'system:not_bound'],
    [offline, 'system:disconnected'],
  ] as const) {
    const outcome = await k.command(player, 'test:done')
    t.match(outcome, { requestId: null, source: null, module: null, result: { status: 'failed', cards: [] } })
    t.equal(codeOf(outcome), code)
    t.same(k.engine.log.recent(player), [])
  }
  t.match(await k.text(alice, 'x'.repeat(1_001)), {
    requestId: null,
    result: { failure: { code: 'system:input_too_long', params: { limit: 1_000 } } },
  })
  t.same(k.engine.log.recent(alice), [])
})

void t.test('1,000 characters are code points', async (t) => {
  const heard: string[] = []
  const k = new TestKernel({
    isOffline: true,
    local: (text) => {
      heard.push(text)
      return Promise.resolve(null)
    },
  })
  const alice = await k.join()
  for (const [text, code] of [
    ['x'.repeat(999), 'system:no_model'],
    ['x'.repeat(1_000), 'system:no_model'],
    ['😀'.repeat(1_000), 'system:no_model'],
    ['x'.repeat(1_001), 'system:input_too_long'],
    ['😀'.repeat(1_001), 'system:input_too_long'],
  ] as const)
    t.equal(codeOf(await k.text(alice, text)), code, `${text.slice(0, 2)} ${text.length}`)
  t.equal(heard.length, 3, 'what is too long is read by nobody')
})

void t.test('one request per player', async (t) => {
  const { module, gates } = gated()
  const k = new TestKernel({ modules: [module, done] })
  const [alice, bob] = [await k.join(), await k.join('bob')]
  const first = k.command(alice, 'test:gated')
  await turn()
  t.equal(codeOf(await k.command(alice, 'test:done')), 'system:request_active')
  t.equal(codeOf(await k.text(alice, 'hello')), 'system:request_active')
  t.equal(codeOf(await k.command(bob, 'test:done')), 'ok', 'others are not held up')
  t.equal(k.engine.state().active, 1)
  gates[0]?.open()
  t.equal(codeOf(await first), 'ok')
  t.equal(codeOf(await k.command(alice, 'test:done')), 'ok')
})

void t.test('a full lane is busy at once; those who wait start in order', async (t) => {
  const { module, gates } = gated()
  const k = new TestKernel({ modules: [module, done], lane: { active: 1, waiting: 2 } })
  const players = await Promise.all(['a', 'b', 'c', 'd'].map((name) => k.join(name)))
  const progress: string[] = []
  const order: string[] = []
  const running = players.map((player, at) =>
    k.engine
      .submit(
        player,
        { kind: 'action', source: 'command', module: identifier('test:gated'), input: {} },
        { onProgress: ({ key }) => progress.push(`${at} ${key}`) },
      )
      .then((outcome) => order.push(`${at} ${codeOf(outcome)}`)),
  )
  await turn()
  t.same(order, ['3 system:busy'])
  t.same(progress, ['1 system.request.waiting', '2 system.request.waiting'])
  t.same(k.engine.state(), { active: 1, waiting: 2, refused: 1 })
  t.equal(gates.length, 1)
  t.equal(codeOf(await k.command(await k.join('e'), 'test:done')), 'ok', 'what asks no model needs no place')
  for (let at = 0; at < 3; at++) {
    gates[at]?.open()
    await turn()
  }
  await Promise.all(running)
  t.same(order, ['3 system:busy', '0 ok', '1 ok', '2 ok'])
  t.same(k.engine.state(), { active: 0, waiting: 0, refused: 1 })
})

void t.test('an action that no module takes', async (t) => {
  const picky = testModule('test:picky', () => Promise.resolve(DONE), {
    action: z.strictObject({ count: z.int() }),
  })
  const k = new TestKernel({ modules: [picky] })
  const alice = await k.join()
  t.equal(codeOf(await k.command(alice, 'test:nowhere')), 'system:not_understood')
  for (const input of [null, {}, { count: '1' }, { count: 1.5 }, { count: 1, more: 1 }])
    t.equal(codeOf(await k.command(alice, 'test:picky', input)), 'system:not_understood')
  t.equal(codeOf(await k.command(alice, 'test:picky', { count: 1 })), 'ok')
})

void t.test('a workflow that throws', async (t) => {
  const secret = new Error('my diary says: secret')
  const k = new TestKernel({
    modules: [
      testModule('test:later', () => Promise.reject(secret)),
      testModule('test:now', () => {
        throw secret
      }),
      testModule('test:typed', () =>
        Promise.reject(new FailureError(failure('system:unknown_item', { query: 'x' }))),
      ),
    ],
  })
  const alice = await k.join()
  for (const id of ['test:later', 'test:now']) {
    const outcome = await k.command(alice, id)
    t.equal(codeOf(outcome), 'system:internal')
    const [line] = k.logger.lines.splice(0)
    t.equal(line?.message, `request ${outcome.requestId} of module ${id} failed`, 'ids, no text')
    t.equal(line?.cause, secret)
  }
  t.match(await k.command(alice, 'test:typed'), {
    result: { failure: { code: 'system:unknown_item', params: { query: 'x' } } },
  })
  t.same(k.logger.lines, [], 'an expected failure is no news')
})

void t.test('what is no result is a failure of the workflow', async (t) => {
  const results: unknown[] = [
    undefined,
    null,
    'ok',
    {},
    { status: 'fine', message: null, cards: [] },
    { status: 'succeeded', message: 'text', cards: [] },
    { status: 'succeeded', message: null },
    { status: 'succeeded', message: null, cards: [{ mode: 'SHOW' }] },
    { status: 'failed', message: null, cards: [], failure: { code: 'system:nope', params: {} } },
  ]
  for (const result of results) {
    const k = new TestKernel({ modules: [testModule('test:odd', () => Promise.resolve(result))] })
    const alice = await k.join()
    t.equal(codeOf(await k.command(alice, 'test:odd')), 'system:internal', JSON.stringify(result))
    t.equal(k.logger.lines.length, 1)
    t.equal(k.engine.log.recent(alice)[0]?.code, 'system:internal')
  }
})

void t.test('a workflow that does not settle after its end', async (t) => {
  const { module, gates } = gated('test:stubborn')
  const k = new TestKernel({ modules: [module, gated('test:next').module], lane: { active: 1, waiting: 1 } })
  const [alice, bob] = [await k.join(), await k.join('bob')]
  const mine = k.command(alice, 'test:stubborn')
  await turn()
  void k.command(bob, 'test:next')
  await turn()
  t.ok(k.engine.cancel(alice))
  t.equal(codeOf(await mine), 'system:cancelled', 'at once')
  t.notOk(k.engine.cancel(alice))
  k.clock.advance(999)
  t.equal(k.engine.state().waiting, 1, 'its place is still taken')
  k.clock.advance(1)
  await turn()
  t.equal(k.engine.state().waiting, 0, 'after a second it is free')
  k.clock.advance(999)
  t.same(k.logger.messages(), [])
  k.clock.advance(1)
  t.same(k.logger.messages(), ['module test:stubborn is still running after its request'])
  gates[0]?.open()
  await turn()
  t.same(
    k.engine.log.recent(alice).map(({ code }) => code),
    ['system:cancelled'],
    'its late result is dropped',
  )
})

void t.test('a workflow that settles in time after its end is not named, and no timer is left', async (t) => {
  const { module, gates } = gated()
  const k = new TestKernel({ modules: [module] })
  const alice = await k.join()
  const standing = k.clock.pending
  const mine = k.command(alice, 'test:gated')
  await turn()
  k.engine.cancel(alice)
  await mine
  gates[0]?.open()
  await turn()
  t.equal(k.clock.pending, standing)
  k.clock.advance(5_000)
  t.same(k.logger.messages(), [])
})

void t.test('a cancel that says that it has ended the request has, whatever the moment', async (t) => {
  const seen = new Set<string>()
  for (let steps = 0; steps < 20; steps++) {
    const { module, gates } = gated()
    const k = new TestKernel({ modules: [module] })
    const alice = await k.join()
    const mine = k.command(alice, 'test:gated')
    await turn()
    gates[0]?.open()
    for (let step = 0; step < steps; step++) await Promise.resolve()
    const hasEnded = k.engine.cancel(alice)
    const code = codeOf(await mine)
    t.equal(code, hasEnded ? 'system:cancelled' : 'ok', `after ${steps} steps`)
    seen.add(code)
  }
  t.equal(seen.size, 2, 'early and late moments were among them')
})

void t.test('the deadline counts from acceptance, with the time that routing took', async (t) => {
  const routed = gate()
  const { module } = gated('test:slow')
  const k = new TestKernel({
    modules: [{ ...module, routing: { selection: 'NORMAL', examples: {}, extract: () => ({}) } }],
    local: async (text) => {
      await routed.opened
      return { moduleId: 'test:slow', sentence: { text, item: null } }
    },
  })
  const alice = await k.join()
  const mine = k.text(alice, 'slow please')
  await turn()
  k.clock.advance(10_000)
  routed.open()
  await turn()
  let outcome: string | undefined
  void mine.then((ended) => (outcome = codeOf(ended)))
  k.clock.advance(4_499)
  await turn()
  t.equal(outcome, undefined)
  k.clock.advance(1)
  await turn()
  t.equal(outcome, 'system:deadline')
})

void t.test('the deadline during routing is that of the routing policy', async (t) => {
  const k = new TestKernel({ local: () => new Promise(() => {}) })
  const alice = await k.join()
  const mine = k.text(alice, 'hello')
  await turn()
  k.clock.advance(14_500)
  t.equal(codeOf(await mine), 'system:deadline')
})

void t.test('stopping: everything ends, nothing begins, and it resolves', async (t) => {
  const { module, gates } = gated()
  const k = new TestKernel({ modules: [module, done], lane: { active: 1, waiting: 4 } })
  const [alice, bob] = [await k.join(), await k.join('bob')]
  const standing = k.clock.pending
  const running = [k.command(alice, 'test:gated'), k.command(bob, 'test:gated')]
  await turn()
  let isStopped = false
  const stopped = k.engine.stop().then(() => (isStopped = true))
  t.same((await Promise.all(running)).map(codeOf), ['system:stopping', 'system:stopping'])
  t.equal(codeOf(await k.command(await k.join('carol'), 'test:done')), 'system:stopping')
  await turn()
  t.notOk(isStopped, 'a workflow still runs')
  t.equal(gates.length, 1, 'the one that waited never started')
  k.clock.advance(2_000)
  await stopped
  t.equal(k.clock.pending, standing)
  await k.engine.stop()
})

void t.test('once the outcome is known, what the workflow has left running ends quietly', async (t) => {
  const aborted: boolean[] = []
  const wait = testTool(
    { id: 'wait', input: z.strictObject({}), output: z.strictObject({}), kind: 'async' },
    (_, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          aborted.push(signal.aborted)
          resolve({})
        }),
      ),
  )
  let context: ExecutionContext | undefined
  const k = new TestKernel({
    tools: [wait],
    modules: [
      testModule(
        'test:careless',
        (given) => {
          context = given
          // never awaited: it rejects when the request is over
          void given.tool(wait.type, {})
          return Promise.resolve(DONE)
        },
        { tools: ['wait'] },
      ),
    ],
  })
  const alice = await k.join()
  t.equal(codeOf(await k.command(alice, 'test:careless')), 'ok')
  await turn()
  t.same(aborted, [true])
  t.throws(() => context?.check(), /system:cancelled/)
  await t.rejects(Promise.resolve(context?.tool(wait.type, {})), /system:cancelled/)
})

void t.test('a card and its progress reach the workflow and back', async (t) => {
  const seen: unknown[] = []
  const k = new TestKernel({
    modules: [
      testModule('test:card', async (context) => {
        seen.push(context.card, context.player, context.playerName, context.language)
        context.progress({ key: 'system.request.waiting' })
        return DONE
      }),
    ],
  })
  const alice = await k.join('alice')
  const ask: Ask = { kind: 'action', source: 'structured', module: identifier('test:card'), input: {} }
  const progress: string[] = []
  const card = { id: 'c1', revision: 3 }
  const outcome = await k.engine.submit(alice, ask, { card, onProgress: ({ key }) => progress.push(key) })
  t.equal(outcome.source, 'structured')
  t.same(seen, [card, alice, 'alice', 'en_us'])
  t.same(progress, ['system.request.waiting'])
})
