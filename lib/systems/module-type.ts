import type { z } from 'zod'
import type { Identifier } from '../core/ids.js'
import type { Reference } from '../registry/index.js'

/**
 * A feature as packs configure it: what `type` names in a file of `system/system_module/`. Tools whose owner is the type's
 * id, and the workflows named here, are open to a player who has a configuration of the type.
 */
export interface ModuleType {
  readonly id: Identifier
  /** Members of a configuration beside `type`, `condition` and `client`; absent: none. */
  readonly parameters?: z.ZodRawShape
  /** What decoded members name in other registries; pointers begin at the configuration. */
  references?(parameters: Readonly<Record<string, unknown>>): Iterable<Reference>
  /** The workflows (`AgentModule.id`) that it opens. */
  readonly modules: readonly Identifier[]
}

/** What every bound player has, whatever definitions, conditions and overrides say. */
export const CORE_MODULES: ReadonlySet<string> = new Set([
  'system:help',
  'system:settings',
  'system:history',
  'system:pins',
  'system:forget',
  'system:cancel',
  'system:usage',
  'system:question',
])
