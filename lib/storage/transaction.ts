import { orThrow } from '../core/result.js'
import { CHAT_BOUNDS, chatKey } from './chat-bounds.js'
import { frozen } from '../core/frozen.js'
import { toChange, type Changes, type Held, type RecordState } from './record-state.js'
import type { ChatEntry, ChatTable, StorageTable, StorageType } from './storage-type.js'
import { isRowKey, partName } from './part-name.js'
import type { KnownType, StorageTypes } from './storage-types.js'

/** Reads what is kept of one player. All values are frozen to their depth. */
export interface Reading {
  get<T>(type: StorageType<T>): T
  row<T>(table: StorageTable<T>, key: string): T | undefined
  /** All rows by key, in no order; a copy. */
  rows<T>(table: StorageTable<T>): ReadonlyMap<string, T>
  /** Entries of the chat record, oldest first. */
  entries<T>(table: ChatTable<T>): readonly (ChatEntry<T> & { readonly key: string })[]
  /** Size of all rows, encoded, not compressed, bytes. */
  bytes(table: StorageTable<unknown>): number
}

/**
 * A change of one player in the making. It sees what the changes before it did, and is thrown away as a whole when it
 * throws. Values are handed over: they are frozen, and encoded at once, so a value that can't be kept throws here.
 */
export interface Transaction extends Reading {
  set<T>(type: StorageType<T>, value: T): void
  /** Adds or replaces a row. See `isRowKey` for keys; any other throws a TypeError. */
  put<T>(table: StorageTable<T>, key: string, value: T): void
  remove(table: StorageTable<unknown>, key: string): void
  /** Adds an entry at the end of the chat record. */
  append<T>(table: ChatTable<T>, entry: ChatEntry<T>): void
  /** Removes an entry of the chat record. */
  drop(table: ChatTable<unknown>, key: string): void
}

/** What is committed of one player. Without a chat record that can be used, conversations are empty and not kept. */
export interface PlayerState {
  readonly business: RecordState
  readonly chat: RecordState | null
}

/** Reads committed state below layers of changes, the last layer first. */
export class StateReader implements Reading {
  protected readonly types: StorageTypes
  readonly #state: () => PlayerState
  readonly #layers: readonly Changes[]

  constructor(types: StorageTypes, state: () => PlayerState, layers: readonly Changes[] = []) {
    this.types = types
    this.#state = state
    this.#layers = layers
  }

  get<T>(type: StorageType<T>): T {
    const known = this.types.of(type)
    const held = this.find(known, null)
    return (held === null ? known.empty : held.value) as T
  }

  row<T>(table: StorageTable<T>, key: string): T | undefined {
    return this.find(this.types.of(table), key)?.value as T | undefined
  }

  rows<T>(table: StorageTable<T>): ReadonlyMap<string, T> {
    return this.#rows(this.types.of(table)) as Map<string, T>
  }

  entries<T>(table: ChatTable<T>): readonly (ChatEntry<T> & { readonly key: string })[] {
    const first = chatKey(this.get(CHAT_BOUNDS).first)
    const rows = this.#rows(this.types.of(table)) as Map<string, ChatEntry<T>>
    return [...rows]
      .filter(([key]) => key >= first)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => ({ ...entry, key }))
  }

  bytes(table: StorageTable<unknown>): number {
    const type = this.types.of(table)
    const record = this.#record(type)
    let bytes = record?.bytes(type) ?? 0
    for (const [key, held] of this.#changed(type))
      bytes += (held?.bytes ?? 0) - (record?.find(type, key)?.bytes ?? 0)
    return bytes
  }

  /** The value, or null when there is none. */
  protected find(type: KnownType, key: string | null): Held | null {
    const name = partName(type.id, key)
    for (const layer of this.#layers.toReversed()) {
      const change = layer.get(name)
      if (change !== undefined) return change.held
    }
    return this.#record(type)?.find(type, key) ?? null
  }

  protected hasChat(): boolean {
    return this.#state().chat !== null
  }

  #rows(type: KnownType): Map<string, unknown> {
    const rows = new Map<string, unknown>()
    for (const [key, { value }] of this.#record(type)?.rows(type) ?? []) rows.set(key, value)
    for (const [key, held] of this.#changed(type)) {
      if (held === null) rows.delete(key)
      else rows.set(key, held.value)
    }
    return rows
  }

  /** What the layers say about a table, the last one wins. */
  #changed(type: KnownType): ReadonlyMap<string, Held | null> {
    const changed = new Map<string, Held | null>()
    for (const layer of this.#layers)
      for (const change of layer.values())
        if (change.type === type && change.key !== null) changed.set(change.key, change.held)
    return changed
  }

  #record(type: KnownType): RecordState | null {
    const { business, chat } = this.#state()
    return type.record === 'players' ? business : chat
  }
}

/** A transaction over committed state and the changes that are to be committed with it. */
export class OpenTransaction extends StateReader implements Transaction {
  /** What this one did. */
  readonly changes: Changes
  #isOpen = true

  constructor(types: StorageTypes, state: PlayerState, before: Changes) {
    const changes: Changes = new Map()
    super(types, () => state, [before, changes])
    this.changes = changes
  }

  /** Nobody who kept the transaction can use it to write any more. */
  end(): void {
    this.#isOpen = false
  }

  set<T>(type: StorageType<T>, value: T): void {
    this.#write(this.types.of(type), null, value)
  }

  put<T>(table: StorageTable<T>, key: string, value: T): void {
    if (!isRowKey(key)) throw new TypeError(`not a row key of ${table.id}`)
    this.#write(this.types.of(table), key, value)
  }

  remove(table: StorageTable<unknown>, key: string): void {
    this.#remove(this.types.of(table), key)
  }

  append<T>(table: ChatTable<T>, entry: ChatEntry<T>): void {
    // sequence numbers stand still without a chat record: they would make left-over entries count
    if (!this.hasChat()) return
    const { first, last } = this.get(CHAT_BOUNDS)
    this.#write(this.types.of(table), chatKey(last + 1), entry)
    this.set(CHAT_BOUNDS, { first, last: last + 1 })
  }

  drop(table: ChatTable<unknown>, key: string): void {
    this.#remove(this.types.of(table), key)
  }

  #write(type: KnownType, key: string | null, value: unknown): void {
    this.#needOpen()
    // the very value that is there: nothing changes, so nothing is written
    const before = this.find(type, key)
    if (before !== null && before.value === value) return
    this.changes.set(partName(type.id, key), orThrow(toChange(type, key, frozen(value))))
  }

  #remove(type: KnownType, key: string): void {
    this.#needOpen()
    if (this.find(type, key) !== null) this.changes.set(partName(type.id, key), { type, key, held: null })
  }

  #needOpen(): void {
    if (!this.#isOpen) throw new TypeError('the transaction is over')
  }
}
