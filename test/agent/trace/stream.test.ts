import t from 'tap'
import { TraceStream, traceEventSchema, type TraceEvent, type TraceReport } from '../../../lib/agent/index.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { RecordingLogger, somePlayer } from '../../support/kernel.js'

const player = somePlayer()
const refused: TraceReport = { kind: 'request-refused', player, code: 'system:busy' }

function open() {
  const [clock, logger] = [new ManualClock(), new RecordingLogger()]
  return { clock, logger, stream: new TraceStream({ clock, logger }) }
}

void t.test('listeners hear each event at once, with its time, until they stop', async (t) => {
  const { clock, stream } = open()
  const [first, second]: [TraceEvent[], TraceEvent[]] = [[], []]
  const stop = stream.on((event) => void first.push(event))
  stream.on((event) => void second.push(event))
  clock.advance(1_500)
  stream.report(refused)
  t.strictSame(first, [{ ...refused, at: clock.now() }])
  t.equal(first[0], second[0], 'one event for all')
  t.ok(Object.isFrozen(first[0]), 'that nobody can change for the next')
  stop()
  stop()
  stream.report(refused)
  t.strictSame([first.length, second.length], [1, 2])
  stream.close()
  stream.report(refused)
  t.equal(second.length, 2)
})

void t.test('what is costly to tell is only made when somebody listens', async (t) => {
  const { stream, logger } = open()
  let made = 0
  const report = (): TraceReport => {
    made += 1
    return refused
  }
  stream.report(report)
  t.equal(made, 0)
  stream.on(() => {})
  stream.report(report)
  t.equal(made, 1)
  stream.report(() => {
    throw new Error('no event')
  })
  t.match(logger.lines, [{ level: 'error', message: /could not be made/ }])
})

void t.test('a listener that throws, or rejects, is named once and hears nothing any more', async (t) => {
  const { stream, logger } = open()
  let calls = 0
  stream.on(function broken() {
    calls += 1
    throw new Error('oops')
  })
  // a listener of plain JavaScript may be async
  stream.on((): unknown => {
    calls += 1
    return Promise.reject(new Error('later'))
  })
  const heard: TraceEvent[] = []
  stream.on((event) => void heard.push(event))
  stream.report(refused)
  stream.report(refused)
  await new Promise((resolve) => setImmediate(resolve))
  stream.report(refused)
  t.equal(heard.length, 3, 'the others hear everything')
  t.equal(calls, 3, 'once for the one that throws, twice until the other had rejected')
  t.match(logger.lines, [
    { level: 'error', message: /\(broken\) failed/, cause: /oops/ },
    { level: 'error', message: /failed/, cause: /later/ },
  ])
  t.throws(() => stream.on('x' as never), /must be a function/)
})

void t.test('a listener that fails, and whose name does too, is out', async (t) => {
  const { stream, logger } = open()
  const boom = (): never => {
    throw new Error('oops')
  }
  stream.on(Object.defineProperty(() => boom(), 'name', { get: boom }))
  stream.on(Object.defineProperty(() => boom(), 'name', { value: Symbol('name') }))
  stream.report(refused)
  stream.report(refused)
  t.strictSame(
    logger.lines.map(({ message }) => message),
    Array.from({ length: 2 }, () => 'a listener of the trace failed and hears nothing any more'),
  )
})

void t.test('a listener that computes for long is named, once', async (t) => {
  const { clock, stream, logger } = open()
  stream.on(function slow() {
    clock.advance(200)
  })
  stream.report(refused)
  stream.report(refused)
  t.match(logger.messages(), [/\(slow\) computed for 200\.0 ms \(at most 5 ms\)/])
  t.equal(logger.lines.length, 1)
})

void t.test('no event has room for words', async (t) => {
  const event = { ...refused, at: 1 }
  t.strictSame(traceEventSchema.parse(event), event)
  t.throws(() => traceEventSchema.parse({ ...event, text: 'what she asked' }))
  t.throws(() => traceEventSchema.parse({ ...event, code: 'what she asked' }))
  t.throws(() => traceEventSchema.parse({ ...event, kind: 'request-asked' }))
})
