import { z } from 'zod'
import type { Tool, ToolType } from '../agent/index.js'
import { cardThingsSchema, failureCodeSchema, type CardThing, type Market } from '../commerce/index.js'
import { failure, FailureError, type FailureCode } from '../core/failure.js'
import { identifier, type PlayerId } from '../core/ids.js'
import { INBOX, leftOf, mergeLines, type Goods, type InboxEntry } from '../inventory/index.js'

/** Entries that one press takes. */
const MAX_CLAIMS = 64

const claimSchema = z.strictObject({
  /** Null: all that wait. */
  entry: z.string().min(1).max(64).nullable(),
})
type Claim = z.infer<typeof claimSchema>

/** What a claim did. */
export const claimedSchema = z.strictObject({
  things: cardThingsSchema,
  /** What did not fit of an entry that was opened: it waits as another one. */
  left: cardThingsSchema,
  /** Why an entry was not given at all; null: each was, or there was no more room for the last. */
  failure: failureCodeSchema.nullable(),
})
export type Claimed = z.infer<typeof claimedSchema>

/** Delivers from the inbox. It writes, so no model is ever offered it. */
export const claimType: ToolType<Claim, Claimed> = {
  id: 'inbox.claim',
  input: claimSchema,
  output: claimedSchema,
  kind: 'async',
  write: true,
}

/** What concerns one entry alone: those behind it may be given all the same. */
const ONE_ENTRY: readonly FailureCode[] = ['system:resource_full', 'system:unknown_entry']

type Given = Goods & Pick<InboxEntry, 'booked'>

/** The tool: the item lane's own marks are the receipts, so that what was given once is never given again. */
export const claimTool = (market: Market): Tool<Claim, Claimed> => ({
  type: claimType,
  owner: identifier('system:inbox'),
  handler({ entry }, { player, signal }) {
    const waiting = entriesOf(market, player).filter(({ state }) => state === 'AVAILABLE')
    if (entry === null) return claim(market, player, { entries: waiting.slice(0, MAX_CLAIMS), signal })
    const one = waiting.find(({ id }) => id === entry)
    // pressed again, or on another card: it is the player's already
    if (one === undefined) throw new FailureError(failure('system:unknown_entry'))
    return claim(market, player, { entries: [one], signal })
  },
})

const entriesOf = ({ kept }: Market, player: PlayerId): readonly InboxEntry[] =>
  kept(player)?.get(INBOX) ?? []

/** One after the other, as long as there is room and whoever asked still waits for it. */
async function claim(
  market: Market,
  player: PlayerId,
  { entries, signal }: { readonly entries: readonly InboxEntry[]; readonly signal: AbortSignal },
): Promise<Claimed> {
  const given: Given[] = []
  let left: Given = { lines: [], xp: 0, booked: [] }
  let code: FailureCode | null = null
  for (const entry of entries) {
    if (signal.aborted) break
    const done = await market.lane().give(player, entry.id)
    if (!done.ok) {
      code ??= done.failure.code
      if (ONE_ENTRY.includes(done.failure.code)) continue
      break
    }
    left = leftOf(entriesOf(market, player), entry)
    given.push(minus(entry, left))
    if (left.lines.length > 0) break
    if (left.booked.length > 0) code ??= 'system:resource_full'
  }
  const all = given.flatMap(({ lines }) => lines)
  const xp = given.reduce((total, one) => total + one.xp, 0)
  const booked = given.flatMap((one) => one.booked)
  return {
    things: thingsOf(market, { lines: all, xp, booked }),
    left: thingsOf(market, { ...left, booked: [] }),
    failure: code,
  }
}

const thingsOf = ({ display }: Market, { lines, xp, booked }: Given): CardThing[] =>
  display.goods(mergeLines(lines), xp, booked)

/** What of an entry was given, where some is left. */
function minus(entry: InboxEntry, left: Given): Given {
  const owed = left.booked.map((booked) => JSON.stringify(booked))
  return {
    xp: entry.xp - left.xp,
    booked: entry.booked.filter((booked) => {
      const at = owed.indexOf(JSON.stringify(booked))
      if (at >= 0) owed.splice(at, 1)
      return at < 0
    }),
    lines: mergeLines(entry.lines).flatMap((line) => {
      const kept = left.lines.find(({ item, data }) => item === line.item && data === line.data)?.count ?? 0
      return line.count > kept ? [{ ...line, count: line.count - kept }] : []
    }),
  }
}
