import fc from 'fast-check'
import t from 'tap'
import { Calendar, followClock, isDay, shiftDay, type DayMark } from '../../lib/core/calendar.js'

const calendar = new Calendar()
const at = (zone: string, iso: string): string => {
  const { day, minute } = calendar.at(zone, Date.parse(iso))
  return `${day} ${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

void t.test('clocks of zones, where they are set forward and back too', async (t) => {
  for (const [zone, iso, local] of [
    ['UTC', '2026-11-30T23:59:59.999Z', '2026-11-30 23:59'],
    ['Asia/Kathmandu', '2026-11-30T18:15:00Z', '2026-12-01 00:00'],
    ['Pacific/Kiritimati', '2026-11-30T10:00:00Z', '2026-12-01 00:00'],
    ['Pacific/Pago_Pago', '2026-11-30T10:59:00Z', '2026-11-29 23:59'],
    // no 00:00 on this day
    ['Africa/Cairo', '2026-04-23T21:59:59Z', '2026-04-23 23:59'],
    ['Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24 01:00'],
    // 23:00 to 23:59 comes twice
    ['Africa/Cairo', '2026-10-29T20:59:59Z', '2026-10-29 23:59'],
    ['Africa/Cairo', '2026-10-29T21:00:00Z', '2026-10-29 23:00'],
    ['Africa/Cairo', '2026-10-29T22:00:00Z', '2026-10-30 00:00'],
    // 01:00 to 01:59 comes twice
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01 01:30'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01 01:30'],
    // a whole day that this place never had
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29 23:59'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31 00:00'],
    ['UTC', '1901-01-01T00:00:00Z', '1970-01-01 00:00'],
  ] as const)
    t.equal(at(zone, iso), local, `${zone} ${iso}`)
  t.equal(calendar.at('UTC', 8.64e15).day, '9000-01-01', 'years keep four digits')
})

void t.test('days are dates that exist', async (t) => {
  for (const [text, is] of [
    ['2026-11-30', true],
    ['2028-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['2026-1-1', false],
    ['__proto__', false],
    ['', false],
  ] as const)
    t.equal(isDay(text), is, text)
  t.equal(shiftDay('2026-02-28', 1), '2026-03-01')
  t.equal(shiftDay('2026-01-01', -1), '2025-12-31')
  t.equal(shiftDay('9999-12-31', 1), '9999-12-31')
})

/** The keys that a clock which shows these days leads to. */
function follow(...clockDays: readonly string[]): string[] {
  let mark: DayMark | null = null
  return clockDays.map((day) => (mark = followClock(mark, day)).key)
}

void t.test('the day never goes back, and no reset is lost', async (t) => {
  t.same(
    follow('2026-11-30', '2026-12-01', '2026-11-30', '2026-12-01', '2026-12-02'),
    ['2026-11-30', '2026-12-01', '2026-12-01', '2026-12-01', '2026-12-02'],
    'set back over a midnight: that day is the same one when it comes again',
  )
  t.same(
    follow('2026-12-02', '2026-11-30', '2026-12-01', '2026-12-02', '2026-12-03'),
    ['2026-12-02', '2026-12-02', '2026-12-02', '2026-12-02', '2026-12-03'],
    'as far back as a change of zone goes',
  )
  t.same(
    follow('2026-12-10', '2026-12-07', '2026-12-08', '2026-12-09', '2026-12-10', '2026-12-11'),
    ['2026-12-10', '2026-12-10', '2026-12-10', '2026-12-10', '2026-12-10', '2026-12-11'],
    'set back by days: what a change of zone would explain is waited for',
  )
  t.same(
    follow('2099-01-01', '2026-11-30', '2026-11-30', '2026-12-01', '2026-12-02'),
    ['2099-01-01', '2099-01-01', '2099-01-01', '2099-01-02', '2099-01-03'],
    'a clock that was wrong by years blocks nobody for years',
  )
  t.same(
    follow('2026-11-30', '1970-01-01', '2026-11-30', '2026-12-01'),
    ['2026-11-30', '2026-11-30', '2026-11-30', '2026-12-01'],
    'a machine that starts without the time',
  )
  t.same(
    follow('2099-01-01', '2026-12-01', '2026-11-30', '2026-12-01', '2026-11-30', '2026-12-01', '2026-12-02'),
    ['2099-01-01', '2099-01-01', '2099-01-01', '2099-01-01', '2099-01-01', '2099-01-01', '2099-01-02'],
    'a clock that trembles at midnight',
  )
})

void t.test(
  'whatever the clock does, keys only grow, and with a clock that runs they are its days',
  async () => {
    const offset = fc.integer({ min: -400, max: 400 })
    fc.assert(
      fc.property(fc.array(offset, { minLength: 1, maxLength: 40 }), (offsets) => {
        const keys = follow(...offsets.map((days) => shiftDay('2026-11-30', days)))
        return keys.every((key, i) => i === 0 || key >= (keys[i - 1] ?? '')) && keys.every(isDay)
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 40 }), (steps) => {
        let at = 0
        const days = steps.map((step) => shiftDay('2026-11-30', (at += step)))
        return follow(...days).join() === days.join()
      }),
    )
  },
)
