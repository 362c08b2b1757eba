/** Lists, searches and previews of shop and lottery, and what a press gets whose price no longer stands. */
import t from 'tap'
import { z } from 'zod'
import type { AgentModule, AgentResult, Tool } from '../../lib/agent/index.js'
import { confirmTool } from '../../lib/commerce/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import { ok, orThrow } from '../../lib/core/result.js'
import { lotteryDrawModule, lotteryModule, lotteryPreviewModule } from '../../lib/lottery/lottery-modules.js'
import { drawType, lotteryTools } from '../../lib/lottery/lottery-tools.js'
import { shopModule, shopPurchaseModule, shopQuoteModule } from '../../lib/shop/shop-modules.js'
import { shopConfirmType, shopTools } from '../../lib/shop/shop-tools.js'
import { toolCall, toolContext } from '../support/tool-context.js'
import { MarketWorld } from './market-world.js'
import { ALICE, bread, gem, has, marketOf, orders, put } from './shop-world.js'

const FREE = [{ type: 'free' }]
const PRESSED = { id: 'card', revision: 3 }

type Entries = Record<string, Json>

/** A market whose source of chance and whose bank count what they are asked. */
class Hall {
  drawn = 0
  priced = 0
  readonly world = new MarketWorld({ below: () => (this.drawn++, 0) })
  readonly #tools: Tool[] = []

  constructor() {
    const { world } = this
    const market = marketOf(world)
    world.costs.add({
      id: identifier('bank:coins'),
      members: () => ({ amount: z.int() }),
      prepare: async () => (this.priced++, ok({ text: 'coins', amount: 1 })),
      charge: async () => 'charged',
      status: async () => 'charged',
    })
    const shop = shopTools(market, world.shop)
    const lottery = lotteryTools(market, world.lottery)
    const tools = [
      shop.query,
      shop.quote,
      lottery.query,
      lottery.preview,
      confirmTool(shopConfirmType, world.shop, market),
      confirmTool(drawType, world.lottery, market),
    ] as unknown as Tool[]
    const commit = async <T>(change: (tx: never) => T): Promise<T> =>
      orThrow(await world.store.update(ALICE, change as () => T))
    for (const tool of tools)
      this.#tools.push({
        ...tool,
        handler: (input) => tool.handler(input, { ...toolCall(), commit }),
      })
  }

  async open(offers: Entries, pools: Entries = {}): Promise<this> {
    await this.packs(offers, pools)
    await this.world.login(ALICE)
    put(this.world, 9, 'minecraft:gem', 9)
    return this
  }

  packs(offers: Entries, pools: Entries = {}): Promise<void> {
    return this.world.packs({ 'system/shop_offers': offers, 'system/lottery_pools': pools })
  }

  ask<A>(module: AgentModule<A>, action: A): Promise<AgentResult> {
    const context = toolContext(this.#tools, { card: PRESSED })
    return module.execute({ ...context, store: () => this.world.store.online(ALICE) as never }, action)
  }

  /** The data of the card that takes the place of the one that was pressed. */
  async card<A>(module: AgentModule<A>, action: A): Promise<Shown> {
    return dataOf(await this.ask(module, action))
  }
}

interface Shown {
  readonly offers: readonly { id: string; things: readonly unknown[]; price: unknown }[]
  readonly pools: readonly { id: string; things: { item: string }[]; price: unknown }[]
  readonly more: number
  readonly prizes: readonly { weight: number; things: unknown[] }[]
  readonly total: number
  readonly quote: string | null
  readonly price: unknown
  readonly state: string
}

function dataOf({ cards, failure }: AgentResult): Shown {
  const [update] = cards
  if (update === undefined || !('card' in update)) throw new Error(failure?.code ?? 'no card')
  return update.card.data as Shown
}

const named = (name: string, more: object = {}): Json => ({
  title: name,
  costs: FREE,
  rewards: [bread(1)],
  ...more,
})

void t.test(
  'the shop: all offers in order, those with the words, and no more than a card holds',
  async (t) => {
    const hall = await new Hall().open({
      'test:a': named('Loaf of bread'),
      'test:b': named('Old hat', {
        rewards: [{ type: 'items', items: [{ item: 'minecraft:leather_helmet' }] }],
      }),
      'test:c': named('New hat', { costs: [{ type: 'bank:coins', amount: 1 }] }),
    })
    const found = async (query: string): Promise<string[]> =>
      (await hall.card(shopModule, { query })).offers.map(({ id }) => id.slice(5))
    t.strictSame(await found(''), ['a', 'b', 'c'])
    t.strictSame(await found('HAT'), ['b', 'c'])
    t.strictSame(await found('hat old'), ['b'], 'all of the words')
    t.strictSame(await found('leather'), ['b'], 'what it gives')
    t.strictSame(await found('test:c'), ['c'], 'its id')
    t.strictSame(await found('hat shoe'), [])
    t.strictSame(await found('.*'), [], 'words, no pattern')
    const { offers } = await hall.card(shopModule, {})
    t.strictSame(
      offers.map(({ price }) => price),
      [[], [], null],
      'nobody outside is asked for a list',
    )
    t.equal(hall.priced, 0)
    hall.world.open = []
    t.strictSame(await found(''), [], 'a search sees what the player sees')
    const many = Array.from(
      { length: 503 },
      (_, at) => [`test:o${String(at).padStart(3, '0')}`, named('x')] as const,
    )
    const full = await new Hall().open(Object.fromEntries(many))
    const all = await full.card(shopModule, {})
    t.strictSame([all.offers.length, all.offers[499]?.id, all.more], [500, 'test:o499', 3])
    t.strictSame(
      (await full.card(shopModule, { query: 'o502' })).offers.length,
      1,
      'a search reaches the rest',
    )
  },
)

void t.test('one offer found by words is quoted at once, several are a list', async (t) => {
  const hall = await new Hall().open({ 'test:a': named('Hat'), 'test:b': named('Hat and coat') })
  t.equal((await hall.card(shopQuoteModule, { query: 'hat' })).offers.length, 2)
  t.ok((await hall.card(shopQuoteModule, { query: 'coat' })).quote)
  t.match(await hall.ask(shopQuoteModule, { query: 'shoe' }), { failure: { code: 'system:offer_gone' } })
  t.match(await hall.ask(shopQuoteModule, { offer: identifier('test:no') }), {
    failure: { code: 'system:offer_gone' },
  })
})

void t.test('one entry that gives a lot costs nobody else the list', async (t) => {
  const stacks = {
    type: 'items',
    items: Array.from({ length: 36 }, () => ({ item: 'minecraft:egg', count: 64 })),
  }
  const lots = [stacks, stacks, stacks]
  const hall = await new Hall().open(
    { 'test:a': named('A'), 'test:lots': named('Lots', { rewards: lots }) },
    { 'test:lots': { costs: FREE, prizes: [{ weight: 1, rewards: lots }] } },
  )
  t.equal((await hall.card(shopModule, {})).offers.length, 2)
  const { quote } = await hall.card(shopQuoteModule, { offer: identifier('test:lots') })
  t.ok(quote)
  t.ok((await hall.card(lotteryPreviewModule, { pool: identifier('test:lots') })).quote)
  const bought = await hall.card(shopPurchaseModule(marketOf(hall.world)), {
    quote: quote ?? '',
    entry: identifier('test:lots'),
  })
  t.equal(bought.state, 'COMPLETED')
})

const prize = (weight: number, item: string): Json => ({
  weight,
  rewards: [{ type: 'items', items: [{ item: `minecraft:${item}` }] }],
})

void t.test('an entry at the edge of what decodes costs nobody else the list', async (t) => {
  const long = (length: number) => ({ type: 'items', items: [{ item: 'x'.repeat(length) }] })
  const lines = { title: 't'.repeat(128), description: 'd'.repeat(512) }
  const edges: Entries = {
    'test:id': named('Id', { rewards: [long(246)] }),
    'test:longer': named('Longer', { rewards: [long(247)] }),
    'test:icon': named('Icon', { icon: 'x'.repeat(300) }),
    'test:cost': named('Cost', { costs: [{ type: 'item', item: 'x'.repeat(300) }] }),
    'test:words': named('Words', lines),
    'test:parts': named('Parts', { costs: [{ type: 'town:many' }] }),
    'test:mute': named('Mute', { rewards: [{ type: 'town:mute' }] }),
  }
  const hall = new Hall()
  const part = { kind: 'xp', points: 1 } as const
  hall.world.costs.add({
    id: identifier('town:many'),
    members: () => ({}),
    price: () =>
      ok(Array.from({ length: 40 }, () => ({ part, shown: { kind: 'points', points: 1 } as const }))),
  })
  hall.world.rewards.add({
    id: identifier('town:mute'),
    members: () => ({}),
    book: () => ok(undefined),
    shown: () => [],
  })
  const pools = Object.fromEntries(
    Object.entries(edges).map(([id, entry]) => {
      const { rewards, ...rest } = entry as { rewards: Json[] }
      return [id, { ...rest, prizes: [{ weight: 1, rewards }] }]
    }),
  )
  await hall.open({ 'test:a': named('A'), ...edges }, pools)
  const known = (await hall.card(shopModule, {})).offers.map(({ id }) => id)
  const [, { things } = { things: [] }] = (await hall.card(shopModule, {})).offers
  t.match(things, [{ kind: 'item', item: `minecraft:${'x'.repeat(246)}` }])
  t.strictSame(known, ['test:a', 'test:id', 'test:mute', 'test:parts', 'test:words'])
  for (const offer of known) {
    const asked = await hall.ask(shopQuoteModule, { offer: identifier(offer) })
    t.match(asked.failure?.code ?? 'ok', /^ok$|price_unknown/, offer)
  }
  for (const { id } of (await hall.card(lotteryModule, {})).pools) {
    const asked = await hall.ask(lotteryPreviewModule, { pool: identifier(id) })
    t.match(asked.failure?.code ?? 'ok', /^ok$|price_unknown/, id)
  }
})

void t.test('lotteries: each by its two rarest prizes, none priced or drawn', async (t) => {
  const costs = [{ type: 'bank:coins', amount: 1 }]
  const prizes = [prize(90, 'dirt'), prize(2, 'star'), prize(7, 'bread'), prize(1, 'crown'), prize(2, 'gem')]
  const hall = await new Hall().open({}, { 'test:a': { title: 'Wheel', costs, prizes } })
  const { pools } = await hall.card(lotteryModule, {})
  t.strictSame(
    pools.map(({ id, things, price }) => [id, things.map(({ item }) => item), price]),
    [['test:a', ['minecraft:crown', 'minecraft:star'], null]],
  )
  t.strictSame([hall.drawn, hall.priced], [0, 0])
  const seen = await hall.card(lotteryPreviewModule, { query: 'wheel' })
  t.strictSame(
    seen.prizes.map(({ weight }) => weight),
    [1, 2, 2, 7, 90],
  )
  t.strictSame(
    [seen.total, seen.more, hall.drawn, hall.priced],
    [102, 0, 0, 1],
    'opening it asks for its price',
  )
  t.ok(seen.quote)
  t.strictSame(orders(hall.world), [])
})

void t.test('a pool above 64 prizes: the rarest, how many more, and odds over all', async (t) => {
  const prizes = Array.from({ length: 70 }, (_, at) => prize(70 - at, `i${at}`))
  const hall = await new Hall().open({}, { 'test:a': { costs: FREE, prizes } })
  const seen = await hall.card(lotteryPreviewModule, { pool: identifier('test:a') })
  t.strictSame(
    seen.prizes.map(({ weight }) => weight),
    Array.from({ length: 64 }, (_, at) => at + 1),
  )
  t.strictSame([seen.more, seen.total], [6, 2_485])
})

void t.test('a press whose price no longer stands gets a fresh card in its place', async (t) => {
  const offer = (count: number): Json => ({ costs: [gem(count)], rewards: [bread(1)] })
  const pool = (count: number): Json => ({ costs: [gem(count)], prizes: [prize(1, 'star')] })
  const entry = identifier('test:a')
  const hall = await new Hall().open({ 'test:a': offer(1) }, { 'test:a': pool(1) })
  const market = marketOf(hall.world)
  const ways = [
    { show: () => hall.card(shopQuoteModule, { offer: entry }), buy: shopPurchaseModule(market) },
    { show: () => hall.card(lotteryPreviewModule, { pool: entry }), buy: lotteryDrawModule(market) },
  ]
  for (const { show, buy } of ways) {
    const old = (await show()).quote ?? ''
    await hall.packs({ 'test:a': offer(2) }, { 'test:a': pool(2) })
    const refused = await hall.ask(buy, { quote: old, entry })
    t.match(refused, { status: 'failed', failure: { code: 'system:offer_changed' } })
    t.match(refused.cards, [{ mode: 'REPLACE', ref: PRESSED }])
    const fresh = dataOf(refused)
    t.match(fresh.price, [{ part: { count: 2 } }], 'with the price of now')
    t.not(fresh.quote, old)
    t.match(await hall.ask(buy, { quote: old, entry }), { failure: { code: 'system:quote_gone' } })
    t.match(await hall.card(buy, { quote: fresh.quote ?? '', entry }), { state: 'COMPLETED' })
    const last = (await show()).quote ?? ''
    await hall.packs({}, {})
    const gone = await hall.ask(buy, { quote: last, entry })
    t.match(gone, { status: 'failed', failure: { code: 'system:offer_gone' }, cards: [] })
    await hall.packs({ 'test:a': offer(1) }, { 'test:a': pool(1) })
  }
  t.equal(has(hall.world, 'minecraft:gem'), 5, 'two of two each')
})
