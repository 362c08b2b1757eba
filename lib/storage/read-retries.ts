import type { CancelTimer, Clock } from '../core/clock.js'
import type { PlayerId } from '../core/ids.js'

/** Pauses before each further attempt, doubling from the first to the last. */
const RETRY_MS = { first: 1_000, last: 30_000 }

/**
 * Attempts to read records again that could not be read when they were needed, one player at a time: without them the
 * player's System would stay off until somebody happens to ask.
 */
export class ReadRetries {
  readonly #clock: Clock
  readonly #read: (player: PlayerId) => void
  readonly #planned = new Map<PlayerId, { pauseMs: number; cancel: CancelTimer | null }>()

  constructor(clock: Clock, read: (player: PlayerId) => void) {
    this.#clock = clock
    this.#read = read
  }

  /** An attempt failed: the next one is made after a longer pause. One that is planned stays. */
  plan(player: PlayerId): void {
    const before = this.#planned.get(player)
    if (before !== undefined && before.cancel !== null) return
    const pauseMs = before === undefined ? RETRY_MS.first : Math.min(RETRY_MS.last, before.pauseMs * 2)
    const planned = { pauseMs, cancel: null as CancelTimer | null }
    planned.cancel = this.#clock.after(pauseMs, () => {
      planned.cancel = null
      this.#read(player)
    })
    this.#planned.set(player, planned)
  }

  /** The records were read, or nobody waits for them any more. */
  end(player: PlayerId): void {
    this.#planned.get(player)?.cancel?.()
    this.#planned.delete(player)
  }

  close(): void {
    for (const player of this.#planned.keys()) this.end(player)
  }
}
