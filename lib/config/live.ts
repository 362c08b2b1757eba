import { join } from 'node:path'
import type { Clock } from '../core/clock.js'
import { InOrder } from '../core/in-order.js'
import { canonicalJson, isJsonObject } from '../core/json.js'
import type { Result } from '../core/result.js'
import { fieldsOf, type Field } from './fields.js'
import { readConfigFile } from './file.js'
import { schemaReference } from './json-schema.js'
import { readConfig, type Configured, type ConfigSource } from './load.js'
import { CONFIG_NAMES, CONFIG_SCHEMAS, type ConfigName, type SystemConfig } from './schemas.js'

/** A save that failed is tried again after so long. */
const RETRY_MS = 5_000

/** What a live configuration is opened with. */
export interface LiveConfigParts {
  readonly source: ConfigSource
  readonly loaded: Configured
  readonly clock: Clock
  /** Puts a file in place of another, whole and durably, or leaves the old one. */
  write(path: string, text: string): Promise<Result<unknown>>
}

/** What a reload has done; names of files and fields, no values. */
export interface Reload {
  /** Fields whose effective value is another now. */
  readonly changed: readonly string[]
  /** Fields that were changed since the start and wait for the next one. */
  readonly restart: readonly string[]
  /** Files and fields that couldn't be used: what held before stays. */
  readonly problems: readonly string[]
}

/** The configuration of a running server. Read at each use: `config` is another object after a change. */
export class LiveConfig {
  readonly #parts: LiveConfigParts
  readonly #started: SystemConfig
  readonly #turns = new InOrder<'files'>()
  /** Fields that the server has changed and that are not in the file yet. */
  readonly #dirty = new Map<ConfigName, object>()
  /** Those whose last save failed, so that the log says it once. */
  readonly #failing = new Set<ConfigName>()
  #now: Configured
  #retryAt = -Infinity
  #isSaving = false

  constructor(parts: LiveConfigParts) {
    this.#parts = parts
    this.#started = parts.loaded.config
    this.#now = parts.loaded
  }

  /** Effective values. */
  get config(): SystemConfig {
    return this.#now.config
  }

  get isEndpointSound(): boolean {
    return this.#now.isEndpointSound
  }

  /**
   * Reads all files again, after what was changed here is saved. `onTaken` is called in the very step in which the values
   * change. Never rejects.
   */
  reload(onTaken: () => void = () => {}): Promise<Reload> {
    return this.#turns.run('files', async () => {
      await this.#saveAll()
      const { source } = this.#parts
      const read = await readConfig(source, this.#now)
      const before = this.#now.config
      const { config, restart } = this.#holdStartOnly(read.config)
      this.#now = { config, isEndpointSound: read.isEndpointSound }
      onTaken()
      const changed = CONFIG_NAMES.flatMap((name) => differences(name, { before, now: config }))
      return { changed, restart, problems: read.problems }
    })
  }

  /** Changes fields of a file now; the file follows with the next save. The caller gives valid values. */
  change<N extends ConfigName>(name: N, fields: Partial<SystemConfig[N]>): void {
    this.#dirty.set(name, { ...this.#dirty.get(name), ...fields })
    this.#retryAt = -Infinity
    this.#now = { ...this.#now, config: this.#withChanges(this.#now.config) }
  }

  /** Saves what is due; to be called now and then. */
  tick(): void {
    const isDue = this.#dirty.size > 0 && !this.#isSaving && this.#parts.clock.monotonic() >= this.#retryAt
    if (isDue) void this.save()
  }

  /** Saves all changes; resolves with whether there are none left. What failed stays marked, for the next time. */
  save(): Promise<boolean> {
    this.#isSaving = true
    return this.#turns.run('files', async () => {
      await this.#saveAll()
      this.#isSaving = false
      if (this.#dirty.size > 0) this.#retryAt = this.#parts.clock.monotonic() + RETRY_MS
      return this.#dirty.size === 0
    })
  }

  async #saveAll(): Promise<void> {
    for (const [name, fields] of this.#dirty) {
      const problem = await this.#saveOne(name, fields)
      if (problem === null) {
        this.#failing.delete(name)
        // changed again meanwhile: still to be saved
        if (this.#dirty.get(name) === fields) this.#dirty.delete(name)
      } else if (!this.#failing.has(name)) {
        this.#failing.add(name)
        this.#parts.source.logger.warn(`${name}.json was not saved: ${problem}; it is tried again`)
      }
    }
  }

  /** Puts the fields into the file as it is now: what the host has written beside them stays. */
  async #saveOne(name: ConfigName, fields: object): Promise<string | null> {
    const { folder } = this.#parts.source
    const path = join(folder, `${name}.json`)
    const found = await readConfigFile(path)
    if (found.kind === 'broken') return found.reason
    const below = found.kind === 'read' ? found.json : { $schema: schemaReference(folder, name) }
    const written = await this.#parts.write(path, `${JSON.stringify({ ...below, ...fields }, null, 2)}\n`)
    return written.ok ? null : written.failure.code
  }

  /** Fields of the start only keep what they had at the start. */
  #holdStartOnly(read: SystemConfig): { config: SystemConfig; restart: readonly string[] } {
    const config = structuredClone(this.#withChanges(read))
    const restart = CONFIG_NAMES.flatMap((name) => {
      const waiting = differences(
        name,
        { before: this.#started, now: config },
        ({ isStartOnly }) => isStartOnly,
      )
      for (const { path } of fieldsOf(CONFIG_SCHEMAS[name]).filter(({ isStartOnly }) => isStartOnly))
        put(config[name], path, valueAt(this.#started[name], path))
      return waiting
    })
    return { config, restart }
  }

  #withChanges(config: SystemConfig): SystemConfig {
    const changed = CONFIG_NAMES.map((name) => [name, { ...config[name], ...this.#dirty.get(name) }])
    // each stays of its own name
    return Object.fromEntries(changed) as SystemConfig
  }
}

/** Names of the fields of a file that have another value. */
function differences(
  name: ConfigName,
  { before, now }: { readonly before: SystemConfig; readonly now: SystemConfig },
  which: (field: Field) => boolean = () => true,
): readonly string[] {
  const text = (config: SystemConfig, path: readonly string[]): string =>
    canonicalJson(valueAt(config[name], path) ?? null)
  return fieldsOf(CONFIG_SCHEMAS[name])
    .filter((field) => which(field) && text(before, field.path) !== text(now, field.path))
    .map(({ path }) => [name, ...path].join('.'))
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined
  return value
}

/** Sets a member whose objects above it are there. */
function put(object: unknown, path: readonly string[], value: unknown): void {
  const above = valueAt(object, path.slice(0, -1))
  const key = path.at(-1)
  if (isJsonObject(above) && key !== undefined) above[key] = value
}
