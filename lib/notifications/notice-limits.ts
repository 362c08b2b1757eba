import type { Clock } from '../core/clock.js'
import type { PlayerId } from '../core/ids.js'

/** So many notices of one plugin for one player at once, then one more every so often. */
const BURST = 10
const REFILL_MS = 3_000
/** Namespaces that have spoken to one player; nobody has more plugins than that. */
const MAX_NAMESPACES = 64

/** How often each plugin may speak to each player. A plugin is known by the namespace of its notices. */
export class NoticeLimits {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** When a bucket that is emptied one by one would be full again, in monotonic milliseconds. */
  readonly #fullAt = new Map<PlayerId, Map<string, number>>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Takes one; false, and nothing taken: too many. */
  take(player: PlayerId, id: string): boolean {
    const now = this.#clock.monotonic()
    const namespace = id.slice(0, id.indexOf(':'))
    const buckets = this.#fullAt.get(player) ?? new Map<string, number>()
    const fullAt = Math.max(now, buckets.get(namespace) ?? now) + REFILL_MS
    if (fullAt > now + BURST * REFILL_MS) return false
    if (!buckets.has(namespace) && buckets.size >= MAX_NAMESPACES) return false
    this.#fullAt.set(player, buckets.set(namespace, fullAt))
    return true
  }

  /** The player's stay has ended. */
  forget(player: PlayerId): void {
    this.#fullAt.delete(player)
  }
}
