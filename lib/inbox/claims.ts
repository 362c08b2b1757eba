import { z } from 'zod'
import type { Tool, ToolType } from '../agent/index.js'
import { cardThingSchema, failureCodeSchema, type CardThing, type Market } from '../commerce/index.js'
import type { FailureCode } from '../core/failure.js'
import { FailureError, failure } from '../core/failure.js'
import { identifier, type PlayerId } from '../core/ids.js'
import { INBOX, type InboxEntry } from '../inventory/index.js'

/** Entries that one press takes. */
const MAX_CLAIMS = 64

const claimSchema = z.strictObject({
  /** Null: all that wait. */
  entry: z.string().min(1).max(64).nullable(),
})
type Claim = z.infer<typeof claimSchema>

const claimedSchema = z.strictObject({
  things: z.array(cardThingSchema).max(128),
  /** Why not all was given; null: it was. */
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

/** Kinds of things on one card. */
const MAX_THINGS = 128

/** The tool: the item lane's own marks are the receipts, so that what was given once is never given again. */
export const claimTool = (market: Market): Tool<Claim, Claimed> => ({
  type: claimType,
  owner: identifier('system:inbox'),
  async handler({ entry }, { player }) {
    const waiting = entriesOf(market, player).filter(({ state }) => state === 'AVAILABLE')
    if (entry !== null) {
      const one = waiting.find(({ id }) => id === entry)
      // pressed again, or on another card: it is the player's already
      if (one === undefined) throw new FailureError(failure('system:unknown_entry'))
      return claim(market, player, [one])
    }
    return claim(market, player, waiting.slice(0, MAX_CLAIMS))
  },
})

const entriesOf = ({ kept }: Market, player: PlayerId): readonly InboxEntry[] =>
  kept(player)?.get(INBOX) ?? []

/** One after the other; the first that can't be given ends it, for what comes behind would fare no better. */
async function claim(market: Market, player: PlayerId, entries: readonly InboxEntry[]): Promise<Claimed> {
  const given: InboxEntry[] = []
  let code: FailureCode | null = null
  for (const entry of entries) {
    const done = await market.lane().give(player, entry.id)
    if (!done.ok) {
      code = done.failure.code
      break
    }
    // what did not fit waits as an entry of its own
    const left = entriesOf(market, player).find(
      (other) => other.state === 'AVAILABLE' && isRestOf(other, entry),
    )
    given.push(left === undefined ? entry : minus(entry, left))
    if (left !== undefined) {
      code = 'system:inventory_full'
      break
    }
  }
  const lines = given.flatMap((entry) => entry.lines)
  const booked = given.flatMap((entry) => entry.booked)
  const xp = given.reduce((total, entry) => total + entry.xp, 0)
  const things: CardThing[] = market.display.goods(lines, xp, booked).slice(0, MAX_THINGS)
  return { things, failure: code }
}

const isRestOf = (other: InboxEntry, entry: InboxEntry): boolean =>
  other.id !== entry.id &&
  (other.id.split('.')[0] === entry.id.split('.')[0] || other.id === `${entry.id}-owed`)

/** What of an entry was given, where some is left. */
const minus = (entry: InboxEntry, left: InboxEntry): InboxEntry => ({
  ...entry,
  booked: left.booked.length > 0 ? [] : entry.booked,
  lines: entry.lines.flatMap((line) => {
    const kept = left.lines.find(({ item, data }) => item === line.item && data === line.data)?.count ?? 0
    return line.count > kept ? [{ ...line, count: line.count - kept }] : []
  }),
})
