import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import type { Clock } from '../core/clock.js'
import { failure, FailureError, type Failure } from '../core/failure.js'
import { identifier, isIdentifier, type Identifier, type PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { PlayerStore, Reading, StorageType } from '../storage/index.js'

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

/** Who has which System. At most one per player; a change counts once it is durable. */
export class Bindings {
  readonly #store: PlayerStore
  readonly #clock: Clock
  readonly #isDefined: (id: string) => boolean
  readonly #systems: () => readonly string[]

  /** The store must know the type `BINDING`. */
  constructor(parts: {
    store: PlayerStore
    clock: Clock
    isDefined: (id: string) => boolean
    systems: () => readonly string[]
  }) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#isDefined = parts.isDefined
    this.#systems = parts.systems
  }

  /**
   * The System of an online player whose definition exists, or null: what is committed at this moment. Until the player's
   * data was read at login, and while it can't be used, nobody is bound.
   */
  systemOf(player: PlayerId): Identifier | null {
    const system = this.#store.online(player)?.get(BINDING).binding?.system
    return system !== undefined && this.#isDefined(system) ? system : null
  }

  /** Why an online player may not use a System at all, or null. */
  check(player: PlayerId): Failure | null {
    return this.systemOf(player) === null ? failure('system:not_bound') : null
  }

  /** The ids that can be granted. */
  systems(): readonly string[] {
    return this.#systems()
  }

  /**
   * Binds a player. Fails with `system:unknown_system`, `already_bound` (the same one) or `bound_other`, and as
   * `PlayerStore.update` does. `name` is only named in the failure.
   */
  async grant(player: PlayerId, system: string, name: string): Promise<Result<Binding>> {
    if (!isIdentifier(system) || !this.#isDefined(system)) return fail('system:unknown_system', { system })
    return this.#store.update(player, (tx) => {
      const { binding: before } = tx.get(BINDING)
      if (before !== null) {
        const code = before.system === system ? 'system:already_bound' : 'system:bound_other'
        throw new FailureError(failure(code, { player: name, system: before.system }))
      }
      const binding = { system, since: this.#clock.now() }
      tx.set(BINDING, { binding })
      return binding
    })
  }

  /** Takes the System and everything kept for the player. Fails with `system:not_bound`, and as `PlayerStore.update` does. */
  async revoke(player: PlayerId): Promise<Result<void>> {
    const mustBeBound = (kept: Reading): void => {
      if (kept.get(BINDING).binding === null) throw new FailureError(failure('system:not_bound'))
    }
    const revoked = await this.#store.revoke(player, mustBeBound)
    return revoked.ok ? ok(undefined) : revoked
  }
}
