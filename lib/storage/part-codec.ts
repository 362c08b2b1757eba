import { z } from 'zod'
import { codecOf, type Codec } from '../codec/index.js'
import { DEFAULT_NBT_LIMITS, splitCompound, TagType } from '../codec/nbt/index.js'
import { toFailure } from '../core/failure.js'
import { fail, ok, type Result } from '../core/result.js'
import { frozen } from '../core/frozen.js'

/** What a part's codec is made from: the current shape and those of the versions before it, 1 first. */
export interface PartVersions<T> {
  readonly version: number
  readonly schema: z.ZodType<T>
  readonly older: readonly { readonly schema: z.ZodType; migrate(older: unknown): unknown }[]
}

/** A part: the version of its type, and its value. */
interface Envelope<T> {
  readonly v: number
  readonly d: T
}

const envelopeCodec = <T>(d: z.ZodType<T>): Codec<Envelope<T>> =>
  codecOf(z.strictObject({ v: z.int32(), d }) as unknown as z.ZodType<Envelope<T>>)

/** Reads and writes the tag of a part: a compound of its version `v` (Int) and its value `d`. */
export class PartCodec<T> {
  readonly #version: number
  readonly #current: Codec<Envelope<T>>
  readonly #older: readonly {
    readonly codec: Codec<Envelope<unknown>>
    migrate(older: unknown): unknown
  }[]

  /** Throws a TypeError when the versions don't add up or a shape can't be stored. */
  constructor({ version, schema, older }: PartVersions<T>) {
    if (!Number.isSafeInteger(version) || version < 1 || older.length !== version - 1)
      throw new TypeError(`version ${version} needs ${version - 1} migrations, not ${older.length}`)
    this.#version = version
    this.#current = envelopeCodec(schema)
    this.#older = older.map((step) => ({
      codec: envelopeCodec(step.schema),
      migrate: (value) => step.migrate(value),
    }))
  }

  /** The value must be of the current shape; what it fails with comes from the codec. */
  encode(value: T): Result<Uint8Array> {
    return this.#current.encode({ v: this.#version, d: value })
  }

  /** The frozen value, migrated where it is older. `system:storage_newer`, `system:storage_unreadable`. */
  decode(tag: Uint8Array): Result<T> {
    const version = versionOf(tag)
    if (!version.ok) return unreadable(version.failure)
    if (version.value > this.#version)
      return fail('system:storage_newer', {}, new Error(`version ${version.value}`))
    const decoded =
      version.value === this.#version ? this.#current.decode(tag) : this.#migrated(version.value, tag)
    return decoded.ok ? ok(frozen(decoded.value.d)) : unreadable(decoded.failure)
  }

  #migrated(version: number, tag: Uint8Array): Result<Envelope<T>> {
    const oldest = this.#older[version - 1]
    if (oldest === undefined) return fail('system:storage_unreadable', {}, new Error(`version ${version}`))
    const decoded = oldest.codec.decode(tag)
    if (!decoded.ok) return decoded
    try {
      const steps = this.#older.slice(version - 1)
      const value = steps.reduce((older, step) => step.migrate(older), decoded.value.d)
      // a migration is code too: its result is held against the schema like anything that comes in
      const encoded = this.encode(value as T)
      return encoded.ok ? this.#current.decode(encoded.value) : encoded
    } catch (cause) {
      return { ok: false, failure: toFailure(cause) }
    }
  }
}

/** How each tag begins that is written here: a compound whose first member is the Int `v`. */
const HEAD = Uint8Array.of(TagType.Compound, TagType.Int, 0, 1, 118)

function versionOf(tag: Uint8Array): Result<number> {
  if (tag.length >= HEAD.length + 4 && HEAD.every((byte, at) => tag[at] === byte))
    return ok(intAt(tag, HEAD.length))
  // written by something else, in another order
  const split = splitCompound(tag, DEFAULT_NBT_LIMITS)
  if (!split.ok) return split
  const version = split.value.get('v')
  return version?.[0] === TagType.Int
    ? ok(intAt(version, 1))
    : fail('system:storage_unreadable', {}, new Error('no version'))
}

const intAt = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getInt32(at)

const unreadable = (cause: unknown): Result<never> => fail('system:storage_unreadable', {}, cause)
