import { MAX_STRING_BYTES, modifiedUtf8Bytes, writeModifiedUtf8 } from './modified-utf8.js'
import { NbtError, WRITE_LIMITS, type TagType } from './tag.js'

const FIRST_BYTES = 8_192
/** A buffer that grew beyond it is not kept for the next writer. */
const KEPT_BYTES = 1_048_576
const TWO_TO_32 = 4_294_967_296

/** The buffer that writers hand on. A writer that starts while another is at work makes its own. */
let spare: Buffer | null = null

/** Writes numbers and strings of NBT, big endian, into a buffer that grows. What doesn't fit is refused by an NbtError. */
export class NbtWriter {
  private buffer: Buffer
  private end = 0
  private tags = 0

  constructor() {
    this.buffer = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
    spare = null
  }

  /** The next place, and with `rewind` a way back to it. */
  get at(): number {
    return this.end
  }

  rewind(at: number): void {
    this.end = at
  }

  /** Counts values against the limit of one tag. */
  count(tags: number): void {
    this.tags += tags
    if (this.tags > WRITE_LIMITS.maxTags) throw new NbtError('too many values', true)
  }

  private room(bytes: number): number {
    const at = this.end
    const needed = at + bytes
    if (needed > this.buffer.length) this.grow(needed)
    this.end = needed
    return at
  }

  private grow(needed: number): void {
    if (needed > WRITE_LIMITS.maxBytes + FIRST_BYTES) throw new NbtError('too many bytes', true)
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2))
    this.buffer.copy(larger, 0, 0, this.end)
    this.buffer = larger
  }

  type(type: TagType): void {
    this.buffer[this.room(1)] = type
  }

  /** Sets a type byte that was written before its value was known. */
  retype(at: number, type: TagType): void {
    this.buffer[at] = type
  }

  byte(value: number): void {
    this.buffer[this.room(1)] = value & 0xff
  }

  short(value: number): void {
    const at = this.room(2)
    this.buffer[at] = value >> 8
    this.buffer[at + 1] = value
  }

  int(value: number): void {
    const at = this.room(4)
    const { buffer } = this
    buffer[at] = value >> 24
    buffer[at + 1] = value >> 16
    buffer[at + 2] = value >> 8
    buffer[at + 3] = value
  }

  /** A long from a safe integer. */
  safeLong(value: number): void {
    this.int(Math.floor(value / TWO_TO_32))
    this.int(value)
  }

  long(value: bigint): void {
    const at = this.room(8)
    this.buffer.writeBigInt64BE(value, at)
  }

  float(value: number): void {
    const at = this.room(4)
    this.buffer.writeFloatBE(value, at)
  }

  double(value: number): void {
    const at = this.room(8)
    this.buffer.writeDoubleBE(value, at)
  }

  /** Raw bytes, without a length. */
  bytes(value: Uint8Array): void {
    const at = this.room(value.length)
    if (value.length > 64) this.buffer.set(value, at)
    else for (let i = 0; i < value.length; i++) this.buffer[at + i] = value[i] ?? 0
  }

  /** A length of two bytes and modified UTF-8. Refused before anything is written when it is above 65,535 bytes. */
  string(text: string): void {
    const most = text.length * 3
    if (most > MAX_STRING_BYTES && modifiedUtf8Bytes(text) > MAX_STRING_BYTES)
      throw new NbtError('a string above 65,535 bytes', true)
    const at = this.room(2 + most)
    const end = writeModifiedUtf8(text, this.buffer, at + 2)
    const length = end - at - 2
    this.buffer[at] = length >> 8
    this.buffer[at + 1] = length
    this.end = end
  }

  /** A copy of all that was written, alone in its ArrayBuffer (it may be transferred). */
  take(): Uint8Array {
    if (this.end > WRITE_LIMITS.maxBytes) throw new NbtError('too many bytes', true)
    return new Uint8Array(this.buffer.subarray(0, this.end))
  }

  /** Hands the buffer on; the writer must not be used again. */
  close(): void {
    if (this.buffer.length <= KEPT_BYTES) spare = this.buffer
  }
}
