import type { Clock } from '../core/clock.js'
import type { Logger } from '../core/logger.js'

/** What a workflow may compute on the main thread between two awaits. */
const LIMIT_MS = 5

/** Measures how long a workflow computes at a stretch, and names it in the log when that holds up the server. */
export class AuthorTime {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #name: string
  #since: number | null = null

  constructor(name: string, parts: { clock: Clock; logger: Logger }) {
    this.#name = name
    this.#clock = parts.clock
    this.#logger = parts.logger
  }

  /** The workflow goes on. */
  begin(): void {
    this.#since = this.#clock.monotonic()
  }

  /** The workflow waits or calls us. */
  stop(): void {
    if (this.#since === null) return
    const tookMs = this.#clock.monotonic() - this.#since
    this.#since = null
    if (tookMs > LIMIT_MS) {
      this.#logger.warn(
        `${this.#name} computed for ${tookMs.toFixed(1)} ms between two awaits (at most ${LIMIT_MS} ms)`,
      )
    }
  }

  /**
   * The promise of a call, as the workflow gets it. A rejection of one that the workflow never awaits is not an
   * unhandled one: it would end the server.
   */
  resume<T>(call: Promise<T>): Promise<T> {
    // our reaction runs right before the workflow's own; the microtask behind both ends the measurement
    const onSettled = (): void => {
      this.begin()
      queueMicrotask(() => this.stop())
    }
    void call.then(onSettled, onSettled)
    return call
  }
}
