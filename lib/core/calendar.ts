/** A moment by the clocks of one zone. */
export interface LocalTime {
  /** Calendar day, `2026-11-30`. */
  readonly day: string
  /** Minutes since midnight as a clock shows them, 0 to 1,439. */
  readonly minute: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Keeps years at four digits, so that days as text are in order. */
const LAST_MS = Date.UTC(9_000, 0, 1)
const DAY = /^\d{4}-\d{2}-\d{2}$/

interface Zone {
  readonly format: Intl.DateTimeFormat
  /** Epoch minute of `last`: within a minute no clock is set. */
  minute: number
  last: LocalTime
}

/** Reads clocks of IANA zones. Making a formatter takes longer than a thousand readings, so each is kept. */
export class Calendar {
  readonly #zones = new Map<string, Zone>()

  /** `nowMs` is epoch milliseconds; a zone that doesn't exist throws a RangeError (configuration has none). */
  at(timeZone: string, nowMs: number): LocalTime {
    const minute = Math.floor(Math.min(Math.max(nowMs, 0), LAST_MS) / MINUTE_MS)
    let zone = this.#zones.get(timeZone)
    if (zone === undefined) {
      zone = { format: formatOf(timeZone), minute: -1, last: { day: '', minute: 0 } }
      this.#zones.set(timeZone, zone)
    }
    if (zone.minute !== minute) {
      zone.last = read(zone.format, minute * MINUTE_MS)
      zone.minute = minute
    }
    return zone.last
  }
}

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })

function read(format: Intl.DateTimeFormat, ms: number): LocalTime {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ''
  return {
    day: `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}`,
    minute: Number(of('hour')) * 60 + Number(of('minute')),
  }
}

/** Whether the text is a calendar day in the form that is used here. */
export const isDay = (text: string): boolean => DAY.test(text) && dayText(Date.parse(text)) === text

/** The day so many days later, or earlier; the same one where years would need more than four digits. */
export function shiftDay(day: string, days: number): string {
  const shifted = dayText(Date.parse(day) + days * DAY_MS)
  return DAY.test(shifted) ? shifted : day
}

const dayText = (ms: number): string => (Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 10))

/** Which day is counted on, and which one the clock showed then. They differ only where the clock was wrong. */
export interface DayMark {
  readonly key: string
  readonly clockDay: string
}

/** Zones are 26 hours apart at most, so a change of zone takes a calendar back by two days at most. */
const EXPLAINED_DAYS = 2

/**
 * The day to count on when the clock shows `clockDay`. It never goes back: after a change of zone, or with a clock that
 * was set back a little, today lasts until the clock is past it, and no quota starts anew meanwhile. A day further ahead
 * comes from a clock that was wrong; waiting for it could take years, so it moves on by one with each midnight instead.
 */
export function followClock(current: DayMark | null, clockDay: string): DayMark {
  if (current === null || clockDay > current.key) return { key: clockDay, clockDay }
  if (clockDay >= shiftDay(current.key, -EXPLAINED_DAYS)) return current
  if (clockDay > current.clockDay) return { key: shiftDay(current.key, 1), clockDay }
  // small steps back around a midnight would count it twice
  return clockDay < shiftDay(current.clockDay, -EXPLAINED_DAYS) ? { key: current.key, clockDay } : current
}
