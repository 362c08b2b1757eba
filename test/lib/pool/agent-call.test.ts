import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { FailureError, failure } from '../../../lib/core/failure.js'
import { silentLogger } from '../../../lib/core/logger.js'
import {
  ThreadGroup,
  runAgentJob,
  type AgentCall,
  type AgentHandlers,
  type WorkerMessage,
} from '../../../lib/pool/index.js'
import { agentJob, fixture } from '../../support/agent-job.js'
import { ManualClock } from '../../support/manual-clock.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

interface Desk {
  readonly group: ThreadGroup
  readonly clock: ManualClock
  /** Every message that reached a handler. */
  readonly seen: WorkerMessage[]
  /** Starts a job whose question names the behaviour. */
  readonly start: (question: string, over?: Partial<AgentHandlers>) => AgentCall
  /** Resolves when the next message of the kind reaches a handler. */
  readonly next: (kind: WorkerMessage['t']) => Promise<void>
}

function openDesk(t: Teardown, worker = 'unruly-agent', concurrency = 16): Desk {
  const clock = new ManualClock()
  const group = new ThreadGroup({
    name: 'agent',
    file: fixture(worker),
    threads: 1,
    concurrency,
    maxWaiting: 8,
    heapMb: 128,
    workerData: null,
    clock,
    logger: silentLogger,
  })
  t.teardown(() => group.close('forced'))
  const seen: WorkerMessage[] = []
  let listeners: { kind: string; resolve: () => void }[] = []
  const note = (message: WorkerMessage): void => {
    seen.push(message)
    for (const { kind, resolve } of listeners) if (kind === message.t) resolve()
    listeners = listeners.filter(({ kind }) => kind !== message.t)
  }
  const defaults: AgentHandlers = {
    reserve: (m) => (
      note(m),
      Promise.resolve({ ok: true, reservationId: 1, timeoutMs: 5_000, finalOnly: false })
    ),
    settle: (m) => (note(m), Promise.resolve()),
    tool: (m) => (
      note(m),
      Promise.resolve({ obs: 1, text: '{"id":1,"tool":"item.query","input":{},"output":{}}' })
    ),
    answer: (m) => (note(m), Promise.resolve({ ok: true })),
    progress: note,
  }
  return {
    group,
    clock,
    seen,
    start(question, over = {}) {
      const handlers = { ...defaults, ...over }
      return runAgentJob(group, agentJob({ question }), { handlers, clock, logger: silentLogger })
    },
    next: (kind) => new Promise((resolve) => listeners.push({ kind, resolve })),
  }
}

/** Outcome as one word. */
async function outcome(call: AgentCall): Promise<string> {
  const result = await call.done
  return result.ok ? `${result.value.end} ${result.value.code ?? ''}`.trim() : result.failure.code
}

const violations = [
  'garbage',
  'not-an-object',
  'unknown-key',
  'wrong-version',
  'out-of-order',
  'duplicate',
  'oversized',
  'oversized-utf8',
  'two-questions',
  'bad-usage',
  'bad-end',
]

void t.test('a job that breaks the protocol ends alone with system:protocol', async (t) => {
  const { start, group } = openDesk(t)
  const never = { reserve: () => new Promise<never>(() => {}) }
  for (const behaviour of violations)
    t.equal(await outcome(start(behaviour, never)), 'system:protocol', behaviour)
  t.equal(await outcome(start('good-end')), 'rounds')
  t.equal(group.state().crashes, 0)
})

void t.test('nothing of a message that breaks the protocol reaches a handler', async (t) => {
  const { start, seen } = openDesk(t)
  for (const behaviour of ['unknown-key', 'oversized', 'bad-usage', 'out-of-order'])
    await outcome(start(behaviour))
  t.strictSame(seen, [])
})

void t.test('a throwing job fails alone', async (t) => {
  const { start, group } = openDesk(t)
  const companion = start('idle')
  t.equal(await outcome(start('throw')), 'system:internal')
  t.equal(group.state().crashes, 0)
  companion.cancel('system:cancelled')
  t.equal(await outcome(companion), 'cancelled system:cancelled')
})

for (const culprit of ['exit', 'function']) {
  void t.test(`a thread lost by "${culprit}" settles every request in it`, async (t) => {
    const { start, next, group } = openDesk(t)
    const companions = [start('idle'), start('idle'), start('ask')]
    await next('reserve')
    const results = await Promise.all([...companions, start(culprit)].map(outcome))
    t.strictSame(
      results,
      results.map(() => 'system:worker_lost'),
    )
    t.equal(await outcome(start('good-end')), 'rounds')
    t.equal(group.state().crashes, 1)
  })
}

void t.test(
  'a thread that spins is ended after five unanswered pings, and the group comes back',
  async (t) => {
    const { start, next, group, clock } = openDesk(t)
    const companion = start('idle')
    await next('progress')
    const spinning = start('spin')
    await next('progress')
    // in the first second it was heard
    for (let second = 0; second < 6; second += 1) clock.advance(1_000)
    t.equal(group.state().crashes, 0)
    clock.advance(1_000)
    t.equal(await outcome(spinning), 'system:worker_lost')
    t.equal(await outcome(companion), 'system:worker_lost')
    await Promise.all([spinning.released, companion.released])
    t.equal(await outcome(start('good-end')), 'rounds')
    t.equal(group.state().crashes, 1)
    t.equal(clock.pending, 0)
  },
)

void t.test('a thread that never says hello is ended as well', async (t) => {
  const { start, group, clock } = openDesk(t)
  const silent = start('spin-silently')
  for (let second = 0; second < 16; second += 1) clock.advance(1_000)
  t.equal(await outcome(silent), 'system:worker_lost')
  t.equal(await outcome(start('good-end')), 'rounds')
  t.equal(group.state().crashes, 1)
})

void t.test('a thread that answers is left alone, however long a question takes', async (t) => {
  const { start, next, clock, group } = openDesk(t)
  const call = start('ask-and-report', { reserve: () => new Promise<never>(() => {}) })
  for (let second = 0; second < 12; second += 1) {
    // sent after the pong, through the same port
    const reported = next('progress')
    // a second in which something came is not asked about
    clock.advance(2_000)
    await reported
  }
  t.equal(group.state().crashes, 0)
  call.cancel('system:deadline')
  t.equal(await outcome(call), 'cancelled system:deadline')
})

void t.test('a job that closes its port is lost', async (t) => {
  const { start, clock, group } = openDesk(t)
  const call = start('close-port')
  // its close is not announced to anyone: the test's time limit bounds the wait for the timer that it sets
  while (clock.singles === 0) await setImmediate()
  clock.advance(1_000)
  t.equal(await outcome(call), 'system:worker_lost')
  t.match(group.state(), { crashes: 0, running: 1 })
})

void t.test('cancel: resolved at once; a settlement is still heard, nothing else', async (t) => {
  const { start, next, seen, clock } = openDesk(t)
  const call = start('settle-on-cancel')
  await next('progress')
  call.cancel('system:cancelled')
  call.cancel('system:deadline')
  t.equal(await outcome(call), 'cancelled system:cancelled')
  await call.released
  t.strictSame(
    seen.map((message) => message.t),
    ['reserve', 'progress', 'settle'],
  )
  t.equal(clock.pending, 0)
})

void t.test('cancel: the channel of a job that does not end is closed after a second', async (t) => {
  const { start, next, clock } = openDesk(t)
  const call = start('idle')
  await next('progress')
  call.cancel('system:cancelled')
  let isReleased = false
  void call.released.then(() => (isReleased = true))
  clock.advance(999)
  await Promise.resolve()
  t.equal(isReleased, false)
  clock.advance(1)
  await call.released
  t.equal(await outcome(call), 'cancelled system:cancelled')
})

void t.test(
  'cancel of a job whose thread hangs: released after a second, the thread ended later',
  async (t) => {
    const { start, next, clock, group } = openDesk(t)
    const call = start('spin')
    await next('progress')
    call.cancel('system:cancelled')
    clock.advance(1_000)
    await call.released
    t.equal(group.state().crashes, 0)
    for (let second = 0; second < 5; second += 1) clock.advance(1_000)
    t.equal(group.state().crashes, 1)
    t.equal(await outcome(start('good-end')), 'rounds')
    t.equal(clock.pending, 0)
  },
)

void t.test('cancel of a job that waits: it never reaches a thread', async (t) => {
  const { start, next, group, clock, seen } = openDesk(t, 'unruly-agent', 1)
  const running = start('idle')
  const waiting = start('ask')
  await next('progress')
  t.equal(group.state().waiting, 1)
  waiting.cancel('system:disconnected')
  t.equal(await outcome(waiting), 'cancelled system:disconnected')
  clock.advance(1_000)
  await waiting.released
  await group.close('forced')
  t.equal(await outcome(running), 'system:stopping')
  t.notOk(seen.some((message) => message.t === 'reserve'))
})

void t.test('cancel right after the start, before anything was said', async (t) => {
  const { start, clock } = openDesk(t, 'scripted-agent')
  const call = start('[null]')
  call.cancel('system:cancelled')
  t.equal(await outcome(call), 'cancelled system:cancelled')
  await call.released
  t.equal(clock.pending, 0)
})

void t.test('a grant that comes too late to reach the worker is given back', async (t) => {
  const { start, seen, next } = openDesk(t)
  const asked: { call?: AgentCall } = {}
  const settled = next('settle')
  asked.call = start('ask', {
    reserve: () => {
      asked.call?.cancel('system:cancelled')
      return Promise.resolve({ ok: true, reservationId: 7, timeoutMs: 1, finalOnly: false })
    },
  })
  await settled
  t.match(seen, [{ t: 'settle', reservationId: 7, usage: { prompt: 0, cached: 0, output: 0, reasoning: 0 } }])
  t.equal(await outcome(asked.call), 'cancelled system:cancelled')
})

void t.test('a handler that fails ends the job with its failure', async (t) => {
  const { start } = openDesk(t)
  const reserve = (thrown: unknown) => ({ reserve: () => Promise.reject(thrown) })
  const revoked = new FailureError(failure('system:revoked'))
  t.equal(await outcome(start('ask', reserve(revoked))), 'system:revoked')
  t.equal(await outcome(start('ask', reserve(new Error('a bug')))), 'system:internal')
  t.equal(await outcome(start('ask', reserve(undefined))), 'system:internal')
  const sync = (): never => {
    throw new Error('a bug')
  }
  t.equal(await outcome(start('ask', { reserve: sync })), 'system:internal')
  t.equal(await outcome(start('idle', { progress: sync })), 'system:internal')
  const nonsense = {
    reserve: () => Promise.resolve({ ok: true, reservationId: 0, timeoutMs: 1, finalOnly: true }),
  }
  t.equal(await outcome(start('ask', nonsense as Partial<AgentHandlers>)), 'system:internal')
  const large = { reserve: () => Promise.resolve({ code: 'x'.repeat(70_000) }) }
  t.equal(await outcome(start('ask', large)), 'system:internal')
})

void t.test('closing the group while jobs run and wait', async (t) => {
  const { start, next, group, clock } = openDesk(t, 'unruly-agent', 2)
  const calls = [start('ask'), start('spin'), start('idle'), start('idle')]
  await next('progress')
  await group.close('forced')
  const results = await Promise.all(calls.map(outcome))
  t.strictSame(
    results,
    results.map(() => 'system:stopping'),
  )
  t.equal(group.state().threads, 0)
  t.equal(clock.pending, 0)
  t.equal(await outcome(start('good-end')), 'system:stopping')
})

const TOOL = '{"type":"item.query","input":{"query":"diamond"}}'
const ANSWER = '{"type":"answer","text":"Three.","sources":[1]}'

void t.test('a whole loop over real threads', async (t) => {
  const { start, seen, clock } = openDesk(t, 'scripted-agent')
  const call = start(JSON.stringify([TOOL, ANSWER]))
  t.strictSame(await call.done, { ok: true, value: { end: 'answer', rounds: 2 } })
  await call.released
  t.strictSame(
    seen.map((message) => message.t).filter((kind) => kind !== 'progress'),
    ['reserve', 'settle', 'tool', 'reserve', 'settle', 'answer'],
  )
  t.match(
    seen.find((message) => message.t === 'tool'),
    { tool: 'item.query', inputText: '{"query":"diamond"}', round: 1 },
  )
  t.match(
    seen.find((message) => message.t === 'answer'),
    { text: '{"text":"Three.","sources":[1]}' },
  )
  t.equal(clock.pending, 0)
})

for (const moment of ['reserve', 'settle', 'tool', 'answer'] as const) {
  void t.test(`cancel while "${moment}" is unanswered`, async (t) => {
    const { start, seen, group } = openDesk(t, 'scripted-agent')
    const asked: { call?: AgentCall } = {}
    const call = start(JSON.stringify([TOOL, ANSWER]), {
      [moment]: (message: WorkerMessage) => {
        seen.push(message)
        asked.call?.cancel('system:cancelled')
        return moment === 'settle' ? Promise.resolve() : new Promise<never>(() => {})
      },
    })
    asked.call = call
    t.equal(await outcome(call), 'cancelled system:cancelled')
    await call.released
    t.equal(seen.filter((message) => message.t === moment).length, 1)
    t.match(group.state(), { running: 0, crashes: 0 })
  })
}

void t.test('cancel during the model call: aborted, settled without usage, ended', async (t) => {
  const { start, seen, clock } = openDesk(t, 'scripted-agent')
  const asked: { call?: AgentCall } = {}
  asked.call = start('[null]', {
    progress: ({ round }) => {
      if (round === 0) asked.call?.cancel('system:disconnected')
    },
  })
  await asked.call.released
  t.match(seen, [
    { t: 'reserve' },
    { t: 'settle', reservationId: 1, usage: null, finish: 'system:cancelled' },
  ])
  t.equal(await outcome(asked.call), 'cancelled system:disconnected')
  t.equal(clock.pending, 0)
})
