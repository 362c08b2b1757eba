import type { Bindings } from '../../lib/binding/index.js'
import type { ConditionTypes } from '../../lib/conditions/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Host } from '../../lib/host/index.js'
import type { Content } from '../../lib/registry/index.js'
import type { PlayerStore } from '../../lib/storage/index.js'
import {
  ModuleAccess,
  OVERRIDES,
  type ModuleTypes,
  type SystemRegistries,
} from '../../lib/systems/index.js'

/** Level of an administrator of the System; everybody else has 0. */
const ADMIN_LEVEL = 4
const ITEM_TAGS = 'item'

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
    systemOf: (player) => bindings.systemOf(player),
    overridesOf: (player) => store.online(player)?.get(OVERRIDES) ?? OVERRIDES.empty,
    situation: (player, system) => ({
      player,
      system,
      permissionLevel: parts.isAdmin(player) ? ADMIN_LEVEL : 0,
      facts: host.facts(player),
      dayTime: host.dayTime(),
      itemTag: (id) => content().tags(ITEM_TAGS).get(id),
    }),
  })
}
