import type { Logger } from '../../lib/core/logger.js'
import type { ItemCatalogue } from '../../lib/items/index.js'
import { readLanguageFolder } from '../../lib/names/index.js'
import { runJob, type ThreadGroups } from '../../lib/pool/index.js'

/**
 * Reads the item names of the host's language folder, in place of those read before. Resolves with the number of languages;
 * null: there is no folder, or it can't be read now and the names before hold. Never rejects.
 */
export async function loadItemNames(parts: {
  readonly languageFolder: string | undefined
  readonly groups: ThreadGroups
  readonly catalogue: ItemCatalogue
  readonly logger: Logger
}): Promise<number | null> {
  const { languageFolder: folder, groups, catalogue, logger } = parts
  if (folder === undefined) return null
  const names = await readLanguageFolder({ folder, run: (job) => runJob(groups.compute, job), logger })
  if (names === null) return null
  await catalogue.setNames(names)
  return names.size
}
