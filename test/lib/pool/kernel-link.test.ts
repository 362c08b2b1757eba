import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { serveAgentJob, type JobEnd, type KernelLink } from '../../../lib/pool/index.js'
import { ManualClock } from '../../support/manual-clock.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

interface Sent {
  readonly v: number
  readonly n: number
  readonly t: string
  readonly [field: string]: unknown
}

interface Desk {
  readonly clock: ManualClock
  readonly end: Promise<JobEnd>
  /** The next message of the worker. */
  readonly next: () => Promise<Sent>
  /** Sends a message of the kernel. */
  readonly say: (message: unknown) => void
  readonly close: () => void
}

const DONE: JobEnd = { end: 'rounds', rounds: 0 }
const RESERVE = { round: 2, inputBytes: 10, outputTokens: 10 }
const SETTLE = { reservationId: 1, usage: null, finish: 'stop', httpStatus: 200 }
const never = (): Promise<never> => new Promise(() => {})

/** The worker side of one job in this thread, its kernel played by hand. */
function open(t: Teardown, body: (link: KernelLink) => Promise<JobEnd>): Desk {
  const clock = new ManualClock()
  const { port1, port2 } = new MessageChannel()
  const inbox: Sent[] = []
  let wake: () => void = () => {}
  port1.on('message', (message: Sent) => {
    inbox.push(message)
    wake()
  })
  t.teardown(() => port1.close())
  const end = serveAgentJob({ remainingMs: 10_000 }, { port: port2, threadId: 3, clock }, body)
  return {
    clock,
    end,
    say: (message) => port1.postMessage(message),
    close: () => port1.close(),
    async next() {
      while (inbox.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return inbox.shift() as Sent
    },
  }
}

void t.test('questions are numbered, answered one at a time, and end with the job', async (t) => {
  const { next, say, end, clock } = open(t, async (link) => {
    const grant = await link.reserve(RESERVE)
    t.strictSame(grant, { ok: true, reservationId: 5, timeoutMs: 100, finalOnly: true })
    await link.settle(SETTLE)
    t.strictSame(await link.tool({ round: 1, tool: 'x', inputText: '{}' }), { obs: 1, text: '{}' })
    t.strictSame(await link.tool({ round: 1, tool: 'x', inputText: '{}' }), { repeat: 1 })
    t.strictSame(await link.answer('{}'), { fix: 'no' })
    t.strictSame(await link.answer('{}'), { code: 'system:revoked' })
    return DONE
  })
  t.strictSame(await next(), { v: 1, n: 1, t: 'hello', threadId: 3 })
  t.strictSame(await next(), { v: 1, n: 2, t: 'reserve', ...RESERVE })
  say({ v: 1, n: 2, t: 'reserve', ok: true, reservationId: 5, timeoutMs: 100, finalOnly: true })
  t.strictSame(await next(), { v: 1, n: 3, t: 'settle', ...SETTLE })
  say({ v: 1, n: 3, t: 'settle' })
  t.match(await next(), { n: 4, t: 'tool' })
  say({ v: 1, n: 4, t: 'tool', obs: 1, text: '{}' })
  t.match(await next(), { n: 5 })
  say({ v: 1, n: 5, t: 'tool', repeat: 1 })
  t.match(await next(), { n: 6, t: 'answer', text: '{}' })
  say({ v: 1, n: 6, t: 'answer', fix: 'no' })
  t.match(await next(), { n: 7 })
  say({ v: 1, n: 7, t: 'answer', code: 'system:revoked' })
  t.strictSame(await end, DONE)
  t.equal(clock.pending, 0)
})

const lies: [string, unknown][] = [
  ['no object', 'hello'],
  ['an unknown kind', { v: 1, n: 2, t: 'grant' }],
  ['an unknown key', { v: 1, n: 2, t: 'reserve', code: 'system:busy', more: 1 }],
  [
    'two answers in one',
    { v: 1, n: 2, t: 'reserve', code: 'x', ok: true, reservationId: 1, timeoutMs: 1, finalOnly: true },
  ],
  ['an answer to another number', { v: 1, n: 3, t: 'reserve', code: 'system:busy' }],
  ['an answer to another question', { v: 1, n: 2, t: 'settle' }],
  [
    'an impossible value',
    { v: 1, n: 2, t: 'reserve', ok: true, reservationId: 1, timeoutMs: 0.5, finalOnly: true },
  ],
  ['too much', { v: 1, n: 2, t: 'tool', obs: 1, text: '\u94bb'.repeat(30_000) }],
]

for (const [name, message] of lies) {
  void t.test(`from the kernel: ${name}`, async (t) => {
    const { next, say, end } = open(t, async (link) => {
      await link.reserve(RESERVE)
      return DONE
    })
    await next()
    await next()
    say(message)
    t.strictSame(await end, { end: 'failed', code: 'system:protocol', rounds: 2 })
  })
}

void t.test('cancel: the question ends with the reason, a settlement is still delivered', async (t) => {
  const { next, say, end, clock } = open(t, async (link) => {
    await link.reserve(RESERVE)
    await once(link.cancelled, 'abort')
    await link.settle(SETTLE)
    await link.tool({ round: 1, tool: 'x', inputText: '{}' })
    return DONE
  })
  await next()
  await next()
  say({ v: 1, n: 2, t: 'reserve', ok: true, reservationId: 1, timeoutMs: 100, finalOnly: true })
  say({ v: 1, n: 0, t: 'cancel', reason: 'system:disconnected' })
  t.match(await next(), { n: 3, t: 'settle' })
  say({ v: 1, n: 3, t: 'settle' })
  t.strictSame(await end, { end: 'cancelled', code: 'system:disconnected', rounds: 2 })
  t.equal(clock.pending, 0)
})

void t.test('cancel while a question is open, with a late answer behind it', async (t) => {
  const { next, say, end } = open(t, async (link) => {
    await link.reserve(RESERVE)
    return DONE
  })
  await next()
  await next()
  say({ v: 1, n: 0, t: 'cancel', reason: 'not a code' })
  say({ v: 1, n: 2, t: 'reserve', code: 'system:busy' })
  t.strictSame(await end, { end: 'cancelled', code: 'system:cancelled', rounds: 2 })
})

void t.test('a body that ignores its end is left to itself after a second', async (t) => {
  const { next, say, end, clock } = open(t, never)
  await next()
  say({ v: 1, n: 0, t: 'cancel', reason: 'system:cancelled' })
  say({ v: 1, n: 0, t: 'ping' })
  t.match(await next(), { t: 'pong' })
  clock.advance(1_000)
  t.strictSame(await end, { end: 'cancelled', code: 'system:cancelled', rounds: 0 })
  t.equal(clock.pending, 0)
})

void t.test('its own net behind the deadline: 250 ms later', async (t) => {
  const reasons: unknown[] = []
  const { clock, end } = open(t, (link) => {
    link.cancelled.addEventListener('abort', () => reasons.push(link.cancelled.reason))
    return never()
  })
  clock.advance(10_249)
  t.equal(reasons.length, 0)
  clock.advance(1)
  t.match(reasons, [{ failure: { code: 'system:deadline' } }])
  clock.advance(1_000)
  t.strictSame(await end, { end: 'failed', code: 'system:deadline', rounds: 0 })
})

void t.test('pings are answered in the same count while a question is open', async (t) => {
  const { next, say, end } = open(t, async (link) => {
    await link.answer('{}')
    return DONE
  })
  t.match(await next(), { n: 1 })
  t.match(await next(), { n: 2, t: 'answer' })
  for (const n of [3, 4]) {
    say({ v: 1, n: 0, t: 'ping' })
    t.strictSame(await next(), { v: 1, n, t: 'pong' })
  }
  say({ v: 1, n: 2, t: 'answer', ok: true })
  t.strictSame(await end, DONE)
})

void t.test('progress: four in any second, the rest is dropped', async (t) => {
  const clockOf: { clock?: ManualClock } = {}
  const desk = open(t, async (link) => {
    await link.answer('go')
    for (let index = 0; index < 10; index += 1) link.progress('model', index)
    clockOf.clock?.advance(999)
    link.progress('tool', 10)
    clockOf.clock?.advance(1)
    link.progress('answer', 11)
    await link.answer('end')
    return DONE
  })
  clockOf.clock = desk.clock
  await desk.next()
  await desk.next()
  desk.say({ v: 1, n: 2, t: 'answer', ok: true })
  const rounds: unknown[] = []
  for (;;) {
    const message = await desk.next()
    if (message.t !== 'progress') {
      desk.say({ v: 1, n: message.n, t: 'answer', ok: true })
      break
    }
    rounds.push(message['round'])
  }
  t.strictSame(rounds, [0, 1, 2, 3, 11])
  await desk.end
})

void t.test('a body that throws, asks twice at once or says too much ends failed', async (t) => {
  const bodies: [string, (link: KernelLink) => Promise<JobEnd>][] = [
    ['system:internal', () => Promise.reject(new Error('a bug'))],
    [
      'system:internal',
      async (link) => {
        await Promise.all([link.answer('a'), link.answer('b')])
        return DONE
      },
    ],
    [
      'system:protocol',
      async (link) => {
        await link.answer('x'.repeat(70_000))
        return DONE
      },
    ],
  ]
  for (const [code, body] of bodies) t.strictSame(await open(t, body).end, { end: 'failed', code, rounds: 0 })
})

void t.test('a closed channel ends the job', async (t) => {
  const { next, close, end } = open(t, async (link) => {
    await link.answer('{}')
    return DONE
  })
  await next()
  await next()
  close()
  t.match(await end, { end: 'failed', code: 'system:cancelled' })
})
