import t from 'tap'
import { RateLimits, type LimitKind, type LimitVerdict } from '../../../lib/agent/limits.js'
import type { Clock } from '../../../lib/core/clock.js'
import { playerId } from '../../../lib/core/ids.js'
import type { Logger } from '../../../lib/core/logger.js'

const ALICE = playerId('00000000-0000-0000-0000-00000000000a')
const BOB = playerId('00000000-0000-0000-0000-00000000000b')

function harness(): { limits: RateLimits; wait: (ms: number) => void; lines: string[] } {
  let at = 5_000
  const lines: string[] = []
  const clock: Clock = { now: () => 0, monotonic: () => at, after: () => () => {}, every: () => () => {} }
  const logger: Logger = { info() {}, error() {}, warn: (line) => lines.push(line) }
  return {
    limits: new RateLimits(clock, logger),
    lines,
    wait: (ms) => {
      at += ms
    },
  }
}

/** Verdicts in a row as `3 ok, 1 notice`. */
function row(limits: RateLimits, kind: LimitKind, times: number, player = ALICE): string {
  const runs: { verdict: LimitVerdict; count: number }[] = []
  for (let n = 0; n < times; n += 1) {
    const verdict = limits.take(player, kind)
    const last = runs.at(-1)
    if (last?.verdict === verdict) last.count += 1
    else runs.push({ verdict, count: 1 })
  }
  return runs.map(({ verdict, count }) => `${count} ${verdict}`).join(', ')
}

type Step = readonly [waitMs: number, times: number, expected: string]
const cases: Readonly<Record<LimitKind, readonly Step[]>> = {
  text: [
    [0, 8, '5 ok, 1 notice, 2 silent'],
    [1_999, 1, '1 silent'],
    [1, 2, '1 ok, 1 silent'],
    [3_000, 3, '1 ok, 1 notice, 1 silent'],
    [60_000, 7, '5 ok, 1 notice, 1 silent'],
  ],
  act: [
    [0, 12, '10 ok, 1 notice, 1 silent'],
    [99, 1, '1 silent'],
    [1, 2, '1 ok, 1 silent'],
    [1_000, 11, '10 ok, 1 silent'],
    [5_000, 11, '10 ok, 1 notice'],
  ],
  completion: [
    [0, 25, '20 ok, 5 silent'],
    [50, 2, '1 ok, 1 silent'],
    [1_000, 21, '20 ok, 1 silent'],
  ],
  click: [
    [0, 45, '40 ok, 5 silent'],
    [25, 2, '1 ok, 1 silent'],
    [1_000, 41, '40 ok, 1 silent'],
  ],
  'wrong-token': [
    [0, 12, '10 ok, 2 silent'],
    [5_999, 1, '1 silent'],
    [1, 2, '1 ok, 1 silent'],
    [60_000, 12, '10 ok, 2 silent'],
  ],
  payload: [[0, 3, '3 ok']],
  length: [
    [0, 3, '1 notice, 2 silent'],
    [5_000, 2, '1 notice, 1 silent'],
  ],
}

for (const [kind, steps] of Object.entries(cases) as [LimitKind, readonly Step[]][]) {
  void t.test(`the bucket for ${kind}`, async (t) => {
    const { limits, wait } = harness()
    for (const [waitMs, times, expected] of steps) {
      wait(waitMs)
      t.equal(row(limits, kind, times), expected, `after ${waitMs} ms`)
    }
  })
}

void t.test('bytes of plugin channels: 64 KiB a second', async (t) => {
  const { limits, wait } = harness()
  const takes = (bytes: number): LimitVerdict => limits.take(ALICE, 'payload', bytes)
  t.strictSame(
    [takes(65_537), takes(65_000), takes(537), takes(536), takes(1)].join(' '),
    'silent ok silent ok silent',
  )
  wait(500)
  t.equal(takes(32_769), 'silent')
  t.equal(takes(32_768), 'ok')
  wait(60_000)
  t.equal(takes(65_536), 'ok')
})

void t.test('players and kinds have buckets of their own', async (t) => {
  const { limits } = harness()
  t.equal(row(limits, 'text', 6), '5 ok, 1 notice')
  t.equal(row(limits, 'act', 1), '1 ok')
  t.equal(row(limits, 'text', 6, BOB), '5 ok, 1 notice')
})

void t.test('one notice in five seconds for all kinds together', async (t) => {
  const { limits, wait } = harness()
  row(limits, 'text', 5)
  row(limits, 'act', 10)
  t.equal(row(limits, 'text', 1), '1 notice')
  t.equal(row(limits, 'act', 1), '1 silent')
  wait(5_000)
  row(limits, 'act', 10)
  t.equal(row(limits, 'act', 1), '1 notice')
})

void t.test('one log line a minute, with ids and counts only', async (t) => {
  const { limits, wait, lines } = harness()
  row(limits, 'completion', 100)
  t.strictSame(lines, [`limits: ${ALICE} is over the limit for completion (refused 1)`])
  wait(59_990)
  row(limits, 'completion', 100)
  t.equal(lines.length, 1)
  wait(10)
  row(limits, 'completion', 1)
  t.strictSame(lines[1], `limits: ${ALICE} is over the limit for completion (refused 160)`)
  t.equal(lines.length, 2)
})

void t.test('a player who left or rests is forgotten', async (t) => {
  const { limits, wait } = harness()
  row(limits, 'text', 6)
  limits.forget(ALICE)
  t.equal(limits.size, 0)
  t.equal(row(limits, 'text', 6), '5 ok, 1 notice')
  wait(60_000)
  row(limits, 'text', 1, BOB)
  t.equal(limits.size, 1)
})
