import t from 'tap'
import { faults } from '../../../lib/testing/index.js'
import { openRig, TIMEOUT_MS } from './provider.js'

// The manual clock starts at 2026-01-01T00:00:00Z, a Thursday.
const WAITS: readonly (readonly [string, status: number, waitMs: number])[] = [
  ['2', 429, 2_000],
  ['2', 503, 2_000],
  [' 3 ', 429, 3_000],
  ['1.5', 429, 1_500],
  ['Thu, 01 Jan 2026 00:00:02 GMT', 429, 2_000],
  ['Thu, 01 Jan 2026 00:00:04 GMT', 503, 4_000],
]

for (const [retryAfter, status, waitMs] of WAITS) {
  void t.test(`${status} with Retry-After ${retryAfter}: one repeat`, async (t) => {
    const { provider, clock, send } = await openRig(t)
    provider.script(faults.status(status, { retryAfter }), 'here I am')
    const sent = send()
    await clock.whenSet(waitMs)
    t.equal(provider.requests.length, 1)
    clock.advance(waitMs)
    t.match(await sent, { ok: true, text: 'here I am' })
    t.equal(provider.requests.length, 2)
    t.strictSame(provider.requests[1]?.body, provider.requests[0]?.body)
    await clock.whenIdle()
  })
}

const ABSENT = [
  '3600',
  '12',
  '-5',
  'abc',
  '',
  '5 seconds',
  '0x5',
  'Thu, 01 Jan 2026 01:00:00 GMT',
  'Wed, 31 Dec 2025 23:59:59 GMT',
  '2026-01-01T00:00:02Z',
]

for (const retryAfter of ABSENT) {
  void t.test(`429 with Retry-After "${retryAfter}": no repeat`, async (t) => {
    const { provider, clock, send } = await openRig(t)
    provider.script(faults.status(429, { retryAfter }))
    t.match(await send(), { ok: false, code: 'system:model_rate_limited', httpStatus: 429, unbilled: true })
    t.equal(provider.requests.length, 1)
    await clock.whenIdle()
  })
}

void t.test(
  'a 503 that names a time was turned away at the door, even when the time does not fit',
  async (t) => {
    const { provider, send } = await openRig(t)
    provider.script(faults.status(503, { retryAfter: '3600' }))
    t.match(await send(), { ok: false, code: 'system:model_unavailable', httpStatus: 503, unbilled: true })
  },
)

void t.test('Retry-After 0 repeats at once, and only once', async (t) => {
  const { provider, send } = await openRig(t)
  const refusal = faults.status(429, { retryAfter: '0' })
  provider.script(refusal, refusal)
  t.match(await send(), { ok: false, code: 'system:model_rate_limited', unbilled: true })
  t.equal(provider.requests.length, 2)
})

void t.test('the repeat lives in the deadline of the first try', async (t) => {
  const { provider, clock, send } = await openRig(t)
  provider.script(faults.status(429, { retryAfter: '10' }), faults.slowHeaders())
  const sent = send()
  await clock.whenSet(10_000)
  clock.advance(10_000)
  await provider.request(2)
  clock.advance(TIMEOUT_MS - 10_000)
  t.match(await sent, { ok: false, code: 'system:model_timeout', unbilled: false })
  await clock.whenIdle()
})

void t.test('cancelled while waiting for the repeat: at once, and nothing was billed', async (t) => {
  const { provider, clock, send } = await openRig(t)
  provider.script(faults.status(429, { retryAfter: '8' }))
  const asker = new AbortController()
  const sent = send({}, asker.signal)
  await clock.whenSet(8_000)
  asker.abort()
  t.match(await sent, { ok: false, code: 'system:cancelled', unbilled: true })
  t.equal(provider.requests.length, 1)
  t.equal(clock.pending, 0)
})

const FINAL = [
  faults.insufficientQuota(),
  faults.insufficientQuota(503),
  faults.status(402, { retryAfter: '1' }),
  faults.status(401, { retryAfter: '1' }),
  faults.status(500, { retryAfter: '1' }),
  faults.status(502),
  faults.cut(),
  faults.emptyContent(),
]

void t.test('nothing else is repeated', async (t) => {
  for (const step of FINAL) {
    const { provider, send } = await openRig(t)
    provider.script(step)
    t.match(await send(), { ok: false })
    t.equal(provider.requests.length, 1)
  }
})

void t.test('a refused connection is tried once more', async (t) => {
  const { provider, clock, send } = await openRig(t)
  await provider.refuse()
  const sent = send()
  await clock.whenSet(250)
  await provider.accept()
  provider.script('back again')
  clock.advance(250)
  t.match(await sent, { ok: true, text: 'back again' })
  t.equal(provider.requests.length, 1)
})

void t.test('a connection that stays refused', async (t) => {
  const { provider, clock, send } = await openRig(t)
  await provider.refuse()
  const sent = send()
  await clock.whenSet(250)
  clock.advance(250)
  t.match(await sent, {
    ok: false,
    code: 'system:model_unavailable',
    usage: null,
    httpStatus: 0,
    unbilled: true,
  })
  t.equal(clock.pending, 0)
})
