import type { CancelTimer, Clock } from '../core/clock.js'
import { failure, type Failure, type FailureCode } from '../core/failure.js'

/** How long the model stays switched off after the provider said that asking again is useless. */
const OPEN_MS = 15 * 60_000

/** Codes after which every further request would fail the same way until somebody acts: bad key, empty account. */
const OPENING: ReadonlySet<FailureCode> = new Set(['system:model_auth', 'system:model_balance'])

/** Codes of an endpoint that can't be asked, rather than of an answer that is none. */
const UNREACHED: ReadonlySet<FailureCode> = new Set([
  'system:model_unavailable',
  'system:model_refused',
  'system:model_timeout',
])

/**
 * Stops model calls for a while when the provider refused the key or the account is empty, and says in the log why an
 * endpoint can't be asked: once, until it was asked with success or fails in another way.
 */
export class ModelBreaker {
  readonly #clock: Clock
  readonly #notify: (code: FailureCode) => void
  readonly #warn: (line: string) => void
  #said: string | null = null
  #open: { readonly code: FailureCode; readonly until: number; readonly timer: CancelTimer } | null = null

  /** `notify` is called once each time it opens, for the admins; `warn` gets the lines of the log. */
  constructor(clock: Clock, notify: (code: FailureCode) => void, warn: (line: string) => void = () => {}) {
    this.#clock = clock
    this.#notify = notify
    this.#warn = warn
  }

  /** Why no call may be made now, or null. */
  check(): Failure | null {
    return this.#open === null ? null : failure('system:model_breaker')
  }

  /** Tells how a call failed, and for the log why; opens on the codes that no repetition can cure. */
  record(code: FailureCode, cause?: string): void {
    if (cause !== undefined && cause !== this.#said && UNREACHED.has(code)) {
      this.#said = cause
      this.#warn(`the model can't be asked: ${cause}`)
    }
    if (this.#open !== null || !OPENING.has(code)) return
    const timer = this.#clock.after(OPEN_MS, () => this.close())
    this.#open = { code, until: this.#clock.monotonic() + OPEN_MS, timer }
    this.#notify(code)
  }

  /** Tells that a call was answered. */
  recordAnswer(): void {
    this.#said = null
  }

  /** Closes it early: the configuration was changed, or the server stops. */
  close(): void {
    this.#open?.timer()
    this.#open = null
    this.#said = null
  }

  /** `closed`, or `open(<code>,<seconds left>)`. */
  describe(): string {
    if (this.#open === null) return 'closed'
    return `open(${this.#open.code},${Math.ceil((this.#open.until - this.#clock.monotonic()) / 1000)})`
  }
}
