import type { Logger } from '../../lib/core/logger.js'
import type { ItemCatalogue } from '../../lib/items/index.js'
import { readLanguageFolder } from '../../lib/names/index.js'
import { runJob, type ThreadGroups } from '../../lib/pool/index.js'
import type { PluginSettings } from './settings.js'

/**
 * Reads the item names of the host's language folder, in place of those read before. Resolves with the number of languages;
 * null: there is no folder, or it can't be read now and the names before hold. Never rejects.
 */
export async function loadItemNames(parts: {
  readonly settings: Pick<PluginSettings, 'languageFolder'>
  readonly groups: ThreadGroups
  readonly catalogue: ItemCatalogue
  readonly logger: Logger
}): Promise<number | null> {
  const { groups, catalogue, logger } = parts
  const folder = parts.settings.languageFolder
  if (folder === undefined) return null
  const names = await readLanguageFolder({ folder, run: (job) => runJob(groups.compute, job), logger })
  if (names === null) return null
  await catalogue.setNames(names)
  return names.size
}
