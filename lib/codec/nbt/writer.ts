import { hasLoneSurrogate, MAX_STRING_BYTES, modifiedUtf8Bytes, writeModifiedUtf8 } from './modified-utf8.js'
import { NbtError, WRITE_LIMITS, type TagType } from './tag.js'

const FIRST_BYTES = 8_192
/** A buffer that grew beyond it is not kept for the next writer. */
const KEPT_BYTES = 1_048_576
const TWO_TO_32 = 4_294_967_296

/** The buffer that writers hand on. A writer that starts while another is at work makes its own. */
let spare: Buffer | null = null

export interface WriterMark {
  readonly end: number
  readonly tags: number
  readonly depth: number
}

/** Writes numbers and strings of NBT, big endian, into a buffer that grows. What doesn't fit is refused by an NbtError. */
export class NbtWriter {
  private buffer: Buffer
  private end = 0
  private tags = 0
  private depth = 0

  constructor() {
    this.buffer = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
    spare = null
  }

  /** The next place. */
  get at(): number {
    return this.end
  }

  /** What `rewind` needs to forget all that is written from here on. */
  mark(): WriterMark {
    return { end: this.end, tags: this.tags, depth: this.depth }
  }

  rewind({ end, tags, depth }: WriterMark): void {
    this.end = end
    this.tags = tags
    this.depth = depth
  }

  /** Goes into a list or compound; `leave` comes out of it. */
  enter(): void {
    this.depth += 1
    if (this.depth > WRITE_LIMITS.maxDepth) throw new NbtError(`deeper than ${WRITE_LIMITS.maxDepth}`)
  }

  leave(): void {
    this.depth -= 1
  }

  /** Counts values against the limit of one tag. */
  count(tags: number): void {
    this.tags += tags
    if (this.tags > WRITE_LIMITS.maxTags) throw new NbtError('too many values', true)
  }

  /** The place of so many bytes. May change the buffer: to be asked before it is. */
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
    const at = this.room(1)
    this.buffer[at] = type
  }

  /** Sets a type byte that was written before its value was known. */
  retype(at: number, type: TagType): void {
    this.buffer[at] = type
  }

  byte(value: number): void {
    const at = this.room(1)
    this.buffer[at] = value
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

  /** A member's name. One with a lone surrogate is refused: replaced, it could be the name of another. */
  name(text: string): void {
    if (hasLoneSurrogate(text)) throw new NbtError('a name with half a character')
    this.string(text)
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
