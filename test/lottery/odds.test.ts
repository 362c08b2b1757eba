/** What lotteries draw is what they show: against the odds of the card itself. */
import t, { type Test } from 'tap'
import { commerceRegistries, oddsMessage } from '../../lib/commerce/index.js'
import { percentText } from '../../lib/commerce/odds.js'
import type { Chance } from '../../lib/core/chance.js'
import { CostTypes } from '../../lib/costs/index.js'
import { draw, prizeAt } from '../../lib/lottery/lottery-tools.js'
import { RewardTypes } from '../../lib/rewards/index.js'

const DRAWS = 1_000_000

/** A seeded source without bias, xoshiro128**: the same numbers in every run. */
function seeded(seed: number): Chance {
  let [a, b, c, d] = [seed >>> 0, 0x9e3779b9, 0x243f6a88, 0xb7e15162]
  const next = (): number => {
    const mixed = Math.imul(b, 5)
    const result = Math.imul((mixed << 7) | (mixed >>> 25), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return result
  }
  return {
    below(limit) {
      // 53 bits, and again above the last whole multiple
      for (;;) {
        const drawn = (next() >>> 5) * 67_108_864 + (next() >>> 6)
        if (drawn < 2 ** 53 - (2 ** 53 % limit)) return drawn % limit
      }
    },
  }
}

const scripted = (number: number): Chance => ({
  below(limit) {
    if (number >= limit) throw new RangeError('beyond')
    return number
  },
})

const prizes = (weights: readonly number[]) =>
  weights.map((weight, at) => ({ title: String(at), weight, rewards: [{ type: 'xp', points: 1 }] }))

/** The share that a card shows, read from its own sentence. */
function shownShare(weight: number, total: number): number {
  const { params = {} } = oddsMessage({ weight, total })
  return Number(params['weight']) / Number(params['total'])
}

/** Upper bound of chi-square at p = 1e-6 (Wilson and Hilferty). */
const critical = (freedom: number): number =>
  freedom * (1 - 2 / (9 * freedom) + 4.7534 * Math.sqrt(2 / (9 * freedom))) ** 3

function drawn(weights: readonly number[], { seed, count }: { seed: number; count: number }): number[] {
  const pool = { prizes: prizes(weights) }
  const counts = weights.map(() => 0)
  const chance = seeded(seed)
  for (let at = 0; at < count; at++) {
    const index = Number(draw(pool, chance).title)
    counts[index] = (counts[index] ?? 0) + 1
  }
  return counts
}

/** Cells of fewer than five expected draws are merged. */
function chiSquare(
  counts: readonly number[],
  weights: readonly number[],
): { value: number; freedom: number } {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const count = counts.reduce((sum, one) => sum + one, 0)
  const cells: { seen: number; expected: number }[] = []
  let rest = { seen: 0, expected: 0 }
  for (const [at, weight] of weights.entries()) {
    const cell = { seen: counts[at] ?? 0, expected: shownShare(weight, total) * count }
    if (cell.expected >= 5) cells.push(cell)
    else rest = { seen: rest.seen + cell.seen, expected: rest.expected + cell.expected }
  }
  if (rest.expected >= 5) cells.push(rest)
  const value = cells.reduce((sum, { seen, expected }) => sum + (seen - expected) ** 2 / expected, 0)
  return { value, freedom: cells.length - 1 }
}

const POOLS: Readonly<Record<string, readonly number[]>> = {
  'six prizes': [40, 25, 15, 10, 7, 3],
  'weights of 40': [1, 39],
  'weights of 250': [100, 75, 50, 24, 1],
  '64 prizes': Array.from({ length: 64 }, (_, at) => 1 + at * at),
  '500 prizes': Array.from({ length: 500 }, (_, at) => 1 + ((at * 7_919) % 997)),
  'rare ones': [2, 2, 4, 999_992],
}

for (const [name, weights] of Object.entries(POOLS))
  void t.test(`${name}: a million draws fit the odds that are shown`, async (t) => {
    const { value, freedom } = chiSquare(drawn(weights, { seed: 7, count: DRAWS }), weights)
    t.ok(freedom >= 1)
    t.ok(value < critical(freedom), `chi-square ${value.toFixed(1)} of ${freedom}`)
  })

void t.test('the test itself sees odds that are wrong by a hundredth', async (t) => {
  const weights = [50, 50]
  const counts = drawn([51, 49], { seed: 7, count: DRAWS })
  const { value, freedom } = chiSquare(counts, weights)
  t.ok(value > critical(freedom))
})

void t.test('B41: one draw over the total: the order of the file has no influence', async (t) => {
  const [first = 0, second = 0] = drawn([50, 50], { seed: 3, count: 100_000 })
  t.ok(first / 100_000 > 0.49 && first / 100_000 < 0.51 && first + second === 100_000)
  const weights = [40, 25, 15, 10, 7, 3]
  const turned = weights.toReversed()
  const { value, freedom } = chiSquare(drawn(turned, { seed: 11, count: DRAWS }), turned)
  t.ok(value < critical(freedom))
})

void t.test('one prize is always drawn', async (t) => {
  t.strictSame(drawn([5], { seed: 1, count: 1_000 }), [1_000])
  t.equal(percentText(5, 5), '100')
})

/** Which numbers of the source give which prize, at its borders. */
function borders(t: Test, weights: readonly number[]): void {
  const pool = { prizes: prizes(weights) }
  let from = 0
  for (const [at, weight] of weights.entries()) {
    for (const number of new Set([from, from + weight - 1]))
      t.equal(draw(pool, scripted(number)).title, String(at), `${number} of ${weights.join(' ')}`)
    from += weight
  }
  t.throws(() => draw(pool, scripted(from)), RangeError)
  t.throws(() => prizeAt(pool.prizes, from), RangeError)
}

void t.test('1 in 10^9 and a total of 2^48 - 1 are drawn at their borders', async (t) => {
  borders(t, [1, 999_999_999])
  borders(t, [999_999_999, 1])
  borders(t, [1, 2 ** 48 - 2])
  borders(t, [2 ** 47, 2 ** 47 - 1])
})

void t.test('totals: 2^48 - 1 is taken, 2^48 is refused; so are weights that are none', async (t) => {
  const { pools } = commerceRegistries(new CostTypes(), new RewardTypes())
  const parse = (weights: readonly number[]): boolean =>
    pools.schema.safeParse({
      costs: [{ type: 'free' }],
      prizes: weights.map((weight) => ({ weight, rewards: [{ type: 'xp', points: 1 }] })),
    }).success
  t.ok(parse([2 ** 48 - 1]))
  t.ok(parse([2 ** 47, 2 ** 47 - 1]))
  t.notOk(parse([2 ** 48]))
  t.notOk(parse([2 ** 47, 2 ** 47]))
  for (const weight of [0, -1, 0.5, Number.NaN, Infinity]) t.notOk(parse([weight, 1]), String(weight))
})

void t.test('a percentage is never 0 or 100 unless it is', async (t) => {
  t.equal(percentText(1, 1_000_000_000), '0.0000001')
  t.equal(percentText(999_999_999, 1_000_000_000), '> 99.99')
  t.equal(percentText(1, 3), '33.33')
  t.equal(percentText(3, 100), '3')
  t.equal(percentText(1, 2 ** 48 - 1), '0.0000000000003553')
})
