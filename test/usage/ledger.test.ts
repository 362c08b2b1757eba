import fc from 'fast-check'
import t from 'tap'
import type { PlayerId } from '../../lib/core/ids.js'
import { tokensOf, type UsageCounts } from '../../lib/usage/counts.js'
import { serverReport, type UsageLedger } from '../../lib/usage/index.js'
import { somePlayer } from '../support/kernel.js'
import { granted, MODEL, openUsage, price, usageOf } from '../support/usage.js'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const codes = (results: readonly ({ ok: true } | { ok: false; failure: { code: string } })[]): string[] =>
  results.map((result) => (result.ok ? 'ok' : result.failure.code))
const total = (ledger: UsageLedger): UsageCounts => ledger.day().total

void t.test('of twenty calls in one tick with one left, one passes', async (t) => {
  const cases = [
    ['system:quota_player', { dailyModelCalls: 3 }],
    ['system:quota_server', { dailyTokens: 3 * 150 }],
    // 100 at 1 and 50 at 2 are 200 millionths
    ['system:quota_server', { dailyCost: 0.0006 }],
  ] as const
  for (const [code, limits] of cases) {
    const { take, ledger } = openUsage({ limits })
    const player = somePlayer()
    granted(take(player))
    granted(take(player))
    const results = codes(Array.from({ length: 20 }, () => take(player)))
    t.equal(results.filter((result) => result === 'ok').length, 1)
    t.equal(results.filter((result) => result === code).length, 19)
    t.match(total(ledger), { calls: 3, prompt: 300, output: 150, cost: 600, estimated: 3 })
  }
})

void t.test('the worst case counts against the cost, cached or not', async (t) => {
  const dear = openUsage({ limits: { dailyCost: 0.0001 }, models: [price({ hit: 5, miss: 1, output: 0 })] })
  t.same(codes([dear.take(somePlayer(), 100, 0)]), ['system:quota_server'])
  const free = openUsage({ limits: { dailyCost: 0 }, models: [price({ hit: 0, miss: 0, output: 0 })] })
  t.same(codes([free.take()]), ['ok'])
})

void t.test(
  'a call without a price is let through, counted and marked, and the log says so once a day',
  async (t) => {
    const { take, ledger, logger, clock } = openUsage({ limits: { dailyCost: 0 }, models: [price()] })
    granted(take(somePlayer(), 10, 5, 'unknown')).settle(usageOf(7, 3))
    granted(take(somePlayer(), 10, 5, 'unknown')).settle(usageOf(0, 0))
    t.match(
      total(ledger),
      { calls: 2, unpriced: 1, prompt: 7, output: 3, cost: 0 },
      'nothing used needs no price',
    )
    t.equal(logger.lines.length, 1)
    clock.advance(DAY_MS)
    granted(take(somePlayer(), 10, 5, 'unknown'))
    t.equal(logger.lines.length, 2)
  },
)

void t.test('settled by token classes, at the prices of the moment when it was taken', async (t) => {
  const { take, ledger, prices } = openUsage()
  const player = somePlayer()
  const charge = granted(take(player))
  prices.models = [price({ miss: 1_000 })]
  charge.settle(usageOf(90, 20, 40, 5))
  const expected = {
    calls: 1,
    estimated: 0,
    unpriced: 0,
    searches: 0,
    prompt: 90,
    cached: 40,
    output: 20,
    reasoning: 5,
  }
  // 40 at 0.01, 50 at 1, 20 at 2 for a million
  t.same(total(ledger), { ...expected, cost: 91 })
  t.same(ledger.day().countsOf(player), { ...expected, cost: 91 })
})

void t.test('what nobody says, or what cannot be, stays the worst case and is marked', async (t) => {
  for (const usage of [null, usageOf(10, 10, 11), usageOf(10, 10, 0, 11), usageOf(2e9, 0), usageOf(0, 2e9)]) {
    const { take, ledger } = openUsage()
    granted(take()).settle(usage)
    t.match(total(ledger), { calls: 1, estimated: 1, prompt: 100, output: 50, cost: 200 })
  }
})

void t.test('closing twice does nothing the second time', async (t) => {
  const { take, ledger } = openUsage()
  const [a, b] = [granted(take()), granted(take())]
  a.settle(usageOf(1, 1))
  b.refund()
  const before = total(ledger)
  for (const charge of [a, b]) {
    charge.settle(usageOf(50, 50))
    charge.refund()
    charge.settle(null)
  }
  t.same(total(ledger), before)
  t.match(before, { calls: 1, prompt: 1, output: 1 })
  t.equal(ledger.day().accounts.size, 1, 'an account in which nothing is left goes')
})

void t.test('what is open over midnight is settled on its own day', async (t) => {
  const { take, ledger, clock } = openUsage({ startMs: Date.UTC(2026, 10, 30, 23, 59, 59) })
  const player = somePlayer()
  const [settled, refunded, kept] = [granted(take(player)), granted(take(player)), granted(take(player))]
  clock.advance(1_000)
  granted(take(player)).settle(usageOf(1, 1))
  settled.settle(usageOf(10, 10))
  refunded.refund()
  kept.settle(null)
  t.match(ledger.today(), { day: '2026-12-01', calls: 1, tokens: 2 })
  t.match(ledger.days()[1]?.total, { calls: 2, estimated: 1, prompt: 110, output: 60 })
})

void t.test('a day is one day of quota where clocks are set', async (t) => {
  const cases = [
    // no midnight on the 24th: 23:59:59 is followed by 01:00
    ['Africa/Cairo', '2026-04-23T00:00:00Z', 72, 4],
    // 23:00 to 23:59 of the 29th comes twice
    ['Africa/Cairo', '2026-10-29T00:00:00Z', 48, 3],
    ['America/New_York', '2026-11-01T04:00:00Z', 47, 2],
    ['UTC', '2026-02-28T00:00:00Z', 48, 2],
  ] as const
  for (const [timeZone, from, hours, days] of cases) {
    const { take, clock } = openUsage({ startMs: Date.parse(from), limits: { timeZone, dailyModelCalls: 1 } })
    const player = somePlayer()
    let passed = 0
    for (let quarter = 0; quarter < hours * 4; quarter++) {
      if (take(player).ok) passed++
      clock.advance(HOUR_MS / 4)
    }
    t.equal(passed, days, `${timeZone} ${from}`)
  }
})

void t.test('a clock that is set back gives no quota back, and takes none of tomorrow', async (t) => {
  const { take, clock, ledger } = openUsage({ limits: { dailyModelCalls: 1 } })
  const player = somePlayer()
  const tries: string[] = []
  for (const iso of [
    '2026-11-30T23:59:00Z',
    '2026-12-01T00:01:00Z',
    '2026-11-30T23:58:00Z',
    '2026-12-01T00:02:00Z',
    '2026-12-02T00:00:00Z',
  ]) {
    clock.setNow(Date.parse(iso))
    tries.push(...codes([take(player)]), ledger.today().day)
  }
  t.same(tries, [
    'ok',
    '2026-11-30',
    'ok',
    '2026-12-01',
    'system:quota_player',
    '2026-12-01',
    'system:quota_player',
    '2026-12-01',
    'ok',
    '2026-12-02',
  ])
})

void t.test('another zone by a reload gives no quota back', async (t) => {
  const { take, clock, ledger, limits } = openUsage({
    startMs: Date.UTC(2026, 10, 30, 11),
    limits: { dailyModelCalls: 1, timeZone: 'Pacific/Kiritimati' },
  })
  const player = somePlayer()
  granted(take(player))
  t.equal(ledger.today().day, '2026-12-01')
  limits.timeZone = 'Pacific/Pago_Pago'
  t.same(codes([take(player)]), ['system:quota_player'])
  clock.advance(24 * HOUR_MS)
  t.match(ledger.today(), { day: '2026-12-01', calls: 1 }, 'that day has come there only now')
  clock.advance(24 * HOUR_MS)
  t.match(ledger.today(), { day: '2026-12-02', calls: 0 })
})

void t.test('a clock that was years ahead blocks nobody for years', async (t) => {
  const { take, clock, logger } = openUsage({
    startMs: Date.UTC(2099, 0, 1, 12),
    limits: { dailyModelCalls: 1 },
  })
  const player = somePlayer()
  granted(take(player))
  clock.setNow(Date.UTC(2026, 10, 30, 12))
  t.same(codes([take(player)]), ['system:quota_player'])
  clock.advance(DAY_MS)
  t.same(codes([take(player), take(player)]), ['ok', 'system:quota_player'])
  t.match(logger.messages(), [/today is 2099-01-02, .* it shows 2026-12-01/])
})

void t.test('another currency is not added to a day that has costs', async (t) => {
  const { take, ledger, prices, clock } = openUsage()
  granted(take()).settle(usageOf(100, 0))
  prices.currency = 'CNY'
  granted(take()).settle(usageOf(100, 0))
  t.match(ledger.day(), { currency: 'USD', total: { calls: 2, unpriced: 1, cost: 100 } })
  clock.advance(DAY_MS)
  granted(take()).settle(usageOf(300, 0))
  t.match(ledger.day(), { currency: 'CNY', total: { unpriced: 0, cost: 300 } })
  t.match(ledger.sumOf(30), { currency: 'CNY', counts: { calls: 3, cost: 300 } })
})

void t.test('a call that was taken back leaves no currency behind', async (t) => {
  const { take, ledger, prices } = openUsage()
  granted(take()).refund()
  prices.currency = 'CNY'
  granted(take()).settle(usageOf(100, 0))
  t.match(ledger.day(), { currency: 'CNY', total: { calls: 1, unpriced: 0, cost: 100 } })
})

void t.test('searches', async (t) => {
  const { ledger } = openUsage()
  const player = somePlayer()
  ledger.addSearch(player, 'deepseek')
  ledger.addSearch(player, 'unknown')
  t.match(ledger.day().countsOf(player), { calls: 0, searches: 2, unpriced: 1, cost: 750 })
  t.match(ledger.day().currency, 'USD')
})

void t.test('days in memory are bounded', async (t) => {
  const { take, ledger, clock, saver } = openUsage()
  for (let day = 0; day < 450; day++) {
    granted(take()).settle(null)
    if (day % 3 === 0) await saver.flush()
    clock.advance(DAY_MS)
  }
  await saver.flush()
  t.equal(ledger.days().length, 400)
  granted(take())
  clock.advance(DAY_MS)
  ledger.day()
  t.equal(
    ledger.days().filter(({ accounts }) => accounts.size > 0).length,
    6,
    'of seven days, and today has none yet',
  )
  t.equal(ledger.sumOf(30).counts.calls, 29)
})

void t.test(
  'whatever happens, the players of a day together are the server, and the counts those of a list',
  async () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('take' as const),
          who: fc.nat(3),
          input: fc.nat(60),
          output: fc.nat(60),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('settle' as const),
          at: fc.nat(9),
          used: fc.option(fc.tuple(fc.nat(80), fc.nat(80))),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('refund' as const), at: fc.nat(9) }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('clock' as const), hours: fc.integer({ min: -80, max: 60 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('zone' as const),
          zone: fc.constantFrom('UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Cairo'),
        }),
      },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { take, ledger, clock, limits } = openUsage({
          limits: { dailyModelCalls: 8, dailyTokens: 700, dailyCost: 0.001 },
        })
        const players: readonly PlayerId[] = Array.from({ length: 4 }, () => somePlayer())
        const open: { charge: ReturnType<typeof granted>; day: string; tokens: number }[] = []
        const model = new Map<string, { calls: number; tokens: number }>()
        const add = (day: string, calls: number, tokens: number): void => {
          const before = model.get(day) ?? { calls: 0, tokens: 0 }
          model.set(day, { calls: before.calls + calls, tokens: before.tokens + tokens })
        }
        for (const next of steps) {
          if (next.do === 'clock') clock.setNow(clock.now() + next.hours * HOUR_MS)
          else if (next.do === 'zone') limits.timeZone = next.zone
          else if (next.do === 'take') {
            const taken = take(
              players[next.who],
              next.input,
              next.output,
              next.who === 3 ? 'unpriced' : MODEL,
            )
            if (!taken.ok) continue
            const { day } = ledger.today()
            open.push({ charge: taken.value, day, tokens: next.input + next.output })
            add(day, 1, next.input + next.output)
          } else {
            const [closing] = open.splice(next.at % Math.max(1, open.length), 1)
            if (closing === undefined) continue
            if (next.do === 'refund') {
              closing.charge.refund()
              add(closing.day, -1, -closing.tokens)
            } else {
              const used = next.used === null ? null : usageOf(...next.used)
              closing.charge.settle(used)
              if (used !== null) add(closing.day, 0, used.prompt + used.output - closing.tokens)
            }
          }
          for (const day of ledger.days()) {
            const expected = model.get(day.key) ?? { calls: 0, tokens: 0 }
            if (day.total.calls !== expected.calls || tokensOf(day.total) !== expected.tokens) return false
            for (const field of Object.keys(day.total) as (keyof UsageCounts)[]) {
              const sum = [...day.accounts.values()].reduce((all, { counts }) => all + counts[field], 0)
              if (sum !== day.total[field]) return false
            }
          }
        }
        return true
      }),
      { numRuns: 300 },
    )
  },
)

void t.test("the server's report names who used most", async (t) => {
  const { take, ledger } = openUsage()
  for (let n = 1; n <= 12; n++) granted(take(somePlayer(), n * 10, 0)).settle(usageOf(n * 10, 0))
  const { server } = serverReport(ledger)
  t.equal(server?.top.length, 10)
  t.equal(server?.top[0]?.counts.prompt, 120)
  t.equal(server?.month.counts.calls, 12)
})
