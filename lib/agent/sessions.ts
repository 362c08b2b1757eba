import type { PlayerId } from '../core/ids.js'
import { failure, type Failure } from '../core/failure.js'

/** One stay of a player on the server. */
export interface Session {
  readonly player: PlayerId
  readonly name: string
  /** Moves on logout and revoke; whatever was queued under an older one dies at its next check. */
  readonly generation: number
  /** Language of the player's client, such as `en_us`. */
  readonly language: string
}

/** The players that are online, and their runtime generations. */
export class Sessions {
  readonly #open = new Map<PlayerId, Session>()
  readonly #endedBy = new Map<number, Failure>()
  readonly #onEnd = new Set<(player: PlayerId, reason: Failure) => void>()
  #generations = 0

  /** Calls `fn` whenever a generation has ended; returns what stops that. */
  onEnd(fn: (player: PlayerId, reason: Failure) => void): () => void {
    this.#onEnd.add(fn)
    return () => void this.#onEnd.delete(fn)
  }

  /** Starts a stay. A stay that was still open under the same id ends first. */
  open(player: PlayerId, name: string, language: string): Session {
    this.close(player)
    const session = { player, name, language, generation: ++this.#generations }
    this.#open.set(player, session)
    return session
  }

  get(player: PlayerId): Session | undefined {
    return this.#open.get(player)
  }

  setLanguage(player: PlayerId, language: string): void {
    const session = this.#open.get(player)
    if (session !== undefined) this.#open.set(player, { ...session, language })
  }

  /** Ends the stay: logout. */
  close(player: PlayerId): void {
    const session = this.#open.get(player)
    if (session === undefined) return
    this.#open.delete(player)
    this.#end(session, failure('system:disconnected'))
  }

  /** Ends everything that runs for the player, who stays online: revoke. */
  moveGeneration(player: PlayerId): void {
    const session = this.#open.get(player)
    if (session === undefined) return
    this.#open.set(player, { ...session, generation: ++this.#generations })
    this.#end(session, failure('system:revoked'))
  }

  /** Why work of this generation may not go on, or null while it may. */
  check(player: PlayerId, generation: number): Failure | null {
    if (this.#open.get(player)?.generation === generation) return null
    return this.#endedBy.get(generation) ?? failure('system:disconnected')
  }

  /** Why work that begins in this turn may not go on, or null while it may: to be asked behind each wait. */
  stay(player: PlayerId): () => Failure | null {
    const generation = this.#open.get(player)?.generation ?? -1
    return () => this.check(player, generation)
  }

  /** Number of online players. */
  get count(): number {
    return this.#open.size
  }

  /** The online players. */
  *all(): Iterable<Session> {
    yield* this.#open.values()
  }

  /** The reason is kept for as long as work of that generation can plausibly still ask: the last 1,000 ends. */
  #end({ player, generation }: Session, reason: Failure): void {
    this.#endedBy.set(generation, reason)
    if (this.#endedBy.size > 1_000) {
      const oldest = this.#endedBy.keys().next()
      if (oldest.done !== true) this.#endedBy.delete(oldest.value)
    }
    for (const fn of this.#onEnd) fn(player, reason)
  }
}
