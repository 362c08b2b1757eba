import { CARD_TEMPLATES } from '../../lib/cards/templates/index.js'
import { ConditionTypes } from '../../lib/conditions/index.js'
import { silentLogger } from '../../lib/core/logger.js'
import { itemsModuleType } from '../../lib/items/index.js'
import { playerModuleType } from '../../lib/player/index.js'
import { reasoningModuleType } from '../../lib/questions/index.js'
import { ModuleTypes, systemRegistries, type SystemRegistries } from '../../lib/systems/index.js'

interface BuiltInRegistries extends SystemRegistries {
  readonly templates: typeof CARD_TEMPLATES
}

/** What packs may hold when no extension adds to it: for tools that have no server. */
export function builtInRegistries(): BuiltInRegistries {
  const modules = new ModuleTypes()
  for (const type of [reasoningModuleType, itemsModuleType, playerModuleType]) modules.add(type)
  return { ...systemRegistries(modules, new ConditionTypes(silentLogger)), templates: CARD_TEMPLATES }
}
