import type { Result } from '../../core/result.js'
import { NbtReader } from './reader.js'
import { scanTag } from './scan.js'
import { DEFAULT_NBT_LIMITS, guarded, NbtError, TagType, type NbtLimits } from './tag.js'
import { NbtWriter } from './writer.js'

/** A long as prismarine-nbt gives it: two signed 32-bit integers. Written from a bigint as well. */
export type NbtLong = readonly [high: number, low: number] | bigint

/** What stands in the `value` of each kind of tag. */
export interface NbtValues {
  readonly byte: number
  readonly short: number
  readonly int: number
  readonly long: NbtLong
  readonly float: number
  readonly double: number
  readonly string: string
  readonly byteArray: readonly number[]
  readonly intArray: readonly number[]
  readonly longArray: readonly NbtLong[]
  readonly list: NbtList
  readonly compound: NbtCompound
}
export type NbtKind = keyof NbtValues
/** Elements are bare values of one kind; `end` for an empty list of no kind. */
export interface NbtList {
  readonly type: NbtKind | 'end'
  readonly value: readonly NbtValues[NbtKind][]
}
/** Decoded ones have no prototype, so `__proto__` and `constructor` are keys like others. */
export interface NbtCompound {
  readonly [key: string]: NbtTree
}
/** A tag in prismarine-nbt's typed shape. */
export type NbtTree = { readonly [K in NbtKind]: { readonly type: K; readonly value: NbtValues[K] } }[NbtKind]

const KINDS: readonly (NbtKind | 'end')[] = [
  'end',
  'byte',
  'short',
  'int',
  'long',
  'float',
  'double',
  'byteArray',
  'string',
  'list',
  'compound',
  'intArray',
  'longArray',
]
const TYPES = new Map<unknown, TagType>(KINDS.map((kind, type) => [kind, type as TagType]))

/** Trees come from other programs: nothing of their shape is believed. */
class TreeWriter {
  readonly out = new NbtWriter()
  typeOf(kind: unknown): TagType {
    const type = TYPES.get(kind)
    if (type === undefined) throw new NbtError(`no kind of tag: ${String(kind)}`)
    return type
  }

  tag(tree: unknown, name?: string): void {
    const { type: kind, value } = Object(tree) as { type?: unknown; value?: unknown }
    const type = this.typeOf(kind)
    if (type === TagType.End) throw new NbtError('an end where a tag should be')
    this.out.type(type)
    if (name !== undefined) this.out.name(name)
    this.payload(type, value)
  }

  private integer(value: unknown, bits: number): number {
    const limit = 2 ** (bits - 1)
    if (!Number.isInteger(value) || Number(value) < -limit || Number(value) >= limit)
      throw new NbtError(`no integer of ${bits} bits`)
    return Number(value)
  }

  private number(value: unknown): number {
    if (typeof value !== 'number') throw new NbtError('no number')
    return value
  }

  private long(value: unknown): void {
    if (typeof value === 'bigint') {
      if (BigInt.asIntN(64, value) !== value) throw new NbtError('no integer of 64 bits')
      this.out.long(value)
      return
    }
    if (!Array.isArray(value) || value.length !== 2) throw new NbtError('no long')
    this.out.int(this.integer(value[0], 32))
    this.out.int(this.integer(value[1], 32))
  }

  private payload(type: TagType, value: unknown): void {
    const { out } = this
    switch (type) {
      case TagType.Byte:
        return out.byte(this.integer(value, 8))
      case TagType.Short:
        return out.short(this.integer(value, 16))
      case TagType.Int:
        return out.int(this.integer(value, 32))
      case TagType.Long:
        return this.long(value)
      case TagType.Float:
        return out.float(this.number(value))
      case TagType.Double:
        return out.double(this.number(value))
      case TagType.String:
        if (typeof value !== 'string') throw new NbtError('no string')
        return out.string(value)
      case TagType.List:
        return this.nested(value, (list) => this.list(list))
      case TagType.Compound:
        return this.nested(value, (members) => this.compound(members))
      case TagType.ByteArray:
        return this.array(value, 3, (element) => out.byte(this.integer(element, 8)))
      case TagType.IntArray:
        return this.array(value, 3, (element) => out.int(this.integer(element, 32)))
      case TagType.LongArray:
        return this.array(value, 1, (element) => this.long(element))
      case TagType.End:
        throw new NbtError('an end in a list')
    }
  }

  private elements(value: unknown, write: (element: unknown) => void): void {
    if (!Array.isArray(value)) throw new NbtError('no list')
    this.out.int(value.length)
    let i = 0
    try {
      for (; i < value.length; i++) write(value[i])
    } catch (error) {
      if (error instanceof NbtError) error.path.unshift(i)
      throw error
    }
  }

  private array(value: unknown, shift: number, write: (element: unknown) => void): void {
    if (Array.isArray(value)) this.out.count(value.length >> shift)
    this.elements(value, write)
  }

  private nested(value: unknown, write: (value: object) => void): void {
    if (typeof value !== 'object' || value === null) throw new NbtError('no list or compound')
    this.out.enter()
    write(value)
    this.out.leave()
  }

  private list(list: { type?: unknown; value?: unknown }): void {
    const type = this.typeOf(list.type)
    this.out.type(type)
    if (Array.isArray(list.value)) this.out.count(list.value.length)
    this.elements(list.value, (element) => this.payload(type, element))
  }

  private compound(members: object): void {
    let at = ''
    try {
      for (const [key, member] of Object.entries(members)) {
        at = key
        this.out.count(1)
        this.tag(member, key)
      }
    } catch (error) {
      if (error instanceof NbtError) error.path.unshift(at)
      throw error
    }
    this.out.type(TagType.End)
  }
}

/**
 * Tag bytes of a tree in prismarine-nbt's shape; the same bytes as prismarine-nbt's own, but for NUL and characters
 * beyond U+FFFF in strings. A root's `name` is not looked at. Codes: `system:storage_invalid` for what NBT can't hold
 * and for more than 500 levels, `system:storage_too_large` for long strings, too many values or bytes.
 */
export function encodeTree(tree: NbtTree): Result<Uint8Array> {
  return guarded('system:storage_invalid', () => {
    const writer = new TreeWriter()
    try {
      writer.tag(tree)
      return writer.out.take()
    } finally {
      writer.out.close()
    }
  })
}

/** Recursive: a scan has bounded the depth. */
function readPayload(reader: NbtReader, type: number): NbtValues[NbtKind] {
  switch (type) {
    case TagType.Byte:
      return reader.byte()
    case TagType.Short:
      return reader.short()
    case TagType.Int:
      return reader.int()
    case TagType.Long:
      return [reader.int(), reader.int()]
    case TagType.Float:
      return reader.float()
    case TagType.Double:
      return reader.double()
    case TagType.String:
      return reader.string()
    case TagType.List: {
      const element = reader.type()
      return { type: KINDS[element] ?? 'end', value: readElements(reader, element) }
    }
    case TagType.Compound:
      return readCompound(reader)
    case TagType.ByteArray:
      return readElements(reader, TagType.Byte) as number[]
    case TagType.IntArray:
      return readElements(reader, TagType.Int) as number[]
    default:
      return readElements(reader, TagType.Long) as NbtLong[]
  }
}

function readElements(reader: NbtReader, type: number): NbtValues[NbtKind][] {
  const length = reader.int()
  const elements: NbtValues[NbtKind][] = []
  for (let i = 0; i < length; i++) elements.push(readPayload(reader, type))
  return elements
}

function readCompound(reader: NbtReader): NbtCompound {
  const members = Object.create(null) as Record<string, NbtTree>
  for (let type = reader.type(); type !== TagType.End; type = reader.type()) {
    const name = reader.name()
    if (name in members) throw new NbtError('a name comes twice')
    members[name] = { type: KINDS[type], value: readPayload(reader, type) } as NbtTree
  }
  return members
}

/**
 * The tree of tag bytes in prismarine-nbt's shape, longs as pairs. Code: `system:storage_unreadable` for anything
 * damaged, repeated names or beyond the limits (bytes: `system:storage_too_large`).
 */
export const decodeTree = (tag: Uint8Array, limits: NbtLimits = DEFAULT_NBT_LIMITS): Result<NbtTree> =>
  guarded('system:storage_unreadable', () => {
    const reader = new NbtReader(scanTag(tag, limits), 0)
    const type = reader.type()
    return { type: KINDS[type], value: readPayload(reader, type) } as NbtTree
  })
