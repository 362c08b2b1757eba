import type { Clock } from '../../../lib/core/clock.js'
import type { Logger } from '../../../lib/core/logger.js'

const EVERY_MS = 60_000
/** Keys are names out of protocols and plugins; the cap only guards against one that invents names. */
const MAX_KEYS = 512

/** One line per minute per key; the next line says how many were left out. */
export class LogLimit {
  readonly #lines = new Map<string, { at: number; dropped: number }>()
  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** Writes a warning, or an error when there is a cause, unless the key had one within the last minute. */
  write(key: string, message: string, cause?: unknown): void {
    const now = this.clock.monotonic()
    const last = this.#lines.get(key)
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.dropped += 1
      return
    }
    if (last === undefined && this.#lines.size >= MAX_KEYS) this.#lines.clear()
    this.#lines.set(key, { at: now, dropped: 0 })
    const dropped = last?.dropped ?? 0
    const text = dropped === 0 ? message : `${message} (and ${dropped} more in between)`
    if (cause === undefined) this.logger.warn(text)
    else this.logger.error(text, cause)
  }
}
