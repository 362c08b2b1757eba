import type { AiAccess, Registry } from '../../lib/agent/index.js'
import type { Bindings } from '../../lib/binding/index.js'
import type { CardAction } from '../../lib/cards/index.js'
import type { ConditionTypes } from '../../lib/conditions/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { Failure } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Host } from '../../lib/host/index.js'
import type { Content } from '../../lib/registry/index.js'
import type { PlayerStore } from '../../lib/storage/index.js'
import { ModuleAccess, OVERRIDES, type ModuleTypes, type SystemRegistries } from '../../lib/systems/index.js'

/** Level of an administrator of the System; everybody else has 0. */
const ADMIN_LEVEL = 4

/** What access is found from. */
export interface AccessParts {
  readonly registries: SystemRegistries
  readonly moduleTypes: ModuleTypes
  readonly conditions: ConditionTypes
  readonly content: () => Content
  readonly bindings: Bindings
  readonly store: PlayerStore
  readonly host: Host
  readonly clock: Clock
  readonly isAdmin: (player: PlayerId) => boolean
}

/** Access as the running server decides it. */
export function openAccess(parts: AccessParts): ModuleAccess {
  const { registries, moduleTypes, conditions, content, bindings, store, host, clock } = parts
  return new ModuleAccess({
    types: moduleTypes,
    conditions,
    registries,
    clock,
    content,
    boundTo: (player) => bindings.boundTo(player),
    overridesOf: (player) => store.online(player)?.get(OVERRIDES) ?? OVERRIDES.empty,
    situation: (player, { system, content: judged }) => ({
      player,
      system,
      permissionLevel: parts.isAdmin(player) ? ADMIN_LEVEL : 0,
      facts: host.facts(player),
      dayTime: host.dayTime(),
      itemTag: (id) => judged.tagged('item', id),
    }),
  })
}

/** What the doors of workflows are judged by. */
export interface Doors {
  readonly access: ModuleAccess
  readonly registry: Registry
  readonly preferences: Pick<AiAccess, 'check'>
}

/** Why a workflow (null: any) is closed to the player now, or null: by its System, or by what it needs of a model. */
export function closedBy(
  { access, registry, preferences }: Doors,
  who: { readonly player: PlayerId; readonly content?: Content | undefined },
  module: string | null,
): Failure | null {
  const closed = access.check(who.player, module, who.content)
  if (closed !== null || module === null) return closed
  return preferences.check(who.player, registry.findModule(module)?.needs ?? 'off')
}

/** Whether the workflow that a button or the command it suggests leads to is open to the player. */
export function mayPress(doors: Doors, player: PlayerId, action: CardAction): boolean {
  if (action.kind === 'local') return true
  if (action.kind === 'server') return closedBy(doors, { player }, action.module) === null
  const name = /^\/system ([a-z0-9_-]+)/.exec(action.command)?.[1]
  const module = doors.registry.modules().find(({ routing }) => routing.command?.name === name)
  return module === undefined || closedBy(doors, { player }, module.id) === null
}
