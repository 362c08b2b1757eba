import t from 'tap'
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import { StorageTypes, type ChatTable, type StorageType } from '../../lib/storage/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, LOG, NOTES, ROUNDS, TWIN } from '../support/stored-things.js'

void t.test('registration: once by id, whole tables of migrations, not after the start', async (t) => {
  const types = new StorageTypes().add(COUNT)
  t.throws(() => types.add(COUNT), /test:count/)
  t.throws(() => types.add({ ...LOG, id: COUNT.id }), /test:count/)
  t.throws(() => types.add({ ...TWIN, version: 2 }), /version 2 needs 1 migrations/)
  t.throws(() => types.add({ ...TWIN, version: 0 }), TypeError)
  t.throws(() => types.add({ ...TWIN, schema: z.date() as never }), TypeError, 'what cannot be stored')
  t.throws(() => types.of(TWIN), TypeError)
  types.freeze()
  t.throws(() => types.add(TWIN), TypeError)
  openStore({ types: [] })
})

void t.test('data of types that are absent is carried along, counted, and there again', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  await openStore({ types: ALL, driver: disk.open() }).store.update(player, (tx) => {
    tx.set(NOTES, { notes: [{ text: 'old' }] })
    tx.put(LOG, 'a', { text: 'a' })
    tx.put(LOG, 'b', { text: 'b' })
    tx.append(ROUNDS, { conversation: 1, at: 1, body: 'hello' })
    return countUp(tx)
  })
  const { store } = openStore({ types: [COUNT], driver: disk.open() })
  t.equal(store.absentTypes().size, 0, 'nobody is loaded yet')
  for (let n = 2; n <= 3; n++) t.equal(valueOf(await store.update(player, countUp)), n)
  t.same(Object.fromEntries(store.absentTypes()), { 'test:log': 2, 'test:notes': 1, 'test:rounds': 1 })
  const back = valueOf(await openStore({ types: ALL, driver: disk.open() }).store.read(player))
  t.same(back.get(NOTES), { notes: [{ text: 'old' }] })
  t.equal(back.rows(LOG).size, 2)
  t.equal(back.entries(ROUNDS).length, 1)
  t.same(back.get(COUNT), { n: 3 })
})

const older = [
  { schema: z.string(), migrate: (text: unknown) => ({ amount: Number(text) }) },
  {
    schema: z.strictObject({ amount: z.int() }),
    migrate: (value: unknown) => ({ gold: (value as { amount: number }).amount, isRich: false }),
  },
]
const id = identifier('test:purse')
const PURSE_1: StorageType<string> = { id, version: 1, schema: z.string(), empty: '0' }
const PURSE_2: StorageType<{ amount: number }> = {
  id,
  version: 2,
  schema: z.strictObject({ amount: z.int() }),
  empty: { amount: 0 },
  migrations: older.slice(0, 1),
}
const PURSE_3: StorageType<{ gold: number; isRich: boolean }> = {
  id,
  version: 3,
  schema: z.strictObject({ gold: z.int(), isRich: z.boolean() }),
  empty: { gold: 0, isRich: false },
  migrations: older,
}

void t.test('older data is migrated step by step when it is read, newer is refused', async (t) => {
  const disk = new Disk()
  const [first, second, wrong] = [somePlayer(), somePlayer(), somePlayer()]
  const one = openStore({ types: [PURSE_1], driver: disk.open() }).store
  await one.update(first, (tx) => tx.set(PURSE_1, '12'))
  await one.update(wrong, (tx) => tx.set(PURSE_1, 'many'))
  const two = openStore({ types: [PURSE_2], driver: disk.open() }).store
  t.same(valueOf(await two.read(first)).get(PURSE_2), { amount: 12 })
  await two.update(second, (tx) => tx.set(PURSE_2, { amount: 5 }))
  const { store } = openStore({ types: [PURSE_3, COUNT], driver: disk.open() })
  t.same(valueOf(await store.read(first)).get(PURSE_3), { gold: 12, isRich: false }, 'over two steps')
  t.same(valueOf(await store.read(second)).get(PURSE_3), { gold: 5, isRich: false })
  t.equal(codeOf(await store.read(wrong)), 'system:storage_unreadable', 'a migration is not believed')
  await store.update(first, countUp)
  await store.update(first, (tx) => tx.set(PURSE_3, { ...tx.get(PURSE_3), isRich: true }))
  const back = openStore({ types: [PURSE_2, COUNT], driver: disk.open() }).store
  t.equal(codeOf(await back.update(first, countUp)), 'system:storage_newer')
})

void t.test('bodies of chat entries are migrated too', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  await openStore({ types: ALL, driver: disk.open() }).store.update(player, (tx) =>
    tx.append(ROUNDS, { conversation: 3, at: 4, body: 'hello' }),
  )
  const next: ChatTable<{ text: string }> = {
    ...ROUNDS,
    version: 2,
    schema: z.strictObject({ text: z.string() }),
    migrations: [{ schema: z.string(), migrate: (text) => ({ text }) }],
  }
  const view = valueOf(await openStore({ types: [next], driver: disk.open() }).store.read(player))
  t.same(view.entries(next), [{ key: '000000000001', conversation: 3, at: 4, body: { text: 'hello' } }])
})

void t.test('a migration that throws makes the player unreadable', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  await openStore({ types: [PURSE_1], driver: disk.open() }).store.update(player, (tx) =>
    tx.set(PURSE_1, '1'),
  )
  const migrate = () => {
    throw new Error('bug')
  }
  const broken = { ...PURSE_2, migrations: [{ schema: z.string(), migrate }] }
  const { store } = openStore({ types: [broken], driver: disk.open() })
  t.equal(codeOf(await store.read(player)), 'system:storage_unreadable')
})

void t.test('a part whose members stand in another order is read', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  const key = { collection: 'players', id: player } as const
  const value = [10, 0, 1, 100, 4, 0, 1, 110, 0, 0, 0, 0, 0, 0, 0, 7, 0]
  const put = new Map([['test:count', Uint8Array.of(10, ...value, 3, 0, 1, 118, 0, 0, 0, 1, 0)]])
  await disk.records.commit([{ key, base: 0, put, drop: [], maxBytes: 9_999 }])
  const { store } = openStore({ types: ALL, driver: disk.open() })
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 7 })
})

void t.test('keys of rows: one rule for records of players and for databases', async (t) => {
  const { store, databases, driver } = openStore({ types: ALL })
  const player = somePlayer()
  const table = { id: LOG.id, version: 1, schema: z.strictObject({ text: z.string() }) }
  const put = async (key: string) => [
    codeOf(await store.update(player, (tx) => tx.put(LOG, key, { text: 'a' }))),
    codeOf(await databases.of(player, () => null).put(table, key, { text: 'a' })),
  ]
  const good = ['a', 'a b', 'task/step/2', '一#二', '\u0000', 'x'.repeat(240), '😀'.repeat(120)]
  for (const key of good) t.strictSame(await put(key), ['ok', 'ok'], key)
  for (const key of ['', 'x'.repeat(241), '😀'.repeat(121), 'a\ud800', '\udc00'])
    t.strictSame(await put(key), ['system:internal', 'system:internal'], key)
  const again = openStore({ types: ALL, driver })
  t.strictSame(
    [
      ...valueOf(await again.store.read(player))
        .rows(LOG)
        .keys(),
    ].sort(),
    [...good].sort(),
  )
  t.strictSame(
    [...valueOf(await again.databases.of(player, () => null).scan(table)).rows.keys()].sort(),
    [...good].sort(),
  )
})
