import { systemClock, type Clock } from '../../lib/core/clock.js'

/** The machine's clock, set forward by hand: what has been dated before is then that much older. Timers stay real. */
export class ShiftedClock implements Clock {
  readonly after = systemClock.after
  readonly every = systemClock.every
  #shiftMs = 0

  now(): number {
    return systemClock.now() + this.#shiftMs
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#shiftMs
  }

  advance(ms: number): void {
    this.#shiftMs += ms
  }
}
