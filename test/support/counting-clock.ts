import { systemClock, type CancelTimer, type Clock } from '../../lib/core/clock.js'

/** The machine's clock, which knows how many of its timers are set. */
export class CountingClock implements Clock {
  readonly now = systemClock.now
  readonly monotonic = systemClock.monotonic
  readonly #timers = new Set<object>()

  get pending(): number {
    return this.#timers.size
  }

  after(delayMs: number, fn: () => void): CancelTimer {
    const timer = {}
    this.#timers.add(timer)
    const cancel = systemClock.after(delayMs, () => {
      this.#timers.delete(timer)
      fn()
    })
    return this.#cancelling(timer, cancel)
  }

  every(periodMs: number, fn: () => void): CancelTimer {
    const timer = {}
    this.#timers.add(timer)
    return this.#cancelling(timer, systemClock.every(periodMs, fn))
  }

  #cancelling(timer: object, cancel: CancelTimer): CancelTimer {
    return () => {
      this.#timers.delete(timer)
      cancel()
    }
  }
}
