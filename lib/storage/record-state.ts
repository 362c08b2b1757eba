import { fail, ok, type Result } from '../core/result.js'
import type { Collection, StoredRecord } from './driver.js'
import { partName, ROW_MARK } from './part-name.js'
import { typeIdOf, type KnownType, type StorageTypes } from './storage-types.js'

/** A committed value and the size of its part. */
export interface Held {
  readonly value: unknown
  /** Encoded bytes, before compression. */
  readonly bytes: number
}

/** A part that is to be replaced (`held`) or removed (null). */
export interface Change {
  readonly type: KnownType
  readonly key: string | null
  readonly held: (Held & { readonly tag: Uint8Array }) | null
}

/** Changes by the name of their part. */
export type Changes = Map<string, Change>

interface Table {
  readonly rows: Map<string, Held>
  bytes: number
}

const NO_ROWS: ReadonlyMap<string, Held> = new Map()

/** What is committed of one record: decoded values of known types, names of all else. */
export class RecordState {
  revision: number
  readonly #types: StorageTypes
  readonly #collection: Collection
  readonly #values = new Map<string, Held>()
  readonly #tables = new Map<string, Table>()
  /** Parts of types that this run doesn't know, with their sizes. */
  readonly foreign = new Map<string, number>()
  /** Chat entries that couldn't be decoded: not shown, removed with the next write. */
  readonly broken = new Set<string>()

  constructor(types: StorageTypes, collection: Collection, revision: number) {
    this.#types = types
    this.#collection = collection
    this.revision = revision
  }

  find(type: KnownType, key: string | null): Held | undefined {
    return key === null ? this.#values.get(type.id) : this.#tables.get(type.id)?.rows.get(key)
  }

  rows(type: KnownType): ReadonlyMap<string, Held> {
    return this.#tables.get(type.id)?.rows ?? NO_ROWS
  }

  /** Encoded bytes of all rows. */
  bytes(type: KnownType): number {
    return this.#tables.get(type.id)?.bytes ?? 0
  }

  /** Names of all parts, those that can't be read here too. */
  *names(): Iterable<string> {
    yield* this.#values.keys()
    for (const [id, { rows }] of this.#tables) for (const key of rows.keys()) yield `${id}${ROW_MARK}${key}`
    yield* this.foreign.keys()
    yield* this.broken
  }

  set(type: KnownType, key: string | null, held: Held | null): void {
    if (key !== null) this.#setRow(type, key, held)
    else if (held === null) this.#values.delete(type.id)
    else this.#values.set(type.id, held)
  }

  /** The parts that are one value. */
  *values(): Iterable<readonly [KnownType, Held]> {
    for (const [name, held] of this.#values) {
      const part = this.#types.parse(this.#collection, name)
      if (part !== null) yield [part.type, held]
    }
  }

  /** The part is there no more. */
  forget(name: string): void {
    const part = this.#types.parse(this.#collection, name)
    if (part !== null) this.set(part.type, part.key, null)
    this.foreign.delete(name)
    this.broken.delete(name)
  }

  /** Whether the part is a round of a conversation. */
  isHistory(name: string): boolean {
    return this.#types.parse(this.#collection, name)?.type.isHistory ?? true
  }

  #setRow(type: KnownType, key: string, held: Held | null): void {
    const table = this.#tables.get(type.id) ?? { rows: new Map<string, Held>(), bytes: 0 }
    this.#tables.set(type.id, table)
    table.bytes += (held?.bytes ?? 0) - (table.rows.get(key)?.bytes ?? 0)
    if (held === null) table.rows.delete(key)
    else table.rows.set(key, held)
  }
}

/**
 * Decodes a record. Business parts are strict: one that can't be read makes the whole record `system:storage_unreadable`
 * (or `system:storage_newer`), because an empty value in its place would be written over it. Chat entries go alone.
 */
export function decodeRecord(
  types: StorageTypes,
  collection: Collection,
  record: StoredRecord | null,
): Result<RecordState> {
  const state = new RecordState(types, collection, record?.revision ?? 0)
  for (const [name, tag] of record?.parts ?? []) {
    const part = types.parse(collection, name)
    if (part === null) {
      state.foreign.set(name, tag.length)
      continue
    }
    const decoded = part.type.codec.decode(tag)
    if (decoded.ok) state.set(part.type, part.key, { value: decoded.value, bytes: tag.length })
    else if (collection === 'chats') state.broken.add(name)
    else {
      const { code, cause } = decoded.failure
      const isNewer = code === 'system:storage_newer'
      return fail(isNewer ? code : 'system:storage_unreadable', {}, new Error(`part ${name}`, { cause }))
    }
  }
  return ok(state)
}

/** A value that becomes a part; fails with what its codec says about it, the part named in the cause. */
export function toChange(type: KnownType, key: string | null, value: unknown): Result<Change> {
  const encoded = type.codec.encode(value)
  if (!encoded.ok) {
    const { code, params, cause } = encoded.failure
    return fail(code, params, new Error(`part ${partName(type.id, key)}`, { cause }))
  }
  const tag = encoded.value
  return ok({ type, key, held: { value, bytes: tag.length, tag } })
}

/** Parts by type of those that this run doesn't know. */
export function countForeign(state: RecordState, into: Map<string, number>): void {
  for (const name of state.foreign.keys()) {
    const id = typeIdOf(name)
    into.set(id, (into.get(id) ?? 0) + 1)
  }
}
