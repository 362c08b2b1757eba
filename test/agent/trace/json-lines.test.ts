import t from 'tap'
import {
  JsonLinesSink,
  traceEventSchema,
  TraceStream,
  type JsonLinesConfig,
  type LinesAppended,
} from '../../../lib/agent/index.js'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { RecordingLogger, somePlayer, turn } from '../../support/kernel.js'

const player = somePlayer()

function open(config: Partial<JsonLinesConfig> = {}, keptBytes?: number) {
  const [clock, logger] = [new ManualClock(), new RecordingLogger()]
  const stream = new TraceStream({ clock, logger })
  const state = { config: { file: 'trace.jsonl', maxBytes: 65_536, keep: 3, ...config } as JsonLinesConfig }
  const written: LinesAppended[] = []
  const answers: ((result: Result<unknown>) => void)[] = []
  /** Held: the disk answers when it is told to. */
  const disk = { isHeld: false }
  const sink = new JsonLinesSink({
    name: 'trace',
    stream,
    config: () => state.config,
    append(lines) {
      written.push(lines)
      return disk.isHeld ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve(ok(undefined))
    },
    clock,
    logger,
    ...(keptBytes === undefined ? {} : { keptBytes }),
  })
  const tell = (times = 1): void => {
    for (let time = 0; time < times; time++)
      stream.report({ kind: 'request-refused', player, code: 'system:busy' })
  }
  const lines = () =>
    written.flatMap(({ text }) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => traceEventSchema.parse(JSON.parse(line))),
    )
  return { clock, logger, stream, state, written, answers, disk, sink, tell, lines }
}

void t.test('off: nobody listens', async (t) => {
  const { sink, tell, written, clock } = open({ file: null })
  sink.renew()
  tell()
  await sink.close()
  t.strictSame([written, clock.pending], [[], 0])
})

void t.test('lines go in batches: after a second, when there are many, and at the end', async (t) => {
  const { sink, tell, written, clock, lines } = open()
  sink.renew()
  tell(3)
  t.equal(written.length, 0)
  clock.advance(1_000)
  t.match(written, [{ file: 'trace.jsonl', maxBytes: 65_536, keep: 3 }])
  await turn()
  tell(700)
  t.equal(written.length, 2, 'before its second is over')
  await turn()
  await sink.close()
  t.equal(written.length, 3)
  t.equal(lines().length, 703)
  t.equal(clock.pending, 0)
  tell()
  sink.renew()
  await sink.flush()
  t.equal(written.length, 3, 'nothing after the end')
})

void t.test('a slow disk: memory is bounded, and the file says what is not in it', async (t) => {
  const { sink, tell, written, answers, disk, lines } = open()
  sink.renew()
  disk.isHeld = true
  tell(30_000)
  t.equal(written.length, 1, 'one batch at a time')
  answers[0]?.(ok(undefined))
  await turn()
  t.equal(written.length, 2)
  t.ok(Buffer.byteLength(written[1]?.text ?? '') < 1_048_576 + 200)
  disk.isHeld = false
  answers[1]?.(ok(undefined))
  await sink.close()
  const told = lines()
  const dropped = told.flatMap((event) => (event.kind === 'events-dropped' ? [event.count] : []))
  t.equal(dropped.length, 1)
  t.equal(told.length - 1 + (dropped[0] ?? 0), 30_000, 'every event is there or counted')
})

void t.test('a disk that fails is told of once; its events are counted', async (t) => {
  const { sink, tell, answers, disk, lines, logger } = open()
  sink.renew()
  disk.isHeld = true
  for (const result of [fail('system:storage_failed'), fail('system:storage_failed'), ok(undefined)]) {
    tell(2)
    const flushed = sink.flush()
    answers.shift()?.(result)
    await flushed
  }
  t.match(logger.messages(), [
    /could not be written to trace\.jsonl: system:storage_failed/,
    /written .* again/,
  ])
  t.strictSame(
    lines().flatMap((event) => (event.kind === 'events-dropped' ? [event.count] : [])),
    [2, 4],
  )
  disk.isHeld = true
  tell()
  const closed = sink.close()
  answers.shift()?.(fail('system:storage_failed'))
  await closed
  t.pass('a failure does not hold up the end')
})

void t.test(
  'lines that are kept are tried once a second until the disk takes them, in their order',
  async (t) => {
    const { sink, tell, answers, disk, written, clock, logger } = open({}, 10_000)
    sink.renew()
    disk.isHeld = true
    const failing = async (): Promise<void> => {
      answers.shift()?.(fail('system:storage_failed'))
      await turn()
    }
    tell()
    clock.advance(1_000)
    await failing()
    tell(2)
    await turn()
    t.equal(written.length, 1, 'not at once')
    clock.advance(1_000)
    t.equal(written[1]?.text, written[0]?.text, 'the same again')
    const flushed = sink.flush()
    await failing()
    await flushed
    t.pass('a flush does not wait for a disk that fails')
    tell(500)
    clock.advance(1_000)
    disk.isHeld = false
    answers.shift()?.(ok(undefined))
    await sink.flush()
    const taken = written.slice(2).flatMap(({ text }) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => traceEventSchema.parse(JSON.parse(line))),
    )
    const dropped = taken.flatMap((event) => (event.kind === 'events-dropped' ? [event.count] : []))
    t.equal(dropped.length, 1, 'no more than there is room for')
    t.equal(taken.length - 1 + (dropped[0] ?? 0), 503)
    t.match(logger.messages(), [
      /could not be written to trace\.jsonl: .*; its lines wait/,
      /written .* again/,
    ])
    disk.isHeld = true
    tell(3)
    const closed = sink.close()
    await failing()
    await closed
    t.match(logger.messages().at(-1), /has lost 3 lines/)
    t.equal(clock.pending, 0)
  },
)

void t.test('a reload moves it: what waits goes to where it was meant to', async (t) => {
  const { sink, tell, state, written } = open()
  sink.renew()
  tell()
  state.config = { ...state.config, file: 'other.jsonl' }
  sink.renew()
  tell()
  await sink.flush()
  state.config = { ...state.config, file: null }
  tell()
  sink.renew()
  tell()
  await sink.close()
  t.strictSame(
    written.map(({ file, text }) => [file, text.split('\n').length - 1]),
    [
      ['trace.jsonl', 1],
      ['other.jsonl', 1],
      ['other.jsonl', 1],
    ],
  )
})

void t.test('a reload while the disk is busy: what waits still goes to where it was meant to', async (t) => {
  const { sink, tell, state, written, answers, disk } = open()
  sink.renew()
  disk.isHeld = true
  tell()
  const flushed = sink.flush()
  tell(2)
  state.config = { ...state.config, file: 'other.jsonl' }
  sink.renew()
  tell(3)
  state.config = { ...state.config, file: null }
  sink.renew()
  tell()
  disk.isHeld = false
  answers.shift()?.(ok(undefined))
  await flushed
  await sink.close()
  t.strictSame(
    written.map(({ file, text }) => [file, text.split('\n').length - 1]),
    [
      ['trace.jsonl', 1],
      ['trace.jsonl', 2],
      ['other.jsonl', 3],
    ],
  )
})
