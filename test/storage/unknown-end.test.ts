/** A commit or a removal ended unknown, and what is kept can't be read: nothing is shown as known until it is. */
import t from 'tap'
import { z } from 'zod'
import { identifier, type PlayerId } from '../../lib/core/ids.js'
import { Databases, Outbox, type TableType } from '../../lib/storage/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { RecordingLogger, somePlayer } from '../support/kernel.js'
import { Disk, type Fate } from '../support/mortal-driver.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT, countUp, ROUNDS, roundsOf } from '../support/stored-things.js'

const ROWS: TableType<number> = { id: identifier('test:rows'), version: 1, schema: z.int() }
const GIFTS = new Outbox({
  id: identifier('test:gifts'),
  schema: z.strictObject({ n: z.int() }),
  send: () => Promise.resolve({ ok: true, value: undefined }),
})

/** A disk with fates by `commit players` and the like, and a store with a player who is here and has counted to 1. */
async function setup() {
  const disk = new Disk()
  const fates: { what: string; fate: Fate }[] = []
  disk.fate = ({ kind, collection }) => {
    const at = fates.findIndex(({ what }) => what === `${kind} ${collection}`)
    return at < 0 ? null : (fates.splice(at, 1)[0]?.fate ?? null)
  }
  const [clock, logger, player] = [new ManualClock(), new RecordingLogger(), somePlayer()]
  const driver = disk.open()
  const { store } = openStore({ types: [...ALL, GIFTS.table], driver, clock, logger })
  const next = (what: string, ...list: Fate[]) => fates.push(...list.map((fate) => ({ what, fate })))
  const count = () => store.online(player)?.get(COUNT).n ?? null
  const reads = () => disk.done.filter((what) => what === 'read players').length
  /** Time passes, and what begins then ends. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    await new Promise(setImmediate)
  }
  await store.attach(player)
  await store.update(player, countUp)
  return { disk, driver, store, clock, logger, player, next, count, reads, pass }
}

/** What lies on the disk, whoever is asked. */
async function kept(disk: Disk, player: PlayerId, name = COUNT.id): Promise<boolean> {
  const record = valueOf(await disk.records.read({ collection: 'players', id: player }, 9_999))
  return record?.parts.has(name) ?? false
}

for (const code of ['system:storage_unknown', 'system:storage_conflict'] as const)
  void t.test(
    `${code}, then no reading: the System is off, with its reason, until the next use`,
    async (t) => {
      const { store, player, next, count } = await setup()
      const view = store.online(player)
      next('commit players', code)
      next('read players', 'system:storage_failed')
      const isConflict = code === 'system:storage_conflict'
      const changed = store.update(player, (tx) => {
        // a conflict is tried again by itself
        if (isConflict) next('read players', 'system:storage_failed')
        return countUp(tx)
      })
      t.equal(codeOf(await changed), isConflict ? 'system:storage_failed' : code)
      t.equal(count(), null, 'not the state of before')
      t.throws(() => view?.get(COUNT), { message: 'system:storage_failed' })
      t.equal(view?.check(), null, 'the stay goes on')
      t.match(store.problems(), [{ player, failure: { code: 'system:storage_failed' } }])
      const read = await store.read(player)
      t.equal(valueOf(read).get(COUNT).n, isConflict ? 1 : 2, 'what is kept')
      t.equal(count(), isConflict ? 1 : 2)
      t.equal(view?.get(COUNT).n, isConflict ? 1 : 2)
      t.same(store.problems(), [])
    },
  )

void t.test('while it is read again nobody sees the state of before either', async (t) => {
  const { disk, store, player, next, count } = await setup()
  next('commit players', 'system:storage_unknown')
  const { fate } = disk
  const seen: (number | null)[] = []
  disk.fate = async (operation) => {
    if (operation.kind === 'read') seen.push(count())
    return fate(operation)
  }
  t.equal(codeOf(await store.update(player, countUp)), 'system:storage_unknown')
  t.strictSame(seen, [null, null])
  t.equal(count(), 2)
})

void t.test('of a player who is here it becomes known by itself, with growing pauses', async (t) => {
  const { store, player, logger, clock, next, count, reads, pass } = await setup()
  next('commit players', 'system:storage_unknown')
  next('read players', ...Array.from({ length: 8 }, () => 'system:storage_failed' as const))
  await store.update(player, countUp)
  const attempts: number[] = []
  for (const pause of [1, 2, 4, 8, 16, 30, 30]) {
    const before = reads()
    await pass(pause * 1_000 - 1)
    t.equal(reads(), before)
    await pass(1)
    attempts.push(reads() - before)
  }
  t.strictSame(attempts, [1, 1, 1, 1, 1, 1, 1])
  t.equal(count(), null)
  await pass(30_000)
  t.equal(count(), 2)
  t.equal(clock.pending, 1, 'the timer of the databases alone')
  t.equal(logger.messages().filter((line) => /is not used/.test(line)).length, 1, 'said once')
  next('commit players', 'system:storage_unknown')
  next('read players', 'system:storage_failed')
  await store.update(player, countUp)
  await pass(1_000)
  t.equal(count(), 3, 'the pauses begin anew')
})

void t.test('attempts end with the stay, with the store, and where reading again is no use', async (t) => {
  for (const end of ['logout', 'close', 'unreadable', 'use'] as const) {
    const { store, player, clock, next, count, reads, pass } = await setup()
    next('commit players', 'system:storage_unknown')
    next('read players', 'system:storage_failed')
    await store.update(player, countUp)
    t.equal(clock.pending, 2)
    if (end === 'logout') store.detach(player)
    else if (end === 'close') await store.close()
    else {
      if (end === 'unreadable') next('read players', 'system:storage_unreadable')
      await store.read(player)
    }
    t.equal(clock.pending, 1, end)
    const before = reads()
    await pass(100_000)
    t.equal(reads(), before, end)
    t.equal(count(), end === 'use' ? 2 : null, end)
    if (end !== 'logout') continue
    t.ok((await store.attach(player)).ok)
    t.equal(count(), 2, 'a login reads again')
  }
})

void t.test('it is known only when it is sure to stay', async (t) => {
  const { store, player, next, count, pass } = await setup()
  next('commit players', 'system:storage_unknown', 'system:storage_unknown', 'system:storage_failed')
  t.equal(codeOf(await store.update(player, countUp)), 'system:storage_unknown')
  t.equal(count(), null, 'read, and not confirmed')
  await pass(1_000)
  t.equal(count(), null)
  await pass(2_000)
  t.equal(count(), 2)
})

void t.test('conversations beside the record: both are shown as they are kept, or none', async (t) => {
  for (const unknown of ['chats', 'players'] as const) {
    const { store, player, next, count, pass } = await setup()
    const say = (body: string) =>
      store.update(player, (tx) => {
        tx.append(ROUNDS, { conversation: 1, at: 1, body })
        return countUp(tx)
      })
    await say('one')
    next(`commit ${unknown}`, 'system:storage_unknown')
    next('read chats', 'system:storage_failed')
    t.equal(codeOf(await say('two')), 'system:storage_unknown')
    t.equal(count(), null)
    await pass(1_000)
    const view = valueOf(await store.read(player))
    const isKept = unknown === 'players'
    t.strictSame([count(), roundsOf(view)], isKept ? [3, ['one', 'two']] : [2, ['one']], unknown)
    t.equal(codeOf(await say('three')), 'ok')
    t.strictSame(roundsOf(valueOf(await store.read(player))).at(-1), 'three')
  }
})

void t.test(
  'a revoke that ends unknown: nothing of before is seen, nothing goes before it is sure',
  async (t) => {
    const { disk, store, player, next, count, pass } = await setup()
    const removals = () => disk.done.filter((what) => what.startsWith('remove'))
    next('commit players', 'system:storage_unknown', 'system:storage_failed')
    t.equal(codeOf(await store.revoke(player)), 'system:storage_unknown')
    t.equal(count(), null)
    t.strictSame(removals(), [], 'a power cut could bring the record back')
    await pass(1_000)
    t.strictSame(removals(), ['remove chats', 'remove databases', 'remove players'])
    t.equal(count(), 0)
    t.notOk(await kept(disk, player))
  },
)

void t.test('a removal that ends unknown is repeated before the player counts as new', async (t) => {
  for (const kind of ['revoke', 'reset'] as const) {
    const { disk, store, player, next, count, pass } = await setup()
    const isReset = kind === 'reset'
    if (isReset) {
      store.detach(player)
      // makes room for 64 others, so that it has to be read
      for (let n = 0; n < 65; n++) await store.read(somePlayer())
      next('read players', 'system:storage_unreadable')
      t.equal(codeOf(await store.attach(player)), 'system:storage_unreadable')
      next('read players', 'system:storage_unreadable')
    }
    // a reset reads once more by itself
    const times = isReset ? 3 : 2
    next('remove players', ...Array.from({ length: times }, () => 'system:storage_unknown' as const))
    t.equal(codeOf(await store[kind](player)), 'system:storage_unknown', kind)
    t.equal(count(), null, kind)
    t.equal(codeOf(await store.read(player)), 'system:storage_unknown', kind)
    t.equal(count(), null, kind)
    await pass(1_000)
    t.equal(count(), 0, kind)
    t.equal(disk.done.filter((what) => what === 'remove players').length, times + 1, kind)
  }
})

void t.test('an outbox delivers what is kept, and says so when that is not known', async (t) => {
  const { store, player, next } = await setup()
  next('commit players', 'system:storage_unknown')
  next('read players', 'system:storage_failed', 'system:storage_failed')
  await store.update(player, (tx) => GIFTS.put(tx, 'gift', { n: 1 }))
  t.equal(codeOf(await GIFTS.deliver(store, player)), 'system:storage_failed')
  t.ok((await GIFTS.deliver(store, player)).ok)
  t.equal(valueOf(await store.read(player)).rows(GIFTS.table).size, 0)
})

void t.test('rows of a database: shown when they are read and sure to stay', async (t) => {
  const { driver, clock, player, next } = await setup()
  const databases = new Databases({ driver, clock, maxBytes: () => 9_999 })
  const own = databases.of(player, () => null)
  t.ok((await own.put(ROWS, 'a', 1)).ok)
  next('commit databases', 'system:storage_unknown', 'system:storage_failed')
  next('read databases', 'system:storage_failed')
  t.equal(codeOf(await own.put(ROWS, 'a', 2)), 'system:storage_unknown')
  t.equal(codeOf(await own.get(ROWS, 'a')), 'system:storage_failed', 'not read')
  t.equal(codeOf(await own.scan(ROWS)), 'system:storage_failed', 'not confirmed')
  t.equal(valueOf(await own.get(ROWS, 'a')), 2)
  t.ok((await own.put(ROWS, 'a', 3)).ok)
  next('remove databases', 'system:storage_unknown', 'system:storage_failed')
  t.equal(codeOf(await databases.remove(player)), 'system:storage_unknown')
  t.equal(codeOf(await own.delete(ROWS, 'a')), 'system:storage_failed', 'it may come back')
  t.equal(valueOf(await own.get(ROWS, 'a')), null)
  t.ok((await own.put(ROWS, 'b', 1)).ok)
  t.strictSame([...valueOf(await own.scan(ROWS)).rows], [['b', 1]])
  await databases.close()
})
