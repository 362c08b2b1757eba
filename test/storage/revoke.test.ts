import t from 'tap'
import { z } from 'zod'
import type { FailureCode } from '../../lib/core/failure.js'
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
import { Disk, type Fate } from '../support/mortal-driver.js'
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

void t.test(
  'a deletion that fails is told, nothing can be seen any more, and the next use finishes it',
  async (t) => {
    const { disk, player, store, kept } = await setup()
    await store.attach(player)
    disk.fate = ({ kind, collection }) =>
      kind === 'remove' && collection === 'databases' ? 'system:storage_failed' : null
    t.equal(codeOf(await store.revoke(player)), 'system:storage_failed')
    t.equal(store.online(player), null, 'nothing of it can be seen')
    t.equal(codeOf(await store.revoke(player)), 'system:storage_failed', 'nor when it is tried again')
    t.match(store.problems(), [{ player, failure: { code: 'system:storage_failed' } }])
    t.equal(codeOf(await store.update(player, countUp)), 'system:storage_failed')
    t.strictSame(await kept(), ['players', 'databases', 'world'])
    disk.fate = () => null
    t.equal(valueOf(await store.update(player, countUp)), 1)
    t.same(store.problems(), [])
    t.strictSame(await kept(), ['players', 'world'])
  },
)

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
  const own = databases.of(player, () => null)
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

void t.test(
  'a private database ends with the view it was asked for with, and so does what follows',
  async (t) => {
    const { store, driver, databases } = openStore({ types: ALL })
    const player = somePlayer()
    await store.attach(player)
    const before = store.online(player)
    const own = databases.of(player, () => before?.check() ?? null)
    t.ok((await own.put(ROWS, 'a', 1)).ok)
    const revoked = store.revoke(player)
    for (const late of [own.put(ROWS, 'b', 2), own.get(ROWS, 'a'), own.delete(ROWS, 'a'), own.scan(ROWS)])
      t.equal(codeOf(await late), 'system:revoked', 'from the very turn')
    t.ok((await revoked).ok)
    t.equal(codeOf(await own.put(ROWS, 'c', 3)), 'system:revoked')
    t.strictSame(valueOf(await driver.list('databases')), [], 'nothing came back')
    const after = store.online(player)
    const next = databases.of(player, () => after?.check() ?? null)
    t.ok((await next.put(ROWS, 'd', 4)).ok)
    store.detach(player)
    t.equal(codeOf(await next.put(ROWS, 'e', 5)), 'system:disconnected')
    t.strictSame([...valueOf(await databases.of(player, () => null).scan(ROWS)).rows], [['d', 4]])
  },
)

/** A record that nobody can read until it is removed, with all that belongs to it. */
async function unreadable(code: FailureCode) {
  const made = await setup({ seq: 7 })
  const { disk } = made
  let isThere = true
  /** What else the disk does at operations that aren't reads. */
  const change: { fate: () => Fate } = { fate: () => null }
  disk.fate = ({ kind, collection }) => {
    const isRecord = collection === 'players'
    if (kind === 'read') return isRecord && isThere ? code : null
    const fate = change.fate()
    if (kind === 'remove' && isRecord && fate === null) isThere = false
    return fate
  }
  const open = async () => openStore({ types: TYPES, driver: await disk.reopen() }).store
  return { ...made, change, open }
}

for (const code of ['system:storage_unreadable', 'system:storage_newer', 'system:storage_failed'] as const)
  void t.test(`reset of ${code}: all goes, the record last`, async (t) => {
    const { disk, player, kept, open } = await unreadable(code)
    const store = await open()
    t.equal(codeOf(await store.attach(player)), code)
    t.equal(codeOf(await store.revoke(player)), code, 'a revoke leaves it as it is')
    t.strictSame(await kept(), [...COLLECTIONS])
    disk.done.length = 0
    t.strictSame(await store.reset(player), { ok: true, value: { discarded: code } })
    t.strictSame(
      disk.done.filter((what) => /commit|remove/.test(what)),
      ['remove chats', 'remove databases', 'remove players'],
    )
    t.strictSame(await kept(), ['world'])
    t.same(store.online(player)?.get(COUNT), { n: 0 }, 'the player can be granted a System at once')
    t.equal(valueOf(await store.update(player, countUp)), 1)
    t.same(store.problems(), [])
  })

void t.test('a reset of what can be read is a revoke', async (t) => {
  const { player, store, kept } = await setup({ seq: 7 })
  t.strictSame(await store.reset(player), { ok: true, value: { discarded: null } })
  t.strictSame(await kept(), ['players', 'world'])
  t.equal(valueOf(await store.read(player)).get(SEQUENCE).seq, 7, 'what survives a revoke does')
})

void t.test('only conversations that can’t be read are discarded with the rest', async (t) => {
  const { disk, player, kept } = await setup()
  disk.fate = ({ kind, collection }) =>
    kind === 'read' && collection === 'chats' && !disk.done.includes('remove chats')
      ? 'system:storage_unreadable'
      : null
  const { store } = openStore({ types: TYPES, driver: disk.open() })
  t.strictSame(await store.reset(player), { ok: true, value: { discarded: 'system:storage_unreadable' } })
  t.strictSame(await kept(), ['world'])
})

for (let stop = 0; stop < 3; stop++)
  for (const isDone of [false, true])
    void t.test(
      `reset killed ${isDone ? 'after' : 'before'} step ${stop}: to be repeated, or over`,
      async (t) => {
        const { disk, player, kept, open, change } = await unreadable('system:storage_unreadable')
        const store = await open()
        let step = 0
        change.fate = () => {
          if (step++ !== stop) return null
          if (!isDone) return 'crash'
          disk.crash()
          return null
        }
        void store.reset(player)
        await new Promise(setImmediate)
        change.fate = () => null
        const later = await open()
        const isOver = stop === 2 && isDone
        t.equal(codeOf(await later.attach(player)), isOver ? 'ok' : 'system:storage_unreadable')
        t.equal(later.online(player) === null, !isOver, 'nothing is seen of what is left')
        t.ok((await later.reset(player)).ok)
        t.strictSame(await kept(), ['world'])
      },
    )

void t.test('what waits behind a reset finds a new record, what waits before it does not', async (t) => {
  const { player, open } = await unreadable('system:storage_unreadable')
  const store = await open()
  await store.attach(player)
  const [before, reset, after, twice] = await Promise.all([
    store.update(player, countUp),
    store.reset(player),
    store.update(player, countUp),
    store.reset(player),
  ])
  t.strictSame([before, reset, after, twice].map(codeOf), ['system:storage_unreadable', 'ok', 'ok', 'ok'])
  t.same(store.online(player)?.get(COUNT), { n: 0 })
})

void t.test('views end before the deletion where that is asked for', async (t) => {
  const { player, store } = await setup()
  const view = valueOf(await store.read(player))
  const waiting = store.update(player, countUp)
  store.endViews(player)
  t.equal(codeOf(await view.update(countUp)), 'system:revoked')
  t.throws(() => view.get(COUNT), /revoked/)
  await waiting
  t.equal(valueOf(await store.read(player)).get(COUNT).n, 2, 'a new one sees what is kept')
})
