import { loadConfig } from '../../lib/config/index.js'
import type { Logger } from '../../lib/core/logger.js'
import type { Result } from '../../lib/core/result.js'
import { runJob } from '../../lib/pool/index.js'
import { readShippedData, type ShippedData } from '../../lib/registry/index.js'
import { Languages, parseCatalogue } from '../../lib/text/index.js'
import type { Runtime } from './runtime.js'
import type { PluginSettings } from './settings.js'

/** Reads configuration and shipped data; the texts of missing configuration files come back for writing. */
export async function prepare(settings: PluginSettings, logger: Logger) {
  const configSource = { folder: settings.configFolder, override: settings.config, logger }
  const [loaded, shipped] = await Promise.all([loadConfig(configSource), readShippedData()])
  return { configSource, loaded, shipped }
}

/** The sentences of each language. One that can't be read is left out. */
export function readLanguages(shipped: ShippedData, logger: Logger): Languages {
  const catalogues = new Map<string, Readonly<Record<string, string>>>()
  for (const [language, json] of shipped.languages) {
    const parsed = parseCatalogue(json)
    if (parsed.ok) catalogues.set(language, parsed.value)
    else logger.error(`language ${language} is not used`, parsed.failure.cause)
  }
  return new Languages(catalogues, 'en_us', (key, language) =>
    logger.warn(`no text for ${key} in ${language}`),
  )
}

/** Puts a text in place of a file, by the storage group. */
export const writeText = (runtime: Runtime, path: string, text: string): Promise<Result<unknown>> =>
  runJob(runtime.groups.storage, { kind: 'write-file', path, bytes: Buffer.from(text) })
