/** Fifty players come and go and fifty requests are made: everything that can be counted is as before. */
import type { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import { faults } from '../../lib/testing/index.js'
import { CountingClock } from '../support/counting-clock.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'

const JOINS = 50
const AT_ONCE = 5
const REQUESTS = 50
/** The heartbeat of the data folder's lock, and the look for databases that nobody uses. */
const STANDING_TIMERS = 2
const GROUPS = ['agent', 'storage', 'compute'] as const

const listeners = (emitter: EventEmitter): Record<string, number> =>
  Object.fromEntries(
    emitter.eventNames().map((event): [string, number] => [String(event), emitter.listenerCount(event)]),
  )

/** Everything that can be counted, as texts so that a difference says what it is of. */
function counts({ serv, runtime }: LiveSystem, clock: CountingClock): Record<string, unknown> {
  const { sessions, tokens, cards, engine, meter, tickQueue, groups } = runtime
  return {
    serv: listeners(serv),
    connections: listeners(serv._server),
    process: listeners(process),
    timers: clock.pending,
    databases: runtime.databases.opened,
    players: serv.players.length,
    entities: Object.keys(serv.entities).length,
    clients: Object.keys(serv._server.clients).length,
    sessions: [...sessions.all()].length,
    tokens: tokens.players,
    cards: cards.players,
    engine: engine.state(),
    calls: { running: meter.state().running, waiting: meter.state().waiting },
    ticks: tickQueue.state().waiting,
    groups: GROUPS.map((name) => {
      const { threads, running, waiting } = groups[name].state()
      return { name, threads, running, waiting }
    }),
  }
}

/** What keeps the process alive; connections to the provider, which it keeps for a while, left out. */
const resources = (): string[] => process.getActiveResourcesInfo().filter((name) => !name.startsWith('TCP'))

/** One round of requests: answers, faults, cancellations, cards with buttons. */
async function ask({ provider }: LiveSystem, t: Test, seat: Seat, round: number): Promise<void> {
  const number = provider.requests.length + 1
  switch (round % 5) {
    case 0:
      provider.script(good(ANSWER))
      return void t.equal(await seat.ask('/system ask how deep?'), TEXT)
    case 1:
      provider.script(faults.cut(ANSWER))
      return void (await seat.ask('/system ask how deep?'))
    case 2:
      provider.script(faults.slowHeaders(ANSWER))
      seat.say('/system ask how deep?')
      await provider.request(number)
      return void t.match(await seat.ask('/system cancel'), /cancelled/)
    case 3:
      return void t.match(await seat.ask('/system where am i'), /Health/)
    default:
      provider.script(good({ type: 'player.info', input: {} }), good(ANSWER))
      return void t.equal(await seat.ask('/system reason how deep?'), TEXT)
  }
}

void t.test('nothing piles up', async (t) => {
  const clock = new CountingClock()
  const live = await openLive(t, { clock })
  const { stray, runtime, serv } = live
  const alice = await live.join('alice')
  const visit = async (name: string): Promise<void> => {
    const seat = await live.join(name)
    await seat.ask('/system recipe piston')
    await seat.leave()
  }
  const settle = async (): Promise<void> => {
    await eventually(() => serv.players.length === 1 && Object.keys(serv._server.clients).length === 1)
    await eventually(() => runtime.meter.state().running === 0)
    // the last grace of an ended request, and writes that are under way
    await eventually(
      () =>
        clock.pending === STANDING_TIMERS &&
        GROUPS.every((name) => runtime.groups[name].state().running === 0),
    )
  }
  for (let round = 0; round < 5; round += 1) await ask(live, t, alice, round)
  await visit('first')
  await settle()
  const before = counts(live, clock)
  const alive = resources()
  for (let joins = 0; joins < JOINS; joins += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => visit(`guest${joins + index}`)))
  for (let round = 0; round < REQUESTS; round += 1) await ask(live, t, alice, round)
  await settle()
  t.strictSame(counts(live, clock), before)
  // those of the tests' own clients come and go
  await eventually(() => resources().length <= alive.length)
  t.strictSame(await alice.rest(), [])
  t.strictSame(stray, [])
})
