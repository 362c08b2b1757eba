import type { PlayerId } from '../../core/ids.js'
import { InOrder } from '../../core/in-order.js'
import { EMPTY_RECORD, type PlayerRecord, type PlayerStore } from '../store.js'

/** Keeps records for as long as the process lives: for tests, and until files are there. */
export class MemoryPlayerStore implements PlayerStore {
  readonly #records = new Map<PlayerId, PlayerRecord>()
  /** One change at a time per player. */
  readonly #changes = new InOrder<PlayerId>()

  read(player: PlayerId): Promise<PlayerRecord> {
    return Promise.resolve(this.#records.get(player) ?? EMPTY_RECORD)
  }

  update(player: PlayerId, change: (record: PlayerRecord) => PlayerRecord): Promise<PlayerRecord> {
    return this.#changes.run(player, () => {
      const next = frozen(structuredClone(change(this.#records.get(player) ?? EMPTY_RECORD)))
      this.#records.set(player, next)
      return next
    })
  }

  delete(player: PlayerId): Promise<void> {
    return this.#changes.run(player, () => {
      this.#records.delete(player)
    })
  }

  close(): Promise<void> {
    return this.#changes.settled()
  }
}

/** Freezes the value and everything in it: whoever holds a committed record cannot change it for others. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}
