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
  /** Each grants a place to one who waits. */
  readonly #waiters: (() => void)[] = []
  #running = 0

  constructor(parts: { clock: Clock; limits: () => MeterLimits; breaker: ModelBreaker; quota: ModelQuota }) {
    this.#clock = parts.clock
    this.#limits = parts.limits
    this.#breaker = parts.breaker
    this.#quota = parts.quota
  }

  /**
   * Takes quota, cap and one place of the concurrency limit. Waits for a place at most `waitMs`, first come first
   * served (a player has one request at a time, so that is fair by player); `signal` ends the wait.
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
    const permit: ModelPermit = { charge: taken.value, isOpen: true }
    this.#fill()
    if (this.#hasPlace()) {
      this.#running++
      return ok(permit)
    }
    const got = await this.#waitForPlace(wait)
    if (got === 'granted') return ok(permit)
    taken.value.refund()
    return fail(got)
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
    this.#fill()
  }

  #hasPlace(): boolean {
    return this.#running < this.#limits().modelConcurrency
  }

  /** Gives free places to those who wait. */
  #fill(): void {
    while (this.#waiters.length > 0 && this.#hasPlace()) {
      this.#running++
      this.#waiters.shift()?.()
    }
  }

  #waitForPlace(wait: {
    waitMs: number
    signal: AbortSignal
  }): Promise<'granted' | 'system:deadline' | 'system:cancelled'> {
    return new Promise((resolve) => {
      if (wait.signal.aborted) return resolve('system:cancelled')
      const leave = (outcome: 'granted' | 'system:deadline' | 'system:cancelled'): void => {
        cancelTimer()
        wait.signal.removeEventListener('abort', onAbort)
        const at = this.#waiters.indexOf(grant)
        if (at >= 0) this.#waiters.splice(at, 1)
        resolve(outcome)
      }
      const onAbort = (): void => leave('system:cancelled')
      const grant = (): void => leave('granted')
      const cancelTimer = this.#clock.after(wait.waitMs, () => leave('system:deadline'))
      wait.signal.addEventListener('abort', onAbort)
      this.#waiters.push(grant)
    })
  }
}
