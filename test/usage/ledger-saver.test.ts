import fc from 'fast-check'
import t from 'tap'
import type { UsageCounts } from '../../lib/usage/counts.js'
import { LEDGER_KEY } from '../../lib/usage/ledger-record.js'
import type { UsageLedger } from '../../lib/usage/index.js'
import { FaultyDriver } from '../support/faulty-driver.js'
import { somePlayer, turn } from '../support/kernel.js'
import { granted, openUsage, usageOf, type UsageSetup } from '../support/usage.js'

const DAY_MS = 86_400_000

async function stored(driver: FaultyDriver): Promise<ReadonlyMap<string, Uint8Array>> {
  const read = await driver.read(LEDGER_KEY, Infinity)
  if (!read.ok) throw new Error(read.failure.code)
  return read.value?.parts ?? new Map()
}
const parts = async (driver: FaultyDriver): Promise<string[]> => [...(await stored(driver)).keys()].sort()
const total = (ledger: UsageLedger): UsageCounts => ledger.day().total
/** All that was begun comes to its end: everything here is promises. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn()
}
/** What the next run finds. */
async function reopened(driver: FaultyDriver, setup: UsageSetup = {}) {
  const next = openUsage({ ...setup, driver })
  await next.saver.load()
  return next
}

void t.test('a call is durable within a second, many in one write', async (t) => {
  const { take, clock, driver } = openUsage()
  const player = somePlayer()
  for (let n = 0; n < 50; n++) granted(take(player)).settle(usageOf(10, 1))
  t.equal(driver.commits, 0)
  clock.advance(999)
  await settled()
  t.equal(driver.commits, 1)
  const { ledger, take: takeAgain } = await reopened(driver, { limits: { dailyModelCalls: 51 } })
  t.match(total(ledger), { calls: 50, prompt: 500, output: 50, estimated: 0 })
  t.ok(takeAgain(player).ok)
  t.match(
    takeAgain(player),
    { ok: false, failure: { code: 'system:quota_player' } },
    'a restart gives nothing back',
  )
  t.equal(clock.pending, 0, 'nothing is timed while there is nothing to write')
})

void t.test('a call under way when the server dies stays charged with its worst case', async (t) => {
  const { take, clock, driver } = openUsage()
  granted(take())
  clock.advance(999)
  await settled()
  const { ledger } = await reopened(driver)
  t.match(total(ledger), { calls: 1, estimated: 1, prompt: 100, output: 50, cost: 200 })
})

void t.test('both days are written when calls are open over midnight', async (t) => {
  const { take, clock, driver, saver } = openUsage({ startMs: Date.UTC(2026, 10, 30, 23, 59, 59) })
  const open = granted(take())
  clock.advance(1_000)
  granted(take()).settle(usageOf(1, 1))
  open.settle(usageOf(2, 2))
  t.match(await saver.flush(), { ok: true })
  t.same(await parts(driver), ['2026-11-30', '2026-11-30/players', '2026-12-01', '2026-12-01/players'])
  const { ledger } = await reopened(driver, { startMs: Date.UTC(2026, 11, 1) })
  t.same(
    ledger.days().map(({ key, total }) => [key, total.calls, total.prompt]),
    [
      ['2026-12-01', 1, 1],
      ['2026-11-30', 1, 2],
    ],
  )
})

void t.test(
  'a failed write keeps what it had and is made again, with growing pauses and one line',
  async (t) => {
    const { take, clock, driver, saver, logger } = openUsage()
    driver.commitFaults.push(...Array.from({ length: 8 }, () => 'system:storage_failed' as const))
    granted(take()).settle(usageOf(7, 3))
    clock.advance(400)
    await settled()
    t.equal(saver.state(), 'system:storage_failed')
    const pauses: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      let waited = 0
      const left = driver.commitFaults.length
      while (driver.commitFaults.length === left && driver.commits === 0) {
        clock.advance(1_000)
        waited++
        await settled()
      }
      pauses.push(waited)
      granted(take()).settle(usageOf(1, 0))
    }
    t.same(pauses, [1, 2, 4, 8, 16, 30, 30, 30])
    t.equal(saver.state(), 'on')
    t.equal(logger.lines.length, 2, 'that it fails, and that it works again')
    await saver.flush()
    t.match(total((await reopened(driver)).ledger), { calls: 9, prompt: 15 })
  },
)

void t.test('what changes during a write is in the next one', async (t) => {
  const { take, clock, driver } = openUsage()
  let open = (): void => {}
  driver.gate = new Promise((resolve) => (open = resolve))
  granted(take()).settle(usageOf(1, 0))
  clock.advance(400)
  await settled()
  granted(take()).settle(usageOf(2, 0))
  clock.advance(400)
  await settled()
  t.equal(driver.commits, 0)
  open()
  await settled()
  t.equal(driver.commits, 2)
  t.match(total((await reopened(driver)).ledger), { calls: 2, prompt: 3 })
})

void t.test(
  'after an unclear or a conflicting write the record is read again, nothing is counted twice',
  async (t) => {
    for (const code of ['system:storage_unknown', 'system:storage_conflict'] as const) {
      const { take, driver, saver } = openUsage()
      granted(take()).settle(usageOf(5, 5))
      driver.commitFaults.push(code)
      t.match(await saver.flush(), { ok: false, failure: { code } })
      granted(take()).settle(usageOf(1, 1))
      t.match(await saver.flush(), { ok: true })
      t.match(total((await reopened(driver)).ledger), { calls: 2, prompt: 6, output: 6 }, code)
    }
  },
)

void t.test('closing writes what is left, tries once more, and ends the timers', async (t) => {
  const { take, driver, saver, clock, logger } = openUsage()
  const open = granted(take())
  granted(take()).settle(usageOf(1, 0))
  driver.commitFaults.push('system:storage_failed')
  await saver.close()
  t.match(total((await reopened(driver)).ledger), { calls: 2 })
  open.settle(usageOf(1, 1))
  t.equal(clock.pending, 0)
  await saver.close()
  const lost = openUsage()
  granted(lost.take())
  lost.driver.commitFaults.push('system:storage_failed', 'system:storage_failed')
  await lost.saver.close()
  t.match(lost.logger.messages().at(-1), /not kept/)
  t.notMatch(logger.messages().join(), /not kept/)
})

void t.test('a ledger that cannot be read is left as it is; caps hold by what this run counts', async (t) => {
  for (const code of ['system:storage_unreadable', 'system:storage_newer'] as const) {
    const driver = new FaultyDriver()
    driver.readFaults.push(code)
    const { take, ledger, saver, clock, logger } = await reopened(driver, { limits: { dailyModelCalls: 1 } })
    const player = somePlayer()
    granted(take(player)).settle(usageOf(1, 1))
    t.match(take(player), { ok: false, failure: { code: 'system:quota_player' } })
    t.equal(total(ledger).calls, 1)
    clock.advance(60_000)
    await settled()
    await saver.close()
    t.same(await parts(driver), [], 'nothing is written')
    t.equal(saver.state(), code)
    t.match(logger.lines[0], { level: 'error', cause: { code } })
    t.equal(clock.pending, 0)
  }
})

void t.test('a ledger that can be read only later is added to what was counted meanwhile', async (t) => {
  const first = openUsage()
  const player = somePlayer()
  granted(first.take(player)).settle(usageOf(10, 0))
  await first.saver.close()
  first.driver.readFaults.push('system:storage_failed', 'system:storage_failed')
  const { take, ledger, clock, saver } = await reopened(first.driver)
  granted(take(player)).settle(usageOf(1, 0))
  granted(take()).settle(usageOf(1, 0))
  t.match(total(ledger), { calls: 2 })
  clock.advance(5_000)
  await settled()
  clock.advance(5_000)
  await settled()
  t.equal(saver.state(), 'on')
  t.match(total(ledger), { calls: 3, prompt: 12 })
  t.match(ledger.day().countsOf(player), { calls: 2, prompt: 11 })
  t.match(total((await reopened(first.driver)).ledger), { calls: 3, prompt: 12 })
})

void t.test('one damaged day is left alone, the others live', async (t) => {
  const first = openUsage({ startMs: Date.UTC(2026, 10, 29, 12) })
  granted(first.take()).settle(usageOf(10, 0))
  first.clock.advance(DAY_MS)
  granted(first.take()).settle(usageOf(20, 0))
  await first.saver.close()
  const record = await stored(first.driver)
  for (const bad of ['2026-11-30', '2026-11-30/players']) {
    const driver = new FaultyDriver()
    const others = [
      ['other', Buffer.from('not ours')],
      ['0000-99-99', Buffer.from('not ours')],
    ] as const
    const put = new Map([...record, ...others, [bad, Buffer.from('damaged')]])
    await driver.commit([{ key: LEDGER_KEY, base: 0, put, drop: [], maxBytes: Infinity }])
    const { take, ledger, saver, clock, logger } = await reopened(driver)
    t.equal(ledger.days().find(({ key }) => key === '2026-11-29')?.total.prompt, 10)
    t.match(logger.messages(), [/2026-11-30 can't be read/])
    granted(take()).settle(null)
    t.equal(saver.state(), 'system:storage_unreadable')
    clock.advance(DAY_MS)
    granted(take()).settle(null)
    await saver.close()
    const parts = await stored(driver)
    t.equal(Buffer.from(parts.get(bad) ?? []).toString(), 'damaged')
    t.ok(parts.has('2026-12-01'), 'the next day is written')
    t.ok(parts.has('other'), 'what is not ours stays')
  }
})

void t.test('a clock that went back over a restart: the day stays, and its quota', async (t) => {
  const first = openUsage({ startMs: Date.UTC(2026, 11, 1, 0, 5) })
  const player = somePlayer()
  granted(first.take(player)).settle(null)
  await first.saver.close()
  const { take, ledger } = await reopened(first.driver, {
    startMs: Date.UTC(2026, 10, 30, 23),
    limits: { dailyModelCalls: 1 },
  })
  t.match(ledger.today(), { day: '2026-12-01', calls: 1 })
  t.match(take(player), { ok: false, failure: { code: 'system:quota_player' } })
})

void t.test('a clock that was years ahead: the days go on over restarts', async (t) => {
  const first = openUsage({ startMs: Date.UTC(2099, 0, 1) })
  granted(first.take()).settle(null)
  await first.saver.close()
  const second = await reopened(first.driver, { startMs: Date.UTC(2026, 10, 30, 12) })
  t.match(second.ledger.today(), { day: '2099-01-01', calls: 1 })
  await second.saver.close()
  const third = await reopened(first.driver, { startMs: Date.UTC(2026, 11, 1, 12) })
  t.match(third.ledger.today(), { day: '2099-01-02', calls: 0 })
})

void t.test('what could not be written for days is written in full when it can be', async (t) => {
  const { take, clock, driver, saver } = openUsage()
  driver.commitFaults.push(...Array.from({ length: 12 }, () => 'system:storage_failed' as const))
  for (let day = 0; day < 12; day++) {
    granted(take()).settle(null)
    await saver.flush()
    clock.setNow(clock.now() + DAY_MS)
  }
  t.match(await saver.flush(), { ok: true })
  const tags = await stored(driver)
  const accounts = [...tags].filter(([name]) => name.endsWith('/players'))
  t.equal(accounts.length, 12)
  t.equal(new Set(accounts.map(([, tag]) => tag.length)).size, 1, 'each with its one player')
})

void t.test('old days go: accounts after two months, totals after 400 days', async (t) => {
  const { take, clock, driver, saver } = openUsage()
  for (let day = 0; day < 410; day++) {
    granted(take()).settle(null)
    await saver.flush()
    clock.advance(DAY_MS)
  }
  const names = await parts(driver)
  t.equal(names.filter((name) => !name.includes('/')).length, 400)
  t.equal(names.filter((name) => name.includes('/')).length, 62)
  const { ledger } = await reopened(driver, { startMs: clock.now() - DAY_MS })
  t.equal(ledger.sumOf(30).counts.calls, 30)
  t.equal(ledger.days().filter(({ accounts }) => accounts.size > 0).length, 7)
})

void t.test('a record that is full gives up its oldest accounts, never today', async (t) => {
  const { take, clock, driver, saver } = openUsage()
  driver.maxBytes = 2_000
  for (let day = 0; day < 10; day++) {
    granted(take()).settle(null)
    t.match(await saver.flush(), { ok: true })
    if (day < 9) clock.advance(DAY_MS)
  }
  const names = await parts(driver)
  t.ok(names.includes('2026-12-09/players'))
  t.notOk(names.includes('2026-11-30/players'))
  driver.maxBytes = 10
  granted(take())
  t.match(await saver.flush(), { ok: false, failure: { code: 'system:storage_full' } })
  driver.maxBytes = Infinity
  t.match(await saver.flush(), { ok: true })
})

void t.test(
  'whatever fails and whenever it dies, what was flushed is there and no more than was charged',
  async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('call' as const), prompt: fc.nat(50) }) },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('fault' as const),
          code: fc.constantFrom('system:storage_failed', 'system:storage_unknown', 'system:storage_conflict'),
        }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('day' as const) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const driver = new FaultyDriver()
        let run = openUsage({ driver })
        await run.saver.load()
        let [flushed, charged] = [0, 0]
        const sum = (): number => run.ledger.days().reduce((all, { total }) => all + total.prompt, 0)
        for (const next of steps) {
          if (next.do === 'call') {
            granted(run.take(somePlayer(), 100, 0)).settle(usageOf(next.prompt, 0))
            charged += next.prompt
          } else if (next.do === 'fault') driver.commitFaults.push(next.code)
          else if (next.do === 'day') run.clock.setNow(run.clock.now() + DAY_MS)
          else if (next.do === 'flush') {
            const result = await run.saver.flush()
            if (result.ok) flushed = charged
          } else {
            const startMs = run.clock.now()
            driver.commitFaults.length = 0
            run = openUsage({ driver, startMs })
            await run.saver.load()
            if (sum() < flushed || sum() > charged) return false
            flushed = charged = sum()
          }
          if (sum() !== charged) return false
        }
        return true
      }),
      { numRuns: 200 },
    )
  },
)
