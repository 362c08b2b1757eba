import type { ModelCharge, ModelQuota, QuotaCall, DayUse } from '../agent/index.js'
import type { ModelPrice, SearchPrice } from '../config/index.js'
import type { Clock } from '../core/clock.js'
import { playerId, type PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Usage } from '../pool/index.js'
import { Calendar, followClock, shiftDay } from '../core/calendar.js'
import { addCounts, NO_COUNTS, tokensOf, type UsageCounts } from './counts.js'
import { costOf, micro, modelPricesAt, searchPriceAt, type MicroPrices } from './prices.js'
import { UsageDay } from './usage-day.js'

/** Daily limits, read at each use. */
export interface UsageLimits {
  /** Model calls of one player a day. */
  readonly dailyModelCalls: number
  /** Tokens of the whole server a day. */
  readonly dailyTokens: number
  /** Cost of the whole server a day, in the currency's unit; null: no limit. What has no price isn't bounded by it. */
  readonly dailyCost: number | null
  /** IANA zone in which a day begins at midnight. */
  readonly timeZone: string
}

/** The price tables, read at each use. */
export interface PriceTables {
  readonly currency: string
  readonly models: readonly ModelPrice[]
  readonly engines: readonly SearchPrice[]
}

/** What a ledger is made of. */
export interface LedgerParts {
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: () => UsageLimits
  readonly prices: () => PriceTables
  /** The player's name now, for administrators who read the ledger. */
  readonly nameOf: (player: PlayerId) => string
}

/** The account of model calls for event tasks and in the background: they are nobody's own, but count for the server. */
export const EVENT_ACCOUNT = playerId('00000000-0000-0000-0000-000000000000')
const EVENT_NAME = 'events'

/** Days of which totals are kept. */
export const KEPT_DAYS = 400
/** Days of which accounts are kept in memory: those that `/system usage` shows. */
export const SHOWN_DAYS = 7

/**
 * What players used by calendar day, and the one truth for quotas and caps. A call is charged with its worst case when
 * it is taken, on the day of that moment, at the prices of that moment, and corrected when it is settled: whatever
 * happens between, the ledger never says less than what may have been used.
 */
export class UsageLedger implements ModelQuota {
  readonly #parts: LedgerParts
  readonly #calendar = new Calendar()
  /** By key, oldest first. */
  #days = new Map<string, UsageDay>()
  #today: UsageDay | null = null
  #warnedDay = ''
  #onChange: () => void = () => {}

  constructor(parts: LedgerParts) {
    this.#parts = parts
  }

  /** Called after each change, in the turn of it. */
  onChange(listener: () => void): void {
    this.#onChange = listener
  }

  take(call: QuotaCall): Result<ModelCharge> {
    const limits = this.#parts.limits()
    const day = this.day()
    const isEvent = call.isEvent === true
    const player = isEvent ? EVENT_ACCOUNT : call.player
    if (!isEvent && day.countsOf(player).calls >= limits.dailyModelCalls) return fail('system:quota_player')
    if (!day.hasRoomFor(player)) return fail('system:quota_server')
    const worst: Usage = { prompt: call.inputTokens, cached: 0, output: call.outputTokens, reasoning: 0 }
    if (tokensOf(day.total) + worst.prompt + worst.output > limits.dailyTokens)
      return fail('system:quota_server')
    const prices = this.#modelPrices(day, call.model)
    const highest = prices === null ? null : { ...prices, miss: Math.max(prices.hit, prices.miss) }
    const charged = { ...callCounts(worst, highest), estimated: 1 }
    if (limits.dailyCost !== null) {
      if (prices === null) this.#warnUnpriced(day, call.model)
      else if (charged.cost > 0 && day.total.cost + charged.cost > micro(limits.dailyCost))
        return fail('system:quota_server')
    }
    if (prices !== null) day.currency = this.#parts.prices().currency
    return ok(this.#charge(day, player, { charged, prices }))
  }

  /** Counts a web search that succeeded: those that fail cost nothing. */
  addSearch(player: PlayerId, engine: string): void {
    const { clock, nameOf, prices } = this.#parts
    const day = this.day()
    const { currency, engines } = prices()
    const time = { calendar: this.#calendar, nowMs: clock.now() }
    const price = this.#isForeign(day, currency) ? null : searchPriceAt(engines, engine, time)
    if (price !== null) day.currency = currency
    const counts = { ...NO_COUNTS, searches: 1, unpriced: price === null ? 1 : 0, cost: price ?? 0 }
    day.charge({ id: player, name: nameOf(player) }, counts)
    this.#onChange()
  }

  today(): DayUse {
    const { key, total } = this.day()
    return { day: key, calls: total.calls, tokens: tokensOf(total) }
  }

  /** The day to count on now; a new one starts with nothing used. */
  day(): UsageDay {
    const { clock, limits } = this.#parts
    const clockDay = this.#calendar.at(limits().timeZone, clock.now()).day
    const before = this.#today
    if (before?.clockDay === clockDay) return before
    const mark = followClock(before, clockDay)
    if (before !== null && mark.key === before.key) {
      if (mark.clockDay !== before.clockDay) {
        before.noticeClock(mark.clockDay)
        this.#onChange()
      }
      return before
    }
    if (mark.key !== mark.clockDay)
      this.#parts.logger.warn(
        `usage: today is ${mark.key}, for the clock was there once; it shows ${clockDay}`,
      )
    return this.#begin(new UsageDay(mark))
  }

  /** The newest days, newest first, today among them. */
  days(): readonly UsageDay[] {
    this.day()
    return [...this.#days.values()].reverse()
  }

  /** What the last so many days come to; the cost is that of the days in the currency that was used last. */
  sumOf(days: number): { readonly currency: string; readonly counts: UsageCounts } {
    const first = shiftDay(this.day().key, 1 - days)
    const summed = this.days().filter(({ key }) => key >= first)
    const currency = summed.find((day) => day.currency !== '')?.currency ?? ''
    const counts = summed.reduce((sum, day) => {
      const cost = day.currency === currency ? day.total.cost : 0
      return addCounts(sum, { ...day.total, cost })
    }, NO_COUNTS)
    return { currency, counts }
  }

  /** Days with changes that were not saved. */
  unsaved(): readonly UsageDay[] {
    return [...this.#days.values()].filter(({ isSaved }) => !isSaved)
  }

  /** Adds days that were saved by an earlier run; what was counted meanwhile stays, and is unsaved. */
  restore(saved: readonly UsageDay[]): void {
    for (const day of saved) {
      const counted = this.#days.get(day.key)
      if (counted === undefined) this.#days.set(day.key, day)
      else mergeInto(counted, day)
    }
    const inOrder = [...this.#days.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    this.#days = new Map(inOrder.map((day) => [day.key, day]))
    this.#today = inOrder.at(-1) ?? null
    this.#trim()
  }

  #begin(day: UsageDay): UsageDay {
    this.#days.set(day.key, day)
    this.#today = day
    this.#trim()
    return day
  }

  /** Forgets what nobody asks for any more. An open charge and what was not saved keep their day as it is. */
  #trim(): void {
    let age = this.#days.size
    for (const [key, day] of this.#days) {
      age--
      if (age >= KEPT_DAYS) this.#days.delete(key)
      else if (age >= SHOWN_DAYS && day.isSaved && day.open === 0) day.accounts.clear()
    }
  }

  #charge(
    day: UsageDay,
    id: PlayerId,
    { charged, prices }: { charged: UsageCounts; prices: MicroPrices | null },
  ): ModelCharge {
    const player = { id, name: id === EVENT_ACCOUNT ? EVENT_NAME : this.#parts.nameOf(id) }
    let isOpen = true
    const close = (actual: UsageCounts | null): void => {
      if (!isOpen) return
      isOpen = false
      day.open--
      day.charge(player, charged, -1)
      if (actual !== null) day.charge(player, actual)
      this.#onChange()
    }
    day.open++
    day.charge(player, charged)
    this.#onChange()
    return {
      settle: (usage) => close(usage === null || !isPossible(usage) ? charged : callCounts(usage, prices)),
      refund: () => close(null),
    }
  }

  #modelPrices(day: UsageDay, model: string): MicroPrices | null {
    const { clock, prices } = this.#parts
    const { currency, models } = prices()
    if (this.#isForeign(day, currency)) return null
    return modelPricesAt(models, model, { calendar: this.#calendar, nowMs: clock.now() })
  }

  /** Amounts of two currencies have no sum: what comes in another one than that of the day's costs is unpriced. */
  #isForeign(day: UsageDay, currency: string): boolean {
    return day.total.cost > 0 && day.currency !== currency
  }

  #warnUnpriced(day: UsageDay, model: string): void {
    if (this.#warnedDay === day.key) return
    this.#warnedDay = day.key
    this.#parts.logger.warn(`usage: ${model} has no price, so that dailyCost doesn't bound its calls`)
  }
}

/** More than any context holds. */
const LARGEST_COUNT = 10_000_000

/** Numbers of a provider that contradict each other say nothing. */
const isPossible = ({ prompt, cached, output, reasoning }: Usage): boolean =>
  prompt <= LARGEST_COUNT && output <= LARGEST_COUNT && cached <= prompt && reasoning <= output

function callCounts(usage: Usage, prices: MicroPrices | null): UsageCounts {
  const isFree = usage.prompt + usage.output === 0
  return {
    ...NO_COUNTS,
    ...usage,
    calls: 1,
    unpriced: prices === null && !isFree ? 1 : 0,
    cost: prices === null ? 0 : costOf(usage, prices),
  }
}

function mergeInto(counted: UsageDay, saved: UsageDay): void {
  for (const [id, { name, counts }] of saved.accounts) counted.charge({ id, name }, counts)
  counted.total = addCounts(counted.total, saved.total)
  for (const { counts } of saved.accounts.values()) counted.total = addCounts(counted.total, counts, -1)
  if (saved.currency !== '') counted.currency = saved.currency
}
