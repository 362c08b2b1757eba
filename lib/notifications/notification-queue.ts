import { PRIORITIES, type Notification, type Priority } from './notification.js'

/** So many wait for a player; the line that sums up the rest is one of them. */
export const WAITING_LIMIT = 32

const rank = ({ priority }: Pick<Notification, 'priority'>): number => PRIORITIES.indexOf(priority)

/** What waits to be shown to one player: the highest priority first, of one priority the oldest. */
export class NotificationQueue {
  #waiting: Notification[] = []
  /** How many have lost their place; the line of them comes last. */
  #merged = 0

  /** How many wait, the line that sums up included. */
  get size(): number {
    return this.#waiting.length + (this.#merged > 0 ? 1 : 0)
  }

  /**
   * Puts it behind the others; one of the same id that waits gives it its place. When there is no room, the oldest ones of
   * the lowest priority become one line that counts them: their owners, where they have any, give them again.
   */
  add(notification: Notification): void {
    const at = this.#waiting.findIndex(({ id }) => id === notification.id)
    if (at < 0) this.#waiting.push(notification)
    else this.#waiting[at] = notification
    while (this.size > WAITING_LIMIT) {
      this.#remove(this.#first((one, other) => rank(one) < rank(other)))
      this.#merged += 1
    }
  }

  /** Takes out what comes next, if it has at least that priority; null: nothing. */
  take(least: Priority): Notification | null {
    const next = this.#first((one, other) => rank(one) > rank(other)) ?? this.#summary()
    if (next === null || rank(next) < PRIORITIES.indexOf(least)) return null
    if (next.id === SUMMARY) this.#merged = 0
    else this.#remove(next)
    return next
  }

  /** The oldest of those that go before all others. */
  #first(goesBefore: (one: Notification, other: Notification) => boolean): Notification | null {
    const [oldest, ...others] = this.#waiting
    if (oldest === undefined) return null
    return others.reduce((first, one) => (goesBefore(one, first) ? one : first), oldest)
  }

  #summary(): Notification | null {
    if (this.#merged === 0) return null
    const message = { key: 'system.notification.more', params: { count: this.#merged } }
    return { id: SUMMARY, priority: 'low', message, tone: 'muted', cards: [] }
  }

  #remove(gone: Notification | null): void {
    this.#waiting = this.#waiting.filter((notification) => notification !== gone)
  }
}

/** No notification is called so: the id is that of none of ours, and others have a namespace. */
const SUMMARY = 'more'
