import type { Condition, ConditionTypes, Situation } from '../conditions/index.js'
import type { Clock } from '../core/clock.js'
import { failure, type Failure } from '../core/failure.js'
import type { Identifier, PlayerId } from '../core/ids.js'
import { frozen } from '../core/frozen.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Content, Holder } from '../registry/index.js'
import { CORE_MODULES } from './module-type.js'
import type { ModuleTypes } from './module-types.js'
import type { Overrides } from './overrides.js'
import type { ModuleConfiguration } from './schemas.js'
import type { SystemRegistries } from './system-content.js'

/** What conditions said counts for so long. */
const CACHE_MS = 1_000
/** So many configurations a System has at most, those of its tags counted: the rest is passed over. */
const MAX_NAMED = 1_024

export interface ModuleAccessParts {
  readonly types: ModuleTypes
  readonly conditions: ConditionTypes
  readonly registries: SystemRegistries
  readonly clock: Clock
  /** What packs say now. */
  content(): Content
  /** The System that the player is bound to, defined or not, or null. */
  boundTo(player: PlayerId): Identifier | null
  /** Of a player whose data was read. */
  overridesOf(player: PlayerId): Overrides
  /** What conditions of this content are judged by; asked at most once a second a player. */
  situation(player: PlayerId, of: { readonly system: Identifier; readonly content: Content }): Situation
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

  /**
   * Why the player may not use the workflow (null: any System at all) now, or null. A request that began with other
   * content is judged by that: what a reload takes away ends nothing that runs.
   */
  check(player: PlayerId, module: string | null, content = this.#parts.content()): Failure | null {
    const found = this.#of(player, content)
    if (!found.ok) return found.failure
    if (module === null || CORE_MODULES.has(module)) return null
    const opening = this.#parts.types.opening(module)
    const isOpen = opening.length === 0 || opening.some(({ id }) => found.value.types.has(id))
    return isOpen ? null : failure('system:module_closed')
  }

  /** The same for a tool, by its owner. */
  checkOwner(player: PlayerId, owner: string, content = this.#parts.content()): Failure | null {
    const found = this.#of(player, content)
    if (!found.ok) return found.failure
    const isOpen = this.#parts.types.get(owner) === undefined || found.value.types.has(owner)
    return isOpen ? null : failure('system:module_closed')
  }

  /** The player's open configurations, in the order in which the System names them. */
  open(player: PlayerId, content = this.#parts.content()): readonly Holder<ModuleConfiguration>[] {
    const found = this.#of(player, content)
    return found.ok ? found.value.open : []
  }

  /** The types that open the workflow; none: it needs no configuration. */
  openedBy(module: string): readonly Identifier[] {
    return this.#parts.types.opening(module).map(({ id }) => id)
  }

  /** Ids of all configurations that the player's System names, open or not. */
  named(player: PlayerId): readonly Identifier[] {
    const system = this.#parts.boundTo(player)
    if (system === null) return []
    return [...new Set(this.#named(system, this.#parts.content()).map(({ holder }) => holder.id))]
  }

  /** Nothing is remembered of a player who left. */
  forget(player: PlayerId): void {
    this.#found.delete(player)
  }

  #of(player: PlayerId, content: Content): Result<Found> {
    const { clock, registries } = this.#parts
    const system = this.#parts.boundTo(player)
    if (system === null) return fail('system:not_bound')
    if (content.registry(registries.definitions).get(system) === undefined)
      return fail('system:system_missing')
    const [now, overrides] = [clock.monotonic(), this.#parts.overridesOf(player)]
    const before = this.#found.get(player)
    const isSame =
      before !== undefined &&
      before.system === system &&
      before.content === content &&
      before.overrides === overrides &&
      now - before.at < CACHE_MS
    if (isSame) return ok(before)
    const open = this.#evaluate(player, { system, overrides, content })
    const types = new Set(open.map(({ value }) => value.type))
    const found: Found = { at: now, content, system, overrides, open, types }
    this.#found.set(player, found)
    return ok(found)
  }

  #evaluate(
    player: PlayerId,
    { system, overrides, content }: Pick<Found, 'system' | 'overrides' | 'content'>,
  ): readonly Holder<ModuleConfiguration>[] {
    const { conditions } = this.#parts
    const [allowed, denied] = [new Set(overrides.allowed), new Set(overrides.denied)]
    let situation: Situation | undefined
    // a System may name a configuration in many places
    const verdicts = new Map<Condition, boolean>()
    const holds = (condition: Condition | null): boolean => {
      if (condition === null) return true
      situation ??= frozen(this.#parts.situation(player, { system, content }))
      const verdict = verdicts.get(condition) ?? conditions.test(condition, situation)
      verdicts.set(condition, verdict)
      return verdict
    }
    const open = new Map<Identifier, Holder<ModuleConfiguration>>()
    for (const { holder, condition } of this.#named(system, content)) {
      if (open.has(holder.id) || denied.has(holder.id)) continue
      if (allowed.has(holder.id) || (holds(condition) && holds(holder.value.condition)))
        open.set(holder.id, holder)
    }
    return [...open.values()]
  }

  /** Every configuration that the System names, with the condition of the place; one may be named twice. */
  #named(system: Identifier, content: Content) {
    const { registries } = this.#parts
    const configurations = content.registry(registries.configurations)
    const references = content.registry(registries.definitions).get(system)?.value.modules ?? []
    return references
      .flatMap(({ module, condition }) =>
        configurations.resolve([module]).map((holder) => ({ holder, condition })),
      )
      .slice(0, MAX_NAMED)
  }
}
