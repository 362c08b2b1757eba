import t from 'tap'
import { z } from 'zod'
import type { PlayerId } from '../../lib/core/ids.js'
import { identifier } from '../../lib/core/ids.js'
import { fail, ok } from '../../lib/core/result.js'
import { Outbox, RECEIVED, receiveOnce, type PlayerStore } from '../../lib/storage/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, openStore, valueOf } from '../support/player-store.js'
import { ALL, COUNT } from '../support/stored-things.js'

const giftSchema = z.strictObject({ to: z.string(), amount: z.int() })

/** One process: gifts between players, over a disk. */
function open(disk: Disk) {
  let store: PlayerStore | null = null
  const gifts = new Outbox({
    id: identifier('test:gifts'),
    schema: giftSchema,
    async send(id, { to, amount }) {
      if (store === null) return fail('system:internal')
      const received = await store.update(to as PlayerId, (tx) =>
        receiveOnce(tx, id, () => tx.set(COUNT, { n: tx.get(COUNT).n + amount })),
      )
      return received.ok ? ok(undefined) : received
    },
  })
  const opened = openStore({ types: [...ALL, RECEIVED, gifts.table], driver: disk.open() })
  store = opened.store
  const give = (from: PlayerId, id: string, gift: z.infer<typeof giftSchema>) =>
    opened.store.update(from, (tx) => {
      tx.set(COUNT, { n: tx.get(COUNT).n - gift.amount })
      gifts.put(tx, id, gift)
    })
  const countOf = async (player: PlayerId) => valueOf(await opened.store.read(player)).get(COUNT).n
  const waiting = async (player: PlayerId) => valueOf(await opened.store.read(player)).rows(gifts.table).size
  return { store: opened.store, gifts, give, countOf, waiting }
}

void t.test('spent on one side, inserted once on the other, then gone from the outbox', async (t) => {
  const [alice, bob] = [somePlayer(), somePlayer()]
  const { store, gifts, give, countOf, waiting } = open(new Disk())
  await give(alice, 'order-1', { to: bob, amount: 5 })
  await give(alice, 'order-2', { to: bob, amount: 7 })
  t.same([await countOf(alice), await countOf(bob), await waiting(alice)], [-12, 0, 2])
  t.ok((await gifts.deliver(store, alice)).ok)
  t.same([await countOf(alice), await countOf(bob), await waiting(alice)], [-12, 12, 0])
  await Promise.all([gifts.deliver(store, alice), gifts.deliver(store, alice)])
  t.equal(await countOf(bob), 12)
})

void t.test('killed between any two of its writes: delivered exactly once in the end', async (t) => {
  for (let stop = 0; stop < 3; stop++) {
    for (const isDone of [false, true]) {
      const disk = new Disk()
      const [alice, bob] = [somePlayer(), somePlayer()]
      let step = 0
      disk.fate = ({ kind }) => {
        if (kind !== 'commit' || step++ !== stop) return null
        if (!isDone) return 'crash'
        disk.crash()
        return null
      }
      const first = open(disk)
      void first
        .give(alice, 'order-1', { to: bob, amount: 5 })
        .then(() => first.gifts.deliver(first.store, alice))
      await new Promise(setImmediate)
      disk.fate = () => null
      const { store, gifts, countOf, waiting } = open(disk)
      t.ok((await gifts.deliver(store, alice)).ok)
      const isSpent = stop > 0 || isDone
      const moment = `${isDone ? 'after' : 'before'} write ${stop}`
      t.same([await countOf(alice), await countOf(bob)], isSpent ? [-5, 5] : [0, 0], moment)
      t.equal(await waiting(alice), 0, moment)
    }
  }
})

void t.test('one that cannot be delivered waits, the others go', async (t) => {
  const [alice, bob, carol] = [somePlayer(), somePlayer(), somePlayer()]
  const disk = new Disk()
  const { store, gifts, give, countOf, waiting } = open(disk)
  await give(alice, 'order-1', { to: bob, amount: 5 })
  await give(alice, 'order-2', { to: carol, amount: 7 })
  disk.fate = ({ kind, id }) => (kind === 'commit' && id === bob ? 'system:storage_failed' : null)
  t.equal(codeOf(await gifts.deliver(store, alice)), 'system:storage_failed')
  t.same([await countOf(bob), await countOf(carol), await waiting(alice)], [0, 7, 1])
  disk.fate = () => null
  t.ok((await gifts.deliver(store, alice)).ok)
  t.same([await countOf(bob), await countOf(carol), await waiting(alice)], [5, 7, 0])
})

void t.test('the last 1,024 ids are remembered', async (t) => {
  const [alice] = [somePlayer()]
  const { store } = open(new Disk())
  const receive = (n: number) => store.update(alice, (tx) => receiveOnce(tx, `id-${n}`, () => {}))
  for (let n = 0; n < 1_030; n++) await receive(n)
  t.equal(valueOf(await store.read(alice)).rows(RECEIVED).size, 1_024)
  t.equal(valueOf(await receive(6)), false)
  t.equal(valueOf(await receive(1_029)), false)
  t.equal(valueOf(await receive(5)), true)
})
