import { failure } from '../../../../lib/core/failure.js'
import type { SaveOutcome } from '../../../../lib/inventory/index.js'

type Save = () => Promise<SaveOutcome>

interface Waiting {
  readonly save: Save
  readonly resolve: (outcome: SaveOutcome) => void
}

/**
 * One save of a player at a time. Ordinary saves that wait are one save, which begins with the state of that moment, and
 * not while the queue is held; saves ahead go before them.
 */
export class SaveQueue {
  #isRunning = false
  #isHeld = false
  readonly #ahead: Waiting[] = []
  #ordinary: { readonly save: Save; readonly waiting: Waiting['resolve'][] } | null = null

  /** Whether a save is under way or waits. */
  get isBusy(): boolean {
    return this.#isRunning || this.#ahead.length > 0 || this.#ordinary !== null
  }

  ordinary(save: Save): Promise<SaveOutcome> {
    return new Promise((resolve) => {
      this.#ordinary ??= { save, waiting: [] }
      this.#ordinary.waiting.push(resolve)
      this.#pump()
    })
  }

  /** Holds the queue from now on. */
  ahead(save: Save): Promise<SaveOutcome> {
    this.#isHeld = true
    return new Promise((resolve) => {
      this.#ahead.push({ save, resolve })
      this.#pump()
    })
  }

  release(): void {
    this.#isHeld = false
    this.#pump()
  }

  #pump(): void {
    if (this.#isRunning) return
    const ahead = this.#ahead.shift()
    if (ahead !== undefined) {
      void this.#run(ahead.save, ahead.resolve)
      return
    }
    const ordinary = this.#ordinary
    if (ordinary === null || this.#isHeld) return
    this.#ordinary = null
    void this.#run(ordinary.save, (outcome) => ordinary.waiting.forEach((resolve) => resolve(outcome)))
  }

  async #run(save: Save, resolve: Waiting['resolve']): Promise<void> {
    this.#isRunning = true
    let outcome: SaveOutcome
    try {
      outcome = await save()
    } catch (thrown) {
      outcome = { saved: false, isCertain: false, failure: failure('system:internal', {}, thrown) }
    }
    this.#isRunning = false
    resolve(outcome)
    this.#pump()
  }
}
