import { systemClock, type Clock } from './clock.js'

/** Longest time that work may hold its thread at a stretch, unless it says otherwise. */
const SLICE_MS = 5

/**
 * Cuts long work into slices, so that what else the thread has to do comes in between: ask `isOver` between two pieces,
 * and await `next` when it says so.
 */
export class TimeSlice {
  readonly #clock: Clock
  readonly #limitMs: number
  #since: number

  constructor(clock: Clock = systemClock, limitMs = SLICE_MS) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#since = clock.monotonic()
  }

  isOver(): boolean {
    return this.#clock.monotonic() - this.#since >= this.#limitMs
  }

  /** Resolves after whatever waits for the thread now. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
    this.#since = this.#clock.monotonic()
  }

  /** `next` if the slice is over. */
  async pause(): Promise<void> {
    if (this.isOver()) await this.next()
  }
}
