/** The table of what a login decides, row by row. */
import t from 'tap'
import {
  addEntry,
  INBOX,
  INVENTORY_LOG,
  ORDERS,
  reserveOrder,
  type ItemStorageType,
  type Marks,
} from '../../lib/inventory/index.js'
import { reconcile, type Reconciliation } from '../../lib/inventory/reconcile.js'
import { readBook, type ItemBook, type NewOrder } from '../../lib/inventory/records.js'

const line = (count: number): { item: string; count: number; data: string } => ({
  item: 'minecraft:diamond',
  count,
  data: '',
})
const NO = { lines: [], xp: 0 }
const SHOP: NewOrder = {
  id: 'o',
  source: 'system:shop',
  costs: { lines: [line(3)], xp: 2 },
  gives: { lines: [line(1)], xp: 0 },
  entry: 'e',
  isIrreversible: false,
}

/** The store's side, made by the functions that features use. */
function book({ entries = [] as string[], orders = [] as NewOrder[], seq = 0 } = {}): ItemBook {
  const values = new Map<string, unknown>()
  const tx = {
    get: <T>(type: ItemStorageType<T>): T => (values.get(type.id) as T | undefined) ?? type.empty,
    set: <T>(type: ItemStorageType<T>, value: T): unknown => values.set(type.id, value),
  }
  for (const id of entries) addEntry(tx, { id, source: 'system:signin', lines: [line(5)], xp: 1 })
  for (const order of orders) reserveOrder(tx, order)
  tx.set(INVENTORY_LOG, { seq, log: [] })
  return readBook(tx)
}

const op = (id: string, more: Partial<Marks['ops'][number]> = {}): Marks['ops'][number] => ({
  id,
  seq: 1,
  kind: 'give',
  moved: [line(5)],
  xp: 1,
  rest: [],
  ...more,
})
const marks = (seq: number, more: Partial<Marks> = {}): Marks => ({ seq, ops: [], recent: [], ...more })
const payment = op('o', { kind: 'take', moved: [line(3)], xp: 2 })

let made = 0
const ids = {
  requestId: (): never => {
    throw new Error('not here')
  },
  token: (): string => `new${++made}`,
}

function login(
  before: ItemBook,
  found: Marks | null,
  file: { isReadable?: boolean; fresh?: boolean } = {},
): Reconciliation {
  const { isReadable = true, fresh = false } = file
  const given = { exists: found !== null || !isReadable, isReadable, marks: found }
  const result = reconcile(before, given, { ids, onUnreadable: fresh ? 'fresh' : 'refuse' })
  if (!result.ok) throw new Error(result.failure.code)
  const { book, marks } = result.value
  for (const [type, value] of [
    [INBOX, book.entries],
    [ORDERS, book.orders],
    [INVENTORY_LOG, book.inv],
  ] as const)
    type.schema.parse(value)
  // whatever was decided stays decided: with the marks of the session, and with the file as it was
  const again = reconcile(
    book,
    { ...given, marks: found === null ? null : marks },
    { ids, onUnreadable: 'fresh' },
  )
  if (!again.ok || again.value.counts.flagged > 0 || again.value.counts.voided > 0)
    throw new Error('not settled')
  return result.value
}

const states = ({ book }: { book: ItemBook }): Readonly<Record<string, string>> =>
  Object.fromEntries([...book.orders, ...book.entries].map(({ id, state }) => [id, state]))
const counts = ({ counts }: Reconciliation): string => Object.values(counts).join(' ')

void t.test('a give that the file has is done, and what did not fit waits', async (t) => {
  const done = login(
    book({ entries: ['g'] }),
    marks(1, { ops: [op('g', { moved: [line(3)], rest: [line(2)] })] }),
  )
  t.strictSame(states(done), { g: 'DONE', 'g.1': 'AVAILABLE' })
  t.strictSame(done.book.entries[1]?.lines, [line(2)])
  t.equal(done.book.entries[1]?.xp, 0)
  t.strictSame(
    [done.book.inv.seq, done.marks.ops, done.marks.recent],
    [1, [], [{ id: 'g', rest: [line(2)] }]],
  )
  t.equal(counts(done), '1 0 0 0')
})

void t.test('a give that the file lacks waits on', async (t) => {
  const before = book({ entries: ['g'] })
  t.equal(login(before, marks(0)).book, before)
})

void t.test(
  'an order whose price the file has is completed, one whose price it lacks has failed',
  async (t) => {
    const paid = login(book({ orders: [SHOP] }), marks(1, { ops: [payment] }))
    t.strictSame(states(paid), { o: 'COMPLETED', e: 'AVAILABLE' })
    const unpaid = login(book({ orders: [SHOP] }), marks(0))
    t.strictSame(states(unpaid), { o: 'FAILED', e: 'WITHDRAWN' })
    t.equal(counts(unpaid), '0 1 0 0')
  },
)

void t.test('a price that was given back in part has failed, and the rest of it waits', async (t) => {
  const returned = op('o', { kind: 'take', moved: [line(2)], xp: 0, rest: [line(2)] })
  const done = login(book({ orders: [SHOP] }), marks(1, { ops: [returned] }))
  t.strictSame(states(done), { o: 'FAILED', e: 'WITHDRAWN', 'o-refund': 'AVAILABLE' })
  t.strictSame(done.book.entries[1]?.lines, [line(2)])
})

void t.test('a cost outside decides after login, unless the price was not even taken', async (t) => {
  const outside = { ...SHOP, externalType: 'test:bank' }
  const paid = login(book({ orders: [outside] }), marks(1, { ops: [payment] }))
  t.strictSame([states(paid), paid.external], [{ o: 'RESERVED', e: 'LOCKED' }, ['o']])
  t.strictSame(paid.book.orders[0]?.taken, { lines: [line(3)], xp: 2 })
  const unpaid = login(book({ orders: [outside] }), marks(0))
  t.strictSame([states(unpaid), unpaid.external], [{ o: 'FAILED', e: 'WITHDRAWN' }, []])
  const only = login(book({ orders: [{ ...outside, costs: NO }] }), marks(0))
  t.strictSame([states(only), only.external], [{ o: 'RESERVED', e: 'LOCKED' }, ['o']])
})

void t.test('an older store learns from the file, and remainders of remainders are followed', async (t) => {
  const recent = [
    { id: 'o', rest: [] },
    { id: 'g', rest: [line(4)] },
    { id: 'g.1', rest: [line(2)] },
  ]
  const done = login(book({ entries: ['g'], orders: [SHOP] }), marks(9, { recent }))
  t.strictSame(states(done), { o: 'COMPLETED', g: 'DONE', e: 'AVAILABLE', 'g.1': 'DONE', 'g.2': 'AVAILABLE' })
  t.strictSame(done.book.entries.at(-1)?.lines, [line(2)])
  t.strictSame([done.book.inv.seq, done.counts.flagged], [9, 1])
})

void t.test('operations that the store does not know are flagged', async (t) => {
  const done = login(book(), marks(1, { ops: [op('g')] }))
  t.strictSame([done.book.inv.seq, done.counts.flagged > 0, done.marks.ops], [1, true, []])
})

void t.test(
  'a restored file: newer payments are void, newer deliveries wait again, older ones stay',
  async (t) => {
    const first = login(book({ entries: ['a', 'b'], orders: [SHOP] }), marks(1, { ops: [op('a')] }))
    const reserved = { ...first.book, orders: book({ orders: [SHOP] }).orders }
    const known = { ops: [op('b', { seq: 2 }), { ...payment, seq: 3 }], recent: first.marks.recent }
    const second = login(reserved, marks(3, known))
    t.equal(states(second)['o'], 'COMPLETED')
    const third = login(second.book, marks(1, { ops: [op('a')] }))
    const reissued = third.book.entries.find(({ reissueOf }) => reissueOf.includes('b'))
    t.match(states(third), { o: 'VOIDED', a: 'DONE', b: 'DONE', e: 'WITHDRAWN' })
    t.match(reissued, { state: 'AVAILABLE', lines: [line(5)], xp: 1 })
    t.strictSame([third.book.inv.seq, third.book.inv.log.map(({ id }) => id)], [1, ['a']])
    t.ok(third.counts.flagged > 0)
    // the newer file comes back after all: nothing is given twice
    const fourth = login(third.book, marks(3, known))
    t.equal(states(fourth)[reissued?.id ?? ''], 'WITHDRAWN')
  },
)

void t.test('a restored file takes no submission back', async (t) => {
  const quest = { ...SHOP, isIrreversible: true }
  const paid = login(book({ orders: [quest] }), marks(1, { ops: [payment] }))
  const restored = login(paid.book, marks(0))
  t.strictSame([states(restored)['o'], restored.counts.flagged], ['COMPLETED', 2])
})

void t.test('beyond the log, and without a file, nothing is issued again', async (t) => {
  let now = book({ entries: Array.from({ length: 70 }, (_, n) => `g${n}`) })
  let session = marks(0)
  for (let n = 0; n < 70; n++) {
    const done = login(now, { ...session, seq: n + 1, ops: [op(`g${n}`, { seq: n + 1 })] })
    now = done.book
    session = done.marks
  }
  const open = (result: Reconciliation): number =>
    result.book.entries.filter(({ state }) => state === 'AVAILABLE').length
  const within = { recent: session.recent.slice(0, 10) }
  t.equal(open(login(now, marks(10, within))), 60, 'as far as the log reaches')
  t.strictSame([open(login(now, marks(3))), login(now, marks(3)).counts.flagged], [0, 1])
  t.strictSame([open(login(now, null)), login(now, null).counts.flagged], [0, 1])
  t.equal(login(now, null).book.inv.seq, 0)
})

void t.test('a delivery as it was saved first, before some of it did not fit', async (t) => {
  const final = op('g', { moved: [line(2)], rest: [line(3)] })
  const done = login(book({ entries: ['g'] }), marks(1, { ops: [final] }))
  t.equal(states(done)['g.1'], 'AVAILABLE')
  const older = login(done.book, marks(1, { ops: [op('g')] }))
  t.match(states(older), { g: 'DONE', 'g.1': 'WITHDRAWN' })
  t.equal(older.book.entries.filter(({ state }) => state === 'AVAILABLE').length, 0)
})

void t.test('a file that cannot be read refuses the login, or counts as none', async (t) => {
  const before = login(book({ entries: ['g'] }), marks(1, { ops: [op('g')] })).book
  t.throws(() => login(before, null, { isReadable: false }), { message: 'system:storage_unreadable' })
  const fresh = login(before, null, { isReadable: false, fresh: true })
  t.strictSame([states(fresh), fresh.counts.flagged], [{ g: 'DONE' }, 1])
})
