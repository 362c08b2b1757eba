import t from 'tap'
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import { silentLogger } from '../../lib/core/logger.js'
import { ok } from '../../lib/core/result.js'
import {
  MemoryDriver,
  PlayerStore,
  StorageTypes,
  type StorageType,
  type TableType,
} from '../../lib/storage/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, LIMITS, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, LOG, ROUNDS, roundsOf } from '../support/stored-things.js'

/** Like the books of the item protocol: a number that must never go back. */
const SEQUENCE: StorageType<{ readonly seq: number; readonly log: readonly string[] }> = {
  id: identifier('test:sequence'),
  version: 1,
  schema: z.strictObject({ seq: z.int(), log: z.array(z.string()) }),
  empty: { seq: 0, log: [] },
  survive: ({ seq }) => (seq === 0 ? null : { seq, log: [] }),
}
const ROWS: TableType<number> = { id: identifier('test:rows'), version: 1, schema: z.int() }
const TYPES = [...ALL, SEQUENCE]
const COLLECTIONS = ['players', 'chats', 'databases', 'world'] as const

async function setup({ seq = 0 } = {}) {
  const disk = new Disk()
  const player = somePlayer()
  const { store } = openStore({ types: TYPES, driver: disk.open() })
  await store.update(player, (tx) => {
    tx.append(ROUNDS, { conversation: 1, at: 1, body: 'hello' })
    tx.put(LOG, 'a', { text: 'a' })
    if (seq > 0) tx.set(SEQUENCE, { seq, log: ['op'] })
    return countUp(tx)
  })
  for (const collection of ['databases', 'world'] as const) {
    const put = new Map([['row', Uint8Array.of(1, 1)]])
    await disk.records.commit([{ key: { collection, id: player }, base: 0, put, drop: [], maxBytes: 99 }])
  }
  disk.done.length = 0
  const kept = async () => {
    const lists = await Promise.all(COLLECTIONS.map((collection) => disk.records.list(collection)))
    return COLLECTIONS.filter((_, at) => valueOf(lists[at] ?? { ok: true, value: [] }).length > 0)
  }
  return { disk, player, store, kept }
}

void t.test('tombstone first, then conversations, the private database, the record', async (t) => {
  const { disk, player, store, kept } = await setup()
  await store.attach(player)
  t.ok((await store.revoke(player)).ok)
  t.strictSame(
    disk.done.filter((what) => !what.startsWith('read')),
    ['commit players', 'remove chats', 'remove databases', 'remove players'],
  )
  t.strictSame(await kept(), ['world'], 'usage is not the player’s')
  const view = store.online(player)
  t.same(view?.get(COUNT), { n: 0 }, 'the stay goes on, with nothing')
  t.same(view && roundsOf(view), [])
  t.equal(valueOf(await store.update(player, countUp)), 1)
})

void t.test('what survives by its type stays, and nothing else', async (t) => {
  const { disk, player, store, kept } = await setup({ seq: 7 })
  t.ok((await store.revoke(player)).ok)
  t.strictSame(await kept(), ['players', 'world'])
  const record = valueOf(await disk.records.read({ collection: 'players', id: player }, 9_999))
  t.strictSame([...(record?.parts.keys() ?? [])], ['test:sequence'])
  const view = valueOf(await openStore({ types: TYPES, driver: disk.open() }).store.read(player))
  t.same(view.get(SEQUENCE), { seq: 7, log: [] })
  t.same([view.get(COUNT).n, view.rows(LOG).size, roundsOf(view).length], [0, 0, 0])
})

for (const seq of [0, 7]) {
  const steps = [
    'commit players',
    'remove chats',
    'remove databases',
    seq === 0 ? 'remove players' : 'commit players',
  ]
  steps.forEach((_, stop) => {
    for (const isDone of [false, true]) {
      const moment = `${isDone ? 'after' : 'before'} step ${stop} of ${seq === 0 ? 4 : '4, with a survivor'}`
      void t.test(`killed ${moment}: all or nothing, finished at the next load`, async (t) => {
        const { disk, player, store, kept } = await setup({ seq })
        let step = 0
        disk.fate = ({ kind }) => {
          if (kind === 'read') return null
          const isHere = step++ === stop
          if (!isHere) return null
          if (!isDone) return 'crash'
          // done on the disk, but nobody hears of it
          disk.crash()
          return null
        }
        void store.revoke(player)
        await new Promise(setImmediate)
        disk.fate = () => null
        const later = openStore({ types: TYPES, driver: disk.open() }).store
        const view = valueOf(await later.read(player))
        const isRevoked = stop > 0 || isDone
        t.same(view.get(COUNT), { n: isRevoked ? 0 : 1 })
        t.same(roundsOf(view), isRevoked ? [] : ['hello'])
        t.equal(view.get(SEQUENCE).seq, seq)
        const left = seq === 0 ? ['world'] : ['players', 'world']
        t.strictSame(await kept(), isRevoked ? left : [...COLLECTIONS])
      })
    }
  })
}

void t.test('a deletion that fails: revoked all the same, and finished at the next use', async (t) => {
  const { disk, player, store, kept } = await setup()
  await store.attach(player)
  disk.fate = ({ kind, collection }) =>
    kind === 'remove' && collection === 'databases' ? 'system:storage_failed' : null
  t.ok((await store.revoke(player)).ok)
  t.equal(store.online(player), null, 'nothing of it can be seen')
  t.match(store.problems(), [{ player, failure: { code: 'system:storage_failed' } }])
  t.equal(codeOf(await store.update(player, countUp)), 'system:storage_failed')
  t.strictSame(await kept(), ['players', 'databases', 'world'])
  disk.fate = () => null
  t.equal(valueOf(await store.update(player, countUp)), 1)
  t.same(store.problems(), [])
  t.strictSame(await kept(), ['players', 'world'])
})

void t.test('a tombstone that fails: nothing is revoked', async (t) => {
  const { disk, player, store, kept } = await setup()
  disk.fate = ({ kind }) => (kind === 'commit' ? 'system:storage_failed' : null)
  t.equal(codeOf(await store.revoke(player)), 'system:storage_failed')
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 1 })
  t.strictSame(await kept(), [...COLLECTIONS])
})

void t.test('a check that throws refuses; a revoke takes its turn', async (t) => {
  const { player, store, kept } = await setup()
  const refuse = () => {
    throw new Error('no')
  }
  t.equal(codeOf(await store.revoke(player, refuse)), 'system:internal')
  t.strictSame(await kept(), [...COLLECTIONS])
  const [before, revoked, after] = await Promise.all([
    store.update(player, countUp),
    store.revoke(player, (kept) => t.same(kept.get(COUNT), { n: 2 })),
    store.update(player, countUp),
  ])
  t.ok(revoked.ok)
  t.strictSame([valueOf(before), valueOf(after)], [2, 1])
})

void t.test('a `survive` that throws fails its revoke alone: the player and the close go on', async (t) => {
  const broken: typeof SEQUENCE = {
    ...SEQUENCE,
    survive: () => {
      throw new Error('a mistake of an extension')
    },
  }
  const player = somePlayer()
  const { store } = openStore({ types: [COUNT, broken] })
  await store.update(player, (tx) => tx.set(broken, { seq: 7, log: [] }))
  const [revoked, after] = await Promise.all([store.revoke(player), store.update(player, countUp)])
  t.equal(codeOf(revoked), 'system:internal')
  t.equal(valueOf(after), 1)
  t.equal(valueOf(await store.read(player)).get(broken).seq, 7, 'nothing was deleted')
  await store.close()
})

void t.test('a mistake outside of any step fails what is under way, not what comes later', async (t) => {
  const limits = { ...LIMITS }
  let isBroken = true
  Object.defineProperty(limits, 'businessBytes', {
    enumerable: true,
    get: () => {
      if (isBroken) throw new Error('no limits')
      return LIMITS.businessBytes
    },
  })
  const player = somePlayer()
  const store = new PlayerStore({
    driver: new MemoryDriver(),
    types: new StorageTypes().add(COUNT),
    limits: () => limits,
    removeDatabase: () => Promise.resolve(ok(undefined)),
    clock: new ManualClock(),
    logger: silentLogger,
  })
  const results = await Promise.all([store.update(player, countUp), store.update(player, countUp)])
  t.strictSame(results.map(codeOf), ['system:internal', 'system:internal'])
  isBroken = false
  t.equal(valueOf(await store.update(player, countUp)), 1)
  await store.close()
})

void t.test('an open private database: its rows end with the revoke, and none comes back', async (t) => {
  const { store, driver, databases } = openStore({ types: ALL })
  const player = somePlayer()
  const own = databases.of(player)
  await store.update(player, countUp)
  t.ok((await own.put(ROWS, 'a', 1)).ok)
  t.equal(valueOf(await own.get(ROWS, 'a')), 1)
  const revoked = store.revoke(player)
  // asked while the revoke is under way
  const waiting = own.put(ROWS, 'b', 2)
  t.ok((await revoked).ok)
  await waiting
  t.equal(valueOf(await own.get(ROWS, 'a')), null)
  t.strictSame(valueOf(await driver.list('databases')), [], 'a put of before does not bring the record back')
  t.ok((await own.put(ROWS, 'c', 3)).ok, 'later rows begin a new one')
  t.strictSame([...valueOf(await own.scan(ROWS)).rows], [['c', 3]])
})
