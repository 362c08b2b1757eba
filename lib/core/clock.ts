import { performance } from 'node:perf_hooks'

/** Ends a timer; ending it twice is a no-op. */
export type CancelTimer = () => void

/** Time as an argument: real by default, driven by hand in tests. */
export interface Clock {
  /** Epoch milliseconds, UTC: for what is stored or shown. */
  now(): number
  /** Milliseconds that never go back: for deadlines and durations of this process. */
  monotonic(): number
  /** Runs `fn` once after `delayMs`; the timer does not keep the process alive. */
  after(delayMs: number, fn: () => void): CancelTimer
  /** Runs `fn` every `periodMs` until cancelled; the timer does not keep the process alive. */
  every(periodMs: number, fn: () => void): CancelTimer
}

/** The longest delay of a timer, about 25 days; with a longer one Node fires at once. */
const MAX_DELAY_MS = 2_147_483_647

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(0, delayMs), MAX_DELAY_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
  every(periodMs, fn) {
    const timer = setInterval(fn, Math.min(periodMs, MAX_DELAY_MS))
    timer.unref()
    return () => clearInterval(timer)
  },
}
