import { z } from 'zod'
import t, { type Test } from 'tap'
import { identifier, playerId } from '../../../lib/core/ids.js'
import {
  inThreads,
  Databases,
  MemoryDriver,
  type StorageDriver,
  type TableType,
} from '../../../lib/storage/index.js'
import { ManualClock } from '../../../lib/testing/manual-clock.js'
import { openFileDriver, storageThreads } from '../../support/file-driver.js'
import { int, PLAYER, refused, ROOMY, valueOf, write } from '../../support/storage-driver-contract.js'

const player = playerId(PLAYER)
const KEY = { collection: 'databases', id: PLAYER } as const
const NOTES: TableType<{ text: string }> = {
  id: identifier('test:notes'),
  version: 1,
  schema: z.strictObject({ text: z.string() }),
}
const COUNTS: TableType<number> = { id: identifier('test:notes/counts'), version: 1, schema: z.int() }

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)

function open(driver: StorageDriver, maxBytes = 100_000): { databases: Databases; clock: ManualClock } {
  const clock = new ManualClock()
  return { databases: new Databases({ driver, clock, maxBytes: () => maxBytes }), clock }
}

const threads = storageThreads(t, 2)
const drivers: [string, (t: Test) => Promise<StorageDriver>][] = [
  ['memory', async () => new MemoryDriver()],
  ['files', async (t) => openFileDriver(t.testdir(), { run: inThreads(threads) })],
]

for (const [name, openDriver] of drivers) {
  void t.test(
    `${name}: rows are put, got, scanned and deleted, each table and each owner apart`,
    async (t) => {
      const driver = await openDriver(t)
      const { databases } = open(driver)
      const own = databases.of(player, () => null)
      t.strictSame(await own.get(NOTES, 'a'), { ok: true, value: null })
      t.strictSame(valueOf(await own.scan(NOTES)), { rows: new Map(), unreadable: [] })
      t.match(await own.delete(NOTES, 'a'), { ok: true })
      t.match(await own.put(NOTES, 'a', { text: 'mine' }), { ok: true })
      t.match(await own.put(NOTES, 'b/一#', { text: 'also' }), { ok: true })
      t.match(await own.put(COUNTS, 'a', 7), { ok: true })
      t.match(await databases.shared.put(NOTES, 'a', { text: 'everybody’s' }), { ok: true })
      const text = { text: 'changed later' }
      const putting = own.put(NOTES, 'a', text)
      text.text = 'not this'
      t.match(await putting, { ok: true })
      t.strictSame(valueOf(await own.get(COUNTS, 'a')), 7)
      await databases.close()
      t.match(await own.get(NOTES, 'a'), refused('system:stopping'))

      const again = open(driver).databases
      t.strictSame([...valueOf(await again.of(player, () => null).scan(NOTES)).rows].sort(byKey), [
        ['a', { text: 'changed later' }],
        ['b/一#', { text: 'also' }],
      ])
      t.match(await again.of(player, () => null).delete(NOTES, 'a'), { ok: true })
      t.equal(valueOf(await again.of(player, () => null).get(NOTES, 'a')), null)
      t.match(valueOf(await again.shared.get(NOTES, 'a')), { text: 'everybody’s' })
      t.match(await again.remove(player), { ok: true })
      t.equal(valueOf(await again.of(player, () => null).get(COUNTS, 'a')), null)
      t.strictSame(valueOf(await driver.list('databases')), [])
      t.match(await again.of(player, () => null).put(COUNTS, 'a', 1), { ok: true })
      t.equal(valueOf(await again.of(player, () => null).get(COUNTS, 'a')), 1)
      t.match(valueOf(await again.shared.get(NOTES, 'a')), { text: 'everybody’s' })
      await again.close()
      await driver.close()
    },
  )
}

void t.test('changes that wait go into one commit, and each is told what became of it', async (t) => {
  let commits = 0
  const driver = new MemoryDriver({
    fault({ kind }) {
      if (kind === 'commit') commits += 1
      return null
    },
  })
  const { databases } = open(driver)
  const own = databases.of(player, () => null)
  const puts = Array.from({ length: 50 }, (_, index) => own.put(COUNTS, `${index % 10}`, index))
  t.ok((await Promise.all(puts)).every((result) => result.ok))
  t.ok(commits <= 3, `${commits}`)
  const { rows } = valueOf(await own.scan(COUNTS))
  t.strictSame(
    [...rows.values()].sort((a, b) => a - b),
    Array.from({ length: 10 }, (_, index) => 40 + index),
  )

  const small = open(driver, 700).databases.of(player, () => null)
  const results = await Promise.all([
    small.put(NOTES, 'large', { text: 'x'.repeat(1_000) }),
    small.put(COUNTS, '0', 99),
  ])
  t.match(
    results,
    [refused('system:storage_full'), { ok: true }],
    'one that fits is not lost with one that does not',
  )
  t.equal(valueOf(await small.get(NOTES, 'large')), null)
  t.match(
    await open(driver, 10)
      .databases.of(player, () => null)
      .delete(COUNTS, '1'),
    { ok: true },
    'less is always possible',
  )
})

void t.test(
  'a failed write is told and forgotten; after one of unknown end the record is read again',
  async (t) => {
    const ends = ['system:storage_failed', 'system:storage_unknown', null] as const
    let count = 0
    const driver = new MemoryDriver({
      fault: ({ kind }) => (kind === 'commit' ? (ends[count++] ?? null) : null),
    })
    const own = open(driver).databases.of(player, () => null)
    t.match(await own.put(COUNTS, 'a', 1), refused('system:storage_failed'))
    t.equal(valueOf(await own.get(COUNTS, 'a')), null)
    t.match(await own.put(COUNTS, 'a', 2), refused('system:storage_unknown'))
    t.equal(valueOf(await own.get(COUNTS, 'a')), 2, 'it was done, as it turns out')
    t.match(await own.put(COUNTS, 'a', 3), { ok: true })
  },
)

void t.test('somebody else wrote meanwhile: the change goes on top', async (t) => {
  const driver = new MemoryDriver()
  const [one, two] = [
    open(driver).databases.of(player, () => null),
    open(driver).databases.of(player, () => null),
  ]
  await one.put(COUNTS, 'one', 1)
  await two.put(COUNTS, 'two', 2)
  t.match(await one.put(COUNTS, 'one', 3), { ok: true })
  t.strictSame([...valueOf(await one.scan(COUNTS)).rows].sort(byKey), [
    ['one', 3],
    ['two', 2],
  ])
})

void t.test('rows that are damaged, newer or of unknown tables stay as they are', async (t) => {
  const driver = new MemoryDriver()
  const later: TableType<string> = {
    id: NOTES.id,
    version: 2,
    schema: z.string(),
    migrations: [{ schema: NOTES.schema, migrate: (older) => (older as { text: string }).text }],
  }
  const first = open(driver).databases.of(player, () => null)
  await first.put(NOTES, 'old', { text: 'from before' })
  await first.put(later, 'new', 'from later')
  await driver.commit([
    write({
      key: KEY,
      base: 2,
      put: { 'test:notes#damaged': int(5), 'other:table#row': int(6), strange: int(7) },
    }),
  ])
  const own = open(driver).databases.of(player, () => null)
  t.strictSame(valueOf(await own.scan(NOTES)).unreadable, ['new', 'damaged'])
  t.match(await own.get(NOTES, 'new'), refused('system:storage_newer'))
  t.match(await own.put(NOTES, 'new', { text: 'x' }), refused('system:storage_newer'))
  t.match(await own.put(NOTES, 'damaged', { text: 'x' }), refused('system:storage_unreadable'))
  t.equal(valueOf(await own.get(later, 'old')), 'from before')
  t.match(await own.put(NOTES, 'good', { text: 'x' }), { ok: true })
  t.match(await own.delete(NOTES, 'damaged'), { ok: true })
  const names = [...(valueOf(await driver.read(KEY, ROOMY))?.parts.keys() ?? [])]
  t.strictSame(names.sort(), [
    'other:table#row',
    'strange',
    'test:notes#good',
    'test:notes#new',
    'test:notes#old',
  ])
})

void t.test('keys and values that are none are refused before anything is written', async (t) => {
  const driver = new MemoryDriver()
  const own = open(driver).databases.of(player, () => null)
  for (const key of ['', 'x'.repeat(241), '\ud800']) {
    t.match(await own.put(COUNTS, key, 1), refused('system:internal'))
    t.match(await own.get(COUNTS, key), refused('system:internal'))
    t.match(await own.delete(COUNTS, key), refused('system:internal'))
  }
  t.notOk((await own.put(COUNTS, 'a', 1.5)).ok)
  t.match(await own.put(COUNTS, '😀'.repeat(120), 1), { ok: true })
  t.equal(valueOf(await driver.read(KEY, ROOMY))?.revision, 1)
})

void t.test('a database is let go after five minutes without use, and not before', async (t) => {
  let reads = 0
  const driver = new MemoryDriver({
    fault({ kind }) {
      if (kind === 'read') reads += 1
      return null
    },
  })
  const { databases, clock } = open(driver)
  await databases.of(player, () => null).put(COUNTS, 'a', 1)
  for (let minute = 0; minute < 10; minute += 1) {
    clock.advance(60_000)
    await databases.of(player, () => null).get(COUNTS, 'a')
  }
  t.equal(reads, 1)
  clock.advance(420_000)
  t.equal(databases.opened, 0)
  t.equal(valueOf(await databases.of(player, () => null).get(COUNTS, 'a')), 1)
  t.equal(reads, 2)
  await databases.close()
  t.equal(clock.pending, 0)
})

void t.test('closing waits for what was begun; a removal comes after what was asked before it', async (t) => {
  const driver = new MemoryDriver()
  const { databases } = open(driver)
  const own = databases.of(player, () => null)
  await own.put(COUNTS, 'a', 1)
  const before = own.put(COUNTS, 'b', 2)
  const removal = databases.remove(player)
  const between = own.get(COUNTS, 'a')
  const after = own.put(COUNTS, 'c', 3)
  await databases.close()
  t.match(await Promise.all([before, removal, between, after]), [
    { ok: true },
    { ok: true },
    { ok: true },
    { ok: true },
  ])
  const names = [...(valueOf(await driver.read(KEY, ROOMY))?.parts.keys() ?? [])]
  t.ok(!names.includes('test:notes/counts#a'))
  t.match(await own.put(COUNTS, 'd', 4), refused('system:stopping'))
})

void t.test('a reading that a removal overtook is not what counts afterwards', async (t) => {
  const kept = new MemoryDriver()
  await open(kept)
    .databases.of(player, () => null)
    .put(COUNTS, 'a', 1)
  let letGo = (): void => {}
  const gate = new Promise<void>((resolve) => (letGo = resolve))
  const slow: StorageDriver = {
    async read(key, maxBytes) {
      const record = await kept.read(key, maxBytes)
      await gate
      return record
    },
    commit: (writes) => kept.commit(writes),
    remove: (key) => kept.remove(key),
    list: (collection) => kept.list(collection),
    close: () => kept.close(),
  }
  const { databases } = open(slow)
  const early = databases.of(player, () => null).get(COUNTS, 'a')
  await new Promise((resolve) => setImmediate(resolve))
  t.match(await databases.remove(player), { ok: true })
  letGo()
  t.equal(valueOf(await early), 1)
  t.equal(valueOf(await databases.of(player, () => null).get(COUNTS, 'a')), null)
})

void t.test(
  'a put that waits for the reading of its record is no later than the removal after it',
  async (t) => {
    const driver = new MemoryDriver()
    await open(driver)
      .databases.of(player, () => null)
      .put(COUNTS, 'a', 1)
    const { databases } = open(driver)
    const [put, removed] = [databases.of(player, () => null).put(COUNTS, 'b', 2), databases.remove(player)]
    t.match(await Promise.all([put, removed]), [{ ok: true }, { ok: true }])
    await databases.settled()
    t.strictSame(valueOf(await driver.list('databases')), [])
  },
)

void t.test('changes of one row are done in the order in which they were asked for', async (t) => {
  const own = open(new MemoryDriver()).databases.of(player, () => null)
  await Promise.all([own.put(COUNTS, 'a', 1), own.delete(COUNTS, 'a')])
  t.equal(valueOf(await own.get(COUNTS, 'a')), null)
  await Promise.all([own.delete(COUNTS, 'a'), own.put(COUNTS, 'a', 2)])
  t.equal(valueOf(await own.get(COUNTS, 'a')), 2)
})
