import type { ConditionTypes, Situation } from '../conditions/index.js'
import type { Clock } from '../core/clock.js'
import { failure, type Failure } from '../core/failure.js'
import type { Identifier, PlayerId } from '../core/ids.js'
import type { Content, Holder } from '../registry/index.js'
import { CORE_MODULES } from './module-type.js'
import type { ModuleTypes } from './module-types.js'
import type { Overrides } from './overrides.js'
import type { ModuleConfiguration } from './schemas.js'
import type { SystemRegistries } from './system-content.js'

/** What conditions said counts for so long. */
const CACHE_MS = 1_000

export interface ModuleAccessParts {
  readonly types: ModuleTypes
  readonly conditions: ConditionTypes
  readonly registries: SystemRegistries
  readonly clock: Clock
  /** What packs say now. */
  content(): Content
  /** The player's System while it is defined, or null. */
  systemOf(player: PlayerId): Identifier | null
  /** Of a player whose data was read. */
  overridesOf(player: PlayerId): Overrides
  /** What conditions are judged by; asked at most once a second a player. */
  situation(player: PlayerId, system: Identifier): Situation
}

/** What a player may use, and what that was found from. */
interface Found {
  readonly at: number
  readonly content: Content
  readonly system: Identifier
  readonly overrides: Overrides
  readonly open: readonly Holder<ModuleConfiguration>[]
  /** Ids of the types of the open configurations. */
  readonly types: ReadonlySet<string>
}

/**
 * Who may use which module: those that the player's System names, whose conditions hold, unless an administrator has said
 * otherwise for this player. What an administrator allows needs no condition, but must be named by the System. Asked at
 * every door; evaluated once a second a player, and at once when System, content or overrides are others.
 */
export class ModuleAccess {
  readonly #parts: ModuleAccessParts
  readonly #found = new Map<PlayerId, Found>()

  constructor(parts: ModuleAccessParts) {
    this.#parts = parts
  }

  /** Why the player may not use the workflow (null: any System at all) now, or null. */
  check(player: PlayerId, module: string | null): Failure | null {
    const found = this.#of(player)
    if (found === null) return failure('system:not_bound')
    if (module === null || CORE_MODULES.has(module)) return null
    const opening = this.#parts.types.opening(module)
    const isOpen = opening.length === 0 || opening.some(({ id }) => found.types.has(id))
    return isOpen ? null : failure('system:module_closed')
  }

  /** The same for a tool, by its owner. */
  checkOwner(player: PlayerId, owner: string): Failure | null {
    const found = this.#of(player)
    if (found === null) return failure('system:not_bound')
    const isOpen =
      this.#parts.types.get(owner) === undefined || found.types.has(owner) || CORE_MODULES.has(owner)
    return isOpen ? null : failure('system:module_closed')
  }

  /** The player's configurations of a type, in the order in which the System names them. */
  configurations(player: PlayerId, type: string): readonly Holder<ModuleConfiguration>[] {
    return this.#of(player)?.open.filter(({ value }) => value.type === type) ?? []
  }

  /** Ids of all open configurations: what a player's commands depend on. */
  open(player: PlayerId): readonly Identifier[] {
    return this.#of(player)?.open.map(({ id }) => id) ?? []
  }

  /** Ids of all configurations that the player's System names, open or not. */
  named(player: PlayerId): readonly Identifier[] {
    const system = this.#parts.systemOf(player)
    return system === null ? [] : [...new Set(this.#named(system).map(({ holder }) => holder.id))]
  }

  /** Nothing is remembered of a player who left. */
  forget(player: PlayerId): void {
    this.#found.delete(player)
  }

  #of(player: PlayerId): Found | null {
    const { clock, content, systemOf, overridesOf } = this.#parts
    const system = systemOf(player)
    if (system === null) {
      this.#found.delete(player)
      return null
    }
    const [now, current, overrides] = [clock.monotonic(), content(), overridesOf(player)]
    const before = this.#found.get(player)
    const isSame =
      before !== undefined &&
      before.system === system &&
      before.content === current &&
      before.overrides === overrides &&
      now - before.at < CACHE_MS
    if (isSame) return before
    const open = this.#open(player, system, overrides)
    const types = new Set(open.map(({ value }) => value.type))
    const found: Found = { at: now, content: current, system, overrides, open, types }
    this.#found.set(player, found)
    return found
  }

  #open(player: PlayerId, system: Identifier, overrides: Overrides): readonly Holder<ModuleConfiguration>[] {
    const { conditions } = this.#parts
    const [allowed, denied] = [new Set(overrides.allowed), new Set(overrides.denied)]
    let situation: Situation | undefined
    const holds = (condition: ModuleConfiguration['condition']): boolean => {
      if (condition === null) return true
      situation ??= this.#parts.situation(player, system)
      return conditions.test(condition, situation)
    }
    const open = new Map<Identifier, Holder<ModuleConfiguration>>()
    for (const { holder, condition } of this.#named(system)) {
      if (open.has(holder.id) || denied.has(holder.id)) continue
      if (allowed.has(holder.id) || (holds(condition) && holds(holder.value.condition)))
        open.set(holder.id, holder)
    }
    return [...open.values()]
  }

  /** Every configuration that the System names, with the condition of the place; one may be named twice. */
  #named(system: Identifier) {
    const { registries, content } = this.#parts
    const configurations = content().registry(registries.configurations)
    const references = content().registry(registries.definitions).get(system)?.value.modules ?? []
    return references.flatMap(({ module, condition }) =>
      configurations.resolve([module]).map((holder) => ({ holder, condition })),
    )
  }
}
