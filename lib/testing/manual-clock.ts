import type { CancelTimer, Clock } from '../core/clock.js'

interface Timer {
  dueMs: number
  readonly delayMs: number
  readonly periodMs: number | null
  readonly fn: () => void
}

/**
 * Time that moves only when a test says so. Timers run inside `advance`, in the order in which they are due (equal
 * times: in the order in which they were set), each seeing the clock at its own due time.
 *
 * ```ts
 * const clock = new ManualClock()
 * const transport = createChatTransport(endpoint, { clock })
 * const outcome = transport.send(request, signal)
 * await clock.whenSet(12_000) // the deadline has been armed
 * clock.advance(12_000)
 * ```
 */
export class ManualClock implements Clock {
  private epochMs: number
  private elapsedMs = 0
  private readonly timers = new Set<Timer>()
  private readonly watchers = new Set<() => void>()

  /** Starts at this epoch time; the monotonic side starts at 0. */
  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.epochMs = startMs
  }

  /** Timers that are set and have neither run nor been cancelled: 0 proves that nothing was left behind. */
  get pending(): number {
    return this.timers.size
  }

  now(): number {
    return this.epochMs
  }

  monotonic(): number {
    return this.elapsedMs
  }

  after(delayMs: number, fn: () => void): CancelTimer {
    return this.set({ dueMs: this.elapsedMs + Math.max(0, delayMs), delayMs, periodMs: null, fn })
  }

  every(periodMs: number, fn: () => void): CancelTimer {
    // A period of 0 would never let `advance` end.
    const period = Math.max(1, periodMs)
    return this.set({ dueMs: this.elapsedMs + period, delayMs: periodMs, periodMs: period, fn })
  }

  /** Resolves as soon as a timer of exactly this delay or period is set; at once when one is pending. */
  whenSet(delayMs: number): Promise<void> {
    return this.when(() => [...this.timers].some((timer) => timer.delayMs === delayMs))
  }

  /** Resolves as soon as no timer is pending. */
  whenIdle(): Promise<void> {
    return this.when(() => this.timers.size === 0)
  }

  /** Moves time on and runs what falls due, timers set meanwhile included. A timer that throws ends the advance. */
  advance(ms: number): void {
    const endMs = this.elapsedMs + ms
    for (let next = this.nextDue(endMs); next !== undefined; next = this.nextDue(endMs)) {
      this.moveTo(next.dueMs)
      if (next.periodMs === null) this.drop(next)
      else next.dueMs += next.periodMs
      next.fn()
    }
    this.moveTo(endMs)
  }

  /** Moves the epoch time alone, as a host does who sets the machine's clock: durations do not notice. */
  setNow(epochMs: number): void {
    this.epochMs = epochMs
  }

  private when(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return
        this.watchers.delete(look)
        resolve()
      }
      this.watchers.add(look)
    })
  }

  private changed(): void {
    for (const look of this.watchers) look()
  }

  private set(timer: Timer): CancelTimer {
    this.timers.add(timer)
    this.changed()
    return () => this.drop(timer)
  }

  private drop(timer: Timer): void {
    this.timers.delete(timer)
    this.changed()
  }

  private nextDue(endMs: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.timers) {
      if (timer.dueMs <= endMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer
    }
    return first
  }

  private moveTo(elapsedMs: number): void {
    this.epochMs += elapsedMs - this.elapsedMs
    this.elapsedMs = elapsedMs
  }
}
