/** Each kind of reward: what a pack may write, what it is when it is promised, what it books and takes back, how it is shown. */
import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import {
  entryOf,
  INBOX,
  NO_GOODS,
  orderOf,
  type InboxEntry,
  type ItemStorageType,
  type ItemTransaction,
  type Order,
} from '../../lib/inventory/index.js'
import {
  addFeature,
  balanceOf,
  Bookkeeping,
  credit,
  debit,
  FEATURES,
  hasFeature,
  RESOURCES,
  RewardTypes,
  type ItemForms,
  type Reward,
} from '../../lib/rewards/index.js'
import { RecordingLogger } from '../support/kernel.js'

const COIN = identifier('test:coin')
const MARK = identifier('test:pioneer')
const MOST = Number.MAX_SAFE_INTEGER

/** What a transaction sees and writes. */
class Book implements ItemTransaction {
  readonly #values = new Map<string, unknown>()
  get = <T>(type: ItemStorageType<T>): T => (this.#values.get(type.id) ?? type.empty) as T
  set = <T>(type: ItemStorageType<T>, value: T): void => void this.#values.set(type.id, value)
}

const forms: ItemForms = {
  lineOf: ({ item, count, name = '' }) =>
    item === 'minecraft:dimond'
      ? fail('system:unknown_item', { query: item })
      : ok({ item, count, data: name }),
}

const types = new RewardTypes()
const decoded = (rewards: unknown): readonly Reward[] | null => types.schema().safeParse(rewards).data ?? null
const promised = (rewards: unknown) => types.promise(decoded(rewards) ?? [], forms)
const shown = (rewards: unknown) => types.shown(decoded(rewards) ?? [])
const code = (result: Result<unknown>): string => (result.ok ? 'ok' : result.failure.code)

const items = (...all: readonly object[]) => ({ type: 'items', items: all })
const stick = (count: number, more: object = {}) => ({ item: 'minecraft:stick', count, ...more })
const coins = (amount: number) => ({ type: 'resource', resource: COIN, amount })
const mark = (feature: string = MARK) => ({ type: 'feature', feature })

void t.test('items: stacks as they are described, equal ones together', async (t) => {
  const given = items(stick(3), stick(2), stick(1, { name: 'Club' }), { item: 'egg' })
  t.strictSame(promised([given]), {
    ok: true,
    value: {
      goods: {
        lines: [
          { item: 'minecraft:stick', count: 5, data: '' },
          { item: 'minecraft:stick', count: 1, data: 'Club' },
          { item: 'minecraft:egg', count: 1, data: '' },
        ],
        xp: 0,
      },
      booked: [],
    },
  })
  t.match(shown([given]), [
    { kind: 'item', item: { count: 3 } },
    { kind: 'item', item: { count: 2 } },
    { kind: 'item', item: { name: 'Club' } },
    { kind: 'item', item: { item: 'minecraft:egg', count: 1 } },
  ])
  const broken = promised([coins(1), items(stick(1), { item: 'minecraft:dimond' })])
  t.match(broken, { failure: { code: 'system:reward_unusable' } }, 'one that is not there costs all of it')
})

void t.test('xp, resources and markers: what goes to the player, and what the store books', async (t) => {
  const all = [{ type: 'xp', points: 7 }, { type: 'xp', points: 4 }, coins(3), mark(), items(stick(1))]
  t.match(promised(all), {
    value: {
      goods: { lines: [{ count: 1 }], xp: 11 },
      booked: [
        { type: 'system:resource', value: coins(3) },
        { type: 'system:feature', value: mark() },
      ],
    },
  })
  t.strictSame(
    shown(all).map(({ kind }) => kind),
    ['xp', 'xp', 'resource', 'feature', 'item'],
  )
  t.strictSame(shown([{ type: 'system:xp', points: 7 }]), [{ kind: 'xp', points: 7 }])
  t.strictSame(shown([coins(3)]), [{ kind: 'resource', resource: COIN, amount: 3 }])
  t.strictSame(shown([mark()]), [{ kind: 'feature', feature: MARK }])
})

void t.test('a resource is booked and taken back, within its bounds', async (t) => {
  const book = new Book()
  const [reward] = decoded([coins(3)]) ?? []
  const booked = { type: 'system:resource', value: reward }
  t.equal(code(types.unbook(book, booked)), 'system:cost_missing', 'there is nothing to take')
  t.equal(code(types.book(book, booked)), 'ok')
  t.equal(code(types.book(book, booked)), 'ok')
  t.equal(balanceOf(book, COIN), 6)
  t.equal(code(types.unbook(book, booked)), 'ok')
  t.equal(balanceOf(book, COIN), 3)
  t.equal(code(debit(book, COIN, 4)), 'system:cost_missing')
  t.equal(balanceOf(book, COIN), 3)
  t.equal(code(debit(book, COIN, 3)), 'ok')
  t.strictSame(book.get(RESOURCES), [], 'none of nothing')
  t.equal(code(credit(book, COIN, MOST)), 'ok')
  t.equal(code(types.book(book, booked)), 'system:resource_full')
  t.equal(balanceOf(book, COIN), MOST)
  const names = Array.from({ length: 256 }, (_, at) => identifier(`test:c${at}`))
  book.set(
    RESOURCES,
    names.map((resource) => ({ resource, amount: 1 })),
  )
  t.equal(code(credit(book, COIN, 1)), 'system:resource_full', 'one currency too many')
  t.equal(code(credit(book, identifier('test:c9'), 1)), 'ok')
  t.ok(RESOURCES.schema.safeParse(book.get(RESOURCES)).success)
})

void t.test('a marker is there once, and stays when a price comes back', async (t) => {
  const book = new Book()
  const booked = { type: 'system:feature', value: mark() }
  t.notOk(hasFeature(book, MARK))
  t.equal(code(types.book(book, booked)), 'ok')
  t.equal(code(types.book(book, booked)), 'ok')
  t.strictSame(book.get(FEATURES), [MARK])
  t.equal(code(types.unbook(book, booked)), 'system:reward_unusable')
  t.ok(hasFeature(book, MARK))
  book.set(
    FEATURES,
    Array.from({ length: 4_096 }, (_, at) => identifier(`test:f${at}`)),
  )
  t.equal(code(addFeature(book, MARK)), 'system:resource_full')
  t.equal(code(addFeature(book, identifier('test:f7'))), 'ok')
  t.equal(book.get(FEATURES).length, 4_096)
})

void t.test(
  'what is no reward does not decode; what is more than an entry holds is not promised',
  async (t) => {
    const hostile: readonly unknown[] = [
      [],
      {},
      [null],
      [{ type: 'toString' }],
      [{ type: 'command', command: 'op mallory' }],
      [items()],
      [items(...Array.from({ length: 37 }, () => stick(1)))],
      [items(stick(0))],
      [items(stick(36 * 64 + 1))],
      [items(stick(1, { nbt: '[1]' }))],
      [items(stick(1, { nbt: '{a:' }))],
      [items(stick(1, { enchantments: { sharpness: 1 } }))],
      [items(stick(1, { color: 'red' }))],
      [{ type: 'xp', points: 2 ** 31 }],
      [{ type: 'xp', points: 0 }],
      [coins(0)],
      [coins(2 ** 53)],
      [mark('Pioneer')],
      Array.from({ length: 17 }, () => coins(1)),
    ]
    for (const rewards of hostile) t.equal(decoded(rewards), null, JSON.stringify(rewards).slice(0, 80))
    t.ok(decoded([items(...Array.from({ length: 36 }, () => stick(36 * 64)))]))
    t.ok(decoded(Array.from({ length: 16 }, () => coins(1))))
    const kinds = (from: number) =>
      items(...Array.from({ length: 32 }, (_, at) => stick(1, { name: `n${from + at}` })))
    t.equal(code(promised([kinds(0), kinds(32)])), 'ok', '64 kinds of stacks')
    t.equal(code(promised([kinds(0), kinds(32), items(stick(1))])), 'system:reward_unusable')
    const half = { type: 'xp', points: 2 ** 30 }
    t.equal(code(promised([half])), 'ok')
    t.equal(code(promised([half, half])), 'system:reward_unusable', 'more points than there can be')
  },
)

void t.test('a kind of an extension may do what it wants: it costs its own part', async (t) => {
  const own = new RewardTypes()
  const bad = (): never => {
    throw new Error('x')
  }
  const parts = { members: () => ({}), shown: () => [{ kind: 'other', text: 'a title' } as const] }
  own.add({ ...parts, id: identifier('town:title'), book: (tx) => addFeature(tx, MARK) })
  own.add({ ...parts, id: identifier('town:bad'), goods: bad, book: bad, unbook: bad, shown: bad })
  own.add({ ...parts, id: identifier('town:late'), goods: (async () => ok(NO_GOODS)) as never })
  t.throws(() => own.add({ ...parts, id: identifier('town:none') }), /reward town:none has no book/)
  t.throws(
    () => own.add({ ...parts, id: identifier('town:mute'), goods: () => ok(NO_GOODS), shown: 1 as never }),
    /reward town:mute has no shown/,
  )
  t.match(own.promise([{ type: 'town:title' }], forms), { value: { booked: [{ type: 'town:title' }] } })
  for (const type of ['town:bad', 'town:late', 'town:gone'])
    t.equal(code(own.promise([{ type }], forms)), 'system:reward_unusable', type)
  t.strictSame(own.shown([{ type: 'town:title' }, { type: 'town:bad' }, { type: 'town:gone' }]), [
    { kind: 'other', text: 'a title' },
    { kind: 'other', text: 'town:bad' },
    { kind: 'other', text: 'town:gone' },
  ])
  const book = new Book()
  for (const type of ['town:bad', 'town:gone']) {
    t.equal(code(own.book(book, { type, value: { type } })), 'system:reward_unusable', type)
    t.equal(code(own.unbook(book, { type, value: { type } })), 'system:reward_unusable', type)
  }
  t.equal(code(own.book(book, { type: 'town:title', value: { type: 'town:title' } })), 'ok')
  t.ok(hasFeature(book, MARK))
})

void t.test('nonsense of an extension is no goods, and is shown by its name', async (t) => {
  const goods: readonly unknown[] = [
    undefined,
    7,
    ok(undefined),
    ok({ lines: [], xp: Number.NaN }),
    ok({ lines: [], xp: -5 }),
    ok({ lines: [{ item: 'minecraft:stick', count: -1, data: '' }], xp: 0 }),
    ok({ lines: [{ item: 'minecraft:stick', count: 1 }], xp: 0 }),
  ]
  const shown: readonly unknown[] = [
    undefined,
    7,
    [null],
    [{ kind: 'wish' }],
    [{ kind: 'xp', points: Number.NaN }],
    [{ kind: 'item', item: { count: 3 } }],
    [{ kind: 'other' }],
  ]
  for (const [at, answer] of goods.entries()) {
    const own = new RewardTypes()
    const type = identifier('town:bad')
    own.add({ id: type, members: () => ({}), goods: () => answer as never, shown: () => shown[at] as never })
    t.equal(
      code(own.promise([{ type }], forms)),
      'system:reward_unusable',
      JSON.stringify(answer) ?? 'nothing',
    )
    t.strictSame(own.shown([{ type }, coins(1) as Reward]), [
      { kind: 'other', text: type },
      { kind: 'resource', resource: COIN, amount: 1 },
    ])
  }
})

void t.test('what is booked follows its entry and its order', async (t) => {
  const logger = new RecordingLogger()
  const { changed } = new Bookkeeping(types, logger)
  const booked = [
    { type: 'system:resource', value: coins(3) },
    { type: 'town:gone', value: {} },
  ]
  const goods = { lines: [{ item: 'minecraft:stick', count: 1, data: '' }], xp: 0 }
  const entry = (more: Partial<InboxEntry>): InboxEntry =>
    entryOf({ ...goods, id: 'a', source: 'test:x', booked }, more)
  const book = new Book()
  changed(book, { kind: 'entry', entry: entry({ state: 'LOCKED' }) })
  t.equal(balanceOf(book, COIN), 0, 'not before it is had')
  changed(book, { kind: 'entry', entry: entry({ state: 'DONE' }) })
  t.equal(balanceOf(book, COIN), 3)
  t.match(book.get(INBOX), [{ id: 'a-owed', lines: [], booked: [{ type: 'town:gone' }], state: 'AVAILABLE' }])
  t.throws(
    () =>
      changed(book, {
        kind: 'entry',
        entry: entry({ state: 'DONE', lines: [], booked: [booked[1] as never] }),
      }),
    {
      message: 'system:resource_full',
    },
  )
  const order = (state: Order['state']): Order => ({
    ...orderOf({
      id: 'o',
      source: 'system:shop',
      costs: NO_GOODS,
      gives: goods,
      entry: 'a',
      isIrreversible: false,
      reserved: [{ resource: identifier('test:key'), amount: 2 }],
    }),
    state,
  })
  for (const state of ['RESERVED', 'COMPLETED', 'PAYMENT_UNKNOWN'] as const) {
    changed(book, { kind: 'order', order: order(state) })
    t.equal(balanceOf(book, 'test:key'), 0, `${state}: the reserved part stays taken`)
  }
  changed(book, { kind: 'order', order: order('FAILED') })
  t.equal(balanceOf(book, 'test:key'), 2)
  book.set(INBOX, [entry({ state: 'DONE' })])
  changed(book, { kind: 'order', order: order('VOIDED') })
  t.strictSame(
    [balanceOf(book, 'test:key'), balanceOf(book, COIN)],
    [4, 0],
    'the price is back, what it booked is not',
  )
  book.set(INBOX, [entry({ state: 'WITHDRAWN' })])
  credit(book, COIN, 3)
  changed(book, { kind: 'order', order: order('VOIDED') })
  t.equal(balanceOf(book, COIN), 3, 'what was never had is not taken')
  // spent meanwhile: nothing is made up, and the host is told; a balance that is full: what comes back waits
  book.set(INBOX, [entry({ state: 'DONE' })])
  book.set(RESOURCES, [{ resource: identifier('test:key'), amount: MOST }])
  changed(book, { kind: 'order', order: order('VOIDED') })
  t.strictSame(book.get(RESOURCES), [{ resource: 'test:key', amount: MOST }])
  t.match(logger.messages().slice(-3), [
    /^order o: 2 test:key waits in the inbox$/,
    /flagged: order o is void, system:resource of it stays/,
    /flagged: order o is void, town:gone of it stays/,
  ])
})
