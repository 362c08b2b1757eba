import type { PlayerId } from '../../lib/core/ids.js'
import type { PlayerLives } from '../../lib/host/index.js'

/** Counts the lives of players' stays. */
export class Lives implements PlayerLives {
  readonly #lives = new Map<PlayerId, number>()

  lifeOf(player: PlayerId): number {
    return this.#lives.get(player) ?? 0
  }

  /** A death, a respawn, another world. */
  next(player: PlayerId): void {
    this.#lives.set(player, this.lifeOf(player) + 1)
  }

  /** At logout: what was made in a stay ends with it anyway. */
  forget(player: PlayerId): void {
    this.#lives.delete(player)
  }
}
