import { inSlices } from '../../lib/core/slices.js'
import type { Logger } from '../../lib/core/logger.js'
import type { ItemCatalogue } from '../../lib/items/index.js'
import {
  itemNameSteps,
  mergeNames,
  readLanguageFolder,
  type ItemNames,
  type LanguageNames,
} from '../../lib/names/index.js'
import { runJob, type ThreadGroups } from '../../lib/pool/index.js'
import type { Content } from '../../lib/registry/index.js'
import type { PluginSettings } from './settings.js'

/**
 * Reads the item names of the host's language folder and of the packs, in place of those before. Resolves with the number of
 * languages in the folder; null: there is no folder, or it can't be read now and the names before hold. Never rejects.
 */
export async function loadItemNames(parts: {
  readonly settings: Pick<PluginSettings, 'languageFolder'>
  readonly groups: ThreadGroups
  readonly catalogue: ItemCatalogue
  readonly content: () => Content
  readonly logger: Logger
}): Promise<number | null> {
  const { groups, catalogue, content, logger } = parts
  const folder = parts.settings.languageFolder
  const read =
    folder === undefined
      ? NO_NAMES
      : await readLanguageFolder({ folder, run: (job) => runJob(groups.compute, job), logger })
  if (read === null) return null
  for (let taken: Content | null = null; taken !== content();) {
    taken = content()
    const names = await inSlices(mergeNames(await packNames(taken), read))
    // packs that a reload took meanwhile have other names
    if (names !== undefined && taken === content()) await catalogue.setNames(names)
  }
  return folder === undefined ? null : read.size
}

const NO_NAMES: LanguageNames = new Map()

/** Names that packs give in their language files, aliases among them. */
async function packNames({ languages }: Content): Promise<LanguageNames> {
  const names = new Map<string, ItemNames>()
  for (const [language, sentences] of languages) {
    const found = await inSlices(itemNameSteps(sentences))
    if (found !== undefined) names.set(language, found.names)
  }
  return names
}
