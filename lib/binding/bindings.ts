import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import type { Clock } from '../core/clock.js'
import { failure, FailureError, type Failure, type FailureCode } from '../core/failure.js'
import { identifier, isIdentifier, type Identifier, type PlayerId } from '../core/ids.js'
import { fail, type Result } from '../core/result.js'
import { isLasting, type PlayerStore, type Reading, type StorageType } from '../storage/index.js'

const bindingSchema = z.strictObject({
  system: identifierSchema,
  /** Epoch milliseconds. */
  since: z.int().min(0),
})
/** A player's binding to one System. */
export type Binding = z.infer<typeof bindingSchema>

/** Which System a player has, if any. */
export const BINDING: StorageType<{ readonly binding: Binding | null }> = {
  id: identifier('system:binding'),
  version: 1,
  schema: z.strictObject({ binding: bindingSchema.nullable() }),
  empty: { binding: null },
}

/** The Systems of this server, as they are at each moment. */
export interface DefinedSystems {
  isDefined(id: string): boolean
  /** The ids that can be granted. */
  systems(): readonly string[]
}

/** Who has which System. At most one per player; a change counts once it is durable. */
export class Bindings {
  readonly #store: PlayerStore
  readonly #clock: Clock
  readonly #defined: DefinedSystems
  /** Whose System is being taken. */
  readonly #suspended = new Set<PlayerId>()

  /** The store must know the type `BINDING`. */
  constructor(parts: { store: PlayerStore; clock: Clock } & DefinedSystems) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#defined = parts
  }

  /**
   * The System that an online player is bound to, whether it is defined or not, or null: what is committed at this moment.
   * Until the player's data was read at login, while it can't be used, and while the System is being taken, nobody is bound.
   */
  boundTo(player: PlayerId): Identifier | null {
    if (this.isSuspended(player)) return null
    return this.#store.online(player)?.get(BINDING).binding?.system ?? null
  }

  /** The System of an online player that can be used now: bound to and defined. */
  systemOf(player: PlayerId): Identifier | null {
    const system = this.boundTo(player)
    return system !== null && this.#defined.isDefined(system) ? system : null
  }

  /** Why an online player may not use a System at all, or null: `system:not_bound`, `system:system_missing`. */
  check(player: PlayerId): Failure | null {
    const system = this.boundTo(player)
    if (system === null) return failure('system:not_bound')
    return this.#defined.isDefined(system) ? null : failure('system:system_missing')
  }

  /** The ids that can be granted. */
  systems(): readonly string[] {
    return this.#defined.systems()
  }

  /**
   * Binds a player. Fails with `system:unknown_system`, `already_bound` (the same one), `bound_other` or `player_unusable`
   * (its record can't be read), and as `PlayerStore.update` does. `name` is only named in the failure.
   */
  async grant(player: PlayerId, system: string, name: string): Promise<Result<Binding>> {
    if (!isIdentifier(system) || !this.#defined.isDefined(system))
      return fail('system:unknown_system', { system })
    const granted = await this.#store.update(player, (tx) => {
      const { binding: before } = tx.get(BINDING)
      if (before !== null) {
        const code = before.system === system ? 'system:already_bound' : 'system:bound_other'
        throw new FailureError(failure(code, { player: name, system: before.system }))
      }
      const binding = { system, since: this.#clock.now() }
      tx.set(BINDING, { binding })
      return binding
    })
    return granted.ok ? granted : { ok: false, failure: named(granted.failure, name) }
  }

  /** What is kept of the binding, whether the player is online or not. Fails as `grant` does. */
  async kept(player: PlayerId, name: string): Promise<Result<Binding | null>> {
    const kept = await this.#store.update(player, (tx) => tx.get(BINDING).binding)
    return kept.ok ? kept : { ok: false, failure: named(kept.failure, name) }
  }

  /** From now on the player counts as unbound, until the returned function is called. */
  suspend(player: PlayerId): () => void {
    this.#suspended.add(player)
    return () => void this.#suspended.delete(player)
  }

  /** Whether the player's System is being taken. */
  isSuspended(player: PlayerId): boolean {
    return this.#suspended.has(player)
  }

  /**
   * Deletes the binding and everything kept for the player. `reset`: also what can't be read. Fails with
   * `system:not_bound`, and as `PlayerStore.revoke` does.
   */
  delete(
    player: PlayerId,
    kind: 'revoke' | 'reset',
  ): Promise<Result<{ readonly discarded: FailureCode | null }>> {
    return this.#store[kind](player, (kept: Reading) => {
      if (kept.get(BINDING).binding === null) throw new FailureError(failure('system:not_bound'))
    })
  }
}

/** An admin is told whose record it is, and what can be done about it. */
function named(reason: Failure, player: string): Failure {
  const { code, cause } = reason
  return isLasting(reason) ? failure('system:player_unusable', { player, code }, cause) : reason
}
