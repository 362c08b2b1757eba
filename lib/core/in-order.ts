/** Runs work one after the other for each key; a failure doesn't stop what is behind it. */
export class InOrder<K> {
  readonly #last = new Map<K, Promise<unknown>>()

  /** Starts the work when all earlier work of that key is over. */
  run<T>(key: K, work: () => T | Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    this.#last.set(key, mine)
    const forget = (): void => {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
    mine.then(forget, forget)
    return mine
  }

  /** Resolves when all work there is now is over. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#last.values())
  }
}
