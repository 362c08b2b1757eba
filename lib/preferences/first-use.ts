import type { PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import type { PlayerStore } from '../storage/index.js'
import { TOLD } from './stored.js'

/** Says once to each player, before the first request goes out, to whom its text goes. */
export class FirstUse {
  readonly #store: PlayerStore
  readonly #logger: Logger
  readonly #tell: (player: PlayerId, host: string) => void
  /** Those whose mark is on its way, or couldn't be kept. */
  readonly #told = new Map<PlayerId, string>()

  constructor(parts: { store: PlayerStore; logger: Logger; tell: (player: PlayerId, host: string) => void }) {
    this.#store = parts.store
    this.#logger = parts.logger
    this.#tell = parts.tell
  }

  /** A request of the player is about to go to this host. Tells at once; a mark that can't be kept stops nothing. */
  before(player: PlayerId, host: string): void {
    const kept = this.#store.online(player)
    if ((this.#told.get(player) ?? kept?.get(TOLD).host) === host) return
    this.#told.set(player, host)
    this.#tell(player, host)
    void kept
      ?.update((tx) => tx.set(TOLD, { host }))
      .then((saved) => {
        if (!saved.ok) this.#logger.warn(`the notice of first use is not marked: ${saved.failure.code}`)
      })
  }

  /** The player's stay, or its System, has ended: what is kept decides again. */
  forget(player: PlayerId): void {
    this.#told.delete(player)
  }
}
