import type { Result } from '../../core/result.js'
import { hasLoneSurrogate, MAX_STRING_BYTES, modifiedUtf8Bytes, writeModifiedUtf8 } from './modified-utf8.js'
import { NbtReader } from './reader.js'
import { scanPayload, viewOf } from './scan.js'
import { guarded, NbtError, TagType, WRITE_LIMITS, type NbtLimits } from './tag.js'

/** A root compound, cut into its members. */
export interface NbtRoot {
  /** The root's own name; empty when it has none. */
  readonly name: string
  /** Tag bytes of the members by name, in their order; each part has its own ArrayBuffer and may be transferred. */
  readonly parts: Map<string, Uint8Array>
}

interface Piece {
  readonly name: Buffer
  readonly tag: Uint8Array
}

function nameBytes(name: string): Buffer {
  const bytes = Buffer.allocUnsafe(2 + modifiedUtf8Bytes(name))
  if (bytes.length - 2 > MAX_STRING_BYTES) throw new TypeError('a name above 65,535 bytes')
  if (hasLoneSurrogate(name)) throw new TypeError('a name with half a character')
  bytes.writeUInt16BE(bytes.length - 2, 0)
  writeModifiedUtf8(name, bytes, 2)
  return bytes
}

/** `head`, the members and the end of a compound in one array. */
function joined(head: Uint8Array, entries: Iterable<readonly [string, Uint8Array]>): Uint8Array {
  const pieces: Piece[] = []
  let size = head.length + 1
  for (const [key, tag] of entries) {
    if (tag.length < 2) throw new TypeError(`the part ${key} is no tag`)
    if (pieces.length >= WRITE_LIMITS.maxTags) throw new TypeError('more parts than are read')
    const name = nameBytes(key)
    pieces.push({ name, tag })
    size += name.length + tag.length
  }
  const document = new Uint8Array(size)
  document.set(head, 0)
  let at = head.length
  for (const { name, tag } of pieces) {
    document[at] = tag[0] ?? TagType.End
    document.set(name, at + 1)
    document.set(tag.subarray(1), at + 1 + name.length)
    at += name.length + tag.length
  }
  return document
}

/**
 * An uncompressed NBT document from tag bytes by name, in the order given. Each name may come once; what the tags hold
 * is not looked at. A TypeError for more than 199,900 parts, names above 65,535 bytes or with lone surrogates, and empty
 * tags: names that `splitRoot` gave are always good.
 */
export const composeRoot = (entries: Iterable<readonly [string, Uint8Array]>, name = ''): Uint8Array =>
  joined(Buffer.concat([Uint8Array.of(TagType.Compound), nameBytes(name)]), entries)

/** Like `composeRoot`, but gives tag bytes: a compound to be put into another one. */
export const composeCompound = (entries: Iterable<readonly [string, Uint8Array]>): Uint8Array =>
  joined(Uint8Array.of(TagType.Compound), entries)

function readName(reader: NbtReader): string {
  const left = reader.buffer.length - reader.at
  if (left < 2 || left - 2 < reader.buffer.readUInt16BE(reader.at)) throw new NbtError('cut off in a name')
  const name = reader.string()
  // written by others in another form of UTF-8: it couldn't be written again
  if (modifiedUtf8Bytes(name) > MAX_STRING_BYTES) throw new NbtError('a name above 65,535 bytes')
  return name
}

function readParts(reader: NbtReader, limits: NbtLimits): Map<string, Uint8Array> {
  const parts = new Map<string, Uint8Array>()
  const { buffer } = reader
  for (;;) {
    if (reader.at >= buffer.length) throw new NbtError('cut off between parts')
    const type = reader.type()
    if (type === TagType.End) break
    const name = readName(reader)
    if (parts.has(name)) throw new NbtError('a part comes twice')
    if (parts.size >= limits.maxTags) throw new NbtError(`more than ${limits.maxTags} parts`)
    const start = reader.at
    reader.at = scanPayload(buffer, { at: start, type }, limits)
    // the name stands between the type and the payload: without a copy there is no tag
    const tag = new Uint8Array(1 + reader.at - start)
    tag[0] = type
    tag.set(buffer.subarray(start, reader.at), 1)
    parts.set(name, tag)
  }
  if (reader.at !== buffer.length) throw new NbtError(`${buffer.length - reader.at} bytes behind the end`)
  return parts
}

function readerOf(document: Uint8Array, limits: NbtLimits): NbtReader {
  if (document.length > limits.maxBytes) throw new NbtError(`more than ${limits.maxBytes} bytes`, true)
  if (document[0] !== TagType.Compound) throw new NbtError('the root is no compound')
  return new NbtReader(viewOf(document), 1)
}

/**
 * Cuts an uncompressed NBT document into the members of its root. Everything is scanned, nothing decoded: sizes, types,
 * counts and depth are right in what comes out, but not yet the text of strings or names further in. A root without a
 * name (network NBT since 1.20.2) is read too when it has members; bytes behind the end and repeated names are refused.
 * Codes: `system:storage_unreadable`, `system:storage_too_large` above `maxBytes`.
 */
export function splitRoot(document: Uint8Array, limits: NbtLimits): Result<NbtRoot> {
  const named = guarded('system:storage_unreadable', () => {
    const reader = readerOf(document, limits)
    const name = readName(reader)
    return { name, parts: readParts(reader, limits) }
  })
  if (named.ok || named.failure.code !== 'system:storage_unreadable') return named
  const nameless = splitCompound(document, limits)
  // 0A 00 is what is left of a torn document: it must not pass for an empty one
  return nameless.ok && nameless.value.size > 0
    ? { ok: true, value: { name: '', parts: nameless.value } }
    : named
}

/** Like `splitRoot` for tag bytes of a compound, as `composeCompound` makes them. */
export const splitCompound = (tag: Uint8Array, limits: NbtLimits): Result<Map<string, Uint8Array>> =>
  guarded('system:storage_unreadable', () => readParts(readerOf(tag, limits), limits))
