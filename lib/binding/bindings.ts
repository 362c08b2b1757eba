import type { Clock } from '../core/clock.js'
import { failure, type Failure } from '../core/failure.js'
import { isIdentifier, type Identifier, type PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Binding, PlayerStore } from '../storage/index.js'

/** Who has which System. At most one per player; a change counts once it is durable. */
export class Bindings {
  readonly #store: PlayerStore
  readonly #clock: Clock
  readonly #systems: ReadonlySet<string>
  /** Committed bindings of online players: what permission checks read, at once. */
  readonly #online = new Map<PlayerId, { readonly binding: Binding | null }>()

  constructor(parts: { store: PlayerStore; clock: Clock; systems: ReadonlySet<string> }) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#systems = parts.systems
  }

  /** Reads the player's binding at login; until then the player counts as unbound. */
  async load(player: PlayerId): Promise<Binding | null> {
    const unread = { binding: null }
    this.#online.set(player, unread)
    const { binding } = await this.#store.read(player)
    // gone, come again, granted or revoked meanwhile: what was read is older than that
    if (this.#online.get(player) === unread) this.#online.set(player, { binding })
    return this.#online.get(player)?.binding ?? null
  }

  /** Forgets the copy of a player who left. */
  unload(player: PlayerId): void {
    this.#online.delete(player)
  }

  /** The System of an online player whose definition exists, or null. */
  systemOf(player: PlayerId): Identifier | null {
    const system = this.#online.get(player)?.binding?.system
    return system !== undefined && this.#systems.has(system) ? system : null
  }

  /** Why an online player may not use a System at all, or null. */
  check(player: PlayerId): Failure | null {
    return this.systemOf(player) === null ? failure('system:not_bound') : null
  }

  /** The ids that can be granted. */
  systems(): readonly string[] {
    return [...this.#systems]
  }

  /**
   * Binds an online player. Fails with `system:unknown_system`, `already_bound` (the same one) or `bound_other`.
   * `name` is only named in the failure.
   */
  async grant(player: PlayerId, system: string, name: string): Promise<Result<Binding>> {
    if (!isIdentifier(system) || !this.#systems.has(system)) return fail('system:unknown_system', { system })
    let refused: Failure | null = null
    const record = await this.#store.update(player, (before) => {
      if (before.binding === null) return { ...before, binding: { system, since: this.#clock.now() } }
      const code = before.binding.system === system ? 'system:already_bound' : 'system:bound_other'
      refused = failure(code, { player: name, system: before.binding.system })
      return before
    })
    if (refused !== null) return { ok: false, failure: refused }
    if (record.binding === null) return fail('system:internal')
    this.#committed(player, record.binding)
    return ok(record.binding)
  }

  /** Takes the System and everything kept for the player. Fails with `system:not_bound`. */
  async revoke(player: PlayerId): Promise<Result<void>> {
    const { binding } = await this.#store.read(player)
    if (binding === null) return fail('system:not_bound')
    await this.#store.delete(player)
    this.#committed(player, null)
    return ok(undefined)
  }

  #committed(player: PlayerId, binding: Binding | null): void {
    if (this.#online.has(player)) this.#online.set(player, { binding })
  }
}
