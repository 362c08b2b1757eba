import type { Lane, RevokedHooks, Sessions } from '../agent/index.js'
import type { CardBook } from '../cards/index.js'
import type { Clock } from '../core/clock.js'
import { failure, type Failure, type FailureCode } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { fail, ok, type Result } from '../core/result.js'
import type { PlayerStore } from '../storage/index.js'
import type { Bindings } from './bindings.js'

/** What a System is taken with. */
export interface RevocationParts {
  readonly bindings: Bindings
  readonly store: Pick<PlayerStore, 'endViews'>
  readonly sessions: Pick<Sessions, 'moveGeneration'>
  readonly cards: Pick<CardBook, 'clear'>
  readonly hooks: RevokedHooks
  /** Where hooks have their place. */
  readonly lane: Lane
  /** Operations on the player's inventory. */
  readonly items: {
    cancelWaiting(player: PlayerId): void
    alone<T>(player: PlayerId, work: () => Promise<Result<T>>): Promise<Result<T>>
  }
  readonly clock: Clock
  readonly logger: Logger
}

/** Revoke, or reset: deletes what can't be read too. */
export type RevocationKind = 'revoke' | 'reset'

/** Whose System is taken. */
export interface RevokedPlayer {
  readonly id: PlayerId
  /** Named in failures. */
  readonly name: string
}

/** How a System ended. */
export interface Revoked {
  /** Why a file among what was deleted could not be used; null: all could. */
  readonly discarded: FailureCode | null
}

/**
 * Takes Systems away: (1) the generation moves, (2) what runs or waits ends, (3) hooks run, (4) records are deleted, (5)
 * cards and buttons die. From the first step on the player counts as unbound. Whoever calls lets one call of a player run at
 * a time.
 */
export class Revocation {
  readonly #parts: RevocationParts
  /** Whose last attempt failed after it had begun: what is left to do may have been done by a login since. */
  readonly #unfinished = new Set<PlayerId>()
  readonly #stopped: Promise<void>
  #stop: () => void = () => {}

  constructor(parts: RevocationParts) {
    this.#parts = parts
    this.#stopped = new Promise((resolve) => {
      this.#stop = resolve
    })
  }

  /**
   * `system:player_not_bound`, `player_unusable` (revoke: the record can't be read), `busy`, `stopping`: nothing was begun.
   * `system:revoke_failed`: what ran is over, but not everything could be deleted; to be repeated.
   */
  async run(player: RevokedPlayer, kind: RevocationKind): Promise<Result<Revoked>> {
    const { bindings, lane } = this.#parts
    // who is seen to be bound loses it in this very turn
    const refused = bindings.boundTo(player.id) === null ? await this.#refusal(player, kind) : null
    if (refused !== null) return { ok: false, failure: refused }
    const place = lane.enter()
    if (!place.ok) return place
    const resume = bindings.suspend(player.id)
    try {
      this.#endWork(player.id)
      const mayGoOn = await place.value.start
      if (mayGoOn) await this.#parts.hooks.run(player.id, { ...this.#parts, stopped: this.#stopped })
      place.value.leave()
      const deleted = mayGoOn ? await this.#delete(player.id, kind) : fail('system:stopping')
      if (!deleted.ok) return this.#failed(player, deleted.failure)
      this.#unfinished.delete(player.id)
      this.#parts.cards.clear(player.id)
      return deleted
    } finally {
      resume()
    }
  }

  /** The server stops: hooks are not waited for any more, and none begin. */
  close(): void {
    this.#parts.lane.close()
    this.#stop()
  }

  async #refusal({ id, name }: RevokedPlayer, kind: RevocationKind): Promise<Failure | null> {
    if (this.#unfinished.has(id)) return null
    const kept = await this.#parts.bindings.kept(id, name)
    if (kept.ok) return kept.value === null ? failure('system:player_not_bound', { player: name }) : null
    return kind === 'reset' ? null : kept.failure
  }

  #endWork(player: PlayerId): void {
    const { sessions, store, items } = this.#parts
    store.endViews(player)
    // engine and tick queue hear of it and end what runs or waits
    sessions.moveGeneration(player)
    items.cancelWaiting(player)
  }

  async #delete(player: PlayerId, kind: RevocationKind): Promise<Result<Revoked>> {
    const { bindings, items } = this.#parts
    // no operation on items may find a part of what it belongs to
    const deleted = await items.alone(player, () => bindings.delete(player, kind))
    // an attempt of before came so far that a login could end it
    return !deleted.ok && deleted.failure.code === 'system:not_bound' ? ok({ discarded: null }) : deleted
  }

  #failed({ id, name }: RevokedPlayer, reason: Failure): Result<never> {
    this.#unfinished.add(id)
    this.#parts.logger.error(`not everything of ${id} could be deleted: ${reason.code}`, reason.cause)
    return fail('system:revoke_failed', { player: name, code: reason.code }, reason.cause)
  }
}
