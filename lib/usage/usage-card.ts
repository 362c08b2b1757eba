import type { CardLine, CardType } from '../cards/index.js'
import { identifier } from '../core/ids.js'
import type { Message } from '../text/index.js'
import { tokensOf, type UsageCounts } from './counts.js'
import { MICRO } from './prices.js'
import { usageReportSchema, type DayReport, type UsageReport } from './usage-report.js'

const words = (key: string, params: Message['params'] = {}): Message => ({
  key: `system.usage.${key}`,
  params,
})
const number = (count: number): Message => words('number', { count })
const row = (label: Message, ...value: readonly Message[]): CardLine => ({ kind: 'row', label, value })

/** Usage of a player or of the server: today in full, earlier days in a line each. */
export const usageCardType: CardType<UsageReport> = {
  id: identifier('system:usage'),
  schema: usageReportSchema,
  build: (report) => ({
    title: words(report.server === null ? 'title' : 'title_server', { day: report.today.day }),
    lines: [
      ...todayLines(report),
      ...report.earlier.map((day) => row(words('day', { day: day.day }), ...summary(day))),
      ...serverLines(report),
    ],
    buttons: [],
  }),
}

function todayLines({ today, callLimit }: UsageReport): readonly CardLine[] {
  const { calls, searches, prompt, cached, output, reasoning } = today.counts
  return [
    row(
      words('calls'),
      callLimit === null ? number(calls) : words('number_of', { count: calls, limit: callLimit }),
    ),
    row(words('read'), cached > 0 ? words('with_cached', { count: prompt, cached }) : number(prompt)),
    row(
      words('written'),
      reasoning > 0 ? words('with_reasoning', { count: output, reasoning }) : number(output),
    ),
    ...(searches > 0 ? [row(words('searches'), number(searches))] : []),
    ...(today.currency === '' ? [] : [row(words('cost'), cost(today))]),
    ...marks(today.counts),
  ]
}

/** What the numbers don't know. */
function marks({ estimated, unpriced }: UsageCounts): readonly CardLine[] {
  const mark = (key: string, count: number): CardLine[] =>
    count === 0 ? [] : [{ kind: 'message', tone: 'muted', message: words(key, { count }) }]
  return [...mark('estimated', estimated), ...mark('unpriced', unpriced)]
}

function serverLines({ server }: UsageReport): readonly CardLine[] {
  if (server === null) return []
  const { month, top } = server
  return [
    row(words('month'), ...summary(month)),
    ...top.map(({ name, counts }) => ({
      kind: 'row' as const,
      label: words('player', { player: name }),
      value: summary({ ...month, counts }),
    })),
  ]
}

/** A day, or a player's day, in a few words. */
function summary(day: DayReport): readonly Message[] {
  const { counts } = day
  return [
    words('some_calls', { count: counts.calls }),
    words('some_tokens', { count: tokensOf(counts) }),
    ...(counts.searches > 0 ? [words('some_searches', { count: counts.searches })] : []),
    ...(day.currency === '' ? [] : [cost(day)]),
    ...(counts.estimated > 0 ? [words('some_estimated', { count: counts.estimated })] : []),
    ...(counts.unpriced > 0 ? [words('some_unpriced', { count: counts.unpriced })] : []),
  ]
}

const cost = ({ counts, currency }: DayReport): Message =>
  words('amount', { amount: decimal(counts.cost), currency })

/** Millionths as a decimal number, without trailing zeros beyond the cent. */
function decimal(cost: number): string {
  const rest = String(cost % MICRO).padStart(6, '0')
  return `${Math.floor(cost / MICRO)}.${rest.slice(0, 2)}${rest.slice(2).replace(/0+$/, '')}`
}
