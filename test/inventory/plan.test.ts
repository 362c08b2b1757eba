import fc from 'fast-check'
import t from 'tap'
import { planGive, planTake, type ItemLine, type Stack } from '../../lib/inventory/index.js'
import { stack } from './judge.js'

const ITEMS = ['minecraft:dirt', 'minecraft:egg', 'minecraft:sword'] as const
const MAX: Readonly<Record<string, number>> = {
  'minecraft:dirt': 64,
  'minecraft:egg': 16,
  'minecraft:sword': 1,
}
const sizes = { maxStack: (item: string): number | null => MAX[item] ?? null }
const DATA = ['', 'named'] as const

const anyStack = fc
  .record({
    item: fc.constantFrom(...ITEMS),
    part: fc.integer({ min: 1, max: 64 }),
    data: fc.constantFrom(...DATA),
  })
  .map(({ item, part, data }) => stack(item, Math.min(part, MAX[item] ?? 0), data, MAX[item]))
const anySlots = fc.array(fc.option(anyStack, { freq: 3 }), { minLength: 46, maxLength: 46 })
const anyLines = fc.array(
  fc.record({
    item: fc.constantFrom(...ITEMS, 'minecraft:gone'),
    count: fc.integer({ min: 0, max: 300 }),
    data: fc.constantFrom(...DATA),
  }),
  { maxLength: 6 },
)

const total = (lines: readonly (ItemLine | Stack | null)[], item: string, data: string): number =>
  lines.reduce((sum, one) => (one?.item === item && one.data === data ? sum + one.count : sum), 0)
const KINDS = [...ITEMS, 'minecraft:gone'].flatMap((item) => DATA.map((data) => ({ item, data })))
const own = (slots: readonly (Stack | null)[]): readonly (Stack | null)[] => slots.slice(9, 45)
const others = (slots: readonly (Stack | null)[]): unknown => [slots.slice(0, 9), slots.slice(45)]

void t.test('a give conserves every item, keeps to the limits and to the own slots', async (t) => {
  fc.assert(
    fc.property(anySlots, anyLines, (slots, lines) => {
      const plan = planGive(slots, lines, sizes)
      for (const { item, data } of KINDS) {
        const moved = total(plan.moved, item, data)
        if (moved + total(plan.rest, item, data) !== total(lines, item, data)) return false
        if (total(plan.slots, item, data) !== total(slots, item, data) + moved) return false
      }
      const isWithin = plan.slots.every((one) => one === null || (one.count > 0 && one.count <= one.max))
      const isFull = plan.rest.every(
        ({ item, data }) =>
          MAX[item] === undefined ||
          own(plan.slots).every(
            (one) => one !== null && (one.item !== item || one.data !== data || one.count === one.max),
          ),
      )
      return isWithin && isFull && JSON.stringify(others(plan.slots)) === JSON.stringify(others(slots))
    }),
  )
  t.pass()
})

void t.test('a take is all or nothing over all lines together, from the own slots', async (t) => {
  fc.assert(
    fc.property(anySlots, anyLines, (slots, lines) => {
      const plan = planTake(slots, lines)
      const isEnough = KINDS.every(
        ({ item, data }) => total(own(slots), item, data) >= total(lines, item, data),
      )
      if (plan === null) return !isEnough
      const isExact = KINDS.every(
        ({ item, data }) =>
          total(plan.slots, item, data) === total(slots, item, data) - total(lines, item, data) &&
          total(plan.moved, item, data) === total(lines, item, data),
      )
      return isEnough && isExact && JSON.stringify(others(plan.slots)) === JSON.stringify(others(slots))
    }),
  )
  t.pass()
})

void t.test(
  'plans are the same for the same arguments, change none of them, and name what they change',
  async (t) => {
    fc.assert(
      fc.property(anySlots, anyLines, (slots, lines) => {
        const before = JSON.stringify([slots, lines])
        const give = planGive(slots, lines, sizes)
        const applied = [...slots]
        for (const { slot, stack } of give.changes) applied[slot] = stack
        return (
          JSON.stringify(applied) === JSON.stringify(give.slots) &&
          JSON.stringify(give) === JSON.stringify(planGive(slots, lines, sizes)) &&
          JSON.stringify(planTake(slots, lines)) === JSON.stringify(planTake(slots, lines)) &&
          JSON.stringify([slots, lines]) === before
        )
      }),
    )
    t.pass()
  },
)

void t.test('what was given can be taken again, and fits back where it was taken', async (t) => {
  fc.assert(
    fc.property(anySlots, anyLines, (slots, lines) => {
      const give = planGive(slots, lines, sizes)
      const take = planTake(give.slots, give.moved)
      return take !== null && planGive(take.slots, take.moved, sizes).rest.length === 0
    }),
  )
  t.pass()
})

void t.test('equal stacks are filled before empty slots, hotbar first', async (t) => {
  const slots = Array<Stack | null>(46).fill(null)
  slots[20] = stack('minecraft:dirt', 60)
  slots[21] = stack('minecraft:dirt', 60, 'named')
  const plan = planGive(slots, [{ item: 'minecraft:dirt', count: 10, data: '' }], sizes)
  t.strictSame(plan.changes, [
    { slot: 20, stack: stack('minecraft:dirt', 64) },
    { slot: 36, stack: stack('minecraft:dirt', 6) },
  ])
})
