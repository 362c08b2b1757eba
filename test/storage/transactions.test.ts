import t from 'tap'
import { failure, FailureError } from '../../lib/core/failure.js'
import {
  MemoryDriver,
  type RecordWrite,
  type StorageDriver,
  type Transaction,
} from '../../lib/storage/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, LOG, NOTES, TWIN } from '../support/stored-things.js'

const open = (driver?: StorageDriver) => openStore({ types: ALL, ...(driver && { driver }) })

/** A driver that tells what it was given to write. */
function recording() {
  const driver = new MemoryDriver()
  const commits: (readonly RecordWrite[])[] = []
  const told: StorageDriver = {
    read: (key, maxBytes) => driver.read(key, maxBytes),
    commit(writes) {
      commits.push(writes)
      return driver.commit(writes)
    },
    remove: (key) => driver.remove(key),
    list: (collection) => driver.list(collection),
    close: () => driver.close(),
  }
  return { driver: told, commits }
}

void t.test('a player nobody wrote about has empty values', async (t) => {
  const { store, driver } = open()
  const view = valueOf(await store.read(somePlayer()))
  t.same(view.get(COUNT), { n: 0 })
  t.equal(view.row(LOG, 'a'), undefined)
  t.equal(view.rows(LOG).size, 0)
  t.strictSame(await driver.list('players'), { ok: true, value: [] }, 'reading writes nothing')
})

void t.test('what an update gave is durable when it resolves', async (t) => {
  const disk = new Disk()
  const player = somePlayer()
  const { store } = open(disk.open())
  t.strictSame(await store.update(player, countUp), { ok: true, value: 1 })
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 1 })
  const later = open(disk.open()).store
  t.same(valueOf(await later.read(player)).get(COUNT), { n: 1 }, 'for another process too')
})

void t.test('fifty concurrent updates lose none, in order, and merge', async (t) => {
  const { driver, commits } = recording()
  const { store } = open(driver)
  const player = somePlayer()
  const results = await Promise.all(Array.from({ length: 50 }, () => store.update(player, countUp)))
  t.strictSame(
    results.map(valueOf),
    Array.from({ length: 50 }, (_, at) => at + 1),
  )
  t.equal(commits.length, 1, 'those of one turn are one commit')
  t.strictSame(store.counts(), { changes: 50, commits: 1, failed: 0 })
})

void t.test('what waits while a commit is under way becomes the next one', async (t) => {
  const disk = new Disk()
  const gates: (() => void)[] = []
  disk.fate = async ({ kind }) => {
    if (kind === 'commit') await new Promise<void>((resolve) => gates.push(resolve))
    return null
  }
  const { store } = open(disk.open())
  const player = somePlayer()
  const first = store.update(player, countUp)
  while (gates.length === 0) await Promise.resolve()
  const seen: number[] = []
  const behind = Array.from({ length: 20 }, () =>
    store.update(player, (tx) => {
      seen.push(tx.get(COUNT).n)
      return countUp(tx)
    }),
  )
  for (let turns = 0; turns < 50; turns++) await Promise.resolve()
  t.strictSame(seen, [], 'they run on what is committed, not before')
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 0 }, 'readers see what is committed')
  gates.shift()?.()
  t.equal(valueOf(await first), 1)
  while (gates.length === 0) await Promise.resolve()
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 1 })
  gates.shift()?.()
  t.strictSame(
    (await Promise.all(behind)).map(valueOf),
    Array.from({ length: 20 }, (_, at) => at + 2),
  )
  t.strictSame(store.counts(), { changes: 21, commits: 2, failed: 0 })
})

void t.test('players overlap', async (t) => {
  const disk = new Disk()
  const [slow, quick] = [somePlayer(), somePlayer()]
  const gates: (() => void)[] = []
  disk.fate = async ({ kind, id }) => {
    if (kind === 'read' && id === slow) await new Promise<void>((resolve) => gates.push(resolve))
    return null
  }
  const { store } = open(disk.open())
  const waiting = store.update(slow, countUp)
  t.equal(valueOf(await store.update(quick, countUp)), 1)
  disk.fate = () => null
  for (const release of gates) release()
  t.equal(valueOf(await waiting), 1)
})

void t.test('a change that throws leaves all as it was, and the others of its commit go on', async (t) => {
  const { store } = open()
  const player = somePlayer()
  const boom = new Error('boom')
  const [before, thrown, refused, promise, after] = await Promise.all([
    store.update(player, countUp),
    store.update(player, (tx) => {
      tx.set(COUNT, { n: 99 })
      tx.put(LOG, 'a', { text: 'never' })
      throw boom
    }),
    store.update(player, (tx) => {
      tx.set(COUNT, { n: 99 })
      throw new FailureError(failure('system:already_bound', { player: 'alice' }))
    }),
    store.update(player, async (tx) => tx.set(COUNT, { n: 99 })),
    store.update(player, countUp),
  ])
  t.equal(valueOf(before), 1)
  t.match(thrown, { ok: false, failure: { code: 'system:internal', cause: boom } })
  t.match(refused, { failure: { code: 'system:already_bound', params: { player: 'alice' } } })
  t.equal(codeOf(promise), 'system:internal', 'a change is synchronous')
  t.equal(valueOf(after), 2)
  t.equal(valueOf(await store.read(player)).rows(LOG).size, 0)
})

void t.test('values that cannot be kept fail their own change only', async (t) => {
  const { store } = open()
  const player = somePlayer()
  const wrong = [{ n: 1.5 }, { n: '1' }, { n: 1, odd: 1 }, null, undefined, { n: 2 ** 60 }, {}]
  const results = await Promise.all([
    ...wrong.map((value) => store.update(player, (tx) => tx.set(COUNT, value as never))),
    store.update(player, (tx) => tx.set(NOTES, { notes: [{ text: 'x'.repeat(65_536) }] })),
    store.update(player, (tx) => tx.put(LOG, 'half a \ud800', { text: 'x' })),
    store.update(player, (tx) => tx.put(LOG, '', { text: 'x' })),
    store.update(player, (tx) => tx.set({ ...COUNT }, { n: 1 })),
    store.update(player, countUp),
  ])
  results.slice(0, -1).forEach((result, at) => t.not(codeOf(result), 'ok', String(at)))
  t.strictSame(results.at(-1), { ok: true, value: 1 })
})

void t.test('only changed parts are in a commit; nothing changed, nothing written', async (t) => {
  const { driver, commits } = recording()
  const { store } = open(driver)
  const player = somePlayer()
  await store.update(player, (tx) => {
    tx.set(NOTES, { notes: [{ text: 'long' }] })
    for (const key of ['a', 'b', 'c']) tx.put(LOG, key, { text: key })
    return countUp(tx)
  })
  await store.update(player, (tx) => {
    tx.put(LOG, 'b', { text: 'other' })
    tx.remove(LOG, 'c')
    tx.remove(LOG, 'nothing')
    tx.set(NOTES, tx.get(NOTES))
  })
  const last = commits.at(-1)?.[0]
  t.strictSame([...(last?.put.keys() ?? [])], ['test:log#b'])
  t.strictSame(last?.drop, ['test:log#c'])
  await store.update(player, (tx) => tx.get(COUNT))
  await store.update(player, (tx) => tx.set(COUNT, tx.get(COUNT)))
  t.equal(commits.length, 2)
  const rows = valueOf(await store.read(player)).rows(LOG)
  t.same(
    [...rows],
    [
      ['a', { text: 'a' }],
      ['b', { text: 'other' }],
    ],
  )
})

void t.test('a transaction sees its own changes and those before it, rows and sizes too', async (t) => {
  const { store } = open()
  const player = somePlayer()
  await store.update(player, (tx) => tx.put(LOG, 'a', { text: 'one' }))
  const [, seen] = await Promise.all([
    store.update(player, (tx) => {
      tx.put(LOG, 'b', { text: 'two' })
      tx.remove(LOG, 'a')
    }),
    store.update(player, (tx) => {
      const before = tx.bytes(LOG)
      tx.put(LOG, 'c', { text: 'two' })
      const keys = [...tx.rows(LOG).keys()]
      const doubled = tx.bytes(LOG)
      tx.remove(LOG, 'b')
      return { keys, grew: doubled / before, shrank: tx.bytes(LOG) / before, b: tx.row(LOG, 'b') }
    }),
  ])
  t.same(valueOf(seen), { keys: ['b', 'c'], grew: 2, shrank: 1, b: undefined })
})

void t.test('values are frozen to their depth, those given and those read', async (t) => {
  const disk = new Disk()
  const { store } = open(disk.open())
  const player = somePlayer()
  const given = { notes: [{ text: 'mine' }] }
  await store.update(player, (tx) => tx.set(NOTES, given))
  t.throws(() => given.notes.push({ text: 'later' }), TypeError)
  t.throws(() => Object.assign(given.notes[0] ?? {}, { text: 'changed' }), TypeError)
  const views = [await store.read(player), await open(disk.open()).store.read(player)]
  for (const view of views) {
    const { notes } = valueOf(view).get(NOTES)
    t.throws(() => Object.assign(notes[0] ?? {}, { text: 'changed' }), TypeError)
    t.same(notes, [{ text: 'mine' }])
  }
  t.throws(() => Object.assign(COUNT.empty, { n: 1 }), TypeError)
  const { store: other } = open()
  const mutating = await other.update(player, (tx) => Object.assign(tx.get(NOTES), { notes: [] }))
  t.match(mutating, { failure: { code: 'system:internal', cause: TypeError } })
})

void t.test('a transaction that was kept cannot write', async (t) => {
  const { store } = open()
  const player = somePlayer()
  let kept: Transaction | undefined
  await store.update(player, (tx) => void (kept = tx))
  t.throws(() => kept?.set(COUNT, { n: 9 }), TypeError)
  t.throws(() => kept?.remove(LOG, 'a'), TypeError)
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 0 })
})

void t.test(
  'five features in one tick, a rejoin while saving, an edit by an admin: all are there',
  async (t) => {
    const disk = new Disk()
    const { store } = open(disk.open())
    const player = somePlayer()
    await store.attach(player)
    const features = [COUNT, TWIN].map((type) => store.update(player, (tx) => tx.set(type, { n: 7 })))
    const rows = ['a', 'b', 'c'].map((key) => store.update(player, (tx) => tx.put(LOG, key, { text: key })))
    store.detach(player)
    const admin = store.update(player, (tx) => tx.set(NOTES, { notes: [{ text: 'admin' }] }))
    await store.attach(player)
    for (const result of await Promise.all([...features, ...rows, admin])) t.ok(result.ok)
    const view = valueOf(await open(disk.open()).store.read(player))
    t.same(
      [view.get(COUNT).n, view.get(TWIN).n, view.rows(LOG).size, view.get(NOTES).notes.length],
      [7, 7, 3, 1],
    )
  },
)

void t.test('more changes than wait at most are busy, at once', async (t) => {
  const { store } = open()
  const player = somePlayer()
  const results = await Promise.all(Array.from({ length: 1_100 }, () => store.update(player, countUp)))
  const refused = results.filter((result) => codeOf(result) === 'system:busy').length
  t.equal(refused, 1_100 - 1_024)
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 1_024 })
})

void t.test('closing waits for what was begun and refuses the rest', async (t) => {
  const { store } = open()
  const player = somePlayer()
  const begun = store.update(player, countUp)
  await store.close()
  t.equal(valueOf(await begun), 1)
  t.equal(codeOf(await store.update(player, countUp)), 'system:stopping')
  t.equal(codeOf(await store.read(player)), 'system:stopping')
  t.equal(codeOf(await store.attach(player)), 'system:stopping')
  t.equal(codeOf(await store.revoke(player)), 'system:stopping')
  await store.close()
})
