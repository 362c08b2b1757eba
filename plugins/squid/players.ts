import type { Failure } from '../../lib/core/failure.js'
import type { Logger } from '../../lib/core/logger.js'
import { isUuid, type PlayerId } from '../../lib/core/ids.js'
import { guarded } from './guarded.js'
import type { ClientLocales } from './locales.js'
import type { Runtime } from './runtime.js'
import type { SquidPlayer, SquidServer } from './types.js'

/** What happens when players come and go. */
export interface PlayerEvents {
  /** In the world, its data read; not yet told anything. */
  onJoin(player: SquidPlayer, id: PlayerId): Promise<void>
  /** In the world, but without a System: what is kept of it can't be used. */
  onUnusable(player: SquidPlayer, reason: Failure): void
}

/** The id of a connection's player, or null for a name that flying-squid gave no proper uuid. */
export function idOf(player: SquidPlayer): PlayerId | null {
  const uuid = player._client.uuid?.toLowerCase() ?? ''
  return isUuid(uuid) ? uuid : null
}

/** Follows the players of a server: opens and closes their sessions, and finds them by id. */
export class Players {
  readonly #serv: SquidServer
  readonly #runtime: Runtime
  readonly #locales: ClientLocales
  readonly #events: PlayerEvents
  readonly #logger: Logger
  readonly #online = new Map<PlayerId, SquidPlayer>()
  readonly #detach = new Map<SquidPlayer, () => void>()
  /** Players whose data is being read. */
  readonly #arriving = new Map<SquidPlayer, Promise<void>>()

  constructor(parts: {
    serv: SquidServer
    runtime: Runtime
    locales: ClientLocales
    events: PlayerEvents
    logger: Logger
  }) {
    this.#serv = parts.serv
    this.#runtime = parts.runtime
    this.#locales = parts.locales
    this.#events = parts.events
    this.#logger = parts.logger
    this.#serv.on('newPlayer', this.#attach)
    for (const player of this.#serv.players) {
      this.#attach(player)
      guarded(this.#logger, 'a player who was already there', () => this.#enter(player))()
    }
  }

  find(id: PlayerId): SquidPlayer | undefined {
    return this.#online.get(id)
  }

  /** Until what is kept of a player who came is known, and given what everybody gets; undefined: it is. */
  arriving(player: SquidPlayer): Promise<void> | undefined {
    return this.#arriving.get(player)
  }

  /** An online player by name, whatever its case. */
  byName(name: string): SquidPlayer | undefined {
    const folded = name.toLowerCase()
    for (const player of this.#online.values()) if (player.username?.toLowerCase() === folded) return player
    return undefined
  }

  names(): readonly string[] {
    return [...this.#online.values()].map((player) => player.username ?? '')
  }

  close(): void {
    this.#serv.removeListener('newPlayer', this.#attach)
    for (const detach of this.#detach.values()) detach()
    this.#detach.clear()
    this.#online.clear()
  }

  readonly #attach = (player: SquidPlayer): void => {
    const enter = guarded(this.#logger, 'a join', () => this.#enter(player))
    const leave = guarded(this.#logger, 'a quit', () => {
      detach()
      this.#leave(player)
    })
    const detach = (): void => {
      player.removeListener('spawned', enter)
      player.removeListener('disconnected', leave)
      this.#detach.delete(player)
    }
    player.on('spawned', enter)
    player.on('disconnected', leave)
    this.#detach.set(player, detach)
  }

  async #enter(player: SquidPlayer): Promise<void> {
    const arrival = this.#arrive(player)
    this.#arriving.set(
      player,
      arrival.catch(() => {}),
    )
    try {
      await arrival
    } finally {
      this.#arriving.delete(player)
    }
  }

  async #arrive(player: SquidPlayer): Promise<void> {
    const id = idOf(player)
    if (id === null || player.disconnected === true) return
    const { sessions, store } = this.#runtime
    // the same account at a second client: what it asked at the first is over
    if (this.#online.has(id)) this.#end(id)
    this.#online.set(id, player)
    const { generation } = sessions.open(id, player.username ?? '', this.#locales.of(player._client))
    const attached = await store.attach(id)
    // gone, or come again, while the record was read
    if (sessions.check(id, generation) !== null) return
    if (attached.ok) await this.#events.onJoin(player, id)
    else this.#events.onUnusable(player, attached.failure)
  }

  #leave(player: SquidPlayer): void {
    const id = idOf(player)
    if (id === null || this.#online.get(id) !== player) return
    this.#online.delete(id)
    this.#end(id)
    this.#runtime.store.detach(id)
  }

  /** Ends the stay, and with its generation all that runs or waits for it. */
  #end(id: PlayerId): void {
    const { sessions, cards } = this.#runtime
    sessions.close(id)
    cards.clear(id)
  }
}
