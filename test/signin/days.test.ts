/** Which days count as one, as the next, and as still to come. */
import t from 'tap'
import { Calendar } from '../../lib/core/calendar.js'
import { identifier } from '../../lib/core/ids.js'
import {
  isFarAhead,
  mayToday,
  repaired,
  SIGNIN,
  signed,
  todayOf,
  type Signin,
} from '../../lib/signin/days.js'

const calendar = new Calendar()
const at = (zone: string, iso: string) => todayOf(calendar, zone, Date.parse(iso))
const got = {
  entry: 'entry',
  reward: {
    id: identifier('test:bread'),
    value: { title: null, description: null, icon: null, weight: 1, rewards: [] },
  },
}

/** Signs at these moments; a refused one is left out. */
function follow(zone: string, ...moments: readonly string[]): readonly (number | string)[] {
  let kept: Signin = SIGNIN.empty
  return moments.map((iso) => {
    const today = at(zone, iso)
    const may = mayToday(kept, today)
    if (!may.ok) return may.failure.code
    kept = signed(kept, today, got)
    t.ok(SIGNIN.schema.safeParse(kept).success, `${iso} can be kept`)
    return kept.streak
  })
}

void t.test('days in a row are those of the zone, whatever its clocks do', async (t) => {
  t.strictSame(at('Africa/Cairo', '2026-04-23T22:30:00Z'), { day: '2026-04-24', before: '2026-04-23' })
  t.strictSame(
    follow('Africa/Cairo', '2026-04-23T21:59:59Z', '2026-04-23T22:00:00Z', '2026-04-24T20:59:00Z'),
    [1, 2, 'system:signed_in'],
    'a midnight that was left out begins a day too',
  )
  t.strictSame(
    follow('Africa/Cairo', '2026-10-29T20:30:00Z', '2026-10-29T21:30:00Z', '2026-10-29T22:00:00Z'),
    [1, 'system:signed_in', 2],
    'an hour that comes twice belongs to one day',
  )
  t.strictSame(
    follow('Pacific/Apia', '2011-12-30T09:00:00Z', '2011-12-30T10:00:00Z'),
    [1, 2],
    'the day after the one that was left out is the next',
  )
  t.strictSame(follow('Asia/Kathmandu', '2026-12-01T18:14:59Z', '2026-12-01T18:15:00Z'), [1, 2])
  t.strictSame(
    follow('UTC', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z', '2027-01-03T00:00:00Z'),
    [1, 2, 1],
  )
})

void t.test('a day that is still to come pays nothing and stays', async (t) => {
  t.strictSame(
    follow(
      'UTC',
      '2026-12-01T12:00:00Z',
      '2027-01-01T12:00:00Z',
      '2026-12-01T13:00:00Z',
      '2026-12-02T13:00:00Z',
    ),
    [1, 1, 'system:signin_future', 'system:signin_future'],
  )
  const far = (day: string): boolean =>
    isFarAhead({ ...SIGNIN.empty, day }, { day: '2026-12-01', before: '2026-11-30' })
  t.strictSame(
    ['', '2026-11-30', '2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04', '2099-12-31'].map(far),
    [false, false, false, false, false, true, true],
    'two days may come from another zone',
  )
})

void t.test('a repair takes back what is still to come, and nothing else', async (t) => {
  let kept: Signin = SIGNIN.empty
  for (const day of [29, 30, 1, 2])
    kept = signed(
      kept,
      at('UTC', `2026-${day > 20 ? 11 : 12}-${String(day).padStart(2, '0')}T01:00:00Z`),
      got,
    )
  const before = kept
  for (const iso of ['2027-01-01T00:00:00Z', '2027-01-02T00:00:00Z']) kept = signed(kept, at('UTC', iso), got)
  t.strictSame([kept.day, kept.streak, kept.total], ['2027-01-02', 2, 6])
  const after = repaired(kept, at('UTC', '2026-12-02T12:00:00Z'))
  t.strictSame(after, { ...before, total: 6 }, 'with the streak as it was')
  t.strictSame(mayToday(after, at('UTC', '2026-12-02T12:00:00Z')).ok, false, 'what was had today was had')
  t.equal(signed(after, at('UTC', '2026-12-03T12:00:00Z'), got).streak, 5)
  const alone: Signin = { day: '2099-12-31', streak: 3, total: 8, history: [] }
  t.strictSame(repaired(alone, at('UTC', '2026-12-02T12:00:00Z')), { ...alone, day: '', streak: 0 })
})

void t.test('two months of days are kept, and only days', async (t) => {
  let kept: Signin = SIGNIN.empty
  for (let day = 0; day < 100; day++)
    kept = signed(kept, todayOf(calendar, 'UTC', Date.UTC(2026, 0, 1 + day)), got)
  t.strictSame([kept.streak, kept.total, kept.history.length], [100, 100, 62])
  t.equal(repaired(kept, at('UTC', '2026-04-10T00:00:00Z')).streak, 100)
  for (const day of ['zzzz', '2026-02-30', '9999-99-99'])
    t.notOk(SIGNIN.schema.safeParse({ ...kept, day }).success, day)
})
