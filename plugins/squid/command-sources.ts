import type { CommandSource } from '../../lib/command/index.js'
import type { AccessConfig } from '../../lib/config/index.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { closedBy } from './access.js'
import { idOf, type Players } from './players.js'
import { isAdmin } from './rights.js'
import type { Runtime } from './runtime.js'
import type { ServerSettings } from './settings.js'
import type { SquidPlayer } from './types.js'

/** Who asks, as the grammar of commands sees it: rights, and what completion may offer. */
export class CommandSources {
  readonly #runtime: Runtime
  readonly #serverSettings: ServerSettings
  readonly #access: () => AccessConfig
  readonly #players: () => Players
  readonly #suggestions: CommandSource['suggestions']

  constructor(parts: {
    readonly runtime: Runtime
    readonly serverSettings: ServerSettings
    readonly access: () => AccessConfig
    readonly players: () => Players
  }) {
    const { runtime, players } = parts
    this.#runtime = runtime
    this.#serverSettings = parts.serverSettings
    this.#access = parts.access
    this.#players = players
    this.#suggestions = {
      players: () => players().names(),
      items: () => runtime.itemIds,
      systems: () => runtime.bindings.systems(),
      modules: () => runtime.content().registry(runtime.registries.configurations).ids(),
      languages: () => [...runtime.preferences.languages.keys()],
    }
  }

  /** A null player is the console. */
  of(player: SquidPlayer | null): CommandSource {
    const suggestions = this.#suggestions
    if (player === null)
      return {
        kind: 'console',
        name: 'console',
        admin: true,
        bound: false,
        mayUse: () => false,
        suggestions,
      }
    const id = idOf(player)
    const { bindings } = this.#runtime
    const unbound = id === null ? 'system:not_bound' : (bindings.check(id)?.code ?? null)
    return {
      kind: 'player',
      name: player.username ?? '',
      admin: this.administers(player),
      bound: unbound === null,
      unbound,
      mayUse: (module) => id !== null && closedBy(this.#runtime, { player: id }, module) === null,
      whyClosed: (module) =>
        id === null ? null : (closedBy(this.#runtime, { player: id }, module)?.code ?? null),
      suggestions,
    }
  }

  administers(player: SquidPlayer): boolean {
    return isAdmin(player, {
      access: this.#access(),
      onlineMode: this.#serverSettings['online-mode'],
      everybodyOp: this.#serverSettings['everybody-op'],
    })
  }

  /** The same of whoever is online under this id. */
  isAdmin(id: PlayerId): boolean {
    const player = this.#players().find(id)
    return player !== undefined && this.administers(player)
  }
}
