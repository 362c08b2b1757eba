import t from 'tap'
import { FAST_POLICY, type ExecutionPolicy } from '../../../lib/agent/index.js'
import { Budget } from '../../../lib/agent/budget.js'
import { ModelCalls } from '../../../lib/agent/dialogue/model-calls.js'
import { LiveRequest } from '../../../lib/agent/live-request.js'
import { failure } from '../../../lib/core/failure.js'
import { randomIds } from '../../../lib/core/ids.js'
import { PROTOCOL_VERSION, type Usage } from '../../../lib/pool/index.js'
import { callOf, TestKernel, somePlayer, type KernelSetup } from '../../support/kernel.js'

const POLICY: ExecutionPolicy = { ...FAST_POLICY, modelCalls: 3, steps: 10, totalTokens: 10_000 }
const usage = (prompt: number, output: number): Usage => ({ prompt, cached: 0, output, reasoning: 0 })

async function setup(over: KernelSetup & { policy?: Partial<ExecutionPolicy> } = {}) {
  const k = new TestKernel(over)
  const player = await k.join()
  const session = k.sessions.get(player)
  if (session === undefined) throw new Error('offline')
  const request = new LiveRequest(randomIds.requestId(), session, k.kernel)
  const budget = new Budget({ ...POLICY, ...over.policy }, k.clock, { acceptedAt: request.acceptedAt })
  const calls = new ModelCalls(k.kernel, request, budget)
  const head = { v: PROTOCOL_VERSION, n: 1 } as const
  return {
    k,
    player,
    request,
    budget,
    calls,
    reserve: (inputBytes = 100, outputTokens = 50) =>
      calls.reserve({ ...head, t: 'reserve', round: 1, inputBytes, outputTokens }),
    settle: (reservationId: number, used: Usage | null, finish = 'stop') =>
      calls.settle({ ...head, t: 'settle', reservationId, usage: used, finish, httpStatus: 200 }),
  }
}

void t.test('a grant: everything is taken, the time is the smaller one', async (t) => {
  const { k, reserve, request, budget } = await setup()
  t.same(await reserve(), { ok: true, reservationId: 1, timeoutMs: 12_000, finalOnly: false })
  t.match(k.meter.state(), { calls: 1, tokens: 150, running: 1 })
  t.match(budget.spent(), { modelCalls: 1, steps: 1, tokens: 150 })
  t.equal(request.modelCalls, 1)
  k.clock.advance(13_999.5)
  t.match(
    await reserve(),
    { reservationId: 2, timeoutMs: 1_501 },
    'the request ends first, and the call with it',
  )
  t.match(await reserve(), { reservationId: 3, finalOnly: true }, 'no call is left behind it')
})

void t.test('refusals in their order, each taking nothing of what comes after it', async (t) => {
  const cases: readonly [
    string,
    string,
    KernelSetup & { policy?: Partial<ExecutionPolicy> },
    (s: Awaited<ReturnType<typeof setup>>) => unknown,
  ][] = [
    [
      'the request is over',
      'system:cancelled',
      { policy: { modelCalls: 0 } },
      (s) => s.request.end(failure('system:cancelled')),
    ],
    [
      'the generation has moved',
      'system:revoked',
      { policy: { modelCalls: 0 } },
      (s) => s.k.sessions.moveGeneration(s.player),
    ],
    [
      'the right is gone',
      'system:no_permission',
      {
        policy: { modelCalls: 0 },
        access: (_, module) => (module === 'test:m' ? failure('system:no_permission') : null),
      },
      (s) => (s.request.module = 'test:m'),
    ],
    [
      'the budget of calls',
      'system:budget_model_calls',
      { policy: { modelCalls: 0 }, limits: { dailyModelCalls: 0 } },
      () => {},
    ],
    [
      'the budget of bytes',
      'system:budget_input_bytes',
      { policy: { inputBytes: 99 }, limits: { dailyModelCalls: 0 } },
      () => {},
    ],
    [
      'the breaker',
      'system:model_breaker',
      { limits: { dailyModelCalls: 0 } },
      (s) => s.k.breaker.record('system:model_auth'),
    ],
    [
      "the player's quota",
      'system:quota_player',
      { limits: { dailyModelCalls: 0, dailyTokens: 0 } },
      () => {},
    ],
    ["the server's cap", 'system:quota_server', { limits: { dailyTokens: 149 } }, () => {}],
  ]
  for (const [name, code, over, prepare] of cases) {
    const s = await setup(over)
    prepare(s)
    t.same(await s.reserve(), { code }, name)
    t.match(s.k.meter.state(), { calls: 0, tokens: 0, running: 0, waiting: 0 }, name)
    t.equal(s.budget.spent().tokens, 0, name)
    t.equal(s.request.modelCalls, 0, name)
  }
})

void t.test('a refused attempt stays counted, its tokens do not', async (t) => {
  const { reserve, budget } = await setup({ limits: { dailyTokens: 100 } })
  await reserve()
  t.match(budget.spent(), { modelCalls: 1, steps: 1, tokens: 0 })
})

void t.test('the deadline while waiting for a place', async (t) => {
  const { k, reserve, budget } = await setup({ limits: { modelConcurrency: 1 } })
  const never = new AbortController().signal
  const holder = await k.meter.acquire(callOf(somePlayer()), { waitMs: 1, signal: never })
  const late = reserve()
  k.clock.advance(14_500)
  t.same(await late, { code: 'system:deadline' })
  if (holder.ok) k.meter.release(holder.value, null)
  t.match(k.meter.state(), { calls: 1, tokens: 1, running: 0, waiting: 0 })
  t.equal(budget.spent().tokens, 0)
  t.same(await reserve(), { code: 'system:deadline' }, 'no time is left for a call')
  t.match(k.meter.state(), { calls: 1, tokens: 1, running: 0 })
  t.equal(budget.spent().tokens, 0)
})

void t.test('the end of the request while waiting for a place gives its own reason', async (t) => {
  const { k, reserve, request } = await setup({ limits: { modelConcurrency: 1 } })
  await k.meter.acquire(callOf(somePlayer()), { waitMs: 1, signal: new AbortController().signal })
  const waiting = reserve()
  request.end(failure('system:revoked'))
  t.same(await waiting, { code: 'system:revoked' })
  t.match(k.meter.state(), { calls: 1, waiting: 0 })
})

void t.test('settled by usage; a second time, an unknown one: nothing', async (t) => {
  const { k, reserve, settle, budget } = await setup()
  await reserve()
  await reserve()
  settle(1, usage(30, 10))
  t.match(k.meter.state(), { tokens: 190, running: 1 })
  settle(1, usage(5_000, 0))
  settle(7, usage(5_000, 0))
  t.match(k.meter.state(), { tokens: 190, running: 1 })
  t.equal(budget.spent().tokens, 190)
  settle(2, null)
  t.match(k.meter.state(), { tokens: 190, running: 0 }, 'without usage: the reservation')
})

void t.test('what is open when nobody speaks any more is charged in full, once', async (t) => {
  const { k, reserve, settle, calls, budget } = await setup()
  await reserve()
  await reserve()
  settle(1, usage(1, 1))
  calls.chargeOpen()
  t.match(k.meter.state(), { tokens: 152, calls: 2, running: 0 })
  calls.chargeOpen()
  settle(2, usage(1, 1))
  t.match(k.meter.state(), { tokens: 152, running: 0 })
  t.equal(budget.spent().tokens, 152)
})

void t.test('a call that failed for good opens the breaker, with its settlement', async (t) => {
  const { k, reserve, settle } = await setup()
  await reserve()
  settle(1, usage(0, 0), 'system:model_auth')
  t.same(k.opened, ['system:model_auth'])
  t.match(k.meter.state(), { tokens: 0, running: 0 })
  t.same(await reserve(), { code: 'system:model_breaker' })
  const other = await setup()
  await other.reserve()
  other.settle(1, null, 'system:not_a_code')
  t.same(other.k.opened, [])
})
