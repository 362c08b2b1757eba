/** Faults of worker pools that users reported elsewhere: area 9. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { FailureCode } from '../../lib/core/failure.js'
import { silentLogger } from '../../lib/core/logger.js'
import type { Result } from '../../lib/core/result.js'
import { runAgentJob, ThreadGroup, type ThreadGroupOptions } from '../../lib/pool/index.js'
import { agentJob, fixture } from '../support/agent-job.js'
import { eventually } from '../support/eventually.js'
import { openLive, watchProcess } from '../support/live-system.js'
import { ManualClock } from '../support/manual-clock.js'
import { consoleSays } from '../support/system.js'
import { ANSWER, good, TEXT } from '../system/fault-cases.js'
import { lineOf } from '../system/fault-rig.js'

const WORKERS = new URL('../fixtures/system-workers/', import.meta.url)

function openGroup(t: Test, over: Partial<ThreadGroupOptions> = {}): ThreadGroup {
  const group = new ThreadGroup({
    name: 'test',
    file: fixture('unruly-job'),
    threads: 1,
    concurrency: 2,
    maxWaiting: 8,
    heapMb: 64,
    workerData: null,
    clock: new ManualClock(),
    logger: silentLogger,
    ...over,
  })
  t.teardown(() => group.close('forced'))
  return group
}

const codeOf = (result: Result<unknown>): FailureCode | 'ok' => (result.ok ? 'ok' : result.failure.code)
const double = async (group: ThreadGroup): Promise<unknown> => {
  const result = await group.run({ kind: 'double', value: 21 })
  return result.ok ? result.value : result.failure.code
}

// 'function': a result that can't be cloned, which takes the thread with it
for (const kind of ['exit', 'exit-later', 'function', 'throw-outside', 'allocate']) {
  void t.test(
    `B67 a thread lost by "${kind}" settles its jobs; five behind it run, the size is restored`,
    async (t) => {
      const stray = watchProcess(t)
      const group = openGroup(t)
      const companion = group.run({ kind: 'never' })
      const culprit = group.run({ kind })
      const queued = Array.from({ length: 5 }, () => double(group))
      t.match(group.state(), { running: 2, waiting: 5 })
      t.equal(codeOf(await culprit), 'system:worker_lost')
      t.equal(codeOf(await companion), 'system:worker_lost')
      t.strictSame(await Promise.all(queued), [42, 42, 42, 42, 42])
      t.match(group.state(), { threads: 1, running: 0, waiting: 0, crashes: 1, breaker: { open: false } })
      t.strictSame(stray, [])
    },
  )
}

void t.test('B67 a culprit that comes again and again is no crash loop', async (t) => {
  const group = openGroup(t, { concurrency: 1 })
  for (let crash = 0; crash < 3; crash += 1)
    t.equal(codeOf(await group.run({ kind: 'exit' })), 'system:worker_lost')
  t.match(group.state(), { threads: 0, breaker: { open: true } })
  t.equal(
    codeOf(await group.run({ kind: 'double' })),
    'system:worker_lost',
    'refused at once, no thread is started',
  )
  t.equal(group.state().threads, 0)
})

void t.test(
  'B69 a flood behind a task that never ends: others are served, the task is ended',
  { timeout: 60_000 },
  async (t) => {
    const live = await openLive(t, { workersUrl: WORKERS, config: { 'system-surface': { shield: {} } } })
    const { provider, runtime, stray } = live
    const alice = await live.join('alice')
    const bob = await live.join('bob')
    const heapBefore = process.memoryUsage().heapUsed
    alice.say('/system ask spin')
    for (let search = 1; search < 500; search += 1) alice.say(`/system item diamond ${search}`)
    t.match(await bob.ask('/system item diamond'), /Stack size/, 'another player is answered meanwhile')
    const told: string[] = []
    for (let text = ''; text !== lineOf('system:worker_lost'); told.push(text))
      text = await alice.reader.nextText()
    const limited = told.filter((text) => text === lineOf('system:rate_limited')).length
    t.ok(limited >= 1, 'the flood was limited')
    t.ok(told.length < 100, `${told.length} answers to 500 lines`)
    t.ok(process.memoryUsage().heapUsed - heapBefore < 100e6, 'memory is flat')
    provider.script(good(ANSWER))
    t.equal(await bob.ask('/system ask how deep?'), TEXT, 'the hung task was ended: its thread is a new one')
    await eventually(() => runtime.meter.state().running === 0)
    t.match(runtime.engine.state(), { active: 0, waiting: 0 })
    t.strictSame(stray, [], 'nothing unhandled')
  },
)

void t.test('B69 the queue is bounded: one more is refused at once', async (t) => {
  const group = openGroup(t, { concurrency: 1, maxWaiting: 2 })
  const running = group.run({ kind: 'never' })
  const waiting = [group.run({ kind: 'double' }), group.run({ kind: 'double' })]
  const refused = await Promise.all(Array.from({ length: 500 }, () => group.run({ kind: 'double' })))
  t.strictSame(new Set(refused.map(codeOf)), new Set(['system:busy']))
  await group.close('forced')
  for (const one of [running, ...waiting]) t.equal(codeOf(await one), 'system:stopping')
})

void t.test('B71 cancelling everything and closing in one turn leaves no thread, twenty times', async (t) => {
  const resources = (): string[] =>
    process.getActiveResourcesInfo().filter((name) => ['MessagePort', 'Worker', 'Timeout'].includes(name))
  const before = resources()
  for (let round = 0; round < 20; round += 1) {
    const clock = new ManualClock()
    const group = openGroup(t, { file: fixture('unruly-agent'), concurrency: 16, heapMb: 128, clock })
    let running = (): void => {}
    const isRunning = new Promise<void>((resolve) => (running = resolve))
    const never = () => Promise.reject(new Error('nothing is asked here'))
    const handlers = { reserve: never, settle: never, tool: never, answer: never, progress: () => running() }
    const calls = Array.from({ length: 8 }, () =>
      runAgentJob(group, agentJob({ question: 'idle' }), { handlers, clock, logger: silentLogger }),
    )
    await isRunning
    for (const call of calls) call.cancel('system:stopping')
    await group.close('forced')
    for (const call of calls)
      t.match(await call.done, { ok: true, value: { end: 'cancelled', code: 'system:stopping' } })
    await Promise.all(calls.map((call) => call.released))
    t.match(group.state(), { threads: 0, running: 0, crashes: 0 })
    t.equal(clock.pending, 0)
    t.equal(codeOf(await group.run({ kind: 'double' })), 'system:stopping', 'a closed group starts no thread')
    t.equal(group.state().threads, 0)
  }
  // a port that was closed goes with one of the next turns
  await eventually(() => resources().length === before.length)
  t.strictSame(resources(), before, 'nothing keeps the process alive')
})

void t.test(
  'B71 twenty reloads with a new endpoint each: one thread after each, none after the stop',
  async (t) => {
    const live = await openLive(t)
    const { provider, runtime, configFolder } = live
    const alice = await live.join('alice')
    const threads = (): number => runtime.groups.agent.state().threads
    for (let reload = 0; reload < 20; reload += 1) {
      provider.script(good(ANSWER))
      t.equal(await alice.ask('/system ask how deep?'), TEXT)
      await eventually(() => threads() === 1)
      const changed = { version: 1, thinking: reload % 2 === 0 }
      await writeFile(join(configFolder, 'system-model.json'), JSON.stringify(changed))
      t.match((await consoleSays(live, 'system reload')).join('\n'), /thinking/)
    }
    await live.stop()
    t.equal(threads(), 0)
    t.strictSame(live.stray, [])
  },
)
