import type { PlayerId } from '../../lib/core/ids.js'
import type { Session, Sessions } from '../../lib/agent/index.js'
import type { ModuleAccess } from '../../lib/systems/index.js'

/** Each player is looked at at least once in about so many ticks, a second; what is found there is no older than that. */
const TICKS_PER_ROUND = 20

/**
 * Sees when the modules open to a player are others, as when a condition begins or ceases to hold, so that the client gets
 * its commands again; at most once a second a player, and a twentieth of the players in one tick.
 */
export class ModuleWatch {
  readonly #sessions: Sessions
  readonly #access: ModuleAccess
  readonly #onChange: (player: PlayerId) => void
  /** What was open when the client was sent its commands. */
  readonly #seen = new Map<PlayerId, string>()
  #round: Iterator<Session> | null = null

  constructor(parts: { sessions: Sessions; access: ModuleAccess; onChange: (player: PlayerId) => void }) {
    this.#sessions = parts.sessions
    this.#access = parts.access
    this.#onChange = parts.onChange
  }

  /** Called once per tick of the server. */
  tick(): void {
    this.#round ??= this.#sessions.all()[Symbol.iterator]()
    // nobody may be there yet: a round that looks at none would never end
    const perTick = Math.max(1, Math.ceil(this.#sessions.count / TICKS_PER_ROUND))
    for (let looked = 0; looked < perTick; looked += 1) {
      const next = this.#round.next()
      if (next.done === true) {
        this.#round = null
        return
      }
      this.#look(next.value.player)
    }
  }

  /** The player's client is sent its commands: what is open now is what it knows. */
  sent(player: PlayerId): void {
    if (this.#sessions.get(player) !== undefined) this.#seen.set(player, this.#open(player))
  }

  /** Nothing is remembered of a player who left. */
  forget(player: PlayerId): void {
    this.#seen.delete(player)
  }

  #look(player: PlayerId): void {
    const open = this.#open(player)
    const before = this.#seen.get(player)
    this.#seen.set(player, open)
    if (before !== undefined && before !== open) this.#onChange(player)
  }

  #open(player: PlayerId): string {
    return this.#access
      .open(player)
      .map(({ id }) => id)
      .join(' ')
  }
}
