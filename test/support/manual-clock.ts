import type { CancelTimer, Clock } from '../../lib/core/clock.js'

interface Timer {
  at: number
  readonly periodMs: number | null
  readonly fn: () => void
}

/** A clock that stands still until it is moved by hand; timers fire in the order of their times. */
export class ManualClock implements Clock {
  #now = 0
  readonly #timers = new Set<Timer>()

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  after(delayMs: number, fn: () => void): CancelTimer {
    return this.#add({ at: this.#now + Math.max(0, delayMs), periodMs: null, fn })
  }

  every(periodMs: number, fn: () => void): CancelTimer {
    return this.#add({ at: this.#now + periodMs, periodMs, fn })
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size
  }

  /** Timers that wait to fire once. */
  get singles(): number {
    return [...this.#timers].filter((timer) => timer.periodMs === null).length
  }

  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#now = next.at
      if (next.periodMs === null) this.#timers.delete(next)
      else next.at += next.periodMs
      next.fn()
    }
    this.#now = end
  }

  #add(timer: Timer): CancelTimer {
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }
}
