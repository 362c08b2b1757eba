import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { FailureCode } from '../../../lib/core/failure.js'
import { silentLogger } from '../../../lib/core/logger.js'
import type { Result } from '../../../lib/core/result.js'
import { ThreadGroup, openThreadGroups, type ThreadGroupOptions } from '../../../lib/pool/index.js'
import { fixture } from '../../support/agent-job.js'
import { ManualClock } from '../../support/manual-clock.js'
import { eventually } from '../../support/eventually.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

function openGroup(
  t: Teardown,
  over: Partial<ThreadGroupOptions> = {},
): { group: ThreadGroup; clock: ManualClock } {
  const clock = new ManualClock()
  const group = new ThreadGroup({
    name: 'test',
    file: fixture('unruly-job'),
    threads: 1,
    concurrency: 4,
    maxWaiting: 8,
    heapMb: 64,
    workerData: null,
    clock,
    logger: silentLogger,
    ...over,
  })
  t.teardown(() => group.close('forced'))
  return { group, clock }
}

const codeOf = (result: Result<unknown>): FailureCode | 'ok' => (result.ok ? 'ok' : result.failure.code)
const double = async (group: ThreadGroup): Promise<unknown> => {
  const result = await group.run({ kind: 'double', value: 21 })
  return result.ok ? result.value : result.failure.code
}

void t.test('no thread before the first job; the size is fixed from then on', async (t) => {
  const { group } = openGroup(t, { threads: 2 })
  t.equal(group.state().threads, 0)
  t.equal(await double(group), 42)
  t.equal(group.state().threads, 2)
  await Promise.all(Array.from({ length: 12 }, () => double(group)))
  t.equal(group.state().threads, 2)
  t.match(group.state(), { running: 0, waiting: 0, crashes: 0, breaker: { open: false, remainingMs: 0 } })
})

void t.test('a throwing job and one that cannot be cloned fail alone', async (t) => {
  const { group } = openGroup(t)
  const companion = group.run({ kind: 'never' })
  const thrown = await group.run({ kind: 'throw' })
  t.match(thrown, {
    ok: false,
    failure: { code: 'system:internal', cause: { message: 'a job that throws' } },
  })
  t.equal(codeOf(await group.run({ kind: 'double', value: () => {} })), 'system:internal')
  t.equal(await double(group), 42)
  t.match(group.state(), { crashes: 0, running: 1 })
  await group.close('forced')
  t.equal(codeOf(await companion), 'system:stopping')
})

void t.test(
  'the queue is bounded, first come first served, and abandoned jobs free their places',
  async (t) => {
    const { group } = openGroup(t, { concurrency: 1, maxWaiting: 2 })
    let isAbandoned = false
    const running = group.run({ kind: 'exit-later' })
    const abandoned = group.run({ kind: 'double' }, { isAbandoned: () => isAbandoned })
    const order: string[] = []
    const first = double(group).then(() => order.push('first'))
    t.equal(codeOf(await group.run({ kind: 'double' })), 'system:busy')
    isAbandoned = true
    const second = double(group).then(() => order.push('second'))
    t.equal(codeOf(await abandoned), 'system:cancelled')
    t.equal(codeOf(await running), 'system:worker_lost')
    await Promise.all([first, second])
    t.strictSame(order, ['first', 'second'])
  },
)

void t.test('three crashes in a minute open the breaker for a minute', async (t) => {
  const { group, clock } = openGroup(t, { concurrency: 1 })
  for (const pause of [0, 40_000, 25_000, 40_000]) {
    clock.advance(pause)
    t.equal(codeOf(await group.run({ kind: 'exit' })), 'system:worker_lost')
    t.equal(group.state().breaker.open, false)
  }
  clock.advance(10_000)
  const culprit = group.run({ kind: 'exit' })
  const queued = group.run({ kind: 'double' })
  t.equal(codeOf(await culprit), 'system:worker_lost')
  t.equal(codeOf(await queued), 'system:worker_lost')
  t.match(group.state(), { breaker: { open: true, remainingMs: 60_000 }, crashes: 5, waiting: 0 })
  clock.advance(59_999)
  t.equal(codeOf(await group.run({ kind: 'double' })), 'system:worker_lost')
  t.equal(group.state().threads, 0)
  clock.advance(1)
  t.equal(await double(group), 42)
})

void t.test('a worker file that fails while it is loaded leaves no job waiting', async (t) => {
  for (const file of [fixture('broken-start'), fixture('does-not-exist')]) {
    const { group } = openGroup(t, { file, threads: 2, concurrency: 1 })
    const results = await Promise.all(Array.from({ length: 6 }, () => group.run({ kind: 'double' })))
    t.strictSame(
      results.map(codeOf),
      results.map(() => 'system:worker_lost'),
    )
    t.equal(group.state().breaker.open, true)
  }
})

void t.test('a forced close ends running and waiting jobs and leaves no thread', async (t) => {
  const { group } = openGroup(t, { concurrency: 2 })
  const jobs = Array.from({ length: 4 }, () => group.run({ kind: 'never' }))
  const closing = group.close('forced')
  t.equal(group.close('forced'), closing)
  t.equal(codeOf(await group.run({ kind: 'double' })), 'system:stopping')
  await closing
  t.strictSame(
    (await Promise.all(jobs)).map(codeOf),
    Array.from({ length: 4 }, () => 'system:stopping'),
  )
  t.match(group.state(), { threads: 0, running: 0, waiting: 0, crashes: 0 })
})

void t.test('a gentle close does the last jobs first', async (t) => {
  const { group } = openGroup(t, { concurrency: 1, threads: 2 })
  const jobs = Array.from({ length: 6 }, () => double(group))
  await group.close('gentle')
  t.strictSame(await Promise.all(jobs), [42, 42, 42, 42, 42, 42])
  t.match(group.state(), { threads: 0, running: 0 })
})

void t.test('a gentle close never starts a thread, and does not wait for ever', async (t) => {
  const { group } = openGroup(t, { concurrency: 1 })
  const culprit = group.run({ kind: 'exit-later' })
  const left = group.run({ kind: 'double' })
  await group.close('gentle')
  t.equal(codeOf(await culprit), 'system:stopping')
  t.equal(codeOf(await left), 'system:stopping')
  t.equal(group.state().threads, 0)

  const { group: hanging, clock } = openGroup(t)
  const hung = hanging.run({ kind: 'never' })
  const closing = hanging.close('gentle')
  clock.advance(10_000)
  await closing
  t.equal(codeOf(await hung), 'system:stopping')
})

void t.test('closing a group that was never used, or uses its threads for the first time', async (t) => {
  const { group } = openGroup(t)
  await group.close('gentle')
  t.equal(codeOf(await group.run({ kind: 'double' })), 'system:stopping')
  for (let round = 0; round < 5; round += 1) {
    const { group } = openGroup(t, { threads: 2 })
    const jobs = Array.from({ length: 8 }, () => group.run({ kind: 'never' }))
    await group.close('forced')
    await Promise.all(jobs)
    t.equal(group.state().threads, 0)
  }
})

void t.test('new data for new jobs: the old thread ends after its last job', async (t) => {
  const { group } = openGroup(t, { workerData: { key: 'old' } })
  const look = async (): Promise<unknown> => {
    const result = await group.run({ kind: 'look' })
    return result.ok ? (result.value as { data: unknown }).data : result.failure
  }
  t.strictSame(await look(), { key: 'old' })
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const last = group.run({ kind: 'wait', gate })
  group.reconfigure({ key: 'new' })
  t.strictSame(await look(), { key: 'new' })
  t.equal(group.state().threads, 2)
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
  t.strictSame(await last, { ok: true, value: 'opened' })
  t.strictSame(await look(), { key: 'new' })
  // its exit is not announced to anyone: the test's time limit bounds the wait
  while (group.state().threads > 1) await setImmediate()
  t.equal(group.state().crashes, 0)
})

void t.test('only the agent group sees its data; no group sees the environment or the flags', async (t) => {
  process.env['SYSTEM_TEST_KEY'] = 'secret-of-the-environment'
  t.teardown(() => delete process.env['SYSTEM_TEST_KEY'])
  const groups = openThreadGroups({
    threads: { agent: 1, storage: 1, compute: 1 },
    agentData: { key: 'secret-of-the-agent' },
    workersUrl: new URL('../../fixtures/groups/', import.meta.url),
    clock: new ManualClock(),
    logger: silentLogger,
  })
  t.teardown(() => groups.close())
  const seen = await Promise.all(
    [groups.agent, groups.storage, groups.compute].map((group) => group.run({ kind: 'look' })),
  )
  t.strictSame(
    seen.map((result) => result.ok && result.value),
    [{ key: 'secret-of-the-agent' }, null, null].map((data) => ({ env: {}, data, execArgv: [] })),
  )
  await groups.close()
  for (const group of [groups.agent, groups.storage, groups.compute]) t.equal(group.state().threads, 0)
  await groups.close()
})

void t.test('nothing that keeps a process alive is left after close', async (t) => {
  const resources = (): string[] =>
    process
      .getActiveResourcesInfo()
      .filter((name) => name === 'MessagePort' || name === 'Worker' || name === 'Timeout')
  const before = resources()
  const { group } = openGroup(t, { threads: 2 })
  const job = group.run({ kind: 'never' })
  await double(group)
  t.not(resources().length, before.length)
  await group.close('forced')
  await job
  // a port that was closed goes with one of the next turns
  await eventually(() => resources().length === before.length)
  t.strictSame(resources(), before)
})

void t.test('a job whose time is over answers, and its threads end as one crash', async (t) => {
  const { group, clock } = openGroup(t, { threads: 4 })
  t.equal(await double(group), 42)
  const spinning = group.run({ kind: 'spin' }, { limitMs: 1_000 })
  const done = group.run({ kind: 'double', value: 1 }, { limitMs: 1_000 })
  const beside = group.run({ kind: 'never' })
  t.equal(codeOf(await done), 'ok')
  clock.advance(999)
  t.equal(group.state().running, 2)
  clock.advance(1)
  t.equal(codeOf(await spinning), 'system:worker_lost')
  t.equal(codeOf(await beside), 'system:worker_lost')
  t.match(group.state(), { crashes: 1, breaker: { open: false } })
  t.equal(await double(group), 42, 'the group has come back')
  clock.advance(10_000)
  t.match(group.state(), { crashes: 1, threads: 4 }, 'the time of a job that is done is not over')
})

void t.test('the time of a job that waits behind others that never end is over too', async (t) => {
  const { group, clock } = openGroup(t, { concurrency: 1 })
  const never = group.run({ kind: 'never' })
  const waiting = group.run({ kind: 'double', value: 1 }, { limitMs: 1_000 })
  t.equal(group.state().waiting, 1)
  clock.advance(1_000)
  t.strictSame([codeOf(await waiting), codeOf(await never)], ['system:worker_lost', 'system:worker_lost'])
  t.match(group.state(), { crashes: 1, waiting: 0 })
  t.equal(await double(group), 42)
})
