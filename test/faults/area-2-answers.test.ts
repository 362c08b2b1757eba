/** Faults of budgets and metering that users reported elsewhere: area 2, from B17 on. */
import t, { type Test } from 'tap'
import { createChatTransport } from '../../lib/agent/models/index.js'
import type { FailureCode } from '../../lib/core/failure.js'
import {
  createProviderSimulator,
  faults,
  ManualClock,
  replies,
  type ProviderStep,
  type SimulatedReply,
} from '../../lib/testing/index.js'
import { endpointOf, NO_SIGNAL, requestOf } from '../agent/models/provider.js'
import { ANSWER, good, TEXT, USED_TOKENS } from '../system/fault-cases.js'
import { lineOf, reservationOf } from '../system/fault-rig.js'
import { isQuiet, openFaults, OUTPUT_TOKENS } from './rig.js'

/** One failed attempt each: what the player reads, and whether its usage came. */
const NO_ANSWERS: readonly (readonly [string, SimulatedReply, FailureCode, isMetered: boolean])[] = [
  ['newlines for ever', faults.paddingForever('\n').with({ plain: true }), 'system:model_timeout', false],
  ['a body of zero bytes', faults.zeroBytes(), 'system:model_empty', false],
  [
    'empty content beside reasoning',
    faults.reasoningOnly().with({ plain: true, usage: { prompt_tokens: 100, completion_tokens: 7 } }),
    'system:model_empty',
    true,
  ],
]

void t.test('B17 a newline each second for 90 s, then a plain reply: it is read', async (t) => {
  const provider = await createProviderSimulator()
  t.teardown(() => provider.close())
  const clock = new ManualClock()
  const step = faults.blankLines(ANSWER, 90).with({ plain: true, hold: 'headers' })
  provider.script(step)
  const sent = createChatTransport(endpointOf(provider), { clock }).send(
    requestOf({ timeoutMs: 120_000 }),
    NO_SIGNAL,
  )
  const request = await provider.request(1)
  await request.held
  clock.advance(90_000)
  provider.release()
  t.match(await sent, { ok: true, text: JSON.stringify(ANSWER) })
  const server = await openFaults(t)
  server.provider.script(good(ANSWER).with({ plain: true, padding: { text: '\n', times: 90 } }))
  t.equal(await server.alice.ask('/system ask how deep?'), TEXT)
  t.match(await server.booked(), { calls: 1, estimated: 0, prompt: 100, output: 7 })
  await isQuiet(t, server)
})

for (const [name, step, code, isMetered] of NO_ANSWERS) {
  void t.test(`B17 a failed attempt: ${name}`, async (t) => {
    const server = await openFaults(t, { policy: { modelTimeoutMillis: 1_500 } })
    const { provider, alice } = server
    provider.script(step)
    t.equal(await alice.ask('/system ask how deep?'), lineOf(code))
    const [request] = provider.requests
    if (request === undefined) throw new Error('no request')
    await request.over
    const { calls, estimated, prompt, output } = await server.booked()
    const tokens = isMetered ? USED_TOKENS : reservationOf(request, OUTPUT_TOKENS)
    t.strictSame([calls, estimated, prompt + output], [1, isMetered ? 0 : 1, tokens], 'booked to the token')
    t.equal(provider.requests.length, 1, 'no second request by itself')
    provider.script(good(ANSWER))
    t.equal(await alice.ask('/system ask how deep?'), TEXT)
    await isQuiet(t, server)
  })
}

const PRICES = {
  'system-model-pricing': {
    currency: 'USD',
    prices: [{ model: 'sim', hit: 0.003, miss: 0.15, output: 0.6 }],
  },
}
const REPORTED = { prompt_tokens: 36_100, completion_tokens: 1_200 }
const deepseek = (hits: unknown) => ({
  ...REPORTED,
  prompt_cache_hit_tokens: hits,
  prompt_cache_miss_tokens: 14_500,
})
/** Micro-units: hits at 0.003, misses at 0.15, output at 0.6 a million, rounded up. */
const cost = (hits: number): number =>
  Math.ceil((hits * 3_000 + (36_100 - hits) * 150_000 + 1_200 * 600_000) / 1_000_000)

/** A usage and how many hits are believed. */
const USAGES: readonly (readonly [string, unknown, number])[] = [
  ["DeepSeek's fields", deepseek(21_600), 21_600],
  ['details', { ...REPORTED, prompt_tokens_details: { cached_tokens: 21_600 } }, 21_600],
  ['hits beyond the prompt', deepseek(99_999), 36_100],
  ['negative hits', deepseek(-5), 0],
  ['hits as text', deepseek('21600'), 21_600],
  ['no hits', deepseek(null), 0],
]

void t.test('B19 hits, misses and output are priced apart, in whole micro-units', async (t) => {
  t.equal(cost(21_600), 2_960)
  for (const [name, usage, hits] of USAGES) {
    const server = await openFaults(t, { config: PRICES })
    server.provider.script(replies.withUsage(ANSWER, usage))
    t.equal(await server.alice.ask('/system ask how deep?'), TEXT)
    const booked = await server.booked()
    t.match(
      booked,
      { calls: 1, estimated: 0, prompt: 36_100, cached: hits, output: 1_200, unpriced: 0 },
      name,
    )
    t.equal(booked.cost, cost(hits), name)
    await isQuiet(t, server)
  }
})

/** The turn's deadline in the reported scenario. */
const DEADLINE_MS = 30_000
/** `waitMs` null: it fails at once, for nothing is repeated without a wait that the provider names and that fits. */
const RETRIES: readonly (readonly [string, SimulatedReply, FailureCode | null, waitMs: number | null])[] = [
  ['3600 seconds', faults.status(429, { retryAfter: '3600' }), 'system:model_rate_limited', null],
  ['2 seconds', faults.status(429, { retryAfter: '2' }), null, 2_000],
  ['a date 2 s ahead', faults.status(429, { retryAfter: 'Thu, 01 Jan 2026 00:00:02 GMT' }), null, 2_000],
  ['a negative time', faults.status(429, { retryAfter: '-5' }), 'system:model_rate_limited', null],
  ['a word', faults.status(429, { retryAfter: 'abc' }), 'system:model_rate_limited', null],
  ['insufficient_quota', faults.insufficientQuota(), 'system:model_balance', null],
  ['402', faults.status(402, { retryAfter: '2' }), 'system:model_balance', null],
]

for (const [name, step, code, waitMs] of RETRIES) {
  void t.test(`B21 Retry-After, ${name}: ${waitMs === null ? 'fails at once' : 'waits 2 s'}`, async (t) => {
    const provider = await createProviderSimulator()
    t.teardown(() => provider.close())
    const clock = new ManualClock()
    const transport = createChatTransport(endpointOf(provider), { clock })
    provider.script(step, ...(waitMs === null ? [] : ['here']))
    const sent = transport.send(requestOf({ timeoutMs: DEADLINE_MS }), NO_SIGNAL)
    if (waitMs !== null) {
      await clock.whenSet(waitMs)
      clock.advance(waitMs - 1)
      t.equal(provider.requests.length, 1, 'not before its time')
      clock.advance(1)
    }
    const expected = code === null ? { ok: true, text: 'here' } : { ok: false, code, unbilled: true }
    t.match(await sent, expected)
    t.equal(provider.requests.length, waitMs === null ? 1 : 2)
    await seenByPlayer(t, step, { code, waitMs })
  })
}

/** The same through a server, on its own clock. */
async function seenByPlayer(
  t: Test,
  step: SimulatedReply,
  { code, waitMs }: { code: FailureCode | null; waitMs: number | null },
): Promise<void> {
  const server = await openFaults(t)
  const { provider, alice, runtime } = server
  const inTwoSeconds = (): ProviderStep => {
    const asked = step.plan.headers['retry-after'] ?? ''
    const date = new Date(Date.now() + 2_000).toUTCString()
    return asked.endsWith('GMT') ? faults.status(429, { retryAfter: date }) : step
  }
  provider.script(inTwoSeconds, ...(waitMs === null ? [] : [good(ANSWER)]))
  t.equal(await alice.ask('/system ask how deep?'), code === null ? TEXT : lineOf(code))
  const booked = await server.booked()
  t.match(
    booked,
    code === null ? { calls: 1, prompt: 100, output: 7 } : { calls: 0, prompt: 0, output: 0, cost: 0 },
  )
  const [first, second] = provider.requests
  t.equal(second === undefined, waitMs === null, 'asked again only after a wait that fits')
  if (first !== undefined && second !== undefined) t.ok(second.at - first.at >= 990, 'after the wait')
  t.match(runtime.breaker.describe(), code === 'system:model_balance' ? /^open/ : /^closed$/)
  runtime.breaker.close()
  await isQuiet(t, server)
}
