/** Workers that break the contract, seen by the players whose requests run in them. */
import { Piscina } from 'piscina'
import t, { type Test } from 'tap'
import { runJob } from '../../lib/pool/index.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import type { SystemOptions } from '../support/system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'
import { lineOf, reservationOf } from './fault-rig.js'
import { faults } from '../../lib/testing/index.js'

const WORKERS = new URL('../fixtures/system-workers/', import.meta.url)
/** The output limit of `system:question`. */
const OUTPUT_TOKENS = 1_536
/** What the fixture's own jobs reserve. */
const RESERVED = 20
const KEY = 'sk-a-secret-of-this-test'

interface Bench extends LiveSystem {
  readonly alice: Seat
  readonly bob: Seat
}

async function open(t: Test, options: SystemOptions = {}): Promise<Bench> {
  const live = await openLive(t, { ...options, workersUrl: WORKERS })
  return { ...live, alice: await live.join('alice'), bob: await live.join('bob') }
}

/** Bob's request waits for the provider; alice's word then does its harm in the same thread. */
async function harm(t: Test, bench: Bench, word: string): Promise<void> {
  const { provider, runtime, alice, bob } = bench
  const before = runtime.meter.state().tokens
  const asked = provider.requests.length
  provider.script(faults.slowHeaders(ANSWER))
  bob.say('/system ask how deep?')
  const held = await provider.request(asked + 1)
  const [line, other] = await Promise.all([alice.ask(`/system ask ${word}`), bob.reader.nextText()])
  t.equal(line, lineOf('system:worker_lost'))
  t.equal(other, lineOf('system:worker_lost'), 'the request beside it is lost too')
  await eventually(() => runtime.meter.state().running === 0)
  const reserved = reservationOf(held, OUTPUT_TOKENS)
  t.equal(runtime.meter.state().tokens - before, RESERVED + reserved, 'both are charged')
  await held.over
  t.ok(held.aborted, 'its connection is closed')
  t.match(runtime.engine.state(), { active: 0, waiting: 0 })
  await works(t, bench)
}

/** Both players' next requests work, in one thread. */
async function works(t: Test, bench: Bench): Promise<void> {
  const { provider, alice, bob, stray } = bench
  provider.script(good(ANSWER), good(ANSWER))
  t.strictSame(
    await Promise.all([alice.ask('/system ask how deep?'), bob.ask('/system ask how deep?')]),
    [TEXT, TEXT],
    'the group has come back',
  )
  t.match((await bench.status())['threads'], /^agent=1 /)
  t.strictSame([await alice.rest(), await bob.rest()], [[], []], 'one message for each line')
  t.strictSame(stray, [], 'nothing unhandled')
  t.strictSame(provider.errors, [])
}

void t.test('a worker that exits', async (t) => harm(t, await open(t), 'exit'))
void t.test('a worker that throws outside of every promise', async (t) => harm(t, await open(t), 'throw'))
void t.test('a worker that spins', { timeout: 30_000 }, async (t) => harm(t, await open(t), 'spin'))

void t.test('a job that breaks the protocol ends alone', async (t) => {
  const bench = await open(t)
  const { provider, runtime, alice, bob } = bench
  for (const word of ['garbage', 'skip']) {
    const before = runtime.meter.state().tokens
    provider.script(faults.slowHeaders(ANSWER))
    bob.say('/system ask how deep?')
    const held = await provider.request(provider.requests.length + 1)
    t.equal(await alice.ask(`/system ask ${word}`), lineOf('system:protocol'), word)
    await eventually(() => runtime.meter.state().running === 1)
    const reserved = reservationOf(held, OUTPUT_TOKENS)
    t.equal(runtime.meter.state().tokens - before, RESERVED + reserved, 'it is charged')
    provider.release()
    t.equal(await bob.reader.nextText(), TEXT, 'the request beside it goes on')
    await works(t, bench)
  }
})

void t.test('three crashes in a minute switch the group off, not the server', async (t) => {
  const { runtime, provider, alice, bob } = await open(t)
  for (let crash = 0; crash < 3; crash += 1)
    t.equal(await alice.ask('/system ask exit'), lineOf('system:worker_lost'))
  t.equal(await bob.ask('/system ask how deep?'), lineOf('system:worker_lost'), 'refused at once')
  t.equal(provider.requests.length, 0)
  t.equal(runtime.groups.agent.state().threads, 0, 'no thread is started')
  t.match(await bob.ask('/system me'), /Health/, 'what needs no model goes on')
  t.match(runtime.engine.state(), { active: 0, waiting: 0 })
  await eventually(() => runtime.meter.state().running === 0)
})

void t.test('the compute thread is lost while a sentence is routed: a model routes it', async (t) => {
  const { provider, alice, stray } = await open(t)
  provider.script(good({ module: 'system:player_info', input: {} }))
  t.match(await alice.ask('/system detonate'), /Health/)
  t.equal(provider.requests.length, 1)
  t.match(await alice.ask('/system where am i'), /Health/, 'the group has come back: routed locally')
  t.equal(provider.requests.length, 1)
  t.strictSame(await alice.rest(), [])
  t.strictSame(stray, [])
})

void t.test('a key is where it is needed and nowhere else', async (t) => {
  process.env['SYSTEM_TEST_KEY'] = KEY
  t.teardown(() => delete process.env['SYSTEM_TEST_KEY'])
  const bench = await open(t, { config: { 'system-model': { apiKeyEnv: 'SYSTEM_TEST_KEY' } } })
  const { runtime, provider, alice, log } = bench
  const { agent, compute, storage } = runtime.groups
  for (const group of [compute, storage]) {
    const seen = await runJob(group, { kind: 'look' })
    t.match(seen, { ok: true, value: { env: {}, data: null, argv: [] } })
    t.strictSame(seen.ok && Object.keys((seen.value as { env: object }).env), [])
    t.notMatch(JSON.stringify(seen), KEY)
  }
  const seen = await agent.run({ look: true })
  t.match(seen, { ok: true, value: { data: { endpoints: [{ apiKey: KEY }] }, execArgv: [] } })
  t.strictSame(seen.ok && Object.keys((seen.value as { env: object }).env), [], 'no environment')
  provider.script(good(ANSWER))
  t.equal(await alice.ask('/system ask how deep?'), TEXT)
  t.equal(provider.requests[0]?.headers.authorization, `Bearer ${KEY}`)
  t.notMatch(JSON.stringify(await bench.status()), KEY)
  t.notMatch(log.join('\n'), KEY)
})

void t.test('no AbortSignal reaches the pool', async (t) => {
  const given: unknown[] = []
  const { run } = Piscina.prototype
  Piscina.prototype.run = function (this: Piscina, job: unknown, options?: object) {
    given.push(job, options)
    return Reflect.apply(run, this, [job, options]) as Promise<unknown>
  } as typeof run
  t.teardown(() => {
    Piscina.prototype.run = run
  })
  const { provider, alice, bob } = await open(t)
  provider.script(faults.slowHeaders(ANSWER), good(ANSWER))
  alice.say('/system ask how deep?')
  await provider.request(1)
  t.equal(await alice.ask('/system cancel'), lineOf('system:cancelled'))
  t.equal(await bob.ask('/system ask how deep?'), TEXT)
  t.match(await bob.ask('/system where am i'), /Health/)
  t.ok(given.length >= 6)
  const members = given.flatMap((value) => Object.values(value as object) as unknown[])
  t.notOk(members.some((member) => member instanceof AbortSignal))
  t.notOk(given.some((value) => 'signal' in (value as object)))
})
