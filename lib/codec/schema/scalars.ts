import { canonicalJson, parseJson } from '../../core/json.js'
import { MAX_STRING_BYTES, modifiedUtf8Bytes, soundText } from '../nbt/modified-utf8.js'
import type { NbtReader } from '../nbt/reader.js'
import { TagType } from '../nbt/tag.js'
import type { NbtWriter } from '../nbt/writer.js'
import { Kind, refuse, runChecks, tagBit, type Checks, type Node } from './node.js'

const REQUIRED = { absent: null }
/** A list or object inside a JSON text deeper than this is not read. */
const JSON_DEPTH = 500

/** `String`. Checks see the text as it will be read back; `accepts` must take no text with lone surrogates. */
export function stringNode(checks: Checks, accepts?: (text: string) => boolean): Node {
  const verified = (text: string): string => {
    if (accepts !== undefined && !accepts(text)) refuse('none of the texts that are allowed')
    runChecks(checks, text)
    return text
  }
  return {
    ...REQUIRED,
    tags: tagBit(TagType.String),
    kinds: Kind.String,
    write: (out, value) => {
      if (typeof value !== 'string') return refuse('no string')
      out.string(verified(checks.length === 0 ? value : soundText(value)))
      return TagType.String
    },
    read: (source, type) => (type === TagType.String ? verified(source.string()) : refuse('no string')),
  }
}

export interface NumberFormat {
  readonly type: TagType
  /** What it holds without loss. */
  readonly holds: (value: number) => boolean
  readonly write: (out: NbtWriter, value: number) => void
  readonly read: (source: NbtReader) => number
}

const writeSafe = (out: NbtWriter, value: number): void => out.safeLong(value)
const readSafe = (source: NbtReader): number => source.numberLong()
const writeDouble = (out: NbtWriter, value: number): void => out.double(value)
const readDouble = (source: NbtReader): number => source.double()

/** How numbers of zod's formats are kept. Integers lose the sign of -0. */
export const NUMBER_FORMATS = {
  int32: {
    type: TagType.Int,
    holds: (value) => (value | 0) === value,
    write: (out, value) => out.int(value),
    read: (source) => source.int(),
  },
  uint32: {
    type: TagType.Long,
    holds: (value) => value >>> 0 === value,
    write: writeSafe,
    read: readSafe,
  },
  safeint: { type: TagType.Long, holds: Number.isSafeInteger, write: writeSafe, read: readSafe },
  float32: {
    type: TagType.Float,
    holds: (value) => Number.isFinite(value) && Math.fround(value) === value,
    write: (out, value) => out.float(value),
    read: (source) => source.float(),
  },
  float64: { type: TagType.Double, holds: Number.isFinite, write: writeDouble, read: readDouble },
  nan: { type: TagType.Double, holds: Number.isNaN, write: writeDouble, read: readDouble },
  /** Numbers that a literal or enum names. */
  any: { type: TagType.Double, holds: () => true, write: writeDouble, read: readDouble },
} satisfies Record<string, NumberFormat>

/** A number of one format. */
export function numberNode(
  format: NumberFormat,
  checks: Checks,
  accepts: (value: number) => boolean = () => true,
): Node {
  const verified = (value: number): number => {
    if (!format.holds(value)) refuse('a number that the format doesn’t hold')
    if (!accepts(value)) refuse('none of the numbers that are allowed')
    if (checks.length > 0) runChecks(checks, value)
    return value
  }
  return {
    ...REQUIRED,
    tags: tagBit(format.type),
    kinds: Kind.Number,
    write: (out, value) => {
      if (typeof value !== 'number') return refuse('no number')
      format.write(out, verified(value))
      return format.type
    },
    read: (source, type) => (type === format.type ? verified(format.read(source)) : refuse('no such number')),
  }
}

/** `Long` as a bigint. */
export function bigintNode(checks: Checks, accepts: (value: bigint) => boolean = () => true): Node {
  const verified = (value: bigint): bigint => {
    if (BigInt.asIntN(64, value) !== value) refuse('no integer of 64 bits')
    if (!accepts(value)) refuse('none of the integers that are allowed')
    runChecks(checks, value)
    return value
  }
  return {
    ...REQUIRED,
    tags: tagBit(TagType.Long),
    kinds: Kind.BigInt,
    write: (out, value) => {
      if (typeof value !== 'bigint') return refuse('no bigint')
      out.long(verified(value))
      return TagType.Long
    },
    read: (source, type) => (type === TagType.Long ? verified(source.long()) : refuse('no long')),
  }
}

/** `Byte`, 0 or 1. */
export function booleanNode(checks: Checks, accepts: (value: boolean) => boolean = () => true): Node {
  const verified = (value: boolean): boolean => {
    if (!accepts(value)) refuse('the other boolean')
    runChecks(checks, value)
    return value
  }
  return {
    ...REQUIRED,
    tags: tagBit(TagType.Byte),
    kinds: Kind.Boolean,
    write: (out, value) => {
      if (typeof value !== 'boolean') return refuse('no boolean')
      out.byte(verified(value) ? 1 : 0)
      return TagType.Byte
    },
    read: (source, type) => {
      const byte = type === TagType.Byte ? source.byte() : -1
      return byte === 0 || byte === 1 ? verified(byte === 1) : refuse('no boolean')
    },
  }
}

/** `ByteArray`, copied on the way out. */
export function bytesNode(checks: Checks): Node {
  return {
    ...REQUIRED,
    tags: tagBit(TagType.ByteArray),
    kinds: Kind.Bytes,
    write: (out, value) => {
      if (!(value instanceof Uint8Array)) return refuse('no bytes')
      runChecks(checks, value)
      out.int(value.length)
      out.count(value.length >> 3)
      out.bytes(value)
      return TagType.ByteArray
    },
    read: (source, type) => {
      if (type !== TagType.ByteArray) return refuse('no bytes')
      const bytes = new Uint8Array(source.bytes(source.int()))
      runChecks(checks, bytes)
      return bytes
    },
  }
}

/** Null alone: the empty list, as `nullable` writes it. */
export const nullNode: Node = {
  ...REQUIRED,
  tags: tagBit(TagType.List),
  kinds: Kind.Null,
  write: (out, value) => {
    if (value !== null) return refuse('not null')
    out.type(TagType.End)
    out.int(0)
    return TagType.List
  },
  read: (source, type) => {
    if (type !== TagType.List) return refuse('not null')
    source.type()
    return source.int() === 0 ? null : refuse('not null')
  },
}

/** Nothing at all: a member that is never there. */
export const undefinedNode: Node = {
  tags: 0,
  kinds: 0,
  absent: () => undefined,
  write: () => refuse('no undefined in NBT'),
  read: () => refuse('a value where none should be'),
}

/** Deep JSON is refused before it is parsed: what comes out is walked by recursion elsewhere. */
function isDeep(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length && depth <= JSON_DEPTH; i++) {
    const character = text[i]
    if (character === '"') i = endOfString(text, i + 1)
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
  }
  return depth > JSON_DEPTH
}

function endOfString(text: string, start: number): number {
  let at = start
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function readJsonText(source: NbtReader, type: number): string {
  if (type === TagType.String) return source.string()
  return type === TagType.ByteArray ? source.bytes(source.int()).toString('utf8') : refuse('no JSON text')
}

/** Whatever JSON can hold: its canonical text, in a `String` when it fits, else as UTF-8 in a `ByteArray`. */
export const jsonNode: Node = {
  tags: tagBit(TagType.String) | tagBit(TagType.ByteArray),
  kinds: Kind.Any,
  absent: () => undefined,
  write: (out, value) => {
    const text = canonicalJson(value)
    if (isDeep(text)) return refuse(`JSON deeper than ${JSON_DEPTH}`)
    if (modifiedUtf8Bytes(text) <= MAX_STRING_BYTES) {
      out.string(text)
      return TagType.String
    }
    const bytes = Buffer.from(text, 'utf8')
    out.int(bytes.length)
    out.count(bytes.length >> 3)
    out.bytes(bytes)
    return TagType.ByteArray
  },
  read: (source, type) => {
    const text = readJsonText(source, type)
    if (isDeep(text)) return refuse(`JSON deeper than ${JSON_DEPTH}`)
    return parseJson(text) ?? (text === 'null' ? null : refuse('no JSON'))
  },
}
