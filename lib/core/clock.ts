import { performance } from 'node:perf_hooks'

/** Ends a timer; ending it twice is a no-op. */
export type CancelTimer = () => void

/** Time as an argument: real by default, driven by hand in tests. */
export interface Clock {
  /** Epoch milliseconds, UTC: for what is stored or shown. */
  now(): number
  /** Milliseconds that never go back: for deadlines and durations of this process. */
  monotonic(): number
  /** Runs `fn` once after `delayMs`, at most LONGEST_TIMER_MS; the timer does not keep the process alive. */
  after(delayMs: number, fn: () => void): CancelTimer
  /** Runs `fn` every `periodMs` until cancelled; the timer does not keep the process alive. */
  every(periodMs: number, fn: () => void): CancelTimer
}

/** Longest delay that a Node timer holds, 24.8 days: a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
  every(periodMs, fn) {
    const timer = setInterval(fn, Math.min(periodMs, LONGEST_TIMER_MS))
    timer.unref()
    return () => clearInterval(timer)
  },
}

/** A clock whose timers can all be ended at once; none is set any more behind that. */
export function endableClock(clock: Clock): { readonly clock: Clock; readonly end: () => void } {
  const running = new Set<CancelTimer>()
  let isOver = false
  const held = (set: (over: () => void) => CancelTimer): CancelTimer => {
    if (isOver) return () => {}
    const cancel = (): void => {
      running.delete(cancel)
      stop()
    }
    const stop = set(() => running.delete(cancel))
    running.add(cancel)
    return cancel
  }
  return {
    clock: Object.freeze<Clock>({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, fn) => held((over) => clock.after(delayMs, () => (over(), fn()))),
      every: (periodMs, fn) => held(() => clock.every(periodMs, fn)),
    }),
    end: () => {
      isOver = true
      for (const cancel of running) cancel()
    },
  }
}
