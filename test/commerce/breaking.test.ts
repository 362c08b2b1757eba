/** Payments and rewards that the store can't book at once: nothing is lost, and nothing is taken twice. */
import t from 'tap'
import { silentLogger } from '../../lib/core/logger.js'
import { orThrow } from '../../lib/core/result.js'
import { INBOX, ORDERS, type ItemChange, type ItemTransaction } from '../../lib/inventory/index.js'
import { balanceOf, Bookkeeping, credit, RESOURCES } from '../../lib/rewards/index.js'
import { ALICE, bread, code, COIN, gem, has, open, orders, put, quoteOf } from './shop-world.js'
import type { MarketWorld } from './market-world.js'

const MAX = Number.MAX_SAFE_INTEGER
const coins = (amount: number) => ({ type: 'system:resource', resource: COIN, amount })
const change = (world: MarketWorld, work: (tx: ItemTransaction) => unknown) =>
  world.store.update(ALICE, (tx) => void work(tx as never)).then(orThrow)
const balance = (world: MarketWorld): number => balanceOf(world.store.online(ALICE) as never, COIN)

void t.test(
  'an order that is void takes back what its entry has booked, and not what is still owed',
  async (t) => {
    const world = await open({ 'test:a': { costs: [gem(1)], rewards: [bread(1), coins(10)] } })
    put(world, 9, 'minecraft:gem', 1)
    await change(world, (tx) => orThrow(credit(tx, COIN, MAX)))
    const quote = await quoteOf(world, 'test:a')
    t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
    t.equal(code(await world.lane.give(ALICE, `${quote}-goods`)), 'ok')
    t.equal(has(world, 'minecraft:bread'), 1)
    t.equal(balance(world), MAX, 'no room for the coins: they are owed')
    const book = new Bookkeeping(world.rewards, silentLogger)
    await change(world, (tx) => {
      const order = { ...tx.get(ORDERS)[0], state: 'VOIDED' } as const
      tx.set(ORDERS, [order as never])
      tx.set(
        INBOX,
        tx
          .get(INBOX)
          .map((one) => (one.state === 'AVAILABLE' ? { ...one, state: 'WITHDRAWN' as const } : one)),
      )
      book.changed(tx, { kind: 'order', order } as ItemChange)
    })
    t.equal(balance(world), MAX, 'they were never had')
  },
)

void t.test('what a failed order has reserved comes back, though the purse is full by then', async (t) => {
  const world = await open({
    'test:a': { costs: [gem(1), { type: 'resource', resource: COIN, amount: 10 }], rewards: [bread(1)] },
  })
  put(world, 9, 'minecraft:gem', 1)
  await change(world, (tx) => orThrow(credit(tx, COIN, MAX)))
  const quote = await quoteOf(world, 'test:a')
  // between the reservation and the payment another ten come, and the gem goes
  const paying = world.lane.take.bind(world.lane)
  world.lane.take = async (...given) => {
    await change(world, (tx) => orThrow(credit(tx, COIN, 10)))
    world.inventory(ALICE).change([{ slot: 9, stack: null }])
    return paying(...given)
  }
  await world.confirm(world.shop, ALICE, quote)
  t.match(orders(world), [{ state: 'FAILED' }])
  t.equal(balance(world), MAX)
  const owed = (world.store.online(ALICE)?.get(INBOX) ?? []).filter(({ state }) => state === 'AVAILABLE')
  t.match(owed, [{ booked: [{ value: { resource: COIN, amount: 10 } }] }], 'they wait in the inbox')
  await change(world, (tx) => tx.set(RESOURCES, []))
  t.equal(code(await world.lane.give(ALICE, owed[0]?.id ?? '')), 'ok')
  t.equal(balance(world), 10)
})

void t.test('experience beyond what a player can have stays in the inbox', async (t) => {
  const points = 2 ** 31 - 1
  const world = await open({ 'test:a': { costs: [gem(1)], rewards: [{ type: 'xp', points }] } })
  put(world, 9, 'minecraft:gem', 2)
  const buy = async (): Promise<string> => {
    const quote = await quoteOf(world, 'test:a')
    t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
    return code(await world.lane.give(ALICE, `${quote}-goods`))
  }
  t.equal(await buy(), 'ok')
  t.equal(await buy(), 'system:resource_full')
  t.equal(world.inventory(ALICE).xp(), points)
  t.match(
    world.store
      .online(ALICE)
      ?.get(INBOX)
      .map(({ state }) => state),
    ['DONE', 'AVAILABLE'],
  )
})
