/** A price is worked out once, shown whatever it is, and taken as it was shown: of our kinds and of extensions'. */
import t from 'tap'
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { fail, ok, orThrow, type Result } from '../../lib/core/result.js'
import type { Bill, CostType, ExternalCostType } from '../../lib/costs/index.js'
import { ORDERS, type ExternalAnswer } from '../../lib/inventory/index.js'
import { balanceOf, credit } from '../../lib/rewards/index.js'
import { MarketWorld } from './market-world.js'
import { ALICE, bread, code, COIN, gem, has, orders, preview, put, quoteOf } from './shop-world.js'

const BILL: Bill = { text: '5 coins', amount: 5 }
const BANK = { type: 'bank:coins', amount: 5 }

/** A bank that a test tells what to do. */
class Bank implements ExternalCostType {
  readonly id = identifier('bank:coins')
  readonly members = () => ({ amount: z.int().min(1) })
  bill: () => Promise<Result<Bill>> = async () => ok(BILL)
  answer: () => Promise<ExternalAnswer> = async () => 'charged'
  known: ExternalAnswer = 'charged'
  readonly charges: [order: string, bill: Bill][] = []
  prepare = () => this.bill()
  charge(order: string, bill: Bill): Promise<ExternalAnswer> {
    this.charges.push([order, bill])
    return this.answer()
  }
  status = async () => this.known
}

async function open(
  costs: readonly Json[],
  { bank = new Bank(), kinds = [] as readonly CostType[] } = {},
): Promise<{ world: MarketWorld; bank: Bank }> {
  const world = new MarketWorld({ below: () => 0 })
  for (const kind of [bank, ...kinds]) world.costs.add(kind)
  await world.packs({ 'system/shop_offers': { 'test:a': { costs: [...costs], rewards: [bread(1)] } } })
  await world.login(ALICE)
  put(world, 9, 'minecraft:gem', 5)
  orThrow(await world.store.update(ALICE, (tx) => credit(tx, COIN, 9)))
  return { world, bank }
}

const coins = (world: MarketWorld): number => balanceOf(world.store.online(ALICE) as never, COIN)
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
}

void t.test('what was shown is what is taken, whatever the price would be by now', async (t) => {
  let amount = 2
  let asked = 0
  const toll: CostType = {
    id: identifier('town:toll'),
    members: () => ({}),
    price() {
      asked++
      const part = { kind: 'resource', resource: COIN, amount } as const
      return ok([{ part, shown: part }])
    },
  }
  const { world, bank } = await open([{ type: 'town:toll' }, BANK, gem(1)], { kinds: [toll] })
  const quote = await quoteOf(world, 'test:a')
  t.equal(asked, 1)
  amount = 7
  bank.bill = async () => ok({ text: '99 coins', amount: 99 })
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  t.equal(asked, 1, 'once, when the quote is made')
  t.equal(coins(world), 7)
  t.strictSame(bank.charges, [[quote, BILL]], 'the bill of the quote')
  t.match(orders(world), [
    {
      id: quote,
      source: 'system:shop',
      state: 'COMPLETED',
      sale: {
        entry: 'test:a',
        price: [
          { kind: 'resource', amount: 2 },
          { kind: 'item', count: 1 },
          { kind: 'other', text: '5 coins' },
        ],
      },
    },
  ])
  t.notMatch(JSON.stringify(world.store.online(ALICE)?.get(ORDERS)), /"amount":5/, 'no bill is kept')
})

void t.test('a price that can’t be worked out is a failure that can be told, and no quote', async (t) => {
  const bills: readonly (readonly [string, Bank['bill']])[] = [
    ['none now', async () => fail('system:price_unknown')],
    [
      'throws at once',
      () => {
        throw new Error('x')
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
    ['nothing', async () => undefined as never],
    ['no text', async () => ok({ amount: 5 } as never)],
    ['never', () => new Promise(() => {})],
  ]
  for (const [what, bill] of bills) {
    const { world, bank } = await open([gem(1), BANK])
    bank.bill = bill
    const asked = preview(world, 'test:a')
    await turns()
    world.clock.advance(10_000)
    t.equal(code(await asked), 'system:price_unknown', what)
    t.strictSame(
      world.trade.glance(ALICE, world.shop).map(({ shown }) => shown),
      [null],
      what,
    )
    bank.bill = async () => ok(BILL)
    t.ok(orThrow(await preview(world, 'test:a')).quote, `${what}: and then it can`)
  }
  const prices: readonly (readonly [string, CostType['price']])[] = [
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['a promise', () => Promise.reject(new Error('x')) as never],
    ['nothing', () => undefined as never],
    ['no list', () => ok(7 as never)],
    ['no part', () => ok([{ part: { kind: 'wish' }, shown: null } as never])],
  ]
  for (const [what, price] of prices) {
    const bad: CostType = { id: identifier('town:bad'), members: () => ({}), price }
    const { world } = await open([gem(1), { type: 'town:bad' }], { kinds: [bad] })
    const asked = await preview(world, 'test:a').catch(String)
    t.equal(typeof asked === 'string' ? asked : code(asked), 'system:price_unknown', what)
    t.doesNotThrow(() => {
      t.strictSame(
        world.trade.glance(ALICE, world.shop).map(({ shown }) => shown),
        [null],
        what,
      )
    }, what)
  }
})

void t.test('a bill that the player can’t pay is shown beside the rest, without a quote', async (t) => {
  const { world, bank } = await open([BANK, gem(9), { type: 'resource', resource: COIN, amount: 1 }])
  bank.bill = async () => ok({ ...BILL, text: 'x'.repeat(999), isShort: true })
  t.match(orThrow(await preview(world, 'test:a')), {
    quote: null,
    asked: {
      missing: [0, 2],
      failure: { code: 'system:cost_missing' },
      price: {
        shown: [{ kind: 'item' }, { kind: 'resource' }, { kind: 'other', text: 'x'.repeat(256) }],
      },
    },
  })
})

void t.test('words of a bill are cut between characters, and kept whatever they hold', async (t) => {
  const texts: readonly (readonly [string, string])[] = [
    [`x${'😀'.repeat(200)}`, `x${'😀'.repeat(127)}`],
    ['5 \0 coins', '5 \0 coins'],
  ]
  for (const [text, expected] of texts) {
    const { world, bank } = await open([BANK])
    bank.bill = async () => ok({ ...BILL, text })
    const quote = await quoteOf(world, 'test:a')
    t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
    await world.logout(ALICE)
    await world.login(ALICE)
    t.match(orders(world), [{ state: 'COMPLETED', sale: { price: [{ kind: 'other' }] } }])
    const [price] = orders(world)[0]?.sale?.price ?? []
    t.equal(price?.kind === 'other' ? price.text : '', expected)
  }
})

void t.test('outside is charged last and once; a throw or silence is decided by its status', async (t) => {
  const answers: readonly (readonly [string, Bank['answer']])[] = [
    ['yes', async () => 'charged'],
    ['no', async () => 'not_charged'],
    ['rejects', () => Promise.reject(new Error('x'))],
    ['never', () => new Promise(() => {})],
    ['unknown', async () => 'unknown'],
  ]
  const states = { charged: 'COMPLETED', not_charged: 'FAILED', unknown: 'PAYMENT_UNKNOWN' } as const
  for (const [what, answer] of answers)
    for (const known of ['charged', 'not_charged', 'unknown'] as const) {
      const { world, bank } = await open([BANK, gem(2), { type: 'resource', resource: COIN, amount: 4 }])
      bank.known = known
      let held: readonly number[] = []
      bank.answer = () => {
        held = [has(world, 'minecraft:gem'), coins(world)]
        return answer()
      }
      const quote = await quoteOf(world, 'test:a')
      const paying = world.confirm(world.shop, ALICE, quote)
      await turns()
      world.clock.advance(10_000)
      t.equal(code(await paying), 'ok', what)
      t.strictSame(held, [3, 5], 'everything else is taken by then')
      const decided = what === 'yes' ? 'charged' : what === 'no' ? 'not_charged' : known
      t.match(orders(world), [{ state: states[decided] }], `${what}, ${known}`)
      t.equal(coins(world), decided === 'not_charged' ? 9 : 5)
      t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok', 'the receipt')
      await world.logout(ALICE)
      await world.login(ALICE)
      t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok', 'and after a login')
      t.equal(bank.charges.length, 1, `${what}, ${known}: never charged again by itself`)
    }
})
