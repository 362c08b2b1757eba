import type { PlayerId } from '../../core/ids.js'
import { EMPTY_RECORD, type PlayerRecord, type PlayerStore } from '../store.js'

/** Keeps records for as long as the process lives: for tests, and until files are there. */
export class MemoryPlayerStore implements PlayerStore {
  readonly #records = new Map<PlayerId, PlayerRecord>()
  readonly #queues = new Map<PlayerId, Promise<unknown>>()

  read(player: PlayerId): Promise<PlayerRecord> {
    return Promise.resolve(this.#records.get(player) ?? EMPTY_RECORD)
  }

  update(player: PlayerId, change: (record: PlayerRecord) => PlayerRecord): Promise<PlayerRecord> {
    return this.#inOrder(player, () => {
      const next = frozen(structuredClone(change(this.#records.get(player) ?? EMPTY_RECORD)))
      this.#records.set(player, next)
      return next
    })
  }

  delete(player: PlayerId): Promise<void> {
    return this.#inOrder(player, () => {
      this.#records.delete(player)
    })
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#queues.values())
  }

  /** One at a time per player; a failed change doesn't stop those behind it. */
  #inOrder<T>(player: PlayerId, work: () => T): Promise<T> {
    const before = this.#queues.get(player) ?? Promise.resolve()
    const mine = before.then(work, work)
    this.#queues.set(player, mine)
    const forget = (): void => {
      if (this.#queues.get(player) === mine) this.#queues.delete(player)
    }
    mine.then(forget, forget)
    return mine
  }
}

/** Freezes the value and everything in it: whoever holds a committed record cannot change it for others. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}
