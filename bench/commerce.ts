/**
 * `npm run bench:commerce`: what purchases of 200 players cost the main thread, the disk left out (bench:store has that); and
 * draws with the system's randomness against the odds that are shown. Method and results: RESULTS.md.
 */
import { secureChance } from '../lib/core/chance.js'
import { identifier } from '../lib/core/ids.js'
import { draw } from '../lib/lottery/lottery-tools.js'
import { orThrow } from '../lib/core/result.js'
import { MarketWorld, MAX_STACK, playerOf } from '../test/commerce/market-world.js'
import { atMost, machine, progress, runBench, type BenchReport } from './support/bench.js'
import { percentile, rounded } from './support/statistics.js'

const PLAYERS = 200
const SIZES = {
  full: { purchases: 20_000, draws: 1_000_000 },
  quick: { purchases: 4_000, draws: 200_000 },
} as const
const OFFERS = 100
const WEIGHTS = [40, 25, 15, 10, 7, 3]
/** Upper bound of chi-square with 5 degrees of freedom at p = 1e-6. */
const CRITICAL = 35.89

const cost = (item: string, count: number) => ({ type: 'item', item: `minecraft:${item}`, count })
const give = (item: string, count: number) => ({
  type: 'items',
  items: [{ item: `minecraft:${item}`, count }],
})
const prizes = WEIGHTS.map((weight, at) => ({ title: String(at), weight, rewards: [give('gem', 1)] }))

async function openWorld(): Promise<MarketWorld> {
  const world = new MarketWorld(secureChance)
  const offers = Object.fromEntries(
    Array.from({ length: OFFERS }, (_, at) => [
      `test:${at}`,
      { costs: [cost('gem', 1)], rewards: [give('gem', 1)] },
    ]),
  )
  await world.packs({
    'system/shop_offers': offers,
    'system/lottery_pools': { 'test:pool': { costs: [cost('gem', 1)], prizes } },
  })
  for (let number = 0; number < PLAYERS; number++) {
    await world.login(playerOf(number))
    const stack = { item: identifier('minecraft:gem'), count: 64, max: MAX_STACK, data: '' }
    world.inventory(playerOf(number)).change(Array.from({ length: 36 }, (_, at) => ({ slot: 9 + at, stack })))
  }
  return world
}

interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

/** Every player looks at an offer and buys it, one purchase of each under way at a time. */
async function measure(
  world: MarketWorld,
  seller: MarketWorld['shop'] | MarketWorld['lottery'],
  { purchases, entryOf }: { purchases: number; entryOf: (at: number) => string },
): Promise<Measured> {
  const times: number[] = []
  const began = performance.now()
  let next = 0
  const buyer = async (number: number): Promise<void> => {
    const player = playerOf(number)
    while (next < purchases) {
      const at = next++
      const from = performance.now()
      const asked = { player, language: 'en_us' }
      const { quote } = orThrow(
        await world.trade.preview(seller as MarketWorld['shop'], asked, identifier(entryOf(at))),
      )
      if (quote === null) throw new Error('the bench has no more to pay with')
      orThrow(await world.confirm(seller, player, quote.id))
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: PLAYERS }, (_, number) => buyer(number)))
  const seconds = (performance.now() - began) / 1_000
  return {
    perSecond: rounded(purchases / seconds),
    p50: rounded(percentile(times, 0.5)),
    p99: rounded(percentile(times, 0.99)),
  }
}

function chiSquare(draws: number): number {
  const counts = WEIGHTS.map(() => 0)
  for (let at = 0; at < draws; at++) {
    const index = Number(draw({ prizes }, secureChance).title)
    counts[index] = (counts[index] ?? 0) + 1
  }
  const total = WEIGHTS.reduce((sum, weight) => sum + weight, 0)
  return WEIGHTS.reduce((sum, weight, at) => {
    const expected = (weight / total) * draws
    return sum + ((counts[at] ?? 0) - expected) ** 2 / expected
  }, 0)
}

await runBench('bench:commerce', async ({ quick }): Promise<BenchReport> => {
  const { purchases, draws } = quick ? SIZES.quick : SIZES.full
  const warm = await openWorld()
  await measure(warm, warm.shop, { purchases: 1_000, entryOf: (at) => `test:${at % OFFERS}` })
  const world = await openWorld()
  const shop = await measure(world, world.shop, { purchases, entryOf: (at) => `test:${at % OFFERS}` })
  progress('purchases done')
  const other = await openWorld()
  const lottery = await measure(other, other.lottery, { purchases, entryOf: () => 'test:pool' })
  progress('draws with their purchases done')
  const began = performance.now()
  const value = chiSquare(draws)
  const drawsPerSecond = rounded(draws / ((performance.now() - began) / 1_000))
  return {
    name: 'bench:commerce',
    figures: { ...machine(), players: PLAYERS, purchases, shop, lottery, draws, drawsPerSecond },
    ratios: { lotteryToShop: rounded(shop.perSecond / lottery.perSecond) },
    goals: [atMost('chi-square of 5 against the shown odds (p = 1e-6)', CRITICAL, value)],
  }
})
