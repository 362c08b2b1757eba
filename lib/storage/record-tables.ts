import type { z } from 'zod'
import type { Identifier } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { RecordKey, StorageDriver, StoredRecord } from './driver.js'
import { CEILING_BYTES } from './limits.js'
import { PartCodec } from './part-codec.js'
import { isRowKey, partName } from './part-name.js'

/** How often a commit is tried again on what somebody else has written meanwhile. */
const MAX_CONFLICTS = 3

/** A table: rows of one shape, each under its own key. */
export interface TableType<T> {
  /** Names the table for good. */
  readonly id: Identifier
  /** 1 is the first. Rows of a higher one are refused and left as they are. */
  readonly version: number
  readonly schema: z.ZodType<T>
  /** From version 1 on, one for each step up to `version`; pure. */
  readonly migrations?: readonly { readonly schema: z.ZodType; migrate(older: unknown): unknown }[]
}

/** The rows of a table that can be read, by key, frozen. */
export interface Scan<T> {
  readonly rows: ReadonlyMap<string, T>
  /** Keys of rows that are damaged or of a later version: they stay as they are. */
  readonly unreadable: readonly string[]
}

/**
 * A database as its users see it. Keys are those of `isRowKey`, any other is `system:internal`. Everything may fail as
 * `StorageDriver` does; readers see what is durable, never what is being written.
 */
export interface Database {
  /** The row, frozen; null when there is none. `system:storage_unreadable` and `system:storage_newer` for this row alone. */
  get<T>(table: TableType<T>, key: string): Promise<Result<T | null>>
  /**
   * Resolves when the row is durable. `system:storage_full`; `system:storage_unreadable` and `system:storage_newer` when
   * a row is there that can't be read: it must be deleted first.
   */
  put<T>(table: TableType<T>, key: string, value: T): Promise<Result<void>>
  /** Resolves when there is no such row any more; none is no failure. */
  delete<T>(table: TableType<T>, key: string): Promise<Result<void>>
  scan<T>(table: TableType<T>): Promise<Result<Scan<T>>>
}

interface State {
  revision: number
  readonly parts: Map<string, Uint8Array>
}

/** A row to be written, or removed when `tag` is null, and who waits for it. */
interface Change {
  readonly name: string
  readonly tag: Uint8Array | null
  /** Whether what is there now may be replaced. */
  mayReplace(tag: Uint8Array): Result<unknown>
  resolve(result: Result<void>): void
}

export interface RecordTablesOptions {
  readonly driver: StorageDriver
  readonly key: RecordKey
  readonly maxBytes: () => number
}

/**
 * One record as a database, one part for each row. Rows of tables that nobody asks for are carried along. Changes that
 * wait while a commit is under way go into the next one together.
 */
export class RecordTables implements Database {
  readonly #options: RecordTablesOptions
  readonly #codecs = new WeakMap<object, PartCodec<unknown>>()
  /** What is kept; null until it was read, and after a commit whose end isn't known: never shown before it is sure. */
  #state: State | null = null
  #loading: Promise<Result<State>> | null = null
  /** What is read may not survive a power cut: something of before ended unknown. */
  #isUnsure = false
  #waiting: Change[] = []
  #writing: Promise<void> | null = null

  constructor(options: RecordTablesOptions) {
    this.#options = options
  }

  /** Whether nothing is under way. */
  get isQuiet(): boolean {
    return this.#writing === null && this.#loading === null
  }

  async get<T>(table: TableType<T>, key: string): Promise<Result<T | null>> {
    if (!isRowKey(key)) return badKey()
    const state = await this.#load()
    if (!state.ok) return state
    const tag = state.value.parts.get(partName(table.id, key))
    return tag === undefined ? ok(null) : this.#codec(table).decode(tag)
  }

  async put<T>(table: TableType<T>, key: string, value: T): Promise<Result<void>> {
    if (!isRowKey(key)) return badKey()
    // the caller may change its value while this waits
    const codec = this.#codec(table)
    const tag = codec.encode(value)
    if (!tag.ok) return tag
    // at once in the queue: what is asked for later comes later, a removal too
    return this.#change(partName(table.id, key), tag.value, (before) => codec.decode(before))
  }

  async delete<T>(table: TableType<T>, key: string): Promise<Result<void>> {
    return isRowKey(key) ? this.#change(partName(table.id, key), null, ok) : badKey()
  }

  async scan<T>(table: TableType<T>): Promise<Result<Scan<T>>> {
    const state = await this.#load()
    if (!state.ok) return state
    const start = partName(table.id, '')
    const rows = new Map<string, T>()
    const unreadable: string[] = []
    for (const [name, tag] of state.value.parts) {
      if (!name.startsWith(start)) continue
      const row = this.#codec(table).decode(tag)
      if (row.ok) rows.set(name.slice(start.length), row.value)
      else unreadable.push(name.slice(start.length))
    }
    return ok({ rows, unreadable })
  }

  /** Removes the record with all rows, once the changes before it are done; later ones begin with an empty one. */
  async removeAll(): Promise<Result<void>> {
    while (this.#writing !== null) await this.#writing
    const removing = this.#options.driver.remove(this.#options.key)
    const forgotten = removing.then((removed) => {
      this.#isUnsure ||= !removed.ok && removed.failure.code === 'system:storage_unknown'
      this.#forget()
    })
    this.#writing = forgotten.then(() => this.#write())
    await forgotten
    return removing
  }

  #change(name: string, tag: Uint8Array | null, mayReplace: Change['mayReplace']): Promise<Result<void>> {
    return new Promise((resolve) => {
      this.#waiting.push({ name, tag, mayReplace, resolve })
      // the changes of one turn go together
      this.#writing ??= Promise.resolve().then(() => this.#write())
    })
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0))
    } finally {
      this.#writing = null
    }
  }

  async #writeBatch(asked: readonly Change[]): Promise<void> {
    const batch = await this.#allowed(asked)
    const written = await this.#commit(batch)
    // one that fits mustn't fail for one that doesn't
    if (!written.ok && written.failure.code === 'system:storage_full' && batch.length > 1) {
      for (const change of batch) change.resolve(await this.#commit([change]))
    } else for (const change of batch) change.resolve(written)
  }

  /** Those that don't replace what can't be read; the others get their answer here. */
  async #allowed(batch: readonly Change[]): Promise<readonly Change[]> {
    const state = await this.#load()
    return batch.filter((change) => {
      const before = state.ok ? state.value.parts.get(change.name) : undefined
      const allowed = state.ok && before !== undefined ? change.mayReplace(before) : state
      if (!allowed.ok) change.resolve(allowed)
      return allowed.ok
    })
  }

  async #commit(batch: readonly Change[]): Promise<Result<void>> {
    const last = new Map(batch.map(({ name, tag }) => [name, tag]))
    for (let conflicts = 0; ; conflicts += 1) {
      const state = await this.#load()
      if (!state.ok) return state
      const { revision, parts } = state.value
      const drop = [...last].flatMap(([name, tag]) => (tag === null && parts.has(name) ? [name] : []))
      const put = new Map([...last].flatMap(([name, tag]) => (tag === null ? [] : [[name, tag.slice()]])))
      if (put.size + drop.length === 0) return ok(undefined)
      const { driver, key, maxBytes } = this.#options
      const written = await driver.commit([{ key, base: revision, put, drop, maxBytes: maxBytes() }])
      if (written.ok) {
        state.value.revision = revision + 1
        for (const name of drop) parts.delete(name)
        for (const [name, tag] of last) if (tag !== null) parts.set(name, tag)
        return ok(undefined)
      }
      const { code } = written.failure
      this.#isUnsure ||= code === 'system:storage_unknown'
      if (code === 'system:storage_unknown' || code === 'system:storage_conflict') this.#forget()
      if (code !== 'system:storage_conflict' || conflicts === MAX_CONFLICTS) return written
    }
  }

  /** What is in memory, or being read, is no longer what is kept. */
  #forget(): void {
    this.#state = null
    this.#loading = null
  }

  async #load(): Promise<Result<State>> {
    if (this.#state !== null) return ok(this.#state)
    this.#loading ??= this.#read()
    return this.#loading
  }

  async #read(): Promise<Result<State>> {
    // first the turn in which the caller remembers this reading
    await Promise.resolve()
    const mine = this.#loading
    const isCurrent = (): boolean => this.#loading === mine
    const record = await this.#options.driver.read(this.#options.key, CEILING_BYTES)
    const sure = this.#isUnsure && record.ok && isCurrent() ? await this.#confirm(record.value) : record
    const state: Result<State> = sure.ok
      ? ok({ revision: sure.value?.revision ?? 0, parts: new Map(sure.value?.parts) })
      : sure
    if (!isCurrent()) return state
    this.#loading = null
    if (!state.ok) return state
    this.#state = state.value
    this.#isUnsure = false
    return state
  }

  /** Writes the record as it is, or removes it once more: what is shown as done must not be lost later. */
  async #confirm(record: StoredRecord | null): Promise<Result<StoredRecord | null>> {
    const { driver, key } = this.#options
    if (record === null) {
      const removed = await driver.remove(key)
      return removed.ok ? ok(null) : removed
    }
    const base = record.revision
    const write = { key, base, put: new Map<string, Uint8Array>(), drop: [], maxBytes: CEILING_BYTES }
    const written = await driver.commit([write])
    return written.ok ? ok({ ...record, revision: written.value[0]?.revision ?? base }) : written
  }

  #codec<T>(table: TableType<T>): PartCodec<T> {
    const known = this.#codecs.get(table)
    if (known !== undefined) return known as PartCodec<T>
    const { version, schema, migrations = [] } = table
    const codec = new PartCodec({ version, schema, older: migrations })
    this.#codecs.set(table, codec)
    return codec
  }
}

const badKey = (): Result<never> => fail('system:internal', {}, 'not the key of a row')
