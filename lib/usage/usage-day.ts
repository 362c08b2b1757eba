import type { PlayerId } from '../core/ids.js'
import type { DayMark } from '../core/calendar.js'
import { addCounts, isNothing, NO_COUNTS, type UsageCounts } from './counts.js'

/** What one player used on a day. */
export interface UsageAccount {
  /** As the player was called last. */
  name: string
  counts: UsageCounts
}

/** Players of one day, each with a call of its own; more are refused. Encoding so many takes the main thread 8 ms. */
const MAX_ACCOUNTS = 5_000

/** One day of the ledger. What is charged to a player is charged to the server, in the same step. */
export class UsageDay {
  readonly key: string
  /** What the clock showed when the day was last moved on to or held. */
  clockDay: string
  /** Of all costs of the day; empty while there are none. */
  currency = ''
  total: UsageCounts = NO_COUNTS
  readonly accounts = new Map<PlayerId, UsageAccount>()
  /** Charges that may still be corrected. */
  open = 0
  #changes = 0
  #saved = 0

  constructor({ key, clockDay }: DayMark) {
    this.key = key
    this.clockDay = clockDay
  }

  /** What the player used. */
  countsOf(player: PlayerId): UsageCounts {
    return this.accounts.get(player)?.counts ?? NO_COUNTS
  }

  /** Whether the player has, or may get, an account. */
  hasRoomFor(player: PlayerId): boolean {
    return this.accounts.size < MAX_ACCOUNTS || this.accounts.has(player)
  }

  /** Charges the player, or with a sign of -1 gives back; an account in which nothing is left goes. */
  charge(
    player: { readonly id: PlayerId; readonly name: string },
    counts: UsageCounts,
    sign: 1 | -1 = 1,
  ): void {
    const next = addCounts(this.countsOf(player.id), counts, sign)
    if (isNothing(next)) this.accounts.delete(player.id)
    else this.accounts.set(player.id, { name: player.name, counts: next })
    this.total = addCounts(this.total, counts, sign)
    this.#changes++
  }

  /** The clock shows another day while this one lasts. */
  noticeClock(clockDay: string): void {
    this.clockDay = clockDay
    this.#changes++
  }

  /** Number of changes so far: what `markSaved` is told when these are durable. */
  get changes(): number {
    return this.#changes
  }

  get isSaved(): boolean {
    return this.#saved === this.#changes
  }

  markSaved(changes: number): void {
    this.#saved = changes
  }
}
