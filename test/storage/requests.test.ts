import t from 'tap'
import { z } from 'zod'
import {
  appendRound,
  findReplay,
  findRequest,
  recordReplay,
  recordRequest,
  replayTable,
  REQUESTS,
} from '../../lib/storage/index.js'
import { somePlayer } from '../support/kernel.js'
import { Disk } from '../support/mortal-driver.js'
import { codeOf, LIMITS, openStore, valueOf } from '../support/player-store.js'
import { ALL, ROUNDS, roundsOf } from '../support/stored-things.js'

const HOUR_MS = 3_600_000
const REPLAYS = replayTable(z.strictObject({ cards: z.array(z.string()) }))
const TYPES = [...ALL, REQUESTS, REPLAYS]

function setup(limits = LIMITS) {
  const disk = new Disk()
  const { store } = openStore({ types: TYPES, driver: disk.open(), limits })
  const player = somePlayer()
  const finish = (id: string, at: number, card = id) =>
    store.update(player, (tx) => {
      recordRequest(tx, id, { fingerprint: `of ${id}`, at, outcome: 'ok' })
      recordReplay(tx, REPLAYS, { request: id, at, result: { cards: [card] } })
    })
  const kept = async () => valueOf(await store.read(player))
  return { disk, store, player, finish, kept }
}

void t.test('a request asked again is known, and its result shown again', async (t) => {
  const { disk, store, player, finish, kept } = setup()
  const find = (id: string, fingerprint: string) =>
    store.update(player, (tx) => findRequest(tx, id, fingerprint))
  t.equal(valueOf(await find('a', 'of a')), null)
  await finish('a', 1)
  t.same(valueOf(await find('a', 'of a')), { fingerprint: 'of a', at: 1, outcome: 'ok' })
  t.equal(codeOf(await find('a', 'of b')), 'system:receipt_mismatch')
  t.same(findReplay(await kept(), REPLAYS, 'a'), { cards: ['a'] })
  const later = valueOf(await openStore({ types: TYPES, driver: disk.open() }).store.read(player))
  t.same(findReplay(later, REPLAYS, 'a'), { cards: ['a'] })
  t.equal(findReplay(later, REPLAYS, 'b'), undefined)
})

void t.test('256 receipts of 24 hours, and no result without its receipt', async (t) => {
  const { finish, kept } = setup()
  for (let n = 0; n < 260; n++) await finish(`r${n}`, n)
  let view = await kept()
  t.equal(view.rows(REQUESTS).size, 256)
  t.equal(view.row(REQUESTS, 'r3'), undefined)
  t.equal(findReplay(view, REPLAYS, 'r3'), undefined)
  t.same(findReplay(view, REPLAYS, 'r4'), { cards: ['r4'] })
  await finish('late', 24 * HOUR_MS + 200)
  view = await kept()
  t.equal(view.row(REQUESTS, 'r199'), undefined)
  t.not(view.row(REQUESTS, 'r200'), undefined)
  t.equal(view.entries(REPLAYS).length, view.rows(REQUESTS).size)
})

void t.test('a chat record that is full: rounds go before results do, receipts stay', async (t) => {
  const { store, player, finish, kept } = setup({ ...LIMITS, chatBytes: 2_500 })
  const say = (body: string) =>
    store.update(player, (tx) =>
      appendRound(tx, ROUNDS, { entry: { conversation: 1, at: 1, body }, limits: LIMITS }),
    )
  await finish('a', 1, 'a'.repeat(600))
  await say('x'.repeat(600))
  await say('y'.repeat(600))
  await finish('b', 2, 'b'.repeat(600))
  const view = await kept()
  t.same(roundsOf(view), ['y'.repeat(600)])
  t.same(
    view.entries(REPLAYS).map(({ body }) => body.request),
    ['a', 'b'],
  )
  await finish('c', 3, 'c'.repeat(5_000))
  t.equal((await kept()).rows(REQUESTS).size, 3)
  t.equal(findReplay(await kept(), REPLAYS, 'c'), undefined, 'too large to be kept')
})
