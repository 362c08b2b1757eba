/** Every way in which a price can be named and a purchase can end. */
import t from 'tap'
import { QUOTE_MS } from '../../lib/commerce/quotes.js'
import { identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { INBOX } from '../../lib/inventory/index.js'
import { balanceOf, credit, RESOURCES } from '../../lib/rewards/index.js'
import { orThrow } from '../../lib/core/result.js'
import { playerOf, type MarketWorld } from './market-world.js'
import { ALICE, code, COIN, gem, has, bread, open, orders, preview, put, quoteOf } from './shop-world.js'

const BREAD = { 'test:bread': { costs: [gem(3)], rewards: [bread(6)] } }

void t.test('a purchase is paid, delivered to the inbox, and had once', async (t) => {
  const world = await open(BREAD)
  put(world, 9, 'minecraft:gem', 2)
  put(world, 36, 'minecraft:gem', 2)
  const quote = await quoteOf(world, 'test:bread')
  t.match(await world.confirm(world.shop, ALICE, quote), { ok: true, value: quote })
  t.match(orders(world), [{ id: quote, state: 'COMPLETED', sale: { entry: 'test:bread', odds: null } }])
  t.equal(has(world, 'minecraft:gem'), 1)
  t.match(await world.confirm(world.shop, ALICE, quote), { ok: true, value: quote }, 'the receipt again')
  t.equal(has(world, 'minecraft:gem'), 1, 'paid once')
  const entry = world.store.online(ALICE)?.get(INBOX)[0]?.id ?? ''
  t.match(await world.lane.give(ALICE, entry), { ok: true, value: { moved: 6, rest: 0 } })
  t.equal(code(await world.lane.give(ALICE, entry)), 'system:unknown_entry')
  t.equal(has(world, 'minecraft:bread'), 6)
})

void t.test('B25: pressed ten times in one tick, one payment', async (t) => {
  const world = await open(BREAD)
  put(world, 9, 'minecraft:gem', 40)
  const quote = await quoteOf(world, 'test:bread')
  const done = await Promise.all(Array.from({ length: 10 }, () => world.confirm(world.shop, ALICE, quote)))
  t.equal(done.filter((one) => one.ok).length, 1)
  t.ok(done.every((one) => one.ok || one.failure.code === 'system:quote_gone'))
  t.equal(has(world, 'minecraft:gem'), 37)
  t.equal(orders(world).length, 1)
})

void t.test(
  'B27: an offer that was changed, removed or replaced is never sold at the old price',
  async (t) => {
    const changes: readonly (readonly [string, Record<string, Json>, string])[] = [
      ['another price', { 'test:bread': { costs: [gem(30)], rewards: [bread(6)] } }, 'system:offer_changed'],
      ['other goods', { 'test:bread': { costs: [gem(3)], rewards: [bread(1)] } }, 'system:offer_changed'],
      ['gone', { 'test:other': { costs: [gem(3)], rewards: [bread(6)] } }, 'system:offer_gone'],
    ]
    for (const [what, offers, expected] of changes) {
      const world = await open(BREAD)
      put(world, 9, 'minecraft:gem', 40)
      const quote = await quoteOf(world, 'test:bread')
      await world.packs({ 'system/shop_offers': offers })
      t.equal(code(await world.confirm(world.shop, ALICE, quote)), expected, what)
      t.equal(has(world, 'minecraft:gem'), 40)
      t.strictSame(orders(world), [])
      t.equal(
        code(await world.confirm(world.shop, ALICE, quote)),
        'system:quote_gone',
        'and the quote is used',
      )
    }
    const same = await open(BREAD)
    put(same, 9, 'minecraft:gem', 3)
    const quote = await quoteOf(same, 'test:bread')
    await same.packs({ 'system/shop_offers': BREAD })
    t.equal(code(await same.confirm(same.shop, ALICE, quote)), 'ok', 'the same after a reload is the same')
  },
)

void t.test('a quote ends at its time, in another life, at logout, and for others', async (t) => {
  const ends: readonly (readonly [string, (world: MarketWorld) => unknown])[] = [
    ['time', (world) => world.clock.advance(QUOTE_MS)],
    ['death', (world) => world.lives.set(ALICE, 1)],
    ['logout', async (world) => (await world.logout(ALICE), world.login(ALICE))],
    ['access', (world) => void (world.open = [])],
  ]
  for (const [what, end] of ends) {
    const world = await open(BREAD)
    put(world, 9, 'minecraft:gem', 9)
    const quote = await quoteOf(world, 'test:bread')
    await end(world)
    t.match(code(await world.confirm(world.shop, ALICE, quote)), /quote_gone|offer_gone/, what)
    t.equal(has(world, 'minecraft:gem'), 9)
  }
  const world = await open(BREAD)
  put(world, 9, 'minecraft:gem', 9)
  const quote = await quoteOf(world, 'test:bread')
  t.equal(code(await world.confirm(world.lottery, ALICE, quote)), 'system:quote_gone', 'of another seller')
  const bob = playerOf(2)
  await world.login(bob)
  t.equal(code(await world.confirm(world.shop, bob, quote)), 'system:quote_gone', 'of another player')
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  for (const id of ['', 'constructor', '__proto__', 'x'.repeat(64)])
    t.equal(code(await world.confirm(world.shop, ALICE, id)), 'system:quote_gone', id)
})

void t.test('access that is lost between the press and the charge takes nothing', async (t) => {
  const world = await open(BREAD)
  put(world, 9, 'minecraft:gem', 9)
  const quote = await quoteOf(world, 'test:bread')
  const update = world.store.update.bind(world.store)
  world.store.update = (async (player: never, change: never) => {
    const done = await update(player, change)
    world.open = []
    return done
  }) as typeof world.store.update
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  t.match(orders(world), [{ state: 'FAILED', failure: 'system:offer_gone' }])
  t.equal(has(world, 'minecraft:gem'), 9)
  t.match(world.store.online(ALICE)?.get(INBOX), [{ state: 'WITHDRAWN' }])
})

void t.test('a price that can’t be met is shown with what is missing, and can’t be bought', async (t) => {
  const world = await open({
    'test:a': { costs: [gem(3), { type: 'resource', resource: COIN, amount: 2 }], rewards: [bread(1)] },
    'test:b': { costs: [gem(3), gem(3)], rewards: [bread(1)] },
  })
  put(world, 9, 'minecraft:gem', 5)
  t.match(orThrow(await preview(world, 'test:a')), {
    quote: null,
    asked: {
      missing: [1],
      failure: { code: 'system:cost_missing' },
      price: { shown: [{ kind: 'item' }, { kind: 'resource', amount: 2 }] },
    },
  })
  t.match(orThrow(await preview(world, 'test:b')), { quote: null, asked: { missing: [1] } }, '3 and 3 need 6')
  put(world, 10, 'minecraft:gem', 1)
  t.ok(orThrow(await preview(world, 'test:b')).quote)
  t.equal(code(await preview(world, 'test:none')), 'system:offer_gone')
})

void t.test(
  'what pays: plain stacks of main inventory and hotbar, others only where the offer says so',
  async (t) => {
    const world = await open({
      ...BREAD,
      'test:any': { costs: [{ ...gem(3), components: 'any' }], rewards: [bread(1)] },
    })
    for (const slot of [0, 1, 5, 8, 45]) put(world, slot, 'minecraft:gem', 60)
    put(world, 9, 'minecraft:gem', 2, 'named')
    put(world, 10, 'minecraft:gem', 1)
    t.equal(orThrow(await preview(world, 'test:bread')).quote, null)
    const quote = await quoteOf(world, 'test:any')
    t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
    t.equal(has(world, 'minecraft:gem'), 300, 'what is worn or held aside stays')
  },
)

void t.test('B29: balances at their limits, and prices that are no whole numbers', async (t) => {
  const max = Number.MAX_SAFE_INTEGER
  const world = await open({
    'test:coins': { costs: [{ type: 'free' }], rewards: [{ type: 'resource', resource: COIN, amount: 2 }] },
  })
  const pay = (amount: number) => world.store.update(ALICE, (tx) => credit(tx, COIN, amount))
  t.equal(code(orThrow(await pay(max))), 'ok')
  t.equal(code(orThrow(await pay(2))), 'system:resource_full')
  t.equal(balanceOf(world.store.online(ALICE) ?? (undefined as never), COIN), max, 'unchanged')
  const quote = await quoteOf(world, 'test:coins')
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  const entry = world.store.online(ALICE)?.get(INBOX)[0]?.id ?? ''
  t.equal(code(await world.lane.give(ALICE, entry)), 'system:resource_full', 'it stays in the inbox')
  t.match(world.store.online(ALICE)?.get(INBOX), [{ state: 'AVAILABLE' }])
  orThrow(await world.store.update(ALICE, (tx) => tx.set(RESOURCES, [])))
  t.equal(code(await world.lane.give(ALICE, entry)), 'ok')
  t.equal(balanceOf(world.store.online(ALICE) ?? (undefined as never), COIN), 2)
  const { offers } = world.registries
  for (const amount of [0.1, 0, -1, 2 ** 53, Number.NaN, '3'])
    t.notOk(
      offers.schema.safeParse({ costs: [{ type: 'resource', resource: COIN, amount }], rewards: [bread(1)] })
        .success,
      String(amount),
    )
  for (const count of [2 ** 61, 2_305, 0.5])
    t.notOk(offers.schema.safeParse({ costs: [gem(count)], rewards: [bread(1)] }).success, String(count))
})

void t.test('B37: a full inventory keeps the prize in the inbox', async (t) => {
  const world = await open({ 'test:much': { costs: [gem(1)], rewards: [bread(70)] } })
  for (let slot = 10; slot <= 44; slot++) put(world, slot, 'minecraft:dirt', 64)
  put(world, 9, 'minecraft:gem', 1)
  const quote = await quoteOf(world, 'test:much')
  t.equal(code(await world.confirm(world.shop, ALICE, quote)), 'ok')
  put(world, 9, 'minecraft:dirt', 64)
  const entry = world.store.online(ALICE)?.get(INBOX)[0]?.id ?? ''
  t.equal(code(await world.lane.give(ALICE, entry)), 'system:inventory_full')
  world.inventory(ALICE).change([{ slot: 9, stack: null }])
  t.match(await world.lane.give(ALICE, entry), { ok: true, value: { moved: 64, rest: 6 } })
  t.match(world.store.online(ALICE)?.get(INBOX), [
    { state: 'DONE' },
    { state: 'AVAILABLE', lines: [{ count: 6 }] },
  ])
})

void t.test('B39: a pool with a broken prize spends nothing and works again when it is mended', async (t) => {
  const pool = (item: string): Json => ({
    costs: [gem(1)],
    prizes: [
      { weight: 1, rewards: [bread(1)] },
      { weight: 1, rewards: [{ type: 'items', items: [{ item }] }] },
    ],
  })
  const world = await open(
    {},
    { pools: { 'test:pool': pool('minecraft:egg') }, unknown: ['minecraft:dimond'] },
  )
  put(world, 9, 'minecraft:gem', 5)
  const look = () =>
    world.trade.preview(world.lottery, { player: ALICE, language: 'en_us' }, identifier('test:pool'))
  const good = orThrow(await look()).quote?.id ?? ''
  await world.packs({ 'system/lottery_pools': { 'test:pool': pool('minecraft:dimond') } })
  t.equal(code(await look()), 'system:reward_unusable')
  t.equal(code(await world.confirm(world.lottery, ALICE, good)), 'system:offer_changed')
  t.equal(has(world, 'minecraft:gem'), 5)
  await world.packs({ 'system/lottery_pools': { 'test:pool': pool('minecraft:egg') } })
  const again = orThrow(await look()).quote?.id ?? ''
  t.equal(code(await world.confirm(world.lottery, ALICE, again)), 'ok')
  t.match(orders(world), [{ state: 'COMPLETED', sale: { odds: { weight: 1, total: 2 } } }])
  t.equal(has(world, 'minecraft:gem'), 4)
})

void t.test('a view names ids and tags; nothing else is seen, priced or sold', async (t) => {
  const offers = Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [`test:${name}`, { costs: [{ type: 'free' }], rewards: [bread(1)] }]),
  )
  const world = await open(offers, { tags: { 'system/shop_offers': { 'test:two': ['test:b', 'test:a'] } } })
  const seen = (...lists: (readonly string[] | undefined)[]): string[] => {
    world.open = lists.map((list, at) => ({
      id: identifier(`test:${at}`),
      value: {
        type: identifier('system:shop'),
        parameters: list === undefined ? {} : { offers: list },
        condition: null,
        client: null,
      },
    }))
    return world.trade.entries(ALICE, world.shop).map(({ id }) => id)
  }
  t.strictSame(seen(), [], 'no configuration')
  t.strictSame(seen([]), [], 'an empty list')
  t.strictSame(seen(undefined), ['test:a', 'test:b', 'test:c'])
  t.strictSame(seen(['#test:two']), ['test:a', 'test:b'], 'in the order of the catalogue')
  t.strictSame(seen(['test:c'], ['test:c', 'test:a'], []), ['test:a', 'test:c'], 'the union, each once')
  seen(['test:c'])
  t.equal(code(await preview(world, 'test:a')), 'system:offer_gone')
})

void t.test(
  'an order that is interrupted after its reservation gives the currency back at the login',
  async (t) => {
    const world = await open({
      'test:a': { costs: [{ type: 'resource', resource: COIN, amount: 4 }, gem(1)], rewards: [bread(1)] },
    })
    put(world, 9, 'minecraft:gem', 1)
    orThrow(await world.store.update(ALICE, (tx) => credit(tx, COIN, 9)))
    const quote = await quoteOf(world, 'test:a')
    // the process ends when the reservation is durable
    void world.confirm(world.shop, ALICE, quote)
    world.lane.take = () => new Promise(() => {})
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    t.match(orders(world), [{ state: 'RESERVED' }])
    t.equal(balanceOf(world.store.online(ALICE) ?? (undefined as never), COIN), 5)
    await world.logout(ALICE)
    await world.login(ALICE)
    t.match(orders(world), [{ state: 'FAILED' }])
    t.equal(balanceOf(world.store.online(ALICE) ?? (undefined as never), COIN), 9)
    t.equal(has(world, 'minecraft:gem'), 1)
  },
)
