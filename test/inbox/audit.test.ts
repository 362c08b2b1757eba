/** The audit log: a line for every movement of value once it is durable, and what inbox and orders show. */
import t from 'tap'
import type { ExecutionContext } from '../../lib/agent/index.js'
import type { Market } from '../../lib/commerce/index.js'
import type { Json } from '../../lib/core/json.js'
import { inboxModule, ordersModule } from '../../lib/inbox/inbox-modules.js'
import { addEntry, NO_GOODS, ORDERS, orderOf, type AuditLine, type Order } from '../../lib/inventory/index.js'
import { credit, RESOURCES } from '../../lib/rewards/index.js'
import { orThrow } from '../../lib/core/result.js'
import { playerOf, type MarketWorld } from '../commerce/market-world.js'
import { ALICE, bread, code, COIN, gem, open, put, quoteOf } from '../commerce/shop-world.js'

const OFFER = {
  'test:bread': {
    costs: [gem(3), { type: 'resource', resource: COIN, amount: 4 }],
    rewards: [bread(6), { type: 'resource', resource: 'test:key', amount: 1 }],
  },
}

const short = (line: AuditLine): string =>
  line.what === 'order' || line.what === 'entry' ? `${line.what} ${line.state}` : line.what

async function started(offers: Record<string, Json> = OFFER): Promise<MarketWorld> {
  const world = await open(offers)
  put(world, 9, 'minecraft:gem', 9)
  orThrow(await world.store.update(ALICE, (tx) => credit(tx, COIN, 9)))
  return world
}

void t.test('a purchase: what is reserved, paid, owed and had', async (t) => {
  const world = await started()
  const quote = await quoteOf(world, 'test:bread')
  await world.confirm(world.shop, ALICE, quote)
  const entry = `${quote}-goods`
  await world.lane.give(ALICE, entry)
  const order = {
    what: 'order',
    player: ALICE,
    id: quote,
    source: 'system:shop',
    entry: 'test:bread',
    lines: [{ item: 'minecraft:gem', count: 3, data: '' }],
    xp: 0,
    resources: [{ resource: COIN, amount: 4 }],
  }
  const goods = {
    what: 'entry',
    player: ALICE,
    id: entry,
    source: 'system:shop',
    order: quote,
    lines: [{ item: 'minecraft:bread', count: 6, data: '' }],
    booked: [{ value: { amount: 1 } }],
    reissueOf: [],
    isVerified: true,
  }
  t.match(world.audit, [
    { ...order, state: 'RESERVED' },
    { ...order, state: 'COMPLETED' },
    { ...goods, state: 'AVAILABLE' },
    { ...goods, state: 'DONE' },
  ])
  t.equal(world.audit.length, 4)
  await world.confirm(world.shop, ALICE, quote)
  await world.lane.give(ALICE, entry)
  t.equal(world.audit.length, 4, 'what is done already moves nothing')
})

void t.test('a purchase that comes to nothing, and one that is refused', async (t) => {
  const world = await started()
  const quote = await quoteOf(world, 'test:bread')
  const paying = world.confirm(world.shop, ALICE, quote)
  // spent elsewhere in the same instant
  world.inventory(ALICE).change([{ slot: 9, stack: null }])
  await paying
  t.strictSame(world.audit.map(short), ['order RESERVED', 'order FAILED', 'entry WITHDRAWN'])
  t.match(world.audit[1], { failure: 'system:cost_missing', resources: [{ resource: COIN, amount: 4 }] })
  t.match(world.store.online(ALICE)?.get(RESOURCES), [{ resource: COIN, amount: 9 }])
  t.equal(code(await world.confirm(world.shop, ALICE, 'no-quote')), 'system:quote_gone')
  t.equal(world.audit.length, 3)
})

void t.test('what does not fit is a line of its own', async (t) => {
  const world = await started({})
  for (let slot = 9; slot < 45; slot++) put(world, slot, 'minecraft:dirt', slot === 20 ? 60 : 64)
  const lines = [{ item: 'minecraft:dirt', count: 10, data: '' }]
  orThrow(await world.store.update(ALICE, (tx) => addEntry(tx, { id: 'a', source: 'x', lines, xp: 0 })))
  await world.lane.give(ALICE, 'a')
  t.match(
    world.audit.map((line) => (line.what === 'entry' ? [line.id, line.state, line.lines[0]?.count] : [])),
    [
      ['a', 'DONE', 10],
      ['a.1', 'AVAILABLE', 6],
    ],
  )
})

const order = (id: string, state: Order['state']): Order => ({
  ...orderOf({
    id,
    source: 'system:shop',
    costs: NO_GOODS,
    gives: { lines: [{ item: 'minecraft:bread', count: 1, data: '' }], xp: 0 },
    entry: null,
    isIrreversible: false,
  }),
  state,
})

async function cards(
  world: MarketWorld,
  of: 'inbox' | 'orders',
  action: { order?: string } = {},
): Promise<string> {
  const market = { display: world.display } as unknown as Market
  const store = (): unknown => world.store.online(ALICE)
  const context = { card: null, store } as unknown as ExecutionContext
  const module = of === 'inbox' ? inboxModule(market) : ordersModule(market)
  const { cards, failure } = await (module as ReturnType<typeof ordersModule>).execute(context, action)
  return failure === undefined ? JSON.stringify(cards) : failure.code
}

void t.test('orders: the newest first, those in doubt never left out, and nobody else’s', async (t) => {
  const world = await started({})
  const many = [
    order('doubted', 'PAYMENT_UNKNOWN'),
    ...Array.from({ length: 300 }, (_, at) => order(`o${at}`, 'COMPLETED')),
    order('reserved', 'RESERVED'),
  ]
  orThrow(await world.store.update(ALICE, (tx) => tx.set(ORDERS, many)))
  const ids = [...(await cards(world, 'orders')).matchAll(/"id":"([\w-]+)","source"/g)].map(([, id]) => id)
  t.equal(ids.length, 256)
  t.strictSame([ids[0], ids[1], ids.at(-1)], ['reserved', 'o299', 'doubted'])
  t.match(await cards(world, 'orders', { order: 'o7' }), /"id":"o7"/)
  const bob = playerOf(2)
  await world.login(bob)
  orThrow(await world.store.update(bob, (tx) => tx.set(ORDERS, [order('of-bob', 'COMPLETED')])))
  t.equal(await cards(world, 'orders', { order: 'of-bob' }), 'system:unknown_entry')
})

void t.test('inbox: what waits, and neither what is locked nor what was taken', async (t) => {
  const world = await started()
  const line = { lines: [{ item: 'minecraft:bread', count: 1, data: '' }], xp: 0, source: 'x' }
  orThrow(
    await world.store.update(ALICE, (tx) => {
      addEntry(tx, { ...line, id: 'had' })
      addEntry(tx, { ...line, id: 'waits' })
    }),
  )
  await world.lane.give(ALICE, 'had')
  const quote = await quoteOf(world, 'test:bread')
  const buying = world.confirm(world.shop, ALICE, quote)
  // reserved, not paid
  for (let turn = 0; turn < 200 && world.audit.length < 2; turn++) await Promise.resolve()
  t.match(world.audit.map(short), ['entry DONE', 'order RESERVED'])
  const text = await cards(world, 'inbox')
  t.strictSame(
    [...text.matchAll(/"id":"([\w-]+)","source"/g)].map(([, id]) => id),
    ['waits'],
  )
  t.match(text, /"balances":\[\{"name":"test:coin","amount":5\}\]/)
  await buying
})
