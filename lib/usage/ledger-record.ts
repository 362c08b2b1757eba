import { z } from 'zod'
import { isUuid, type PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { RecordKey, StoredRecord } from '../storage/index.js'
import { isDay } from '../core/calendar.js'
import { addCounts, NO_COUNTS, usageCountsSchema } from './counts.js'
import { KEPT_DAYS, SHOWN_DAYS } from './ledger.js'
import { codecOf } from '../codec/index.js'
import { UsageDay } from './usage-day.js'

/**
 * Where the ledger is kept: for each day one part with its totals, `2026-11-30`, and one with its accounts,
 * `2026-11-30/players`. It is the world's, not a player's: revoking and resetting leave it alone.
 */
export const LEDGER_KEY: RecordKey = { collection: 'world', id: 'token_usage' }

/** Days of which accounts are kept. */
const KEPT_ACCOUNT_DAYS = 62

const day = z.string().refine(isDay, 'must be a calendar day')
const player = z.string().refine((id): id is PlayerId => isUuid(id), 'must be a uuid')

const totalSchema = z.strictObject({
  v: z.literal(1),
  clockDay: day,
  /** Empty: nothing was priced. */
  currency: z.string().max(8),
  total: usageCountsSchema,
})
const accountsSchema = z.strictObject({
  v: z.literal(1),
  players: z.array(z.strictObject({ id: player, name: z.string().max(64), counts: usageCountsSchema })),
})
const totalCodec = codecOf(totalSchema)
const accountsCodec = codecOf(accountsSchema)

const accountsPart = (key: string): string => `${key}/players`

/** The parts of a day as they are stored. */
export function encodeDay(day: UsageDay): Result<readonly (readonly [part: string, tag: Uint8Array])[]> {
  const { key, clockDay, currency, total } = day
  const totals = totalCodec.encode({ v: 1, clockDay, currency, total })
  if (!totals.ok) return totals
  const players = [...day.accounts].map(([id, { name, counts }]) => ({ id, name, counts }))
  const accounts = accountsCodec.encode({ v: 1, players })
  if (!accounts.ok) return accounts
  return ok([
    [key, totals.value],
    [accountsPart(key), accounts.value],
  ])
}

/** What was read. */
export interface ReadLedger {
  readonly days: readonly UsageDay[]
  /** Days of which something can't be decoded, with why: they must not be written over. */
  readonly unreadable: ReadonlyMap<string, unknown>
}

/** Decodes the totals of all days, and the accounts of those that are shown. */
export function decodeLedger({ parts }: Pick<StoredRecord, 'parts'>): ReadLedger {
  const days: UsageDay[] = []
  const unreadable = new Map<string, unknown>()
  const keys = dayKeys(parts.keys()).slice(0, KEPT_DAYS)
  for (const [age, key] of keys.entries()) {
    const decoded = decodeDay(parts, key, age < SHOWN_DAYS)
    if (decoded.ok) days.push(decoded.value)
    else unreadable.set(key, decoded.failure.cause)
  }
  return { days, unreadable }
}

/** Decodes everything that is kept, for a check: which days can't be used and why, and parts that belong to none. */
export function checkLedger({ parts }: Pick<StoredRecord, 'parts'>): {
  readonly days: number
  readonly wrong: ReadonlyMap<string, unknown>
  readonly others: readonly string[]
} {
  const keys = dayKeys(parts.keys())
  const wrong = new Map<string, unknown>()
  for (const key of keys) {
    const decoded = decodeDay(parts, key, true)
    if (!decoded.ok) wrong.set(key, decoded.failure.cause)
    else if (!coversAccounts(decoded.value)) wrong.set(key, new Error('players used more than all together'))
  }
  const names = new Set(keys.flatMap((key) => [key, accountsPart(key)]))
  return { days: keys.length, wrong, others: [...parts.keys()].filter((name) => !names.has(name)) }
}

/** What is charged to a player is charged to the server; accounts may be gone, totals stay. */
function coversAccounts({ accounts, total }: UsageDay): boolean {
  const sum = [...accounts.values()].reduce((sum, { counts }) => addCounts(sum, counts), NO_COUNTS)
  return (Object.keys(total) as (keyof typeof total)[]).every((field) => sum[field] <= total[field])
}

function decodeDay(
  parts: ReadonlyMap<string, Uint8Array>,
  key: string,
  withAccounts: boolean,
): Result<UsageDay> {
  const [totalTag, accountsTag] = [parts.get(key), parts.get(accountsPart(key))]
  if (totalTag === undefined) return fail('system:storage_unreadable', {}, new Error('totals are missing'))
  const total = totalCodec.decode(totalTag)
  if (!total.ok) return total
  const accounts =
    withAccounts && accountsTag !== undefined ? accountsCodec.decode(accountsTag) : ok({ v: 1, players: [] })
  if (!accounts.ok) return accounts
  const read = new UsageDay({ key, clockDay: total.value.clockDay })
  for (const { id, name, counts } of accounts.value.players) read.accounts.set(id, { name, counts })
  read.currency = total.value.currency
  read.total = total.value.total
  return ok(read)
}

/** Days among the parts, newest first. */
function dayKeys(names: Iterable<string>): readonly string[] {
  const keys = new Set([...names].map((name) => name.split('/')[0] ?? '').filter(isDay))
  return [...keys].sort().reverse()
}

/** Parts that are older than what is kept. */
export function outdatedParts(names: ReadonlySet<string>): readonly string[] {
  const keys = dayKeys(names)
  const old = keys.slice(KEPT_DAYS)
  return [...keys.slice(KEPT_ACCOUNT_DAYS).map(accountsPart), ...old].filter((name) => names.has(name))
}

/** Parts in the order in which they may go when the record is too large: accounts first, oldest first, never today's. */
export function spareParts(names: ReadonlySet<string>): readonly string[] {
  const oldest = dayKeys(names).slice(1).reverse()
  return [...oldest.map(accountsPart), ...oldest].filter((name) => names.has(name))
}
