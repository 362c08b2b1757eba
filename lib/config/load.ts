import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isJsonObject } from '../core/json.js'
import type { Logger } from '../core/logger.js'
import { readConfigFile } from './file.js'
import { schemaReference } from './json-schema.js'
import { readLenient, UNKNOWN_FIELD, type ConfigProblem } from './lenient.js'
import {
  CONFIG_SCHEMAS,
  CONFIG_NAMES,
  FIRST_CONTENTS,
  type ConfigName,
  type SystemConfig,
} from './schemas.js'

/** Where configuration comes from. */
export interface ConfigSource {
  readonly folder: string
  /** Partial contents by file name without `.json`; they lie over the files. */
  readonly override: Readonly<Record<string, unknown>>
  readonly logger: Logger
}

/** What is configured. */
export interface Configured {
  readonly config: SystemConfig
  /**
   * Whether address and key of the model are what the host wrote. With a default in the place of a mistyped one, a key or
   * a player's words could go to somebody whom the host never meant.
   */
  readonly isEndpointSound: boolean
}

/** What was read. */
export interface LoadedConfig extends Configured {
  /** The text of each file that was missing and should be written. */
  readonly missing: readonly { readonly path: string; readonly text: string }[]
  /** Files, and fields after a colon, that fell back; why is in the log. */
  readonly problems: readonly string[]
}

/** Fields of `system-model` that say who gets the key and the players' words. */
const ENDPOINT_FIELDS: ReadonlySet<string> = new Set(['provider', 'baseUrl', 'apiKeyEnv'])

/** Reads all files for the first time. Rejects only when the folder can't be made or written. */
export async function loadConfig(source: ConfigSource): Promise<LoadedConfig> {
  await makeFolder(source.folder)
  await access(source.folder, constants.W_OK)
  return readConfig(source, null)
}

/**
 * Reads every file at once. What can't be read, or was written for a newer version of this program, falls back: to `held`,
 * at the first time to defaults; the file stays untouched and the log says which and why. Never rejects.
 */
export async function readConfig(source: ConfigSource, held: Configured | null): Promise<LoadedConfig> {
  const files = await Promise.all(CONFIG_NAMES.map((name) => readOne(source, name, held)))
  const isEndpointSound = files.every((file) => file.isEndpointSound)
  if (!isEndpointSound)
    source.logger.warn(
      'no model is asked until provider, baseUrl and apiKeyEnv of system-model.json are right',
    )
  return {
    // each value comes from the schema of its name
    config: Object.fromEntries(files.map(({ name, value }) => [name, value])) as unknown as SystemConfig,
    isEndpointSound,
    missing: files.flatMap(({ missing }) => (missing === null ? [] : [missing])),
    problems: files.flatMap(({ problems }) => problems),
  }
}

interface OneFile {
  readonly name: ConfigName
  readonly value: unknown
  readonly isEndpointSound: boolean
  readonly missing: { readonly path: string; readonly text: string } | null
  readonly problems: readonly string[]
}

async function readOne(source: ConfigSource, name: ConfigName, held: Configured | null): Promise<OneFile> {
  const path = join(source.folder, `${name}.json`)
  const found = await readConfigFile(path)
  const before = held?.config[name]
  const notes = new Notes(source.logger, before !== undefined)
  const whole = (): OneFile => ({
    name,
    value: before,
    isEndpointSound: held?.isEndpointSound ?? false,
    missing: null,
    problems: notes.names,
  })
  if (found.kind === 'broken') notes.file(name, found.reason)
  // another program may be about to put it back: at a reload nothing is written in its place
  if (found.kind === 'missing' && before !== undefined) notes.file(name, 'missing')
  if (found.kind !== 'read' && before !== undefined) return whole()

  const given = found.kind === 'read' ? found.json : found.kind === 'missing' ? FIRST_CONTENTS[name] : {}
  const read = readLenient<(typeof CONFIG_SCHEMAS)[ConfigName]>(CONFIG_SCHEMAS[name], given, before)
  notes.fields(`${name}.json`, read.problems)
  const over = source.override[name]
  const merged =
    over === undefined
      ? { value: read.value, problems: [] }
      : readLenient<(typeof CONFIG_SCHEMAS)[ConfigName]>(
          CONFIG_SCHEMAS[name],
          merge(read.value, over),
          before,
        )
  notes.fields(`plugin settings, ${name}`, merged.problems)
  const isAstray = name === 'system-model' && notes.fellBack.some((field) => ENDPOINT_FIELDS.has(field))
  // the old key must not meet a new address
  if (isAstray && before !== undefined) {
    notes.file(name, 'who is asked is one value')
    return whole()
  }
  const text = `${JSON.stringify({ $schema: schemaReference(source.folder, name), ...read.value }, null, 2)}\n`
  return {
    name,
    value: merged.value,
    isEndpointSound: !isAstray && !(name === 'system-model' && found.kind === 'broken'),
    missing: found.kind === 'missing' ? { path, text } : null,
    problems: notes.names,
  }
}

/** Says in the log what fell back, and remembers the names. */
class Notes {
  readonly names: string[] = []
  readonly fellBack: string[] = []
  readonly #logger: Logger
  readonly #isAgain: boolean

  constructor(logger: Logger, isAgain: boolean) {
    this.#logger = logger
    this.#isAgain = isAgain
  }

  file(name: ConfigName, reason: string): void {
    const holds = this.#isAgain ? 'what held before stays' : 'defaults hold'
    this.#logger.warn(`${name}.json is not used: ${reason}; ${holds}`)
    this.names.push(`${name}.json`)
  }

  fields(place: string, problems: readonly ConfigProblem[]): void {
    for (const { path, reason } of problems) {
      const isUnknown = reason === UNKNOWN_FIELD
      const holds = this.#isAgain ? 'what held before stays' : 'its default holds'
      this.#logger.warn(`${place}: ${path}: ${reason}; ${isUnknown ? 'it is ignored' : holds}`)
      this.names.push(`${place}: ${path}`)
      this.fellBack.push(path)
    }
  }
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

/** Objects are merged member by member; anything else replaces. */
function merge(below: unknown, above: unknown): unknown {
  if (!isJsonObject(below) || !isJsonObject(above)) return above
  const merged = new Map(Object.entries(below))
  for (const [key, value] of Object.entries(above)) merged.set(key, merge(merged.get(key), value))
  return Object.fromEntries(merged)
}
