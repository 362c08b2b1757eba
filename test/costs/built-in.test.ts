/** Each kind of cost: what a pack may write, what it asks of a player now, and what is missing. */
import t from 'tap'
import { z } from 'zod'
import { identifier, playerId, type Identifier } from '../../lib/core/ids.js'
import { fail, ok } from '../../lib/core/result.js'
import {
  assignCosts,
  CostTypes,
  isExternalType,
  type Cost,
  type CostPart,
  type CostSituation,
  type CostType,
  type Means,
  type PricedPart,
} from '../../lib/costs/index.js'
import { levelOf, pointsAt, pointsOfLevels } from '../../lib/costs/experience.js'
import type { Stack } from '../../lib/inventory/index.js'

const GEM = identifier('minecraft:gem')
const COIN = identifier('test:coin')
const LOGS = new Set<Identifier>([identifier('minecraft:oak_log'), identifier('minecraft:birch_log')])

const SITUATION: CostSituation = {
  player: playerId('00000000-0000-4000-8000-000000000001'),
  seller: identifier('system:shop'),
  entry: identifier('test:a'),
  xp: 0,
  itemTag: (id) => (id === 'minecraft:logs' ? LOGS : undefined),
}

const types = new CostTypes()

/** A price as a pack writes it; null: it doesn't decode. */
const decoded = (costs: unknown): readonly Cost[] | null => types.schema().safeParse(costs).data ?? null

/** What costs ask for, or the code of why that can't be told. */
function priced(costs: unknown, xp = 0): readonly PricedPart[] | string {
  const parts: PricedPart[] = []
  for (const cost of decoded(costs) ?? []) {
    const type = types.of(cost)
    if (type === undefined || isExternalType(type)) throw new Error('not ours')
    const price = type.price(cost, { ...SITUATION, xp })
    if (!price.ok) return price.failure.code
    parts.push(...price.value)
  }
  return parts
}

const means = (
  stacks: readonly (readonly [slot: number, item: string, count: number, data?: string])[],
  { xp = 0, coins = 0 } = {},
): Means => {
  const slots = Array<Stack | null>(46).fill(null)
  for (const [slot, item, count, data = ''] of stacks)
    slots[slot] = { item: identifier(`minecraft:${item}`), count, max: 64, data }
  return { slots, xp, balance: (resource) => (resource === COIN ? coins : 0) }
}

/** What is taken in words, or which parts are missing. */
function taken(costs: unknown, has: Means): unknown {
  const parts = priced(costs, has.xp)
  if (typeof parts === 'string') return parts
  const done = assignCosts(
    parts.map(({ part }) => part),
    has,
  )
  if ('missing' in done) return done.missing
  const { costs: goods, reserved } = done.assignment
  const lines = goods.lines.map(({ item, count, data }) => [count, item.slice(10), data].join(' ').trimEnd())
  const coins = reserved.map(({ resource, amount }) => `${amount} ${resource}`)
  return [...lines, ...(goods.xp === 0 ? [] : [`${goods.xp} xp`]), ...coins].toSorted()
}

const gem = (count: number, more: object = {}) => ({ type: 'item', item: 'minecraft:gem', count, ...more })
const logs = (count: number) => ({ type: 'item', item: '#minecraft:logs', count })
const oak = (count: number) => ({ type: 'item', item: 'minecraft:oak_log', count })
const coins = (amount: number) => ({ type: 'resource', resource: COIN, amount })

void t.test('free: nothing is asked for, shown or taken', async (t) => {
  t.strictSame(priced([{ type: 'free' }]), [])
  t.strictSame(taken([{ type: 'system:free' }], means([])), [])
})

void t.test('item: an id, counted over all own stacks that are plain', async (t) => {
  t.match(priced([gem(3)]), [
    { part: { kind: 'items', count: 3, isAnyData: false }, shown: { kind: 'item', item: GEM, count: 3 } },
  ])
  t.match(priced([{ type: 'item', item: 'gem' }]), [{ shown: { item: GEM, count: 1 } }], 'vanilla, and one')
  const few = means([
    [9, 'gem', 1],
    [44, 'gem', 1],
    [8, 'gem', 9],
    [45, 'gem', 9],
    [10, 'gem', 9, 'named'],
    [11, 'egg', 9],
  ])
  t.strictSame(taken([gem(2)], few), ['2 gem'])
  t.strictSame(taken([gem(3)], few), [0], 'neither what is worn, held aside, customised nor another item')
  t.strictSame(taken([gem(11, { components: 'any' })], few), ['2 gem', '9 gem named'])
})

void t.test('item: a tag, whatever of it there is; one that no pack has is no price', async (t) => {
  t.match(priced([logs(5)]), [
    { part: { items: LOGS }, shown: { kind: 'item', item: '#minecraft:logs', count: 5 } },
  ])
  const both = means([
    [9, 'birch_log', 2],
    [10, 'oak_log', 4],
    [11, 'gem', 9],
  ])
  t.strictSame(taken([logs(6)], both), ['2 birch_log', '4 oak_log'])
  t.strictSame(taken([logs(7)], both), [0])
  t.equal(taken([{ type: 'item', item: '#minecraft:none' }], both), 'system:price_unknown')
  const references = [...types.references(decoded([gem(1), logs(1)]) ?? [], ['costs'])]
  t.strictSame(references, [
    { registry: 'minecraft:item', ref: '#minecraft:logs', pointer: ['costs', 1, 'item'] },
  ])
})

void t.test('levels and points: what vanilla takes', async (t) => {
  // minecraft.wiki, Experience: the totals of levels
  const totals: readonly (readonly [number, number])[] = [
    [0, 0],
    [1, 7],
    [10, 160],
    [16, 352],
    [17, 394],
    [30, 1395],
    [31, 1507],
    [32, 1628],
    [40, 2920],
    [50, 5345],
  ]
  for (const [level, points] of totals) {
    t.equal(pointsAt(level), points, `level ${level}`)
    t.equal(levelOf(points), level, `${points} points`)
    if (level > 0) t.equal(levelOf(points - 1), level - 1, `${points - 1} points`)
  }
  t.equal(pointsOfLevels(160, 10), 160)
  t.equal(pointsOfLevels(1395, 3), 1395 - pointsAt(27), 'three of thirty are dearer than three of ten')
  t.equal(pointsOfLevels(11, 1), 8, 'level 1 and 4 of 9: level 0 keeps 3 of 7')
  t.match(priced([{ type: 'xp_levels', levels: 10 }], 160), [
    { part: { kind: 'xp', points: 160 }, shown: { kind: 'levels', levels: 10, points: 160 } },
  ])
  t.strictSame(taken([{ type: 'xp_levels', levels: 10 }], means([], { xp: 160 })), ['160 xp'])
  t.strictSame(taken([{ type: 'xp_levels', levels: 10 }], means([], { xp: 159 })), [0])
  t.match(priced([{ type: 'xp_points', points: 7 }]), [{ shown: { kind: 'points', points: 7 } }])
  t.strictSame(taken([{ type: 'xp_points', points: 7 }], means([], { xp: 7 })), ['7 xp'])
  t.strictSame(taken([{ type: 'xp_points', points: 7 }], means([], { xp: 6 })), [0])
  const both = [
    { type: 'xp_levels', levels: 1 },
    { type: 'xp_points', points: 4 },
  ]
  t.strictSame(taken(both, means([], { xp: 10 })), [0, 1], 'both draw on the same points')
})

void t.test('resource: a balance, and one named twice is one sum', async (t) => {
  t.match(priced([coins(4)]), [{ shown: { kind: 'resource', resource: COIN, amount: 4 } }])
  t.strictSame(taken([coins(4)], means([], { coins: 4 })), ['4 test:coin'])
  t.strictSame(taken([coins(5)], means([], { coins: 4 })), [0])
  t.strictSame(taken([coins(2), coins(3)], means([], { coins: 5 })), ['5 test:coin'])
  t.strictSame(taken([coins(2), coins(3)], means([], { coins: 4 })), [0, 1], 'each alone could be paid')
})

void t.test('parts that draw on the same things are planned together', async (t) => {
  const has = means([
    [9, 'oak_log', 3],
    [10, 'birch_log', 2],
    [11, 'gem', 6],
  ])
  t.strictSame(taken([gem(3), gem(3)], has), ['6 gem'])
  t.strictSame(taken([gem(3), gem(4)], has), [1])
  t.strictSame(taken([logs(2), oak(3)], has), ['2 birch_log', '3 oak_log'], 'the tag makes way for its item')
  t.strictSame(taken([oak(3), logs(2)], has), ['2 birch_log', '3 oak_log'])
  t.strictSame(taken([logs(3), oak(3)], has), [1], 'six of five')
  t.strictSame(taken([gem(9), coins(1), oak(1)], has), [0, 1], 'what can be paid is not missing')
})

void t.test('an assignment is found whenever there is one: all ways of small inventories', async (t) => {
  const items = ['a', 'b', 'c'].map((name) => identifier(`minecraft:${name}`))
  const subsets = [1, 2, 3, 4, 5, 6, 7].map((bits) => new Set(items.filter((_, at) => (bits >> at) & 1)))
  /** By trying everything. */
  const canPay = (parts: readonly CostPart[], counts: readonly number[]): boolean => {
    const [part, ...rest] = parts
    if (part?.kind !== 'items') return true
    if (part.count === 0) return canPay(rest, counts)
    return items.some((item, at) => {
      if (!part.items.has(item) || counts[at] === 0) return false
      const left = counts.map((count, index) => (index === at ? count - 1 : count))
      return canPay([{ ...part, count: part.count - 1 }, ...rest], left)
    })
  }
  let payable = 0
  for (const first of subsets)
    for (const second of subsets)
      for (const third of subsets)
        for (const counts of [
          [1, 1, 1],
          [2, 1, 0],
          [0, 2, 2],
          [3, 0, 1],
        ]) {
          const parts = [first, second, third].map((set, at): CostPart => ({
            kind: 'items',
            items: set,
            isAnyData: false,
            count: at === 0 ? 2 : 1,
          }))
          const slots = means(counts.map((count, at) => [9 + at, 'abc'.charAt(at), count] as const)).slots
          const own = slots.map((stack) => (stack?.count === 0 ? null : stack))
          const done = assignCosts(parts, { ...means([]), slots: own })
          const expected = canPay(parts, counts)
          if (expected) payable++
          if ('assignment' in done !== expected)
            t.fail(JSON.stringify([parts.map((p) => 'items' in p && [...p.items]), counts]))
          if (!('assignment' in done)) continue
          const total = done.assignment.costs.lines.reduce((sum, { count }) => sum + count, 0)
          if (total !== 4) t.fail(`${total} of 4 taken`)
        }
  t.ok(payable > 100, `${payable} can be paid`)
})

void t.test('what is no price does not decode', async (t) => {
  const outside: CostType = { id: identifier('bank:fee'), members: () => ({}), price: () => ok([]) }
  t.throws(() => new CostTypes().add({ ...outside, price: undefined as never }), /cost bank:fee has no price/)
  const bank = {
    id: identifier('bank:coins'),
    members: () => ({ amount: z.int().min(1) }),
    prepare: async () => fail('system:price_unknown'),
    charge: async () => 'unknown' as const,
    status: async () => 'unknown' as const,
  }
  for (const part of ['prepare', 'status'])
    t.throws(() => new CostTypes().add({ ...bank, [part]: undefined }), RegExp(`coins has no ${part}`))
  const known = new CostTypes()
  known.add(bank)
  const reads = (costs: unknown): boolean => known.schema().safeParse(costs).success
  const one = { type: 'bank:coins', amount: 1 }
  t.ok(reads([one, gem(1)]))
  t.notOk(reads([one, one]), 'two outside')
  t.ok(reads(Array.from({ length: 16 }, () => gem(1))))
  const hostile: readonly unknown[] = [
    [],
    Array.from({ length: 17 }, () => gem(1)),
    {},
    null,
    [null],
    [{ type: 'constructor' }],
    [{ type: 'item' }],
    [gem(0)],
    [gem(36 * 64 + 1)],
    [gem(1, { components: 'some' })],
    [gem(1, { item: '##minecraft:gem' })],
    [{ type: 'free', amount: 1 }],
    [{ type: 'xp_levels', levels: 21_864 }],
    [{ type: 'xp_levels', levels: 0 }],
    [{ type: 'xp_points', points: 2 ** 31 }],
    [{ type: 'resource', resource: 'coin', amount: 1 }],
    [coins(2 ** 53)],
  ]
  for (const costs of hostile) t.notOk(reads(costs), JSON.stringify(costs)?.slice(0, 80))
  t.equal(known.external('bank:coins')?.id, 'bank:coins')
  t.equal(known.external('system:item'), undefined)
  t.equal(known.external('bank:other'), undefined)
})
