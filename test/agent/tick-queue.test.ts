import t from 'tap'
import { Sessions, TickQueue } from '../../lib/agent/index.js'
import { FailureError, failure } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { ManualClock } from '../../lib/testing/index.js'
import { RecordingLogger, somePlayer } from '../support/kernel.js'

/** A queue, players, and the order in which work ran. */
function setup(players = 1) {
  const clock = new ManualClock()
  const logger = new RecordingLogger()
  const sessions = new Sessions()
  const queue = new TickQueue({ sessions, clock, logger })
  const ran: string[] = []
  const ids = Array.from({ length: players }, () => somePlayer())
  for (const id of ids) sessions.open(id, 'name', 'en_us')
  /** Schedules work that takes that long. */
  const work = (player: PlayerId, label: string, tookMs = 0) =>
    queue.schedule({
      player,
      label,
      run() {
        clock.advance(tookMs)
        ran.push(label)
        return label
      },
    })
  const [first = somePlayer(), second = first] = ids
  return { clock, logger, sessions, queue, ran, work, first, second }
}

void t.test('runs on arrival while budget is left: 16 items a tick', async (t) => {
  const { queue, ran, work, first } = setup()
  const results = Array.from({ length: 40 }, (_, at) => work(first, `${at}`))
  t.equal(ran.length, 16, 'before anybody waits for anything')
  t.same(queue.state(), { waiting: 24, ranOnArrival: 16, ranInTick: 0, slow: 0 })
  queue.tick()
  t.equal(ran.length, 32)
  queue.tick()
  t.equal(ran.length, 40)
  t.same(queue.state(), { waiting: 0, ranOnArrival: 16, ranInTick: 24, slow: 0 })
  void work(first, 'late')
  t.equal(ran.length, 41, 'eight of the third tick were left')
  t.same(
    await Promise.all(results),
    Array.from({ length: 40 }, (_, at) => ({ ok: true, value: `${at}` })),
  )
})

void t.test('runs on arrival while budget is left: 2 ms a tick', async (t) => {
  const { queue, ran, work, first } = setup()
  for (let at = 0; at < 6; at++) void work(first, `${at}`, 0.75)
  t.equal(ran.length, 3, '2.25 ms: the third had 0.5 ms when it began')
  queue.tick()
  t.equal(ran.length, 6)
  t.equal(queue.state().slow, 0)
})

void t.test('nothing overtakes those who wait', async (t) => {
  const { queue, ran, work, first, second } = setup(2)
  for (let at = 0; at < 17; at++) void work(first, `a${at}`)
  queue.tick()
  void work(first, 'a17')
  for (let at = 0; at < 14; at++) void work(first, `b${at}`)
  t.equal(ran.at(-1), 'b13', 'the tick had fifteen left')
  void work(second, 'c')
  t.not(ran.at(-1), 'c')
  queue.tick()
  t.equal(ran.at(-1), 'c')
})

void t.test('players take turns', async (t) => {
  const { queue, ran, work, first, second } = setup(2)
  for (let at = 0; at < 36; at++) void work(first, 'a')
  for (let at = 0; at < 4; at++) void work(second, 'b')
  ran.length = 0
  queue.tick()
  t.equal(ran.join(''), 'abababab' + 'a'.repeat(8), 'the one who came later is served from the first tick')
})

void t.test('a slow item is named; the tick after it has its whole budget', async (t) => {
  const { queue, ran, logger, work, first } = setup()
  void work(first, 'tool test:slow', 60)
  void work(first, 'next')
  t.same(ran, ['tool test:slow'])
  t.equal(queue.state().slow, 1)
  t.same(logger.messages(), ['tool test:slow took 60.0 ms of a tick (budget 2 ms)'])
  queue.tick()
  t.same(ran, ['tool test:slow', 'next'])
  void work(first, 'exact', 2)
  t.equal(queue.state().slow, 1, 'the budget itself is not too much')
})

void t.test('work that schedules work: behind it, its own time, the same tick', async (t) => {
  const { queue, logger, clock, ran, work, first } = setup()
  const outer = queue.schedule({
    player: first,
    label: 'outer',
    run() {
      void work(first, 'inner', 1.5)
      ran.push('outer')
      clock.advance(1)
    },
  })
  t.same(ran, ['outer', 'inner'])
  t.same(queue.state(), { waiting: 0, ranOnArrival: 2, ranInTick: 0, slow: 0 })
  t.same(logger.messages(), [], 'neither took more than 2 ms')
  t.ok((await outer).ok)
})

void t.test('work without end stays within the budget of each tick', async (t) => {
  const { queue, first } = setup()
  let runs = 0
  const again = (): void => {
    runs++
    void queue.schedule({ player: first, label: 'again', run: again })
  }
  again()
  t.equal(runs, 17, 'our own call and sixteen items')
  queue.tick()
  t.equal(runs, 33)
})

void t.test('throwing work rejects, the queue goes on', async (t) => {
  const { queue, work, first } = setup()
  const thrown = new FailureError(failure('system:unknown_item', { query: 'x' }))
  const run = (): never => {
    throw thrown
  }
  await t.rejects(queue.schedule({ player: first, label: 'throws', run }), thrown)
  t.same(await work(first, 'after'), { ok: true, value: 'after' })
})

for (const [name, move, code] of [
  ['logout', (sessions: Sessions, player: PlayerId) => sessions.close(player), 'system:disconnected'],
  ['revoke', (sessions: Sessions, player: PlayerId) => sessions.moveGeneration(player), 'system:revoked'],
  [
    'a second login',
    (sessions: Sessions, player: PlayerId) => void sessions.open(player, 'again', 'en_us'),
    'system:disconnected',
  ],
] as const) {
  void t.test(`${name} ends what waits, at once`, async (t) => {
    const { queue, sessions, ran, work, first, second } = setup(2)
    for (let at = 0; at < 16; at++) void work(second, 'filler')
    const mine = work(first, 'mine')
    const other = work(second, 'other')
    move(sessions, first)
    t.match(await mine, { ok: false, failure: { code } }, 'before any tick')
    t.equal(queue.state().waiting, 1)
    queue.tick()
    t.ok((await other).ok, 'the others are served')
    t.notOk(ran.includes('mine'))
  })
}

void t.test('who is not online is refused and uses no budget', async (t) => {
  const { queue, ran, work, first } = setup()
  for (let at = 0; at < 20; at++) {
    t.match(await work(somePlayer(), 'ghost'), { ok: false, failure: { code: 'system:disconnected' } })
  }
  for (let at = 0; at < 16; at++) void work(first, 'real')
  t.equal(ran.length, 16)
  t.equal(queue.state().waiting, 0)
})

void t.test('closing refuses what waits and what comes', async (t) => {
  const { queue, ran, work, first } = setup()
  for (let at = 0; at < 16; at++) void work(first, 'filler')
  const waiting = work(first, 'waiting')
  queue.close()
  t.match(await waiting, { ok: false, failure: { code: 'system:stopping' } })
  t.match(await work(first, 'late'), { ok: false, failure: { code: 'system:stopping' } })
  queue.tick()
  t.equal(ran.length, 16)
  t.equal(queue.state().waiting, 0)
})
