import type { Test } from 'tap'
import { identifier } from '../../lib/core/ids.js'
import { EMPTY_RECORD, type PlayerRecord, type PlayerStore } from '../../lib/storage/index.js'
import { somePlayer } from './kernel.js'

const bound = (since: number): PlayerRecord => ({
  version: 1,
  binding: { system: identifier('system:default'), since },
})

/** What every driver of the player store keeps: one suite for all of them. `open` gives a fresh, empty store. */
export async function playerStoreContract(t: Test, open: () => PlayerStore): Promise<void> {
  const store = open()

  await t.test('a player nobody wrote about', async (t) => {
    t.same(await store.read(somePlayer()), EMPTY_RECORD)
  })

  await t.test('a change is committed when its promise resolves', async (t) => {
    const player = somePlayer()
    t.same(await store.update(player, () => bound(1)), bound(1))
    t.same(await store.read(player), bound(1))
    t.same(await store.update(player, (before) => ({ ...before, binding: null })), EMPTY_RECORD)
  })

  await t.test('changes of one player run one after the other, in order', async (t) => {
    const player = somePlayer()
    const seen: number[] = []
    const changes = Array.from({ length: 50 }, () =>
      store.update(player, ({ binding }) => {
        seen.push(binding?.since ?? 0)
        return bound((binding?.since ?? 0) + 1)
      }),
    )
    const records = await Promise.all(changes)
    t.same(
      seen,
      Array.from({ length: 50 }, (_, at) => at),
      'each sees what the one before has committed',
    )
    t.same(
      records.map(({ binding }) => binding?.since),
      Array.from({ length: 50 }, (_, at) => at + 1),
      'each resolves with its own record',
    )
  })

  await t.test('a change that throws leaves all as it was, and those behind it run', async (t) => {
    const player = somePlayer()
    await store.update(player, () => bound(1))
    const boom = new Error('boom')
    const failing = store.update(player, () => {
      throw boom
    })
    const behind = store.update(player, ({ binding }) => bound((binding?.since ?? 0) + 1))
    await t.rejects(failing, boom)
    t.same(await behind, bound(2))
    t.same(await store.read(player), bound(2))
  })

  await t.test('a change that gives what cannot be stored leaves all as it was', async (t) => {
    const player = somePlayer()
    await store.update(player, () => bound(1))
    await t.rejects(store.update(player, () => ({ ...bound(2), odd: () => 1 }) as PlayerRecord))
    await t.rejects(store.update(player, (async () => bound(2)) as never), 'a promise is no record')
    t.same(await store.read(player), bound(1))
  })

  await t.test('committed records are frozen to their depth', async (t) => {
    const player = somePlayer()
    const given = { version: 1 as const, binding: { system: identifier('a:b'), since: 1 } }
    const record = await store.update(player, () => given)
    given.binding.since = 2
    t.throws(() => Object.assign(record, { binding: null }), TypeError)
    t.throws(() => Object.assign(record.binding ?? {}, { since: 2 }), TypeError)
    t.throws(() => Object.assign(EMPTY_RECORD, { binding: null }), TypeError)
    t.equal((await store.read(player)).binding?.since, 1)
    await t.rejects(
      store.update(player, (before) => Object.assign(before, { binding: null })),
      TypeError,
    )
    t.equal((await store.read(player)).binding?.since, 1)
  })

  await t.test('deleting takes its turn and forgets the player', async (t) => {
    const player = somePlayer()
    const before = store.update(player, () => bound(1))
    const deleted = store.delete(player)
    const after = store.update(player, (record) => {
      t.same(record, EMPTY_RECORD)
      return bound(9)
    })
    t.same(await before, bound(1))
    await deleted
    t.same(await after, bound(9))
    await store.delete(player)
    await store.delete(player)
    t.same(await store.read(player), EMPTY_RECORD)
  })

  await t.test('players are independent', async (t) => {
    const [alice, bob] = [somePlayer(), somePlayer()]
    const failing = store.update(alice, () => {
      throw new Error('boom')
    })
    const fine = store.update(bob, () => bound(5))
    await t.rejects(failing)
    t.same(await fine, bound(5))
    await store.delete(alice)
    t.same(await store.read(bob), bound(5))
  })

  await t.test('closing waits for what was begun', async (t) => {
    const player = somePlayer()
    let isDone = false
    const last = store.update(player, () => bound(1)).then(() => (isDone = true))
    await store.close()
    await last
    t.ok(isDone)
  })
}
