/** What an order keeps: drawn before it is paid, by value whatever comes later, and for as long as it is open. */
import t from 'tap'
import { identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { ok, orThrow } from '../../lib/core/result.js'
import { INBOX, NO_GOODS, ORDERS, addEntry, orderOf, type Order } from '../../lib/inventory/index.js'
import { balanceOf, credit, FEATURES } from '../../lib/rewards/index.js'
import { MarketWorld, playerOf } from './market-world.js'
import { ALICE, bread, code, COIN, gem, has, open as openShop, orders, put, quoteOf } from './shop-world.js'

const POOL = identifier('test:pool')
const prize = (item: string): Json => ({
  weight: 1,
  rewards: [{ type: 'items', items: [{ item: `minecraft:${item}` }] }],
})
const pool = (...items: string[]): Record<string, Json> => ({
  [POOL]: { costs: [gem(1)], prizes: items.map(prize) },
})

/** A lottery whose source gives one number, and counts. */
class Draw {
  number = 1
  readonly limits: number[] = []
  readonly world = new MarketWorld({ below: (limit) => (this.limits.push(limit), this.number) })

  async open(): Promise<this> {
    await this.packs(pool('egg', 'star', 'bone'))
    await this.world.login(ALICE)
    put(this.world, 9, 'minecraft:gem', 5)
    return this
  }

  packs(pools: Record<string, Json>): Promise<void> {
    return this.world.packs({ 'system/lottery_pools': pools })
  }

  async quote(): Promise<string> {
    const { quote } = orThrow(await this.preview())
    return quote?.id ?? 'none'
  }

  preview = () => this.world.trade.preview(this.world.lottery, { player: ALICE, language: 'en_us' }, POOL)
  confirm = (quote: string) => this.world.confirm(this.world.lottery, ALICE, quote)

  /** Confirms; `meanwhile` happens when the order is durable and nothing is taken yet. */
  async draw(meanwhile: (order: Order) => unknown): Promise<string> {
    const quote = await this.quote()
    const { lane } = this.world
    const take = lane.take.bind(lane)
    lane.take = async (...args) => {
      lane.take = take
      await meanwhile(orders(this.world).at(-1) as Order)
      return take(...args)
    }
    return code(await this.confirm(quote))
  }
}

const waiting = (world: MarketWorld) =>
  (world.store.online(ALICE)?.get(INBOX) ?? []).filter(({ state }) => state === 'AVAILABLE')

void t.test('the result is in the order before anything is taken, and drawn once', async (t) => {
  const draw = await new Draw().open()
  await draw.preview()
  t.strictSame(draw.limits, [], 'a look draws nothing')
  await draw.draw((order) => {
    t.match(order, {
      state: 'RESERVED',
      taken: null,
      gives: { lines: [{ item: 'minecraft:star', count: 1 }] },
      sale: { entry: POOL, odds: { weight: 1, total: 3 } },
    })
    t.match(draw.world.store.online(ALICE)?.get(INBOX), [
      { state: 'LOCKED', lines: [{ item: 'minecraft:star' }] },
    ])
    t.equal(has(draw.world, 'minecraft:gem'), 5, 'nothing is taken yet')
    draw.number = 2
  })
  t.match(waiting(draw.world), [{ lines: [{ item: 'minecraft:star' }] }])
  t.equal(code(await draw.confirm(orders(draw.world)[0]?.id ?? '')), 'ok', 'the receipt')
  t.strictSame(draw.limits, [3])
  t.equal(has(draw.world, 'minecraft:gem'), 4)
})

void t.test(
  'B37: whatever happens during a draw, the ticket and the prize change hands together',
  async (t) => {
    const ways: readonly (readonly [string, (draw: Draw) => unknown, 'COMPLETED' | 'FAILED'])[] = [
      ['nothing', () => {}, 'COMPLETED'],
      ['the last slot fills up', ({ world }) => fill(world), 'COMPLETED'],
      ['a reload that changes nothing', (draw) => draw.packs(pool('egg', 'star', 'bone')), 'COMPLETED'],
      ['a reload with other prizes', (draw) => draw.packs(pool('egg', 'dirt')), 'FAILED'],
      ['a reload without it', (draw) => draw.packs({}), 'FAILED'],
      ['death', ({ world }) => world.lives.set(ALICE, 1), 'FAILED'],
      ['access is lost', ({ world }) => (world.open = []), 'FAILED'],
      [
        'the ticket is spent elsewhere',
        ({ world }) => world.inventory(ALICE).change([{ slot: 9, stack: null }]),
        'FAILED',
      ],
      [
        'a login of before',
        async ({ world }) => {
          await world.logout(ALICE)
          await world.login(ALICE)
        },
        'FAILED',
      ],
    ]
    for (const [what, meanwhile, state] of ways) {
      const draw = await new Draw().open()
      const { world } = draw
      const gems = what.startsWith('the ticket') ? 0 : 5
      t.equal(await draw.draw(() => meanwhile(draw)), 'ok', what)
      t.match(orders(world), [{ state }], what)
      const paid = state === 'COMPLETED' ? 1 : 0
      t.equal(has(world, 'minecraft:gem'), gems - paid, `${what}: the ticket`)
      t.strictSame(
        waiting(world).map(({ lines }) => lines[0]?.item),
        paid === 1 ? ['minecraft:star'] : [],
        `${what}: the prize`,
      )
      await draw.packs(pool('egg', 'star', 'bone'))
      world.open = [...new MarketWorld({ below: () => 0 }).open]
      put(world, 9, 'minecraft:gem', 1)
      t.equal(code(await draw.confirm(await draw.quote())), 'ok', `${what}: and the next draw works at once`)
    }
  },
)

function fill(world: MarketWorld): void {
  for (let slot = 10; slot <= 44; slot++) put(world, slot, 'minecraft:dirt', 64)
}

void t.test('what was bought stays what it was, whatever packs say later', async (t) => {
  const rewards = [
    bread(2),
    { type: 'resource', resource: COIN, amount: 3 },
    { type: 'feature', feature: 'test:vip' },
  ]
  const world = await openShop({ 'test:a': { title: 'Basket', costs: [gem(1)], rewards } })
  put(world, 9, 'minecraft:gem', 1)
  const quote = await quoteOf(world, 'test:a')
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  await world.packs({ 'system/shop_offers': {} })
  world.open = []
  await world.logout(ALICE)
  await world.login(ALICE)
  t.match(orders(world), [
    {
      sale: { entry: 'test:a', title: 'Basket', price: [{ kind: 'item', item: 'minecraft:gem', count: 1 }] },
      gives: { lines: [{ item: 'minecraft:bread', count: 2 }] },
      booked: rewards.slice(1).map((value) => ({ value })),
    },
  ])
  t.equal(code(await world.lane.give(ALICE, `${quote}-goods`)), 'ok', 'owed goods stay to be had')
  const kept = world.store.online(ALICE)
  t.strictSame(
    [has(world, 'minecraft:bread'), balanceOf(kept as never, COIN), kept?.get(FEATURES)],
    [2, 3, ['test:vip']],
  )
})

void t.test('a reward whose plugin is gone stays owed, and costs nothing else', async (t) => {
  const world = new MarketWorld({ below: () => 0 })
  world.rewards.add({
    id: identifier('town:title'),
    members: () => ({}),
    book: () => ok(undefined),
    shown: () => [{ kind: 'other', text: 'a title' }],
  })
  const undo = world.rewards.mark()
  world.rewards.add({
    id: identifier('town:house'),
    members: () => ({}),
    book: () => ok(undefined),
    shown: () => [{ kind: 'other', text: 'a house' }],
  })
  const rewards = [bread(1), { type: 'town:title' }, { type: 'town:house' }]
  await world.packs({ 'system/shop_offers': { 'test:a': { costs: [{ type: 'free' }], rewards } } })
  await world.login(ALICE)
  const quote = await quoteOf(world, 'test:a')
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  undo()
  t.equal(code(await world.lane.give(ALICE, `${quote}-goods`)), 'ok')
  t.equal(has(world, 'minecraft:bread'), 1)
  t.match(waiting(world), [{ lines: [], booked: [{ type: 'town:house' }] }])
  t.strictSame(world.display.goods([], 0, waiting(world)[0]?.booked ?? []), [
    { kind: 'other', text: 'town:house' },
  ])
})

const kept = (id: string, state: Order['state']): Order => ({
  ...orderOf({
    id,
    source: 'system:shop',
    costs: NO_GOODS,
    gives: NO_GOODS,
    entry: null,
    isIrreversible: false,
  }),
  state,
})

void t.test('of finished orders and entries the newest 64 stay, of open ones all', async (t) => {
  const world = await openShop({ 'test:a': { costs: [{ type: 'free' }], rewards: [bread(1)] } })
  const open = ['RESERVED', 'PAYMENT_UNKNOWN'] as const
  const many = [
    ...Array.from({ length: 200 }, (_, at) => kept(`open${at}`, open[at % 2] ?? 'RESERVED')),
    ...Array.from({ length: 100 }, (_, at) => kept(`done${at}`, at % 2 === 0 ? 'COMPLETED' : 'FAILED')),
  ]
  orThrow(await world.store.update(ALICE, (tx) => tx.set(ORDERS, many)))
  orThrow(
    await world.store.update(ALICE, (tx) => {
      for (let at = 0; at < 90; at++)
        orThrow(addEntry(tx, { id: `e${at}`, source: 'test:x', lines: [], xp: 1 }))
    }),
  )
  for (let at = 0; at < 80; at++) orThrow(await world.lane.give(ALICE, `e${at}`))
  const quote = await quoteOf(world, 'test:a')
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  const left = orders(world).map(({ id }) => id)
  t.equal(left.filter((id) => id.startsWith('open')).length, 200)
  t.strictSame(
    left.filter((id) => id.startsWith('done')).slice(0, 2),
    ['done37', 'done38'],
    'and the one of now',
  )
  t.equal(left.length, 200 + 64)
  const entries = world.store.online(ALICE)?.get(INBOX) ?? []
  t.equal(entries.filter(({ state }) => state === 'DONE').length, 64)
  t.strictSame(
    entries.flatMap(({ id, state }) => (state === 'AVAILABLE' ? [id] : [])),
    [...Array.from({ length: 10 }, (_, at) => `e${at + 80}`), `${quote}-goods`],
  )
})

void t.test(
  'a full inbox refuses a purchase before anything is taken, and a full order book too',
  async (t) => {
    const world = await openShop({ 'test:a': { costs: [gem(1)], rewards: [bread(1)] } })
    put(world, 9, 'minecraft:gem', 2)
    const full = Array.from({ length: 4_096 }, (_, at) => kept(`o${at}`, 'PAYMENT_UNKNOWN'))
    orThrow(await world.store.update(ALICE, (tx) => tx.set(ORDERS, full)))
    t.equal(code(await world.confirm(world.shop, ALICE, await quoteOf(world, 'test:a'))), 'system:inbox_full')
    t.equal(orders(world).length, 4_096, 'never an open one for another')
    t.equal(has(world, 'minecraft:gem'), 2)
    orThrow(await world.store.update(ALICE, (tx) => tx.set(ORDERS, [])))
    t.equal(code(await world.confirm(world.shop, ALICE, await quoteOf(world, 'test:a'))), 'ok')
    t.equal(has(world, 'minecraft:gem'), 1)
  },
)

void t.test('two shops, one order book; and nobody else’s', async (t) => {
  const offers = { 'test:a': { costs: [{ type: 'free' }], rewards: [bread(1)] } }
  const world = await openShop(offers)
  const [shop] = world.open
  world.open = [shop as never, { ...shop, id: identifier('test:other') } as never]
  for (let at = 0; at < 2; at++)
    t.equal(code(await world.confirm(world.shop, ALICE, await quoteOf(world, 'test:a'))), 'ok')
  t.equal(world.trade.entries(ALICE, world.shop).length, 1)
  t.equal(orders(world).length, 2)
  const bob = playerOf(2)
  await world.login(bob)
  t.strictSame(world.store.online(bob)?.get(ORDERS), [])
})

void t.test(
  'two prices that together are more than there is: one of them, whatever it is made of',
  async (t) => {
    const costs: readonly Json[] = [
      gem(3),
      { type: 'resource', resource: COIN, amount: 3 },
      { type: 'xp_points', points: 3 },
    ]
    for (const cost of costs) {
      const world = await openShop({ 'test:a': { costs: [cost], rewards: [bread(1)] } })
      put(world, 9, 'minecraft:gem', 5)
      world.inventory(ALICE).change([], 5)
      orThrow(await world.store.update(ALICE, (tx) => credit(tx, COIN, 5)))
      const quotes = [await quoteOf(world, 'test:a'), await quoteOf(world, 'test:a')]
      const done = await Promise.all(quotes.map((quote) => world.confirm(world.shop, ALICE, quote)))
      const completed = orders(world).filter(({ state }) => state === 'COMPLETED')
      t.equal(completed.length, 1, JSON.stringify(cost))
      t.equal(waiting(world).length, 1)
      const bad = done.filter((one) => !one.ok).map(code)
      const failed = orders(world)
        .filter(({ state }) => state === 'FAILED')
        .map(({ failure }) => failure)
      t.strictSame([...bad, ...failed], ['system:cost_missing'])
      const left = [
        has(world, 'minecraft:gem'),
        world.inventory(ALICE).xp(),
        balanceOf(world.store.online(ALICE) as never, COIN),
      ]
      t.strictSame(
        left.toSorted((a, b) => a - b),
        [2, 5, 5],
      )
    }
  },
)

void t.test('a player has 16 quotes; one more ends the oldest', async (t) => {
  const world = await openShop({ 'test:a': { costs: [{ type: 'free' }], rewards: [bread(1)] } })
  const quotes: string[] = []
  for (let at = 0; at < 17; at++) quotes.push(await quoteOf(world, 'test:a'))
  t.equal(new Set(quotes).size, 17)
  t.ok(
    quotes.every((quote) => /^[\w-]{22}$/.test(quote)),
    '128 bits each',
  )
  t.equal(code(await world.confirm(world.shop, ALICE, quotes[0] ?? '')), 'system:quote_gone')
  t.equal(code(await world.confirm(world.shop, ALICE, quotes[1] ?? '')), 'ok')
  t.equal(code(await world.confirm(world.shop, ALICE, quotes[16] ?? '')), 'ok')
})
