import { access, constants, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasUniqueKeys } from '../codec/index.js'
import { isJsonObject, parseJson } from '../core/json.js'
import type { Logger } from '../core/logger.js'
import { VERSION } from './fields.js'
import { readLenient, type ConfigProblem } from './lenient.js'
import { CONFIG_SCHEMAS, FIRST_CONTENTS, type ConfigName, type SystemConfig } from './schemas.js'

/** Larger files are not configuration. */
const MAX_BYTES = 262_144

/** Where configuration comes from. */
export interface ConfigSource {
  readonly folder: string
  /** Partial contents by file name without `.json`; they lie over the files. */
  readonly override: Readonly<Record<string, unknown>>
  readonly logger: Logger
}

/** The effective configuration, and the text of each file that was missing and should be written. */
export interface LoadedConfig {
  readonly config: SystemConfig
  readonly missing: readonly { readonly path: string; readonly text: string }[]
  /**
   * Whether address and key of the model are what the host wrote. With a default in the place of a mistyped one, a key or
   * a player's words could go to somebody whom the host never meant.
   */
  readonly isEndpointSound: boolean
}

/** Fields of `system-model` that say who gets the key and the players' words. */
const ENDPOINT_FIELDS: ReadonlySet<string> = new Set(['provider', 'baseUrl', 'apiKeyEnv'])

/**
 * Reads every configuration file. What can't be read, or was written for a newer version of this program, means defaults
 * in memory and the file untouched, and the log says which and why. Rejects only when the folder can't be made or written.
 */
export async function loadConfig(source: ConfigSource): Promise<LoadedConfig> {
  await makeFolder(source.folder)
  await access(source.folder, constants.W_OK)
  const missing: { path: string; text: string }[] = []
  let isEndpointSound = true
  const judge = (name: ConfigName, problems: readonly ConfigProblem[]): void => {
    if (name === 'system-model' && problems.some(({ path }) => ENDPOINT_FIELDS.has(path)))
      isEndpointSound = false
  }
  const read = async <N extends ConfigName>(name: N): Promise<SystemConfig[N]> => {
    const path = join(source.folder, `${name}.json`)
    const found = await readJson(path)
    if (found.kind === 'broken') {
      source.logger.warn(`${name}.json is not used: ${found.reason}; defaults hold`)
      if (name === 'system-model') isEndpointSound = false
    }
    const { value, problems } = readLenient(
      CONFIG_SCHEMAS[name],
      found.kind === 'read' ? found.json : found.kind === 'missing' ? FIRST_CONTENTS[name] : {},
    )
    judge(name, problems)
    for (const { path, reason } of problems)
      source.logger.warn(`${name}.json: ${path}: ${reason}; its default holds`)
    if (found.kind === 'missing') missing.push({ path, text: `${JSON.stringify(value, null, 2)}\n` })
    const over = source.override[name]
    if (over === undefined) return value as SystemConfig[N]
    const merged = readLenient(CONFIG_SCHEMAS[name], merge(value, over))
    judge(name, merged.problems)
    for (const { path, reason } of merged.problems)
      source.logger.warn(`plugin settings, ${name}: ${path}: ${reason}; its default holds`)
    return merged.value as SystemConfig[N]
  }
  const config: SystemConfig = {
    'system-model': await read('system-model'),
    'system-agent': await read('system-agent'),
    'system-storage': await read('system-storage'),
    'system-model-pricing': await read('system-model-pricing'),
    'system-search-pricing': await read('system-search-pricing'),
    'system-access': await read('system-access'),
    'system-surface': await read('system-surface'),
  }
  if (!isEndpointSound)
    source.logger.warn(
      'no model is asked until provider, baseUrl and apiKeyEnv of system-model.json are right',
    )
  return { config, missing, isEndpointSound }
}

/** Makes the folder and those above it. Node's own `recursive` loops for ever where a parent takes none, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  try {
    await mkdir(folder)
  } catch (error) {
    // another server may have made it meanwhile
    if (!(await isFolder(folder))) throw error
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

type FileRead = { kind: 'read'; json: unknown } | { kind: 'missing' } | { kind: 'broken'; reason: string }

const broken = (reason: string): FileRead => ({ kind: 'broken', reason })

async function readJson(path: string): Promise<FileRead> {
  let text: string
  try {
    const found = await stat(path)
    // a pipe or a device may never come to an end
    if (!found.isFile()) return broken('not a file')
    if (found.size > MAX_BYTES) return broken(`larger than ${MAX_BYTES} bytes`)
    text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable'
    return code === 'ENOENT' ? { kind: 'missing' } : broken(code)
  }
  const json = parseJson(text)
  if (json === undefined) return broken('not valid JSON')
  if (!isJsonObject(json)) return broken('not a JSON object')
  if (!hasUniqueKeys(text)) return broken('a key stands twice in one object, or objects are nested too deep')
  const version = json['version']
  const isNewer = typeof version === 'number' && version > VERSION
  return isNewer ? broken(`of version ${version}, this program reads ${VERSION}`) : { kind: 'read', json }
}

/** Objects are merged member by member; anything else replaces. */
function merge(below: unknown, above: unknown): unknown {
  if (!isJsonObject(below) || !isJsonObject(above)) return above
  const merged = new Map(Object.entries(below))
  for (const [key, value] of Object.entries(above)) merged.set(key, merge(merged.get(key), value))
  return Object.fromEntries(merged)
}
