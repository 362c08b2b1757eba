import type { z } from 'zod'
import type { Result } from '../../core/result.js'
import { NbtReader } from '../nbt/reader.js'
import { scanTag } from '../nbt/scan.js'
import { DEFAULT_NBT_LIMITS, guarded, TagType } from '../nbt/tag.js'
import { NbtWriter } from '../nbt/writer.js'
import { buildListNode, buildNode } from './build.js'
import type { ArrayNode } from './lists.js'
import type { Node } from './node.js'

/**
 * Values of one schema as NBT. What it writes it can read again: both ways check the shape, the schema's own checks and
 * the limits.
 */
export interface Codec<T> {
  /**
   * Tag bytes, alone in their ArrayBuffer. Codes: `system:storage_invalid` for a value that is none of the schema's or
   * that NBT can't hold (the cause names the place), `system:storage_too_large` for strings above 65,535 bytes and for
   * more values or bytes than are read.
   */
  encode(value: T): Result<Uint8Array>
  /** Codes: `system:storage_unreadable` for whatever isn't such a value, `system:storage_too_large`. */
  decode(tag: Uint8Array): Result<T>
}

const codecs = new WeakMap<z.core.$ZodType, Codec<unknown>>()
const lists = new WeakMap<z.core.$ZodType, ArrayNode>()

function encodeWith(node: Node, value: unknown): Uint8Array {
  const out = new NbtWriter()
  try {
    out.type(TagType.End)
    out.retype(0, node.write(out, value))
    return out.take()
  } finally {
    out.close()
  }
}

/** A reader at the type byte of a tag that was scanned. */
const readerOf = (tag: Uint8Array): NbtReader => new NbtReader(scanTag(tag, DEFAULT_NBT_LIMITS), 0)

/**
 * The codec of a schema, made once. How values are kept:
 *
 * | schema                                          | NBT                                                            |
 * | ----------------------------------------------- | -------------------------------------------------------------- |
 * | `z.int32()`                                     | Int                                                            |
 * | `z.int()`, `z.uint32()`                         | Long, read as a number                                         |
 * | `z.bigint()`, `z.int64()`                       | Long, read as a bigint; beyond 64 bits refused                 |
 * | `z.number()`, `z.nan()`; `z.float32()`          | Double; Float, refused when it would be rounded                |
 * | `z.boolean()`                                   | Byte, 0 or 1                                                   |
 * | `z.string()`, formats, templates, enum, literal | String; named numbers Int, or Double when one isn't an int32   |
 * | `z.custom()`                                    | String, or ByteArray when it takes a `Uint8Array`              |
 * | `z.array()`, `z.tuple()`                        | List; elements of several types each `{"": element}`           |
 * | `z.object()`, `z.record()`                      | Compound; unknown members refused, a record has no prototype   |
 * | `.optional()`, `.default()`                     | a member that is missing                                       |
 * | `.nullable()`                                   | List of none (null) or one: null isn't missing                 |
 * | `z.union()`                                     | as the option; options must differ in type, or be objects that |
 * |                                                 | one member of literal type tells apart                         |
 * | `z.unknown()`, `z.any()`                        | canonical JSON in a String, above 65,535 bytes in a ByteArray  |
 * | `z.lazy()`, recursive objects, `z.json()`       | as what they lead to                                           |
 *
 * Lone surrogates are read back as U+FFFD, -0 in an integer as 0. A TypeError for all else: schemas that transform,
 * catch or coerce away what was stored, loose objects, dates, maps, sets, options that look alike.
 */
export function codecOf<T>(schema: z.ZodType<T>): Codec<T> {
  const known = codecs.get(schema)
  if (known !== undefined) return known as Codec<T>
  const node = buildNode(schema)
  const codec: Codec<T> = {
    encode: (value) => guarded('system:storage_invalid', () => encodeWith(node, value)),
    decode: (tag) =>
      guarded('system:storage_unreadable', () => {
        const reader = readerOf(tag)
        return node.read(reader, reader.type()) as T
      }),
  }
  codecs.set(schema, codec)
  return codec
}

/**
 * What can be read of a list of such elements, which `codecOf(z.array(element))` wrote: an entry that isn't one is left
 * out alone and counted. For histories, where the rest is worth having. `system:storage_unreadable` when the tag itself
 * is damaged or no list.
 */
export function decodeEntries<T>(
  element: z.ZodType<T>,
  tag: Uint8Array,
): Result<{ readonly values: T[]; readonly dropped: number }> {
  let node = lists.get(element)
  if (node === undefined) {
    node = buildListNode(element)
    lists.set(element, node)
  }
  const list = node
  return guarded('system:storage_unreadable', () => {
    const reader = readerOf(tag)
    const { values, dropped } = list.readEntries(reader, reader.type())
    return { values: values as T[], dropped }
  })
}
