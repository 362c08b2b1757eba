import type { z } from 'zod'
import { toFailure } from '../core/failure.js'
import { fail, ok, type Result } from '../core/result.js'
import { frozen } from './frozen.js'
import type { TagFormat, ValueCodec } from './tag-format.js'

/** What a part's codec is made from: the current shape and those of the versions before it, 1 first. */
export interface PartVersions<T> {
  readonly version: number
  readonly schema: z.ZodType<T>
  readonly older: readonly { readonly schema: z.ZodType; migrate(older: unknown): unknown }[]
}

/** Reads and writes the tag of a part: a compound of its version `v` and its value `d`. */
export class PartCodec<T> {
  readonly #version: number
  readonly #format: TagFormat
  readonly #current: ValueCodec<T>
  readonly #older: readonly { readonly codec: ValueCodec<unknown>; migrate(older: unknown): unknown }[]

  constructor(format: TagFormat, { version, schema, older }: PartVersions<T>) {
    if (!Number.isSafeInteger(version) || version < 1 || older.length !== version - 1)
      throw new TypeError(`version ${version} needs ${version - 1} migrations, not ${older.length}`)
    this.#version = version
    this.#format = format
    this.#current = format.codecOf(schema)
    this.#older = older.map((step) => ({
      codec: format.codecOf(step.schema),
      migrate: (value) => step.migrate(value),
    }))
  }

  /** The value must be of the current shape; what it fails with comes from the codec. */
  encode(value: T): Result<Uint8Array> {
    const encoded = this.#current.encode(value)
    return encoded.ok ? ok(this.#format.wrap(this.#version, encoded.value)) : encoded
  }

  /** The frozen value, migrated where it is older. `system:storage_newer`, `system:storage_unreadable`. */
  decode(tag: Uint8Array): Result<T> {
    const unwrapped = this.#format.unwrap(tag)
    if (!unwrapped.ok) return unreadable(unwrapped.failure)
    const { version, value } = unwrapped.value
    if (version > this.#version) return fail('system:storage_newer', {}, new Error(`version ${version}`))
    const decoded = version === this.#version ? this.#current.decode(value) : this.#migrated(version, value)
    return decoded.ok ? ok(frozen(decoded.value)) : unreadable(decoded.failure)
  }

  #migrated(version: number, tag: Uint8Array): Result<T> {
    const oldest = this.#older[version - 1]
    if (oldest === undefined) return fail('system:storage_unreadable', {}, new Error(`version ${version}`))
    const decoded = oldest.codec.decode(tag)
    if (!decoded.ok) return decoded
    try {
      const value = this.#older.slice(version - 1).reduce((older, step) => step.migrate(older), decoded.value)
      // a migration is code too: its result is held against the schema like anything that comes in
      const encoded = this.#current.encode(value as T)
      return encoded.ok ? this.#current.decode(encoded.value) : encoded
    } catch (cause) {
      return { ok: false, failure: toFailure(cause) }
    }
  }
}

const unreadable = (cause: unknown): Result<never> => fail('system:storage_unreadable', {}, cause)
