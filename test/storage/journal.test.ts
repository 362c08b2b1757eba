import t from 'tap'
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import {
  AgentJournal,
  EVENT_TASKS,
  STEP_RECEIPTS,
  type EventTask,
  type StoreLimits,
  type Transaction,
} from '../../lib/storage/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, LIMITS, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp } from '../support/stored-things.js'

const WEEK_MS = 7 * 86_400_000
const output = z.strictObject({ paid: z.int(), note: z.string() })
const TYPES = [...ALL, STEP_RECEIPTS, EVENT_TASKS]

function setup(over: Partial<StoreLimits> = {}) {
  const disk = new Disk()
  const { store, limits } = openStore({ types: TYPES, driver: disk.open(), limits: { ...LIMITS, ...over } })
  const journal = new AgentJournal(() => limits)
  const player = somePlayer()
  /** Counts up once for this step. */
  const step = (name: string, { task = 'task', fingerprint = 'f', now = 1, note = '' } = {}) =>
    store.update(player, (tx) =>
      journal.once(tx, { task, name, fingerprint, output, now }, () => ({ paid: countUp(tx), note })),
    )
  const change = <R>(fn: (tx: Transaction) => R) => store.update(player, fn)
  const kept = async () => valueOf(await store.read(player))
  const receipts = async () => [...(await kept()).rows(STEP_RECEIPTS).keys()]
  return { disk, store, journal, player, step, change, kept, receipts, limits }
}

const task = (over: Partial<EventTask> = {}): EventTask => ({
  module: identifier('test:module'),
  moduleVersion: 1,
  rule: 'test:rule',
  input: { advancement: 'story/mine_stone', list: [1, null, 'x'] },
  policy: { modelCalls: 4 },
  spent: {},
  state: 'QUEUED',
  attempts: 0,
  deadline: 99,
  createdAt: 1,
  over: 0,
  ...over,
})

void t.test('a step is made once; the same again gives its outcome, something else is refused', async (t) => {
  const { disk, step, kept, player, journal } = setup()
  t.strictSame(await step('pay', { note: 'é€\u{1f600}' }), {
    ok: true,
    value: { paid: 1, note: 'é€\u{1f600}' },
  })
  t.same(valueOf(await step('pay')), { paid: 1, note: 'é€\u{1f600}' })
  t.equal(codeOf(await step('pay', { fingerprint: 'other' })), 'system:receipt_mismatch')
  t.same(valueOf(await step('pay/2')), { paid: 2, note: '' })
  t.same(valueOf(await step('pay', { task: 'other' })), { paid: 3, note: '' })
  t.equal(codeOf(await step('pay', { task: 'with/slash' })), 'system:internal')
  t.equal((await kept()).get(COUNT).n, 3)
  const later = openStore({ types: TYPES, driver: disk.open() }).store
  const again = await later.update(player, (tx) =>
    journal.once(
      tx,
      { task: 'task', name: 'pay', fingerprint: 'f', output, now: 9 },
      () => t.fail() as never,
    ),
  )
  t.same(valueOf(again), { paid: 1, note: 'é€\u{1f600}' }, 'after a restart too')
})

void t.test('the same step twice in one tick is made once', async (t) => {
  const { step, kept } = setup()
  const both = await Promise.all([step('pay'), step('pay')])
  t.same(both.map(valueOf), [
    { paid: 1, note: '' },
    { paid: 1, note: '' },
  ])
  t.equal((await kept()).get(COUNT).n, 1)
})

void t.test('no receipt without its effect, no effect without its receipt', async (t) => {
  const { disk, step, kept, receipts, change, journal } = setup()
  disk.fate = ({ kind }) => (kind === 'commit' ? 'system:storage_failed' : null)
  t.equal(codeOf(await step('pay')), 'system:storage_failed')
  t.same([(await kept()).get(COUNT).n, await receipts()], [0, []])
  disk.fate = () => null
  const thrown = await change((tx) =>
    journal.once(tx, { task: 'task', name: 'pay', fingerprint: 'f', output, now: 1 }, () => {
      countUp(tx)
      throw new Error('no')
    }),
  )
  t.equal(codeOf(thrown), 'system:internal')
  t.same([(await kept()).get(COUNT).n, await receipts()], [0, []])
  const unkeepable = await change((tx) =>
    journal.once(tx, { task: 'task', name: 'pay', fingerprint: 'f', output: z.bigint(), now: 1 }, () =>
      BigInt(countUp(tx)),
    ),
  )
  t.not(codeOf(unkeepable), 'ok', 'an outcome that cannot be kept')
  t.same([(await kept()).get(COUNT).n, await receipts()], [0, []])
  t.same(valueOf(await step('pay')), { paid: 1, note: '' })
})

void t.test('an outcome of another shape than the step gives now is not given', async (t) => {
  const { step, change, journal, kept } = setup()
  await step('pay')
  const changed = z.strictObject({ amount: z.int() })
  const again = await change((tx) =>
    journal.once(tx, { task: 'task', name: 'pay', fingerprint: 'f', output: changed, now: 1 }, () => {
      countUp(tx)
      return { amount: 1 }
    }),
  )
  t.equal(codeOf(again), 'system:internal')
  t.equal((await kept()).get(COUNT).n, 1, 'and the step not made again')
})

void t.test('receipts stay for 7 days after their task is over, and no budget shortens that', async (t) => {
  const { step, change, journal, receipts } = setup({ receiptBytes: 3_000 })
  const note = 'x'.repeat(800)
  t.ok((await step('a', { task: 'one', note })).ok)
  t.ok((await step('b', { task: 'two', note })).ok)
  t.ok((await step('c', { task: 'two', note })).ok)
  t.equal(codeOf(await step('d', { task: 'two', note })), 'system:journal_full')
  await change((tx) => journal.endTask(tx, 'one', 10))
  t.equal(codeOf(await step('d', { task: 'two', note, now: 10 + WEEK_MS })), 'system:journal_full')
  t.same(valueOf(await step('a', { task: 'one', now: 10 + WEEK_MS })).paid, 1, 'still known')
  t.equal(codeOf(await step('d', { task: 'two', note, now: 11 + WEEK_MS })), 'ok')
  t.strictSame(await receipts(), ['two/b', 'two/c', 'two/d'])
})

void t.test('budgets are read at each use and lie within the business record', async (t) => {
  const { step, limits } = setup({ receiptBytes: 10_000 })
  const note = 'x'.repeat(800)
  t.ok((await step('a', { note })).ok)
  Object.assign(limits, { businessBytes: 3_000 })
  t.equal(codeOf(await step('b', { note })), 'system:journal_full', 'half of the record')
  Object.assign(limits, { businessBytes: LIMITS.businessBytes, receiptBytes: 900 })
  t.equal(codeOf(await step('b', { note })), 'system:journal_full')
  Object.assign(limits, { receiptBytes: 10_000 })
  t.ok((await step('b', { note })).ok)
})

void t.test('tasks are kept until 7 days after they are over; the oldest open one first', async (t) => {
  const { change, journal, kept, step, disk, player } = setup()
  await change((tx) => {
    journal.add(tx, 'second', task({ createdAt: 2 }))
    journal.add(tx, 'first', task())
  })
  t.strictSame(
    journal.openTasks(await kept()).map(([id]) => id),
    ['first', 'second'],
  )
  await step('pay', { task: 'first' })
  await change((tx) => journal.move(tx, 'first', { state: 'RUNNING', attempts: 1, now: 5 }))
  await change((tx) => journal.move(tx, 'first', { state: 'DONE', spent: { modelCalls: 2 }, now: 6 }))
  const later = openStore({ types: TYPES, driver: disk.open() }).store
  const view = valueOf(await later.read(player))
  t.match(view.row(EVENT_TASKS, 'first'), {
    ...task(),
    state: 'DONE',
    attempts: 1,
    spent: { modelCalls: 2 },
    over: 6,
  })
  t.strictSame(
    journal.openTasks(view).map(([id]) => id),
    ['second'],
  )
  t.match(view.row(STEP_RECEIPTS, 'first/pay'), { over: 6 })
  await later.update(player, (tx) => journal.endTask(tx, 'other', 7 + WEEK_MS))
  t.strictSame([...view.rows(EVENT_TASKS).keys()], ['second'])
  t.equal(view.rows(STEP_RECEIPTS).size, 0)
  const unknown = await later.update(player, (tx) => journal.move(tx, 'nobody', { now: 1 }))
  t.equal(codeOf(unknown), 'system:internal')
})

void t.test('tasks beyond their budget are refused', async (t) => {
  const { change, journal, kept } = setup({ eventTaskBytes: 3_000 })
  const large = task({ input: 'x'.repeat(1_000) })
  const add = (id: string) => change((tx) => journal.add(tx, id, large))
  t.strictSame(
    [codeOf(await add('a')), codeOf(await add('b')), codeOf(await add('c'))],
    ['ok', 'ok', 'system:journal_full'],
  )
  t.equal((await kept()).rows(EVENT_TASKS).size, 2)
})

void t.test(
  'what an earlier run left: interactive tasks are over, event tasks and running ones are not',
  async (t) => {
    const { change, journal, step, kept } = setup()
    await change((tx) => journal.add(tx, 'event', task()))
    for (const id of ['event', 'crashed', 'running']) await step('pay', { task: id })
    await change((tx) => journal.recover(tx, 50, (id) => id === 'running'))
    const over = [...(await kept()).rows(STEP_RECEIPTS)].map(([key, receipt]) => [key, receipt.over])
    t.same(over, [
      ['event/pay', 0],
      ['crashed/pay', 50],
      ['running/pay', 0],
    ])
  },
)
