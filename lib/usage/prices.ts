import type { ModelPrice, PriceWindow, SearchPrice, TokenPrices } from '../config/index.js'
import type { Usage } from '../pool/index.js'
import { shiftDay, type Calendar, type LocalTime } from '../core/calendar.js'

/** Money is counted in millionths of the currency's unit, whole numbers. */
export const MICRO = 1_000_000

/** Prices per million tokens, in millionths of the currency's unit. */
export type MicroPrices = { readonly [C in keyof TokenPrices]: number }

/** The prices of a model at a moment, or null when its table doesn't know all of them. */
export function modelPricesAt(
  table: readonly ModelPrice[],
  model: string,
  time: { readonly calendar: Calendar; readonly nowMs: number },
): MicroPrices | null {
  for (const entry of table) {
    const local = time.calendar.at(entry.timeZone, time.nowMs)
    if (!fits(entry.model, model) || !isValid(entry, local.day)) continue
    const { hit, miss, output } = entry.windows.find((window) => isInside(window, local)) ?? entry
    if (hit === null || miss === null || output === null) return null
    return { hit: micro(hit), miss: micro(miss), output: micro(output) }
  }
  return null
}

/** The price of one search in millionths of the currency's unit, rounded up, or null when it isn't known. */
export function searchPriceAt(
  table: readonly SearchPrice[],
  engine: string,
  time: { readonly calendar: Calendar; readonly nowMs: number },
): number | null {
  const entry = table.find(
    (one) => fits(one.engine, engine) && isValid(one, time.calendar.at(one.timeZone, time.nowMs).day),
  )
  if (entry === undefined || entry.thousand === null) return null
  return Math.ceil(micro(entry.thousand) / 1_000)
}

/** What the tokens cost, in millionths of the currency's unit, rounded up: a cap must not be passed by crumbs. */
export function costOf(usage: Usage, prices: MicroPrices): number {
  const part = (tokens: number, price: number): bigint => BigInt(tokens) * BigInt(price)
  const total =
    part(usage.cached, prices.hit) +
    part(usage.prompt - usage.cached, prices.miss) +
    part(usage.output, prices.output)
  const million = BigInt(MICRO)
  return Number((total + million - 1n) / million)
}

/** A decimal amount of the configuration in millionths. */
export const micro = (amount: number): number => Math.round(amount * MICRO)

function isValid({ from, until }: Pick<ModelPrice, 'from' | 'until'>, day: string): boolean {
  return (from === null || day >= from) && (until === null || day < until)
}

/** Whether the id has the parts of the pattern in their order, with anything where it has a `*`. */
function fits(pattern: string, id: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return id === pattern
  if (!id.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = id.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return id.length - last.length >= at && id.endsWith(last)
}

function isInside(window: PriceWindow, { day, minute }: LocalTime): boolean {
  const [from, until] = [minuteOf(window.from), minuteOf(window.until)]
  const begins = (on: string): boolean => window.days.includes(weekday(on)) && !window.except.includes(on)
  if (from < until) return minute >= from && minute < until && begins(day)
  return (minute >= from && begins(day)) || (minute < until && begins(shiftDay(day, -1)))
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** 1 is Monday, 7 is Sunday. */
const weekday = (day: string): number => new Date(day).getUTCDay() || 7
