/** What may be chosen from: by weight, the same all day, and nobody's matter what else is there. */
import t from 'tap'
import { identifier, playerId } from '../../lib/core/ids.js'
import { candidatesOf } from '../../lib/signin/index.js'

const alice = playerId('00000000-0000-4000-8000-000000000001')
const bob = playerId('00000000-0000-4000-8000-000000000002')
const reward = (name: string, weight = 1) => ({
  id: identifier(`test:${name}`),
  value: { title: null, description: null, icon: null, weight, rewards: [] },
})
const LETTERS = 'a b c d e f g h i j k l'.split(' ').map((name) => reward(name))

const drawn = (
  rewards = LETTERS,
  { player = alice, day = '2026-12-01', count = 3, isUsable = (): boolean => true } = {},
): string[] => candidatesOf(rewards, { player, day, count, isUsable }).map(({ id }) => id.slice(5))

/** So many days. */
const days = Array.from({ length: 20_000 }, (_, at) => `day ${at}`)

void t.test('the same however often they are asked for, others on other days and for others', async (t) => {
  const first = drawn()
  t.equal(new Set(first).size, 3)
  t.strictSame(drawn(), first)
  t.strictSame(drawn(LETTERS.toReversed()), first, 'whatever the order of the catalogue')
  t.strictSame(drawn(LETTERS, { count: 9 }).slice(0, 3), first, 'more of them leave the first ones')
  const sets = new Set(days.slice(0, 100).map((day) => drawn(LETTERS, { day }).join()))
  t.ok(sets.size > 80, 'other days')
  t.ok(
    days
      .slice(0, 20)
      .some((day) => drawn(LETTERS, { day, player: bob }).join() !== drawn(LETTERS, { day }).join()),
  )
})

void t.test('what leaves makes room for the next and changes nothing else', async (t) => {
  for (const day of days.slice(0, 100)) {
    const all = drawn(LETTERS, { day, count: 12 })
    const without = (gone: string): string[] =>
      drawn(
        LETTERS.filter(({ id }) => id.slice(5) !== gone),
        { day },
      )
    t.strictSame(
      all.map(without),
      all.map((gone) => all.filter((name) => name !== gone).slice(0, 3)),
    )
  }
})

void t.test('weights are chances', async (t) => {
  const weighted = [reward('rare', 1), reward('some', 3), reward('most', 6)]
  const counts = new Map<string, number>()
  for (const day of days) {
    const [first = ''] = drawn(weighted, { day, count: 1 })
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  const chi = [2_000, 6_000, 12_000].reduce(
    (sum, expected, at) =>
      sum + ((counts.get(['rare', 'some', 'most'][at] ?? '') ?? 0) - expected) ** 2 / expected,
    0,
  )
  // of two degrees of freedom: 1 in 1,000
  t.ok(chi < 13.8, `chi-square ${chi}`)
  t.strictSame(drawn([reward('huge', 2 ** 48 - 1), reward('tiny')], { count: 1 }), ['huge'])
})

void t.test('fewer than wanted, none, and what this game has not', async (t) => {
  t.equal(drawn(LETTERS.slice(0, 2)).length, 2)
  t.strictSame(drawn([]), [])
  const all = drawn(LETTERS, { count: 12 })
  const gone = all[0] ?? ''
  const isUsable = (value: unknown): boolean =>
    LETTERS.find((one) => one.value === value)?.id !== identifier(`test:${gone}`)
  t.strictSame(
    candidatesOf(LETTERS, { player: alice, day: '2026-12-01', count: 3, isUsable }).map(({ id }) =>
      id.slice(5),
    ),
    all.slice(1, 4),
  )
})
