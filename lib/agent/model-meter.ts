import type { Clock } from '../core/clock.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Usage } from '../pool/index.js'
import type { ModelBreaker } from './breaker.js'
import type { DayUse, ModelCharge, ModelQuota, QuotaCall } from './quota.js'

/** Limits of the whole server, read at each use. */
export interface MeterLimits {
  /** Model calls at the same time. */
  readonly modelConcurrency: number
}

/** A granted model call: to be released, or refunded, once; what comes after that does nothing. */
export interface ModelPermit {
  readonly charge: ModelCharge
  readonly isEvent: boolean
  isOpen: boolean
}

/** What was used today, and what runs now, for `/system status`. */
export interface MeterState extends DayUse {
  readonly running: number
  readonly waiting: number
}

/** The way of each model call: breaker, quotas of the day, and one of the places that there are at the same time. */
export class ModelMeter {
  readonly #clock: Clock
  readonly #limits: () => MeterLimits
  readonly #breaker: ModelBreaker
  readonly #quota: ModelQuota
  /** `grant` gives a place to one who waits. */
  readonly #waiters: { readonly isEvent: boolean; readonly grant: () => void }[] = []
  #running = 0
  /** Of those that run: for event tasks and in the background. */
  #events = 0

  constructor(parts: { clock: Clock; limits: () => MeterLimits; breaker: ModelBreaker; quota: ModelQuota }) {
    this.#clock = parts.clock
    this.#limits = parts.limits
    this.#breaker = parts.breaker
    this.#quota = parts.quota
  }

  /**
   * Takes quota, cap and one place of the concurrency limit. Waits for a place at most `waitMs`, first come first
   * served (a player has one request at a time, so that is fair by player); `signal` ends the wait. Calls of event tasks
   * leave one place free for players, where there is more than one.
   * Fails with `system:model_breaker`, `quota_player`, `quota_server`, `deadline` or `cancelled`.
   */
  async acquire(
    call: QuotaCall,
    wait: { waitMs: number; signal: AbortSignal },
  ): Promise<Result<ModelPermit>> {
    const open = this.#breaker.check()
    if (open !== null) return { ok: false, failure: open }
    const taken = this.#quota.take(call)
    if (!taken.ok) return taken
    const isEvent = call.isEvent === true
    const permit: ModelPermit = { charge: taken.value, isEvent, isOpen: true }
    this.#fill()
    if (this.#hasPlace(isEvent)) {
      this.#enter(isEvent)
      return ok(permit)
    }
    const got = await this.#waitForPlace({ ...wait, isEvent })
    if (got !== 'granted') {
      taken.value.refund()
      return fail(got)
    }
    // a call before this one may have told that asking is useless
    const opened = this.#breaker.check()
    if (opened === null) return ok(permit)
    this.refund(permit)
    return { ok: false, failure: opened }
  }

  /** Gives the place back and corrects the charge; without usage the worst case stays charged. */
  release(permit: ModelPermit, usage: Usage | null): void {
    permit.charge.settle(usage)
    this.#leave(permit)
  }

  /** Takes a call back that never reached the provider. */
  refund(permit: ModelPermit): void {
    permit.charge.refund()
    this.#leave(permit)
  }

  state(): MeterState {
    return { ...this.#quota.today(), running: this.#running, waiting: this.#waiters.length }
  }

  #leave(permit: ModelPermit): void {
    if (!permit.isOpen) return
    permit.isOpen = false
    this.#running--
    if (permit.isEvent) this.#events--
    this.#fill()
  }

  #enter(isEvent: boolean): void {
    this.#running++
    if (isEvent) this.#events++
  }

  #hasPlace(isEvent: boolean): boolean {
    const { modelConcurrency } = this.#limits()
    if (this.#running >= modelConcurrency) return false
    return !isEvent || this.#events < Math.max(1, modelConcurrency - 1)
  }

  /** Gives free places to those who wait. */
  #fill(): void {
    for (;;) {
      const at = this.#waiters.findIndex(({ isEvent }) => this.#hasPlace(isEvent))
      const [next] = at < 0 ? [] : this.#waiters.splice(at, 1)
      if (next === undefined) return
      this.#enter(next.isEvent)
      next.grant()
    }
  }

  #waitForPlace(wait: {
    waitMs: number
    signal: AbortSignal
    isEvent: boolean
  }): Promise<'granted' | 'system:deadline' | 'system:cancelled'> {
    return new Promise((resolve) => {
      if (wait.signal.aborted) return resolve('system:cancelled')
      const leave = (outcome: 'granted' | 'system:deadline' | 'system:cancelled'): void => {
        cancelTimer()
        wait.signal.removeEventListener('abort', onAbort)
        const at = this.#waiters.indexOf(waiter)
        if (at >= 0) this.#waiters.splice(at, 1)
        resolve(outcome)
      }
      const onAbort = (): void => leave('system:cancelled')
      const waiter = { isEvent: wait.isEvent, grant: () => leave('granted') }
      const cancelTimer = this.#clock.after(wait.waitMs, () => leave('system:deadline'))
      wait.signal.addEventListener('abort', onAbort)
      this.#waiters.push(waiter)
    })
  }
}
