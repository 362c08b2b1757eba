import type { Sessions } from '../../lib/agent/index.js'
import { isUuid, type PlayerId } from '../../lib/core/ids.js'
import type { Preferences } from '../../lib/preferences/index.js'
import type { ClientLocales } from './locales.js'
import { idOf, type Players } from './players.js'
import type { SquidPlayer } from './types.js'

/** The language of each reader: the one it has chosen, else that of its client. */
export class ReaderLanguages {
  readonly #locales: ClientLocales
  readonly #preferences: Preferences
  readonly #sessions: Sessions
  readonly #players: () => Players
  readonly #onChange: (player: PlayerId) => void

  constructor(parts: {
    readonly locales: ClientLocales
    readonly preferences: Preferences
    readonly sessions: Sessions
    readonly players: () => Players
    /** What that player sees is in another language now, or may be. */
    readonly onChange: (player: PlayerId) => void
  }) {
    this.#locales = parts.locales
    this.#preferences = parts.preferences
    this.#sessions = parts.sessions
    this.#players = parts.players
    this.#onChange = parts.onChange
    parts.preferences.onChange(({ player }) => this.update(player))
  }

  of(player: SquidPlayer): string {
    const id = idOf(player)
    const chosen = id === null ? null : this.#preferences.language(id)
    return chosen ?? this.#locales.of(player._client)
  }

  /** Choice, client or texts may be others now: later requests of whoever is here by that id are answered by them. */
  update(id: string): void {
    const player = isUuid(id) ? this.#players().find(id) : undefined
    if (!isUuid(id) || player === undefined) return
    this.#sessions.setLanguage(id, this.of(player))
    this.#onChange(id)
  }

  updateAll(): void {
    for (const { player } of this.#sessions.all()) this.update(player)
  }
}
