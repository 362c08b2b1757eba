import { z } from 'zod'
import type { Identifier } from '../core/ids.js'
import { CHAT_BOUNDS } from './chat-bounds.js'
import type { Collection } from './driver.js'
import { frozen } from '../core/frozen.js'
import { PartCodec } from './part-codec.js'
import { ROW_MARK } from './part-name.js'
import type { ChatEntry, ChatTable, Migration, StorageTable, StorageType } from './storage-type.js'
import { TOMBSTONE } from './tombstone.js'

/** What can be kept of a player. */
export type AnyStorage<T> = StorageType<T> | StorageTable<T> | ChatTable<T>

/** A registered type, ready for use. */
export interface KnownType {
  readonly id: Identifier
  readonly record: Extract<Collection, 'players' | 'chats'>
  /** One part for each row, or one part in all. */
  readonly isTable: boolean
  readonly isHistory: boolean
  readonly codec: PartCodec<unknown>
  readonly empty: unknown
  readonly survive: (value: unknown) => unknown
}

/** The types that the store of this run knows. Their data is read and checked; that of others is carried along. */
export class StorageTypes {
  #known = new Map<object, KnownType>()
  #byId = new Map<string, KnownType>()
  #isFrozen = false

  constructor() {
    this.add(CHAT_BOUNDS).add(TOMBSTONE)
  }

  /** Throws a TypeError for an id that is taken, migrations that don't add up, and after `freeze`. */
  add<T>(type: AnyStorage<T>): this {
    if (this.#isFrozen) throw new TypeError(`${type.id}: storage types are registered at start`)
    if (this.#byId.has(type.id)) throw new TypeError(`${type.id}: there is a storage type of this id`)
    const known = this.#toKnown(type)
    this.#known.set(type, known)
    this.#byId.set(type.id, known)
    return this
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const [known, byId] = [new Map(this.#known), new Map(this.#byId)]
    return () => {
      this.#known = known
      this.#byId = byId
    }
  }

  /** Ends registration. */
  freeze(): void {
    this.#isFrozen = true
  }

  /** The registered form of a type; one that was never added is a programming error and throws a TypeError. */
  of(type: AnyStorage<unknown>): KnownType {
    const known = this.#known.get(type)
    if (known === undefined) throw new TypeError(`${type.id} is not a registered storage type`)
    return known
  }

  /** The type and row that a part of a record belongs to, or null when this run doesn't know it. */
  parse(record: Collection, name: string): { readonly type: KnownType; readonly key: string | null } | null {
    const mark = name.indexOf(ROW_MARK)
    const type = this.#byId.get(mark < 0 ? name : name.slice(0, mark))
    if (type === undefined || type.record !== record || type.isTable !== mark >= 0) return null
    return { type, key: mark < 0 ? null : name.slice(mark + 1) }
  }

  #toKnown<T>(type: AnyStorage<T>): KnownType {
    const isChat = 'rows' in type && type.rows === 'chat'
    const survive = 'survive' in type ? type.survive?.bind(type) : undefined
    const codec = isChat ? chatCodec(type) : codecFor(type)
    return {
      id: type.id,
      record: isChat ? 'chats' : 'players',
      isTable: 'rows' in type,
      isHistory: isChat && type.isHistory,
      codec,
      empty: 'empty' in type ? frozen(type.empty) : undefined,
      survive: (value) => survive?.(value as T) ?? null,
    }
  }
}

const codecFor = <T>({ version, schema, migrations = [] }: AnyStorage<T>): PartCodec<T> =>
  new PartCodec({ version, schema, older: migrations })

function chatCodec<T>({ version, schema, migrations = [] }: ChatTable<T>): PartCodec<ChatEntry<T>> {
  const older = migrations.map((step): Migration => {
    return {
      schema: entrySchema(step.schema),
      migrate: (entry) => {
        const { body, ...rest } = entry as ChatEntry<unknown>
        return { ...rest, body: step.migrate(body) }
      },
    }
  })
  return new PartCodec({ version, schema: entrySchema(schema), older })
}

const entrySchema = <T>(body: z.ZodType<T>): z.ZodType<ChatEntry<T>> =>
  z.strictObject({
    conversation: z.int().min(0),
    at: z.int().min(0),
    body,
  })

/** The type id in a part's name, whether known or not. */
export const typeIdOf = (name: string): string => name.split(ROW_MARK, 1)[0] ?? name
