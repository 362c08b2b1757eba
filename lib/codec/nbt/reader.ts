import { readModifiedUtf8 } from './modified-utf8.js'

const TWO_TO_32 = 4_294_967_296

/** Names longer than this are not remembered. */
const NAME_BYTES = 32
/** A power of two. */
const NAME_SLOTS = 512

/** Names that came lately, by a hash of their bytes: most repeat, and a text that is known needs no hashing as a key. */
const names: ({ readonly bytes: Buffer; readonly text: string } | undefined)[] = Array.from({
  length: NAME_SLOTS,
})

function isSame(known: Buffer, buffer: Buffer, at: number): boolean {
  for (let i = 0; i < known.length; i++) if (known[i] !== buffer[at + i]) return false
  return true
}

/** Reads numbers and strings of NBT from bytes that were scanned: it relies on everything being there. */
export class NbtReader {
  readonly buffer: Buffer
  at: number

  constructor(buffer: Buffer, at: number) {
    this.buffer = buffer
    this.at = at
  }

  type(): number {
    return this.buffer[this.at++] ?? 0
  }

  byte(): number {
    return this.buffer.readInt8(this.at++)
  }

  short(): number {
    this.at += 2
    return this.buffer.readInt16BE(this.at - 2)
  }

  int(): number {
    const { buffer, at } = this
    this.at = at + 4
    return (
      ((buffer[at] ?? 0) << 24) |
      ((buffer[at + 1] ?? 0) << 16) |
      ((buffer[at + 2] ?? 0) << 8) |
      (buffer[at + 3] ?? 0)
    )
  }

  /** A long as a number, inexact beyond 2^53. */
  numberLong(): number {
    const high = this.int()
    return high * TWO_TO_32 + (this.int() >>> 0)
  }

  long(): bigint {
    this.at += 8
    return this.buffer.readBigInt64BE(this.at - 8)
  }

  float(): number {
    this.at += 4
    return this.buffer.readFloatBE(this.at - 4)
  }

  double(): number {
    this.at += 8
    return this.buffer.readDoubleBE(this.at - 8)
  }

  private lengthAt(at: number): number {
    return ((this.buffer[at] ?? 0) << 8) | (this.buffer[at + 1] ?? 0)
  }

  string(): string {
    const from = this.at + 2
    this.at = from + this.lengthAt(this.at)
    return readModifiedUtf8(this.buffer, from, this.at)
  }

  /** A string that names a member. */
  name(): string {
    const { buffer, at } = this
    const length = this.lengthAt(at)
    if (length > NAME_BYTES) return this.string()
    let hash = length
    for (let i = at + 2; i < at + 2 + length; i++) hash = (hash * 31 + (buffer[i] ?? 0)) | 0
    const slot = (hash ^ (hash >>> 9)) & (NAME_SLOTS - 1)
    const known = names[slot]
    if (known?.bytes.length === length && isSame(known.bytes, buffer, at + 2)) {
      this.at = at + 2 + length
      return known.text
    }
    const text = this.string()
    names[slot] = { bytes: Buffer.from(buffer.subarray(at + 2, this.at)), text }
    return text
  }

  /** Goes behind a member's head when it is this one, its type byte aside. */
  skipSame(head: Uint8Array, start: number): boolean {
    const { buffer } = this
    for (let i = 1; i < head.length; i++) if (head[i] !== buffer[start + i]) return false
    this.at = start + head.length
    return true
  }

  /** A view on the next bytes. */
  bytes(length: number): Buffer {
    this.at += length
    return this.buffer.subarray(this.at - length, this.at)
  }
}
