/**
 * Twenty players who buy, draw, take, drop, leave and come back at random, against a book that knows nothing of the product
 * but what was answered: items, points, currency and open orders agree to the unit.
 */
import t, { type Test } from 'tap'
import type { Chance } from '../../lib/core/chance.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { INBOX, ORDERS, type ItemLine, type Order } from '../../lib/inventory/index.js'
import { credit, RESOURCES } from '../../lib/rewards/index.js'
import { orThrow } from '../../lib/core/result.js'
import { MarketWorld, MAX_STACK, playerOf } from './market-world.js'

const PLAYERS = 20
const STEPS = 10_000
const SEEDS = [1, 2, 3]
const COIN = 'test:coin'

type Amounts = Record<string, number>

const cost = (item: string, count: number) => ({ type: 'item', item: `minecraft:${item}`, count })
const give = (item: string, count: number) => ({
  type: 'items',
  items: [{ item: `minecraft:${item}`, count }],
})

/** What is sold, and beside it what that is to the book. */
const OFFERS: Readonly<Record<string, { json: object; pays: Amounts; gets: Amounts }>> = {
  'test:bread': {
    json: { costs: [cost('gem', 1)], rewards: [give('bread', 6)] },
    pays: { gem: 1 },
    gets: { bread: 6 },
  },
  'test:gem': {
    json: { costs: [cost('bread', 4)], rewards: [give('gem', 1)] },
    pays: { bread: 4 },
    gets: { gem: 1 },
  },
  'test:twice': {
    json: { costs: [cost('gem', 3), cost('gem', 3)], rewards: [give('star', 1)] },
    pays: { gem: 6 },
    gets: { star: 1 },
  },
  'test:many': {
    json: { costs: [cost('gem', 2)], rewards: [give('bread', 300)] },
    pays: { gem: 2 },
    gets: { bread: 300 },
  },
  'test:coins': {
    json: { costs: [cost('star', 1)], rewards: [{ type: 'resource', resource: COIN, amount: 10 }] },
    pays: { star: 1 },
    gets: { coin: 10 },
  },
  'test:points': {
    json: {
      costs: [{ type: 'resource', resource: COIN, amount: 3 }],
      rewards: [{ type: 'xp', points: 7 }, give('gem', 1)],
    },
    pays: { coin: 3 },
    gets: { xp: 7, gem: 1 },
  },
  'test:xp': {
    json: { costs: [{ type: 'xp_points', points: 5 }, { type: 'free' }], rewards: [give('bread', 2)] },
    pays: { xp: 5 },
    gets: { bread: 2 },
  },
}
const PRIZES: readonly Amounts[] = [{ star: 1 }, { bread: 20 }, { coin: 2 }]
const POOL = {
  costs: [cost('gem', 2), { type: 'resource', resource: COIN, amount: 1 }],
  prizes: [
    { weight: 1, rewards: [give('star', 1)] },
    { weight: 7, rewards: [give('bread', 20)] },
    { weight: 2, rewards: [{ type: 'resource', resource: COIN, amount: 2 }] },
  ],
}

/** A seeded source: the same history for the same seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

/** The independent book. */
class Book {
  readonly #has = new Map<PlayerId, Amounts>()

  of(player: PlayerId): Amounts {
    const found = this.#has.get(player) ?? {}
    this.#has.set(player, found)
    return found
  }

  add(player: PlayerId, amounts: Amounts, times = 1): void {
    const has = this.of(player)
    for (const [name, amount] of Object.entries(amounts)) has[name] = (has[name] ?? 0) + amount * times
  }
}

class History {
  readonly world: MarketWorld
  readonly book = new Book()
  readonly random: (limit: number) => number
  /** How often each thing happened. */
  readonly seen = new Map<string, number>()
  readonly #quotes = new Map<PlayerId, { id: string; entry: string }[]>()
  #drawn = 0

  constructor(seed: number) {
    this.random = randomOf(seed)
    const chance: Chance = { below: (limit) => (this.#drawn = this.random(limit)) }
    this.world = new MarketWorld(chance)
  }

  note(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1)
  }

  async begin(): Promise<void> {
    await this.world.packs({
      'system/shop_offers': Object.fromEntries(
        Object.entries(OFFERS).map(([id, { json }]) => [id, json as never]),
      ),
      'system/lottery_pools': { 'test:pool': POOL },
    })
    for (let number = 0; number < PLAYERS; number++) {
      await this.world.login(playerOf(number))
      await this.gain(playerOf(number))
    }
  }

  /** The world gives: a pick-up, points, an administrator's coins. */
  async gain(player: PlayerId): Promise<void> {
    const inventory = this.world.inventory(player)
    const at = 9 + this.random(36)
    const item = ['gem', 'bread', 'star'][this.random(3)] ?? 'gem'
    const count = 1 + this.random(12)
    if (inventory.slots()[at] === null) {
      inventory.change([
        { slot: at, stack: { item: `minecraft:${item}` as never, count, max: MAX_STACK, data: '' } },
      ])
      this.book.add(player, { [item]: count })
    }
    inventory.change([], inventory.xp() + 2)
    this.book.add(player, { xp: 2 })
    if (this.random(3) > 0) return
    orThrow(await this.world.store.update(player, (tx) => orThrow(credit(tx, COIN as never, 1))))
    this.book.add(player, { coin: 1 })
  }

  /** Throws a stack away. */
  drop(player: PlayerId): void {
    const inventory = this.world.inventory(player)
    const at = 9 + this.random(36)
    const stack = inventory.slots()[at]
    if (stack === null || stack === undefined) return
    inventory.change([{ slot: at, stack: null }])
    this.book.add(player, { [stack.item.replace('minecraft:', '')]: -stack.count })
    this.note('dropped')
  }

  async quote(player: PlayerId): Promise<void> {
    const entry = [...Object.keys(OFFERS), 'test:pool'][this.random(Object.keys(OFFERS).length + 1)] ?? ''
    const seller = entry === 'test:pool' ? this.world.lottery : this.world.shop
    const preview = orThrow(
      await this.world.trade.preview(seller as never, { player, language: 'en_us' }, entry as never),
    )
    if (preview.quote === null) return this.note('could not pay')
    this.#quotes.set(player, [...(this.#quotes.get(player) ?? []), { id: preview.quote.id, entry }].slice(-6))
  }

  /** Confirms one of the newest quotes, once or by two presses in one tick. */
  async confirm(player: PlayerId): Promise<void> {
    const quotes = this.#quotes.get(player) ?? []
    const quote = quotes[this.random(quotes.length)]
    if (quote === undefined) return
    const seller = quote.entry === 'test:pool' ? this.world.lottery : this.world.shop
    const before = this.#order(player, quote.id)
    const presses = this.random(4) === 0 ? 2 : 1
    if (this.random(12) === 0) this.world.lives.set(player, (this.world.lives.get(player) ?? 0) + 1)
    const done = await Promise.all(
      Array.from({ length: presses }, () => this.world.confirm(seller, player, quote.id)),
    )
    const order = this.#order(player, quote.id)
    if (before !== undefined) return this.note('pressed again')
    if (order === undefined)
      return this.note(done.find((one) => !one.ok)?.ok === false ? 'refused' : 'nothing')
    this.note(`${order.state}${presses === 2 ? ' by two presses' : ''}`)
    if (order.state !== 'COMPLETED') return
    if (quote.entry !== 'test:pool') {
      const { pays, gets } = OFFERS[quote.entry] ?? { pays: {}, gets: {} }
      this.book.add(player, pays, -1)
      this.book.add(player, gets)
      return
    }
    this.book.add(player, { gem: -2, coin: -1 })
    this.book.add(player, PRIZES[this.#drawn === 0 ? 0 : this.#drawn < 8 ? 1 : 2] ?? {})
  }

  async claim(player: PlayerId): Promise<void> {
    const entries = this.world.store.online(player)?.get(INBOX) ?? []
    const waiting = entries.filter(({ state }) => state === 'AVAILABLE')
    const entry = waiting[this.random(waiting.length)]
    if (entry === undefined) return
    const presses = this.random(4) === 0 ? 2 : 1
    const done = await Promise.all(
      Array.from({ length: presses }, () => this.world.lane.give(player, entry.id)),
    )
    const [first] = done
    this.note(first?.ok === true ? (first.value.rest > 0 ? 'took a part' : 'took') : 'could not take')
    if (done.filter((one) => one.ok).length > 1) throw new Error('one entry was given twice')
  }

  /** A revoke takes what the store holds: inbox, orders, currency. What is in the inventory stays. */
  async revoke(player: PlayerId): Promise<void> {
    const confirming = this.random(2) === 0 ? this.confirm(player) : this.claim(player)
    await confirming
    const kept = this.world.store.online(player)
    for (const { state, lines, xp, booked } of kept?.get(INBOX) ?? [])
      if (state === 'AVAILABLE') {
        for (const line of lines)
          this.book.add(player, { [line.item.replace('minecraft:', '')]: -line.count })
        this.book.add(player, { xp: -xp, coin: -coinsOf(booked) })
      }
    this.book.add(player, { coin: -(this.book.of(player)['coin'] ?? 0) })
    this.world.quotes.forget(player)
    orThrow(await this.world.lane.alone(player, () => this.world.store.revoke(player)))
    await this.world.logout(player)
    await this.world.login(player)
    this.note('revoked')
  }

  async relog(player: PlayerId): Promise<void> {
    await this.world.logout(player)
    await this.world.login(player)
    this.note('came back')
  }

  async step(): Promise<void> {
    const player = playerOf(this.random(PLAYERS))
    const what = this.random(1_000)
    if (what < 150) return this.gain(player)
    if (what < 200) return this.drop(player)
    if (what < 480) return this.quote(player)
    if (what < 760) return this.confirm(player)
    if (what < 940) return this.claim(player)
    if (what < 995) return this.relog(player)
    return this.revoke(player)
  }

  /** What the player really has: inventory, inbox and ledger, added up. */
  has(player: PlayerId): Amounts {
    const { slots, xp } = this.world.inventory(player)
    const kept = this.world.store.online(player)
    const waiting = (kept?.get(INBOX) ?? []).filter(({ state }) => state === 'AVAILABLE')
    const sums: Amounts = { xp: xp(), coin: 0 }
    const add = (line: Pick<ItemLine, 'item' | 'count'>): void => {
      const name = line.item.replace('minecraft:', '')
      sums[name] = (sums[name] ?? 0) + line.count
    }
    for (const stack of slots()) if (stack !== null) add(stack)
    for (const entry of waiting) {
      for (const line of entry.lines) add(line)
      sums['xp'] = (sums['xp'] ?? 0) + entry.xp
      sums['coin'] = (sums['coin'] ?? 0) + coinsOf(entry.booked)
    }
    for (const { amount } of kept?.get(RESOURCES) ?? []) sums['coin'] = (sums['coin'] ?? 0) + amount
    return sums
  }

  openOrders(player: PlayerId): readonly Order[] {
    const orders = this.world.store.online(player)?.get(ORDERS) ?? []
    return orders.filter(({ state }) => state === 'RESERVED' || state === 'PAYMENT_UNKNOWN')
  }

  #order(player: PlayerId, id: string): Order | undefined {
    return this.world.store
      .online(player)
      ?.get(ORDERS)
      .find((order) => order.id === id)
  }
}

const coinsOf = (booked: readonly { readonly value: unknown }[]): number =>
  booked.reduce((sum, { value }) => sum + ((value as { amount?: number }).amount ?? 0), 0)

const without = (amounts: Amounts): Amounts =>
  Object.fromEntries(
    Object.entries(amounts)
      .filter(([, amount]) => amount !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

function compare(t: Test, history: History, at: string): boolean {
  for (let number = 0; number < PLAYERS; number++) {
    const player = playerOf(number)
    const [has, should] = [without(history.has(player)), without(history.book.of(player))]
    if (JSON.stringify(has) === JSON.stringify(should) && history.openOrders(player).length === 0) continue
    t.strictSame(has, should, `player ${number} ${at}`)
    t.strictSame(history.openOrders(player), [])
    return false
  }
  return true
}

for (const seed of SEEDS)
  void t.test(`seed ${seed}: ${STEPS} steps of ${PLAYERS} players conserve everything`, async (t) => {
    const history = new History(seed)
    await history.begin()
    for (let step = 0; step < STEPS; step++) {
      await history.step()
      if (step % 250 === 0 && !compare(t, history, `at step ${step}`)) return
    }
    t.ok(compare(t, history, 'at the end'))
    const { seen } = history
    const wanted = [
      'COMPLETED',
      'COMPLETED by two presses',
      'refused',
      'pressed again',
      'could not pay',
      'took',
    ]
    for (const what of [...wanted, 'took a part', 'could not take', 'dropped', 'came back', 'revoked'])
      t.ok((seen.get(what) ?? 0) > 0, `${what}: ${seen.get(what) ?? 0}`)
  })
