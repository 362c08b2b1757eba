import fc from 'fast-check'
import t from 'tap'
import { ModelBreaker, ModelMeter, type MeterLimits } from '../../lib/agent/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { ManualClock } from '../../lib/testing/index.js'
import { silentLogger } from '../../lib/core/logger.js'
import { UsageLedger, type UsageLimits } from '../../lib/usage/index.js'
import { callOf, somePlayer, turn } from '../support/kernel.js'

function setup(over: Partial<MeterLimits & UsageLimits> = {}, startMs = Date.UTC(2026, 0, 1, 12)) {
  const clock = new ManualClock(startMs)
  const breaker = new ModelBreaker(clock, () => {})
  const limits = {
    modelConcurrency: 1_000,
    dailyModelCalls: 1_000,
    dailyTokens: 1e9,
    dailyCost: null,
    timeZone: 'UTC',
    ...over,
  }
  const quota = new UsageLedger({
    clock,
    logger: silentLogger,
    limits: () => limits,
    prices: () => ({ currency: 'USD', models: [], engines: [] }),
    nameOf: (player) => player,
  })
  const meter = new ModelMeter({ clock, breaker, limits: () => limits, quota })
  const never = new AbortController().signal
  const acquire = (
    player: PlayerId = somePlayer(),
    tokens = 10,
    wait: Partial<Parameters<typeof meter.acquire>[1]> = {},
  ) => meter.acquire(callOf(player, tokens), { waitMs: 60_000, signal: never, ...wait })
  return { clock, breaker, limits, meter, acquire }
}
const usage = (prompt: number, output: number) => ({ prompt, cached: 0, output, reasoning: 0 })
const codes = (results: readonly ({ ok: true } | { ok: false; failure: { code: string } })[]): string[] =>
  results.map((result) => (result.ok ? 'ok' : result.failure.code))

void t.test('twenty reservations in one turn, one call left: one is accepted', async (t) => {
  const { acquire, meter } = setup({ dailyModelCalls: 3 })
  const player = somePlayer()
  await acquire(player)
  await acquire(player)
  const results = codes(await Promise.all(Array.from({ length: 20 }, () => acquire(player))))
  t.equal(results.filter((code) => code === 'ok').length, 1)
  t.equal(results.filter((code) => code === 'system:quota_player').length, 19)
  t.equal(meter.state().calls, 3)
  t.same(codes([await acquire(somePlayer())]), ['ok'], "the quota is each player's own")
})

void t.test("twenty reservations in one turn, room for three under the server's cap", async (t) => {
  const { acquire, meter } = setup({ dailyTokens: 39 })
  const results = codes(await Promise.all(Array.from({ length: 20 }, () => acquire(somePlayer(), 13))))
  t.equal(results.filter((code) => code === 'ok').length, 3)
  t.equal(results.filter((code) => code === 'system:quota_server').length, 17)
  t.match(meter.state(), { tokens: 39, calls: 3, running: 3 })
})

void t.test('a quota of zero allows nothing', async (t) => {
  t.same(codes([await setup({ dailyModelCalls: 0 }).acquire()]), ['system:quota_player'])
  t.same(codes([await setup({ dailyTokens: 0 }).acquire()]), ['system:quota_server'])
})

void t.test('a day ends at midnight of the configured zone', async (t) => {
  for (const [timeZone, beforeMs, day, next] of [
    ['UTC', Date.UTC(2026, 5, 30, 23, 59, 59), '2026-06-30', '2026-07-01'],
    ['Asia/Kolkata', Date.UTC(2026, 5, 30, 18, 29, 59), '2026-06-30', '2026-07-01'],
    ['America/Los_Angeles', Date.UTC(2026, 5, 30, 6, 59, 59), '2026-06-29', '2026-06-30'],
    // the clocks go forward in this night, at midnight: 23:59:59 is followed by 01:00:00
    ['America/Santiago', Date.UTC(2026, 8, 6, 3, 59, 59), '2026-09-05', '2026-09-06'],
  ] as const) {
    const { acquire, meter, clock } = setup({ timeZone, dailyModelCalls: 1 }, beforeMs)
    const player = somePlayer()
    const first = await acquire(player, 10)
    t.same(codes([first, await acquire(player)]), ['ok', 'system:quota_player'], timeZone)
    t.equal(meter.state().day, day)
    clock.advance(1_000)
    t.match(meter.state(), { day: next, tokens: 0, calls: 0, running: 1 })
    t.same(codes([await acquire(player, 7)]), ['ok'])
    if (first.ok) meter.release(first.value, usage(1_000, 1_000))
    t.match(
      meter.state(),
      { tokens: 7, calls: 1, running: 1 },
      'what yesterday reserved is not charged today',
    )
  }
})

void t.test('another zone from one call to the next', async (t) => {
  const { meter, limits } = setup({}, Date.UTC(2026, 5, 30, 23))
  t.equal(meter.state().day, '2026-06-30')
  limits.timeZone = 'Asia/Tokyo'
  t.equal(meter.state().day, '2026-07-01')
})

void t.test('charges: reserved, corrected by usage, given back', async (t) => {
  const { acquire, meter } = setup()
  const [a, b, c] = await Promise.all([
    acquire(somePlayer(), 100),
    acquire(somePlayer(), 100),
    acquire(somePlayer(), 100),
  ])
  if (!a.ok || !b.ok || !c.ok) throw new Error('refused')
  t.equal(meter.state().tokens, 300)
  meter.release(a.value, usage(7, 3))
  t.equal(meter.state().tokens, 210)
  meter.release(b.value, null)
  t.equal(meter.state().tokens, 210, 'without usage the reservation stays')
  meter.refund(c.value)
  t.match(meter.state(), { tokens: 110, calls: 2, running: 0 }, 'as if it had never been')
})

void t.test('concurrency: first come, first served', async (t) => {
  const { acquire, meter } = setup({ modelConcurrency: 2 })
  const running = [await acquire(), await acquire()]
  const order: number[] = []
  const waiting = [1, 2, 3].map(async (number) => {
    const permit = await acquire()
    order.push(number)
    return permit
  })
  await turn()
  t.match(meter.state(), { running: 2, waiting: 3 })
  t.same(order, [])
  for (const permit of running) if (permit.ok) meter.release(permit.value, null)
  await turn()
  t.same(order, [1, 2])
  t.match(meter.state(), { running: 2, waiting: 1 })
  const first = await waiting[0]
  if (first?.ok === true) meter.release(first.value, null)
  await waiting[2]
  t.same(order, [1, 2, 3])
})

void t.test('a changed concurrency holds for the next place', async (t) => {
  const { acquire, meter, limits } = setup({ modelConcurrency: 3 })
  const running = [await acquire(), await acquire(), await acquire()]
  const waiting = [acquire(), acquire()]
  limits.modelConcurrency = 1
  for (const permit of running.slice(0, 2)) if (permit.ok) meter.release(permit.value, null)
  await turn()
  t.match(meter.state(), { running: 1, waiting: 2 }, 'nobody enters before there is room')
  limits.modelConcurrency = 3
  const late = acquire()
  await Promise.all([...waiting, turn()])
  t.match(meter.state(), { running: 3, waiting: 1 }, 'who waited goes before who comes')
  const last = running[2]
  if (last?.ok === true) meter.release(last.value, null)
  t.ok((await late).ok)
})

void t.test('waiting ends with the deadline or the request; nothing stays taken', async (t) => {
  const { acquire, meter, clock } = setup({ modelConcurrency: 1, dailyModelCalls: 1 })
  const holder = await acquire(somePlayer(), 5)
  const [late, cancelled, lucky] = [somePlayer(), somePlayer(), somePlayer()]
  const controller = new AbortController()
  const first = acquire(late, 10, { waitMs: 500 })
  const second = acquire(cancelled, 10, { signal: controller.signal })
  const third = acquire(lucky, 10, { waitMs: 501 })
  t.match(meter.state(), { waiting: 3, tokens: 35, calls: 4 })
  controller.abort()
  clock.advance(500)
  t.same(codes([await first, await second]), ['system:deadline', 'system:cancelled'])
  t.match(meter.state(), { waiting: 1, tokens: 15, calls: 2 })
  if (holder.ok) meter.release(holder.value, null)
  t.ok((await third).ok)
  t.equal(clock.pending, 0)
  const aborted = acquire(cancelled, 10, { signal: AbortSignal.abort() })
  t.same(codes([await aborted]), ['system:cancelled'], 'its quota was given back, so that is the reason')
  t.match(meter.state(), { running: 1, waiting: 0, calls: 2 })
})

void t.test('an open breaker takes nothing', async (t) => {
  const { acquire, meter, breaker } = setup()
  breaker.record('system:model_auth')
  t.same(codes([await acquire()]), ['system:model_breaker'])
  t.match(meter.state(), { calls: 0, tokens: 0, running: 0 })
})

void t.test('whatever happens in whatever order, the counts are those of a plain list', async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('acquire' as const), who: fc.nat(2), tokens: fc.nat(50) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('release' as const, 'refund' as const),
        at: fc.nat(9),
        used: fc.option(fc.nat(80)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('day' as const) }) },
  )
  const players = [somePlayer(), somePlayer(), somePlayer()] as const
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { acquire, meter, clock } = setup({ dailyModelCalls: 6, dailyTokens: 300 })
      const open: {
        permit: Parameters<typeof meter.release>[0]
        day: number
        who: number
        tokens: number
      }[] = []
      const model = { day: 0, tokens: 0, calls: [0, 0, 0] }
      for (const next of steps) {
        if (next.do === 'day') {
          clock.advance(86_400_000)
          Object.assign(model, { day: model.day + 1, tokens: 0, calls: [0, 0, 0] })
        } else if (next.do === 'acquire') {
          const mine = model.calls[next.who] ?? 0
          const expected = mine < 6 && model.tokens + next.tokens <= 300
          const got = await acquire(players[next.who as 0 | 1 | 2], next.tokens)
          if (got.ok !== expected) return false
          if (!got.ok) continue
          open.push({ permit: got.value, day: model.day, who: next.who, tokens: next.tokens })
          model.calls[next.who] = mine + 1
          model.tokens += next.tokens
        } else {
          const [closing] = open.splice(next.at % Math.max(1, open.length), 1)
          if (closing === undefined) continue
          const isToday = closing.day === model.day
          if (next.do === 'refund') {
            meter.refund(closing.permit)
            if (!isToday) continue
            model.tokens -= closing.tokens
            model.calls[closing.who] = (model.calls[closing.who] ?? 0) - 1
          } else {
            meter.release(closing.permit, next.used === null ? null : usage(next.used, 0))
            if (isToday && next.used !== null) model.tokens += next.used - closing.tokens
          }
        }
        const state = meter.state()
        const calls = model.calls.reduce((a, b) => a + b)
        if (state.tokens !== model.tokens || state.calls !== calls || state.running !== open.length)
          return false
      }
      return true
    }),
    { numRuns: 300 },
  )
})

void t.test('who waits for a place when the breaker opens asks nobody, and pays nothing', async (t) => {
  const { acquire, breaker, meter } = setup({ modelConcurrency: 1 })
  const first = await acquire()
  const waiting = [acquire(), acquire()]
  await turn()
  t.match(meter.state(), { running: 1, waiting: 2, calls: 3 })
  breaker.record('system:model_auth')
  if (first.ok) meter.release(first.value, usage(5, 5))
  t.same(codes(await Promise.all(waiting)), ['system:model_breaker', 'system:model_breaker'])
  t.match(meter.state(), { running: 0, waiting: 0, calls: 1, tokens: 10 })
  breaker.close()
})
