import t from 'tap'
import type { FailureCode } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { StorageDriver, Transaction } from '../../lib/storage/index.js'
import { RecordingLogger, somePlayer } from '../support/kernel.js'
import { Disk, type Fate } from '../support/mortal-driver.js'
import { codeOf, LIMITS, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, LOG, NOTES, ROUNDS, roundsOf } from '../support/stored-things.js'

/** A store on a disk, with the fates of its next operations of a kind. */
function setup(limits = LIMITS) {
  const disk = new Disk()
  const fates: { kind: string; fate: Fate }[] = []
  disk.fate = ({ kind }) => {
    const at = fates.findIndex((fate) => fate.kind === kind)
    return at < 0 ? null : (fates.splice(at, 1)[0]?.fate ?? null)
  }
  const logger = new RecordingLogger()
  const { store } = openStore({ types: ALL, driver: disk.open(), limits, logger })
  const next = (kind: string, ...list: Fate[]) => fates.push(...list.map((fate) => ({ kind, fate })))
  return { disk, store, logger, next, player: somePlayer() }
}

/** What another process would find. */
async function found(disk: Disk, player: PlayerId): Promise<number> {
  const { store } = openStore({ types: ALL, driver: disk.open() })
  return valueOf(await store.read(player)).get(COUNT).n
}

void t.test('a commit that failed fails all it held, and the next one works', async (t) => {
  const { disk, store, next, player, logger } = setup()
  await store.update(player, countUp)
  next('commit', 'system:storage_failed')
  const [first, second] = await Promise.all([store.update(player, countUp), store.update(player, countUp)])
  t.equal(codeOf(first), 'system:storage_failed')
  t.equal(codeOf(second), 'system:storage_failed')
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 1 })
  t.equal(disk.done.filter((what) => what === 'read players').length, 1, 'nothing had to be read again')
  t.equal(valueOf(await store.update(player, countUp)), 2)
  t.strictSame(store.counts(), { changes: 2, commits: 3, failed: 1 })
  t.match(logger.lines, [{ level: 'error', message: /2 changes of .* failed: system:storage_failed/ }])
  t.equal(await found(disk, player), 2)
})

void t.test('who asked for something that the failed commit did not decide keeps the answer', async (t) => {
  const { store, next, player } = setup()
  next('commit', 'system:storage_failed')
  const [reading, refused, changing, resting, late] = await Promise.all([
    store.update(player, (tx) => tx.get(COUNT).n),
    store.update(player, () => {
      throw new Error('no')
    }),
    store.update(player, countUp),
    store.update(player, (tx) => tx.get(COUNT).n),
    store.update(player, () => {
      throw new Error('already counted')
    }),
  ])
  t.equal(valueOf(reading), 0)
  t.equal(codeOf(refused), 'system:internal')
  t.equal(codeOf(changing), 'system:storage_failed')
  t.equal(codeOf(resting), 'system:storage_failed', 'it saw what was not kept')
  t.equal(codeOf(late), 'system:storage_failed', 'and so did this one')
})

void t.test('after an unknown end, what is kept is read again', async (t) => {
  const { disk, store, next, player } = setup()
  await store.update(player, countUp)
  next('commit', 'system:storage_unknown')
  t.equal(codeOf(await store.update(player, countUp)), 'system:storage_unknown')
  t.same(valueOf(await store.read(player)).get(COUNT), { n: 2 }, 'here it was kept')
  t.equal(valueOf(await store.update(player, countUp)), 3)
  t.equal(await found(disk, player), 3)
})

void t.test(
  'after an unknown end nobody is told that it is done before it was written once more',
  async (t) => {
    const { disk, store, next, player } = setup()
    const once = () => store.update(player, (tx) => (tx.get(COUNT).n === 0 ? countUp(tx) : 'done already'))
    const commits = () => disk.done.filter((what) => what === 'commit players').length
    next('commit', 'system:storage_unknown', 'system:storage_failed', 'system:storage_unknown')
    t.equal(codeOf(await once()), 'system:storage_unknown')
    t.equal(commits(), 2, 'at once, in vain')
    t.equal(codeOf(await once()), 'system:storage_unknown')
    t.equal(valueOf(await once()), 'done already')
    t.equal(commits(), 4)
    t.equal(valueOf(await once()), 'done already')
    t.equal(commits(), 4)
    t.equal(await found(disk, player), 1)
  },
)

void t.test('after an unknown end nothing is written before the records were read', async (t) => {
  const { disk, store, next, player } = setup()
  await store.update(player, countUp)
  next('commit', 'system:storage_unknown')
  next('read', 'system:storage_failed', 'system:storage_failed')
  t.equal(codeOf(await store.update(player, countUp)), 'system:storage_unknown')
  t.equal(codeOf(await store.update(player, countUp)), 'system:storage_failed')
  t.same(store.problems().length, 1)
  t.equal(valueOf(await store.update(player, countUp)), 3)
  t.same(store.problems(), [])
  t.equal(await found(disk, player), 3)
})

void t.test('a conflict is read and tried again, three times', async (t) => {
  const { disk, store, player } = setup()
  await store.update(player, countUp)
  const other = openStore({ types: ALL, driver: disk.records }).store
  await other.update(player, countUp)
  const both = await Promise.all([store.update(player, countUp), store.update(player, countUp)])
  t.strictSame(both.map(valueOf), [3, 4], 'on what the other one kept')

  let commits = 0
  const contested: StorageDriver = {
    read: (key, maxBytes) => disk.records.read(key, maxBytes),
    commit: () =>
      Promise.resolve({
        ok: false,
        failure: { code: 'system:storage_conflict', params: {}, cause: ++commits },
      }),
    remove: (key) => disk.records.remove(key),
    list: (collection) => disk.records.list(collection),
    close: () => disk.records.close(),
  }
  const loser = openStore({ types: ALL, driver: contested }).store
  t.equal(codeOf(await loser.update(player, countUp)), 'system:storage_conflict')
  t.equal(commits, 4)
  t.equal(codeOf(await loser.update(player, countUp)), 'system:storage_conflict')
  t.equal(commits, 8, 'counted anew for each')
})

void t.test('too large together: each is tried alone, and only what is too large itself fails', async (t) => {
  const { disk, store, player } = setup({ ...LIMITS, businessBytes: 2_000 })
  const [a, large, b] = await Promise.all([
    store.update(player, countUp),
    store.update(player, (tx) => tx.put(LOG, 'large', { text: 'x'.repeat(4_000) })),
    store.update(player, countUp),
  ])
  t.strictSame([codeOf(a), codeOf(large), codeOf(b)], ['ok', 'system:storage_full', 'ok'])
  t.strictSame([valueOf(a), valueOf(b)], [1, 2])
  t.equal(valueOf(await store.update(player, (tx) => tx.rows(LOG).size)), 0)
  t.equal(await found(disk, player), 2)
})

void t.test('a limit lowered below a record locks nobody: what makes it smaller is committed', async (t) => {
  const { store, limits } = openStore({ types: ALL })
  const player = somePlayer()
  for (const key of ['one', 'two'])
    await store.update(player, (tx) => tx.put(LOG, key, { text: 'x'.repeat(4_000) }))
  Object.assign(limits, { businessBytes: 2_000 })
  const shorter = (tx: Transaction) => tx.put(LOG, 'one', { text: 'x'.repeat(3_000) })
  t.equal(codeOf(await store.update(player, shorter)), 'ok')
  t.equal(codeOf(await store.update(player, (tx) => tx.remove(LOG, 'two'))), 'ok')
  const longer = (tx: Transaction) => tx.put(LOG, 'one', { text: 'x'.repeat(3_001) })
  t.equal(codeOf(await store.update(player, longer)), 'system:storage_full')
  t.equal(codeOf(await store.revoke(player)), 'ok')
})

void t.test('limits are read at each use', async (t) => {
  const { store, limits } = openStore({ types: ALL, limits: { ...LIMITS, businessBytes: 2_000 } })
  const player = somePlayer()
  const large = () => store.update(player, (tx) => tx.put(LOG, 'large', { text: 'x'.repeat(4_000) }))
  t.equal(codeOf(await large()), 'system:storage_full')
  Object.assign(limits, { businessBytes: 10_000 })
  t.equal(codeOf(await large()), 'ok')
})

for (const code of [
  'system:storage_unreadable',
  'system:storage_newer',
  'system:storage_too_large',
] as const) {
  void t.test(`${code}: left as it is, others unaffected, read again at the next login`, async (t) => {
    const { disk, store, next, player, logger } = setup()
    next('read', code)
    t.equal(codeOf(await store.attach(player)), code)
    t.equal(store.online(player), null)
    t.equal(codeOf(await store.update(player, countUp)), code)
    t.equal(codeOf(await store.read(player)), code)
    t.equal(codeOf(await store.revoke(player)), code)
    t.match(store.problems(), [{ player, failure: { code } }])
    t.equal(logger.lines.length, 1, 'said once')
    t.equal(codeOf(await store.update(somePlayer(), countUp)), 'ok')
    t.notOk(disk.done.includes('commit chats'))
    t.equal(disk.done.filter((what) => what === 'commit players').length, 1)
    store.detach(player)
    t.equal(codeOf(await store.attach(player)), 'ok')
    t.same(store.problems(), [])
    t.equal(valueOf(await store.update(player, countUp)), 1)
  })
}

void t.test('a record that was unreadable is read again before the login, too', async (t) => {
  const { store, next, player } = setup()
  next('read', 'system:storage_unreadable')
  t.equal(codeOf(await store.attach(player)), 'system:storage_unreadable')
  store.detach(player)
  t.equal(codeOf(await store.update(player, countUp)), 'system:storage_unreadable', 'it is remembered')
  next('read', 'system:storage_unreadable')
  t.equal(codeOf(await store.readAgain(player)), 'system:storage_unreadable')
  t.equal(codeOf(await store.readAgain(player)), 'ok')
  t.equal(valueOf(await store.update(player, countUp)), 1)
  await store.close()
  t.equal(codeOf(await store.readAgain(player)), 'system:stopping')
})

void t.test('a part that cannot be decoded makes the player unreadable, not empty', async (t) => {
  const version2 = [10, 3, 0, 1, 118, 0, 0, 0, 2, 3, 0, 1, 100, 0, 0, 0, 0, 0]
  const parts: readonly (readonly [string, readonly number[], FailureCode])[] = [
    ['test:count', [3, 0, 0, 0, 1], 'system:storage_unreadable'],
    ['test:log#a', [10, 0], 'system:storage_unreadable'],
    ['test:count', version2, 'system:storage_newer'],
  ]
  for (const [name, tag, code] of parts) {
    const { disk, player, store } = setup()
    const key = { collection: 'players', id: player } as const
    const put = new Map([[name, Uint8Array.from(tag)]])
    t.ok((await disk.records.commit([{ key, base: 0, put, drop: [], maxBytes: 9_999 }])).ok)
    t.equal(codeOf(await store.update(player, countUp)), code, name)
    t.match(store.problems()[0]?.failure.cause, { message: `part ${name}` })
    t.same(valueOf(await disk.records.read(key, 9_999))?.parts.get(name), Uint8Array.from(tag), 'as it was')
  }
})

void t.test('conversations that cannot be read: business goes on, they stay as they are', async (t) => {
  const { disk, player } = setup()
  const append = (body: string) => (tx: Parameters<typeof countUp>[0]) => {
    tx.append(ROUNDS, { conversation: 1, at: 1, body })
    return countUp(tx)
  }
  const good = openStore({ types: ALL, driver: disk.open() }).store
  await good.update(player, append('kept'))
  disk.fate = ({ kind, collection }) =>
    kind === 'read' && collection === 'chats' ? 'system:storage_unreadable' : null
  const logger = new RecordingLogger()
  const { store } = openStore({ types: ALL, driver: disk.open(), logger })
  t.equal(valueOf(await store.update(player, append('lost'))), 2)
  t.same(roundsOf(valueOf(await store.read(player))), [])
  t.match(logger.messages(), [/conversations of .* are not used: system:storage_unreadable/])
  disk.fate = () => null
  const later = openStore({ types: ALL, driver: disk.open() }).store
  t.equal(valueOf(await later.update(player, append('new'))), 3)
  t.same(roundsOf(valueOf(await later.read(player))), ['kept', 'new'])
})

void t.test('a driver that throws costs the operation only', async (t) => {
  const { disk, player } = setup()
  let isBroken = true
  const throwing: StorageDriver = {
    read: (key, maxBytes) => disk.records.read(key, maxBytes),
    commit: (writes) => (isBroken ? Promise.reject(new Error('broken')) : disk.records.commit(writes)),
    remove: (key) => disk.records.remove(key),
    list: (collection) => disk.records.list(collection),
    close: () => disk.records.close(),
  }
  const { store } = openStore({ types: ALL, driver: throwing })
  t.equal(codeOf(await store.update(player, countUp)), 'system:internal')
  isBroken = false
  t.equal(valueOf(await store.update(player, countUp)), 1)
})

void t.test('views end with the stay, the update that was called before too', async (t) => {
  const { store, player } = setup()
  await store.attach(player)
  const view = store.online(player)
  t.equal(view?.check(), null)
  t.equal(codeOf(await (view?.update(countUp) ?? store.read(player))), 'ok')
  t.same(view?.get(COUNT), { n: 1 }, 'a view shows what is committed now')
  const waiting = view?.update(countUp)
  await store.attach(player)
  t.equal(waiting && codeOf(await waiting), 'system:disconnected')
  t.match(view?.check(), { code: 'system:disconnected' })
  t.throws(() => view?.get(COUNT), { message: 'system:disconnected' })
  t.throws(() => view?.rows(LOG), { message: 'system:disconnected' })
  const second = store.online(player)
  await store.revoke(player)
  t.throws(() => second?.get(COUNT), { message: 'system:revoked' })
  t.equal(second && codeOf(await second.update(countUp)), 'system:revoked')
  t.same(store.online(player)?.get(COUNT), { n: 0 }, 'nothing came back')
  const third = store.online(player)
  store.detach(player)
  t.match(third?.check(), { code: 'system:disconnected' })
  t.equal(store.online(player), null)
})

void t.test('of those who are not here, the last 64 stay in memory', async (t) => {
  const { disk, store } = setup()
  const [here, ...offline] = Array.from({ length: 100 }, somePlayer)
  if (here === undefined) return
  await store.attach(here)
  for (const player of offline) await store.update(player, countUp)
  const [oldest, newest] = [offline[0] ?? here, offline.at(-1) ?? here]
  const reads = () => disk.done.filter((what) => what === 'read players').length
  const before = reads()
  await store.read(newest)
  await store.read(here)
  t.equal(reads(), before)
  const view = valueOf(await store.read(oldest))
  t.equal(reads(), before + 1)
  t.same(view.get(COUNT), { n: 1 })
  for (const player of offline.slice(1, 80)) await store.read(player)
  t.throws(() => view.get(COUNT), { message: 'system:disconnected' }, 'a view does not grow old')
  t.not(store.online(here), null)
  t.same(store.online(here)?.get(NOTES), { notes: [] })
})
