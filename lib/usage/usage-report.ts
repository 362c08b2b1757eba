import { z } from 'zod'
import type { PlayerId } from '../core/ids.js'
import { usageCountsSchema } from './counts.js'
import { SHOWN_DAYS, type UsageLedger } from './ledger.js'
import type { UsageDay } from './usage-day.js'

/** Players that the server's report names. */
const TOP_PLAYERS = 10
/** Days of the server's sum. */
const SUM_DAYS = 30

const daySchema = z.strictObject({ day: z.string(), currency: z.string(), counts: usageCountsSchema })
export type DayReport = z.infer<typeof daySchema>

/** Usage of one player, or of the server. */
export const usageReportSchema = z.strictObject({
  today: daySchema,
  /** Earlier days on which something was used, newest first. */
  earlier: z.array(daySchema).max(SHOWN_DAYS),
  /** Calls that the player may make a day; null in the server's report. */
  callLimit: z.int().min(0).nullable(),
  /** The server's: what the last 30 days come to, and who used most today. */
  server: z
    .strictObject({
      month: daySchema,
      top: z.array(z.strictObject({ name: z.string(), counts: usageCountsSchema })).max(TOP_PLAYERS),
    })
    .nullable(),
})
export type UsageReport = z.infer<typeof usageReportSchema>

/** The player's own usage. */
export function playerReport(ledger: UsageLedger, player: PlayerId, callLimit: number): UsageReport {
  const [today, earlier] = shownDays(ledger, (day) => day.countsOf(player))
  return { today, earlier, callLimit, server: null }
}

/** The server's usage, with the names of those who used most: for administrators. */
export function serverReport(ledger: UsageLedger): UsageReport {
  const [today, earlier] = shownDays(ledger, ({ total }) => total)
  const month = { day: today.day, ...ledger.sumOf(SUM_DAYS) }
  const top = [...ledger.day().accounts.values()]
    .sort((a, b) => b.counts.prompt + b.counts.output - (a.counts.prompt + a.counts.output))
    .slice(0, TOP_PLAYERS)
  return { today, earlier, callLimit: null, server: { month, top } }
}

function shownDays(
  ledger: UsageLedger,
  countsOf: (day: UsageDay) => DayReport['counts'],
): [today: DayReport, earlier: DayReport[]] {
  const current = ledger.day()
  const report = (day: UsageDay): DayReport => ({
    day: day.key,
    currency: day.currency,
    counts: countsOf(day),
  })
  const earlier = ledger
    .days()
    .slice(0, SHOWN_DAYS)
    .filter((day) => day !== current)
    .map(report)
    .filter(({ counts }) => counts.calls + counts.searches > 0)
  return [report(current), earlier]
}
