import type { Clock } from '../core/clock.js'
import type { PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { NotificationQueue } from './notification-queue.js'
import type { Notification, NotificationOwner, Priority } from './notification.js'

/** Pause behind each notification, before the next of that priority. */
const PAUSE_MS: Readonly<Record<Priority, number>> = { low: 3_000, normal: 2_000, high: 500 }

/** What a player has switched. */
export interface NotificationSwitches {
  /** Off: those of low priority are dropped unseen, the others are chat messages and nothing more. */
  readonly notifications: boolean
  readonly sounds: boolean
}

export interface NotificationsParts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
  isHere(player: PlayerId): boolean
  /**
   * What keeps notifications waiting now: a screen that nothing may cover holds all of them, a request of the player's own
   * all but those of high priority.
   */
  readonly heldBy: (player: PlayerId) => 'screen' | 'request' | null
  readonly switches: (player: PlayerId) => NotificationSwitches
  /** Shows one, with no more beside its chat message than the player wants. */
  show(player: PlayerId, notification: Notification, switches: NotificationSwitches): void
}

interface State {
  readonly queue: NotificationQueue
  /** Monotonic milliseconds; -Infinity: nothing was shown in this stay, or long ago. */
  shownAt: number
}

/**
 * What players are told unasked, one after the other at a calm rate. Needs no timer: `tick` is called often. Of a player
 * for whom nothing waits nothing is kept.
 */
export class Notifications {
  readonly #parts: NotificationsParts
  readonly #states = new Map<PlayerId, State>()
  readonly #owners = new Set<NotificationOwner>()

  constructor(parts: NotificationsParts) {
    this.#parts = parts
  }

  /** Players for whom something waits, or who were shown something a moment ago. */
  get players(): number {
    return this.#states.size
  }

  /** Shows it at once or in its turn; one who is not here is told nothing. */
  offer(player: PlayerId, notification: Notification): void {
    if (!this.#parts.isHere(player)) return
    const state = this.#states.get(player) ?? { queue: new NotificationQueue(), shownAt: -Infinity }
    this.#states.set(player, state)
    state.queue.add(notification)
    this.#next(player, state)
  }

  /** Lets the owner give what players who come have not seen yet; returns what ends that. */
  own(owner: NotificationOwner): () => void {
    this.#owners.add(owner)
    return () => void this.#owners.delete(owner)
  }

  /** A player has come. */
  arrived(player: PlayerId): void {
    for (const owner of this.#owners) {
      try {
        for (const notification of owner(player)) this.offer(player, notification)
      } catch (thrown) {
        this.#parts.logger.error('what a player has not seen yet is not known', thrown)
      }
    }
  }

  /** Shows what is due. */
  tick(): void {
    for (const [player, state] of this.#states) this.#next(player, state)
  }

  /** The player's stay, or its System, has ended: what waits is dropped unseen. */
  forget(player: PlayerId): void {
    this.#states.delete(player)
  }

  /** Nothing waits any more, and nothing is shown. */
  close(): void {
    this.#states.clear()
    this.#owners.clear()
  }

  #next(player: PlayerId, state: State): void {
    const { clock, heldBy, switches } = this.#parts
    const pausedMs = clock.monotonic() - state.shownAt
    if (state.queue.size === 0) {
      if (pausedMs >= PAUSE_MS.low) this.#states.delete(player)
      return
    }
    const held = heldBy(player)
    const least = held === 'request' ? 'high' : leastAfter(pausedMs)
    if (held === 'screen' || least === null) return
    const next = state.queue.take(least)
    if (next === null) return
    const wanted = switches(player)
    if (!wanted.notifications && next.priority === 'low') return
    state.shownAt = clock.monotonic()
    this.#show(player, next, wanted)
  }

  /** Content of other plugins must not end what the host was doing. */
  #show(player: PlayerId, notification: Notification, wanted: NotificationSwitches): void {
    try {
      this.#parts.show(player, notification, wanted)
      notification.seen?.()
    } catch (thrown) {
      this.#parts.logger.error(`the notification ${notification.id} could not be shown`, thrown)
    }
  }
}

/** The lowest priority whose pause is over; null: none. */
function leastAfter(pausedMs: number): Priority | null {
  if (pausedMs >= PAUSE_MS.low) return 'low'
  if (pausedMs >= PAUSE_MS.normal) return 'normal'
  return pausedMs >= PAUSE_MS.high ? 'high' : null
}
