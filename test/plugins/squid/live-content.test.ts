/** The one content that is in use: read by a thread that may fail, exchanged whole, and not at all after the end. */
import t from 'tap'
import { z } from 'zod'
import { identifier } from '../../../lib/core/ids.js'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import type { PackData } from '../../../lib/packs/index.js'
import type { Content, RegistryType } from '../../../lib/registry/index.js'
import { ManualClock } from '../../../lib/testing/index.js'
import { LiveContent, PACK_JOB_MS } from '../../../plugins/squid/packs/index.js'
import { RecordingLogger } from '../../support/kernel.js'
import { packData } from '../../support/pack-data.js'

const BOOK: RegistryType<number> = { id: identifier('test:book'), folder: 'test/book', schema: z.int() }
const books = (...pages: readonly unknown[]): PackData =>
  packData({
    entries: { 'test/book': Object.fromEntries(pages.map((n, at) => [`test:b${at}`, n as number])) },
  })

/** A content whose thread gives these answers, one after the other. */
function setup(...answers: readonly Result<unknown>[]) {
  const logger = new RecordingLogger()
  const clock = new ManualClock()
  const kinds: string[] = []
  const taken: Content[] = []
  const left = [...answers]
  const live = new LiveContent({
    places: { builtIn: '/ours', world: null, extra: [] },
    packFormat: 61,
    prompts: () => ({}),
    types: [BOOK],
    clock,
    logger,
    onTaken: (content) => void taken.push(content),
    run: async ({ kind }) => {
      kinds.push(kind)
      if (kind === 'locate') return ok([{ line: 2, column: 3 }])
      return left.shift() ?? fail('system:stopping')
    },
  })
  return { live, logger, kinds, taken, clock }
}

void t.test('packs are read at the start; what is wrong has its place', async (t) => {
  const { live, logger, kinds, taken } = setup(ok(books(1, 'x')))
  t.equal(live.current.registry(BOOK).size, 0)
  await live.open()
  t.same(live.current.registry(BOOK).ids(), ['test:b0'])
  t.same(kinds, ['read-packs', 'locate'])
  t.equal(taken[0], live.current)
  t.match(logger.messages(), [
    'packs: pack data/test/test/book/b1.json:2:3: must be a number',
    'packs: read=1 refused=0 entries=1 skipped=1',
  ])
})

void t.test('a thread that is lost at the start is asked once more', async (t) => {
  const { live, logger, kinds } = setup(fail('system:worker_lost'), ok(books(1)))
  await live.open()
  t.same([live.current.registry(BOOK).size, kinds.length, logger.messages().length], [1, 2, 1])
})

void t.test('one whose time was over is not asked again', async (t) => {
  const { live, logger, kinds, clock } = setup(fail('system:worker_lost'), ok(books(1)))
  const opening = live.open()
  clock.advance(PACK_JOB_MS)
  await opening
  t.same([live.current.registry(BOOK).size, kinds.length], [0, 1])
  t.same(logger.messages(), ['the packs were not read: system:worker_lost'])
})

void t.test('without an answer, or with a wrong one, there is an empty content and one line', async (t) => {
  for (const answers of [
    [fail('system:worker_lost'), fail('system:worker_lost')],
    [fail('system:protocol')],
    [ok(null)],
    [ok({ ...books(1), texts: {} })],
  ] as const) {
    const { live, logger, taken } = setup(...answers)
    await live.open()
    t.same([live.current.registry(BOOK).size, taken.length], [0, 0])
    t.match(logger.messages(), [/^the packs were not read: system:\w+$/])
  }
})

void t.test('after the end nothing is taken', async (t) => {
  const { live, taken } = setup(ok(books(1)), ok(books(1, 2)))
  await live.open()
  const before = live.current
  const read = await live.read()
  live.close()
  t.ok(read.ok)
  if (read.ok) t.notOk(live.take(read.value))
  t.equal(live.current, before)
  t.equal(taken.length, 1)
  t.match(await live.read(), { ok: false, failure: { code: 'system:stopping' } })
})

void t.test('a prompt that is broken or gone keeps its last good text, and the log says so', async (t) => {
  const prompts = (of: Readonly<Record<string, string>>, brokenPrompts: readonly string[] = []): PackData => {
    const data = packData({ texts: { prompts: of } })
    return { ...data, texts: { ...data.texts, brokenPrompts } }
  }
  const { live, logger } = setup(
    ok(prompts({ react: 'one', route: 'one' }, ['question'])),
    ok(prompts({ route: 'two' }, ['react'])),
    ok(prompts({ react: 'three' })),
  )
  await live.open()
  t.same(
    [...live.current.prompts],
    [
      ['react', 'one'],
      ['route', 'one'],
    ],
    'a broken one has nothing before it',
  )
  const before = logger.messages().length
  for (const expected of [
    { route: 'two', react: 'one' },
    { route: 'two', react: 'three' },
  ]) {
    const read = await live.read()
    t.ok(read.ok && live.take(read.value))
    t.same(Object.fromEntries(live.current.prompts), expected)
  }
  t.same(logger.messages().slice(before), [
    'packs: the prompt react can not be used: its last good text stays',
    'packs: the prompt route is in no pack any more: its last good text stays',
  ])
})

void t.test('what a reload took is not overtaken by the first read', async (t) => {
  const { live } = setup(ok(books(1)), ok(books(1, 2)))
  const opening = live.open()
  const read = await live.read()
  if (read.ok) live.take(read.value)
  await opening
  t.equal(live.current, read.ok ? read.value : null)
})

void t.test('code of a type that throws is named once a load', async (t) => {
  const logger = new RecordingLogger()
  const odd = new Error('odd')
  const throwing: RegistryType<number> = {
    ...BOOK,
    references: () => {
      throw odd
    },
  }
  const live = new LiveContent({
    places: { builtIn: null, world: null, extra: [] },
    packFormat: 61,
    prompts: () => ({}),
    types: [throwing],
    clock: new ManualClock(),
    logger,
    onTaken: () => {},
    run: async ({ kind }) => ok(kind === 'locate' ? [] : books(1, 2, 3)),
  })
  await live.open()
  t.same(
    logger.lines.filter(({ level }) => level === 'error'),
    [{ level: 'error', message: 'the registry type test:book failed on test:b0', cause: odd }],
  )
  t.equal(live.current.skipped, 3)
})
