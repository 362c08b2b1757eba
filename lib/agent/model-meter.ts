import type { Clock } from '../core/clock.js'
import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Usage } from '../pool/index.js'
import type { ModelBreaker } from './breaker.js'

/** Limits of the whole server, read at each use. */
export interface MeterLimits {
  /** Model calls at the same time. */
  readonly modelConcurrency: number
  /** Model calls of one player a day. */
  readonly dailyModelCalls: number
  /** Tokens of the whole server a day. */
  readonly dailyTokens: number
  /** IANA zone in which a day begins at midnight. */
  readonly timeZone: string
}

/** A granted model call: to be released exactly once. */
export interface ModelPermit {
  readonly player: PlayerId
  readonly day: string
  readonly tokens: number
}

/** What was used today, for `/system status`. */
export interface MeterState {
  readonly day: string
  readonly tokens: number
  readonly calls: number
  readonly running: number
  readonly waiting: number
}

/**
 * Server-wide limits of model calls. Quota and cap are checked and taken in one synchronous step, before anything is
 * awaited, so that calls started together cannot all pass the same check.
 */
export class ModelMeter {
  readonly #clock: Clock
  readonly #limits: () => MeterLimits
  readonly #breaker: ModelBreaker
  /** Each grants a place to one who waits. */
  readonly #waiters: (() => void)[] = []
  #zone = { name: 'UTC', format: new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC', dateStyle: 'short' }) }
  #day = ''
  #tokens = 0
  #calls = 0
  #callsByPlayer = new Map<PlayerId, number>()
  #running = 0

  constructor(parts: { clock: Clock; limits: () => MeterLimits; breaker: ModelBreaker }) {
    this.#clock = parts.clock
    this.#limits = parts.limits
    this.#breaker = parts.breaker
  }

  /**
   * Takes quota, cap and one place of the concurrency limit. Waits for a place at most `waitMs`, first come first
   * served (a player has one request at a time, so that is fair by player); `signal` ends the wait.
   * Fails with `system:model_breaker`, `quota_player`, `quota_server`, `deadline` or `cancelled`.
   */
  async acquire(
    player: PlayerId,
    tokens: number,
    wait: { waitMs: number; signal: AbortSignal },
  ): Promise<Result<ModelPermit>> {
    const taken = this.#takeQuota(player, tokens)
    if (!taken.ok) return taken
    this.#fill()
    if (this.#hasPlace()) {
      this.#running++
      return taken
    }
    const got = await this.#waitForPlace(wait)
    if (got === 'granted') return taken
    this.#giveBack(taken.value)
    return fail(got)
  }

  /** Gives the place back and corrects the charge; without usage the reservation stays charged. */
  release(permit: ModelPermit, usage: Usage | null): void {
    if (usage !== null && permit.day === this.#day)
      this.#tokens += usage.prompt + usage.output - permit.tokens
    this.#running--
    this.#fill()
  }

  /** Takes a call back that never reached the provider. */
  refund(permit: ModelPermit): void {
    this.#giveBack(permit)
    this.release(permit, null)
  }

  state(): MeterState {
    this.#today()
    return {
      day: this.#day,
      tokens: this.#tokens,
      calls: this.#calls,
      running: this.#running,
      waiting: this.#waiters.length,
    }
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

  #takeQuota(player: PlayerId, tokens: number): Result<ModelPermit> {
    const limits = this.#limits()
    const open = this.#breaker.check()
    if (open !== null) return { ok: false, failure: open }
    const day = this.#today()
    const mine = this.#callsByPlayer.get(player) ?? 0
    if (mine >= limits.dailyModelCalls) return fail('system:quota_player')
    if (this.#tokens + tokens > limits.dailyTokens) return fail('system:quota_server')
    this.#callsByPlayer.set(player, mine + 1)
    this.#calls++
    this.#tokens += tokens
    return ok({ player, day, tokens })
  }

  #giveBack(permit: ModelPermit): void {
    if (permit.day !== this.#day) return
    this.#tokens -= permit.tokens
    this.#calls--
    this.#callsByPlayer.set(permit.player, (this.#callsByPlayer.get(permit.player) ?? 1) - 1)
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

  /** The calendar day in the configured zone; a new day starts with nothing used. */
  #today(): string {
    const { timeZone } = this.#limits()
    if (timeZone !== this.#zone.name) {
      // en-CA writes a day as year-month-day; making a formatter costs far more than using it
      this.#zone = {
        name: timeZone,
        format: new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }),
      }
    }
    const day = this.#zone.format.format(this.#clock.now())
    if (day !== this.#day) {
      this.#day = day
      this.#tokens = 0
      this.#calls = 0
      this.#callsByPlayer = new Map()
    }
    return day
  }
}
