import type { z } from 'zod'
import { toFailure } from '../core/failure.js'
import { fail, ok, type Result } from '../core/result.js'
import { codecOf, type Codec } from '../codec/index.js'
import { composeCompound, DEFAULT_NBT_LIMITS, splitCompound, TagType } from '../codec/nbt/index.js'
import { frozen } from './frozen.js'

/** What a part's codec is made from: the current shape and those of the versions before it, 1 first. */
export interface PartVersions<T> {
  readonly version: number
  readonly schema: z.ZodType<T>
  readonly older: readonly { readonly schema: z.ZodType; migrate(older: unknown): unknown }[]
}

/** Reads and writes the tag of a part: a compound of its version `v` and its value `d`. */
export class PartCodec<T> {
  readonly #version: number
  readonly #current: Codec<T>
  readonly #older: readonly { readonly codec: Codec<unknown>; migrate(older: unknown): unknown }[]

  constructor({ version, schema, older }: PartVersions<T>) {
    if (!Number.isSafeInteger(version) || version < 1 || older.length !== version - 1)
      throw new TypeError(`version ${version} needs ${version - 1} migrations, not ${older.length}`)
    this.#version = version
    this.#current = codecOf(schema)
    this.#older = older.map((step) => ({
      codec: codecOf(step.schema),
      migrate: (value) => step.migrate(value),
    }))
  }

  /** The value must be of the current shape; what it fails with comes from the codec. */
  encode(value: T): Result<Uint8Array> {
    const encoded = this.#current.encode(value)
    return encoded.ok ? ok(wrap(this.#version, encoded.value)) : encoded
  }

  /** The frozen value, migrated where it is older. `system:storage_newer`, `system:storage_unreadable`. */
  decode(tag: Uint8Array): Result<T> {
    const unwrapped = unwrap(tag)
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

const VERSION = 'v'
const VALUE = 'd'

function wrap(version: number, value: Uint8Array): Uint8Array {
  const number = new Uint8Array(5)
  number[0] = TagType.Int
  new DataView(number.buffer).setInt32(1, version)
  return composeCompound([
    [VERSION, number],
    [VALUE, value],
  ])
}

function unwrap(tag: Uint8Array): Result<{ readonly version: number; readonly value: Uint8Array }> {
  const split = splitCompound(tag, DEFAULT_NBT_LIMITS)
  if (!split.ok) return split
  const [number, value] = [split.value.get(VERSION), split.value.get(VALUE)]
  if (number?.[0] !== TagType.Int || value === undefined || split.value.size !== 2)
    return fail('system:storage_unreadable', {}, new Error('not a version and a value'))
  const { buffer, byteOffset, byteLength } = number
  return ok({ version: new DataView(buffer, byteOffset, byteLength).getInt32(1), value })
}

const unreadable = (cause: unknown): Result<never> => fail('system:storage_unreadable', {}, cause)
