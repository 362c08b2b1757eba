/** Prices that are kept outside of the server, whatever their plugin does. */
import t from 'tap'
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import { fail, ok } from '../../lib/core/result.js'
import { INBOX, type ExternalAnswer, type Order } from '../../lib/inventory/index.js'
import { MarketWorld } from './market-world.js'
import { ALICE, code, gem, has, bread, orders, put, quoteOf } from './shop-world.js'

/** An outside cost whose behaviour a test sets. */
class Bank {
  charged = new Set<string>()
  answer: (order: string) => Promise<ExternalAnswer> | ExternalAnswer = (order) => (
    this.charged.add(order),
    'charged'
  )
  isDown = false
  readonly asked: string[] = []
}

async function withBank(bank: Bank): Promise<MarketWorld> {
  const world = new MarketWorld({ below: () => 0 })
  world.costs.add({
    id: identifier('bank:coins'),
    members: () => ({ amount: z.int().min(1) }),
    prepare: async (_, { player, seller, entry }) => {
      bank.asked.push([player, seller, entry].join(' '))
      return bank.isDown ? fail('system:price_unknown') : ok({ text: '5 coins', amount: 5 })
    },
    charge: async (order) => bank.answer(order),
    status: async (order) => (bank.isDown ? 'unknown' : bank.charged.has(order) ? 'charged' : 'not_charged'),
  })
  await world.packs({
    'system/shop_offers': {
      'test:a': { costs: [{ type: 'bank:coins', amount: 5 }, gem(2)], rewards: [bread(1)] },
    },
  })
  await world.login(ALICE)
  put(world, 9, 'minecraft:gem', 5)
  return world
}

void t.test('a cost outside is charged last, and its status decides what is unclear', async (t) => {
  const ways: readonly (readonly [string, (bank: Bank) => void, Order['state'], number])[] = [
    ['charged', () => {}, 'COMPLETED', 3],
    ['refused', (bank) => void (bank.answer = () => 'not_charged'), 'FAILED', 5],
    [
      'throws, charged',
      (bank) =>
        void (bank.answer = (order) => {
          bank.charged.add(order)
          throw new Error('x')
        }),
      'COMPLETED',
      3,
    ],
    [
      'throws, not charged',
      (bank) =>
        void (bank.answer = () => {
          throw new Error('x')
        }),
      'FAILED',
      5,
    ],
    ['nonsense', (bank) => void (bank.answer = () => 'yes' as ExternalAnswer), 'FAILED', 5],
    [
      'unknown',
      (bank) =>
        void (bank.answer = () => {
          bank.isDown = true
          return 'unknown'
        }),
      'PAYMENT_UNKNOWN',
      3,
    ],
  ]
  for (const [what, set, state, gems] of ways) {
    const bank = new Bank()
    const world = await withBank(bank)
    const quote = await quoteOf(world, 'test:a')
    t.strictSame(bank.asked, [`${ALICE} system:shop test:a`])
    set(bank)
    t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok', what)
    t.match(orders(world), [{ state, externalType: 'bank:coins' }], what)
    const waiting = (world.store.online(ALICE)?.get(INBOX) ?? []).filter(
      (entry) => entry.state === 'AVAILABLE',
    )
    for (const entry of waiting) await world.lane.give(ALICE, entry.id)
    t.equal(has(world, 'minecraft:gem'), gems, what)
    t.equal(has(world, 'minecraft:bread'), state === 'COMPLETED' ? 1 : 0, what)
  }
})

void t.test('an administrator decides what nobody knows, once', async (t) => {
  for (const verdict of ['complete', 'refund'] as const) {
    const bank = new Bank()
    const world = await withBank(bank)
    const quote = await quoteOf(world, 'test:a')
    bank.answer = () => {
      bank.isDown = true
      return 'unknown'
    }
    await world.confirm(world.shop, ALICE, quote)
    t.equal(code(await world.lane.resolve(ALICE, quote, verdict)), 'ok')
    t.equal(code(await world.lane.resolve(ALICE, quote, verdict)), 'system:unknown_entry')
    t.match(orders(world), [{ state: verdict === 'complete' ? 'COMPLETED' : 'FAILED' }])
    for (const { id, state } of world.store.online(ALICE)?.get(INBOX) ?? [])
      if (state === 'AVAILABLE') await world.lane.give(ALICE, id)
    t.equal(has(world, 'minecraft:gem'), verdict === 'complete' ? 3 : 5)
    t.equal(has(world, 'minecraft:bread'), verdict === 'complete' ? 1 : 0)
  }
})
