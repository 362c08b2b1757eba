import type { ConditionTypes } from '../conditions/index.js'
import { identifier } from '../core/ids.js'
import type { Reference, RegistryType } from '../registry/index.js'
import type { ModuleTypes } from './module-types.js'
import {
  configurationSchema,
  definitionSchema,
  type ModuleConfiguration,
  type SystemDefinition,
} from './schemas.js'

/** The registries that say what Systems there are. */
export interface SystemRegistries {
  readonly definitions: RegistryType<SystemDefinition>
  readonly configurations: RegistryType<ModuleConfiguration>
}

const CONFIGURATIONS = identifier('system:system_module')

/** Made once, when everything is registered. */
export function systemRegistries(modules: ModuleTypes, conditions: ConditionTypes): SystemRegistries {
  const condition = conditions.schema()
  return {
    definitions: {
      id: identifier('system:system'),
      folder: 'system/system',
      schema: definitionSchema(condition),
      references: ({ modules: entries }) => entries.map(referenceOf),
    },
    configurations: {
      id: CONFIGURATIONS,
      folder: 'system/system_module',
      schema: configurationSchema(modules.all(), condition),
      references: ({ type, parameters }) => modules.get(type)?.references?.(parameters) ?? [],
    },
  }
}

const referenceOf = ({ module }: { module: string }, at: number): Reference => ({
  registry: CONFIGURATIONS,
  ref: module,
  pointer: ['modules', at],
})
