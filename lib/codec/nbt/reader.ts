import { readModifiedUtf8 } from './modified-utf8.js'

const TWO_TO_32 = 4_294_967_296

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

  string(): string {
    const from = this.at + 2
    this.at = from + this.buffer.readUInt16BE(this.at)
    return readModifiedUtf8(this.buffer, from, this.at)
  }

  /** A view on the next bytes. */
  bytes(length: number): Buffer {
    this.at += length
    return this.buffer.subarray(this.at - length, this.at)
  }
}
