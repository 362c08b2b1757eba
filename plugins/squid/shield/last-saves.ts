import type { LogLimit } from './log-limit.js'

/** What is done when the server closes and when the process ends. */
export class LastSaves {
  readonly #saves: ((timeoutMs: number) => Promise<boolean>)[] = []
  readonly #flushes: ((untilMs: number) => void)[] = []

  constructor(private readonly log: LogLimit) {}

  onStop(save: (timeoutMs: number) => Promise<boolean>): void {
    this.#saves.push(save)
  }

  onExit(flush: (untilMs: number) => void): void {
    this.#flushes.push(flush)
  }

  /** Runs the saves side by side; true when all were done in time. */
  async stop(timeoutMs: number): Promise<boolean> {
    const done = await Promise.all(
      this.#saves.map((save) =>
        save(timeoutMs).catch((thrown: unknown) => {
          this.log.write('stop', 'a last save failed', thrown)
          return false
        }),
      ),
    )
    return done.every(Boolean)
  }

  /** Runs the flushes one after the other; one that throws doesn't stop the next. */
  flush(untilMs: number): void {
    for (const flush of this.#flushes) {
      try {
        flush(untilMs)
      } catch (thrown) {
        this.log.write('exit', 'something could not be saved at the exit', thrown)
      }
    }
  }
}
