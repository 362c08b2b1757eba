import { NbtError, TagType, type NbtLimits } from './tag.js'

/** Payload bytes of the types whose size never varies; 0 for the others. */
const FIXED = [0, 1, 2, 4, 8, 4, 8, 0, 0, 0, 0, 0, 0]
/** Bytes that a payload takes at least: what a claimed count must find room for. */
const LEAST = [0, 1, 2, 4, 8, 4, 8, 4, 2, 5, 1, 4, 4]
const ELEMENT = new Map<number, number>([
  [TagType.ByteArray, 1],
  [TagType.IntArray, 4],
  [TagType.LongArray, 8],
])
/** A frame of the stack that is a compound; others hold the number of elements that are left. */
const COMPOUND = -1

/** Walks over payloads without making anything of them; refuses what is cut off, too deep or more than could be there. */
class Scanner {
  private readonly bytes: Buffer
  private readonly limits: NbtLimits
  private readonly remaining: number[] = []
  private readonly types: number[] = []
  private tags = 0
  at: number

  constructor(bytes: Buffer, at: number, limits: NbtLimits) {
    this.bytes = bytes
    this.at = at
    this.limits = limits
  }

  private skip(bytes: number): void {
    if (bytes > this.bytes.length - this.at) throw new NbtError(`cut off at byte ${this.bytes.length}`)
    this.at += bytes
  }

  private type(): number {
    const at = this.at
    this.skip(1)
    const type = this.bytes[at] ?? 0
    if (type > TagType.LongArray) throw new NbtError(`no tag type ${type} at byte ${at}`)
    return type
  }

  private length(): number {
    const at = this.at
    this.skip(4)
    const length = this.bytes.readInt32BE(at)
    if (length < 0) throw new NbtError(`a negative length at byte ${at}`)
    return length
  }

  private count(tags: number): void {
    this.tags += tags
    if (this.tags > this.limits.maxTags) throw new NbtError(`more than ${this.limits.maxTags} values`)
  }

  private string(): void {
    const at = this.at
    this.skip(2)
    this.skip(((this.bytes[at] ?? 0) << 8) | (this.bytes[at + 1] ?? 0))
  }

  private push(type: number, remaining: number): void {
    if (this.types.length >= this.limits.maxDepth) throw new NbtError(`deeper than ${this.limits.maxDepth}`)
    this.types.push(type)
    this.remaining.push(remaining)
  }

  private list(): void {
    const type = this.type()
    const length = this.length()
    if (type === TagType.End && length > 0) throw new NbtError(`a list of ${length} ends at byte ${this.at}`)
    if (length * (LEAST[type] ?? 0) > this.bytes.length - this.at)
      throw new NbtError(`a list of ${length} at byte ${this.at}`)
    this.count(length)
    const fixed = FIXED[type] ?? 0
    this.push(type, fixed > 0 ? 0 : length)
    if (fixed > 0) this.skip(length * fixed)
  }

  private array(width: number): void {
    const length = this.length()
    if (length * width > this.bytes.length - this.at)
      throw new NbtError(`an array of ${length} at byte ${this.at}`)
    this.count(length >> (width === 8 ? 1 : 3))
    this.at += length * width
  }

  /** Goes over a payload's own bytes, and into it when it has members. */
  private enter(type: number): void {
    const fixed = FIXED[type] ?? 0
    if (fixed > 0) this.skip(fixed)
    else if (type === TagType.String) this.string()
    else if (type === TagType.Compound) this.push(type, COMPOUND)
    else if (type === TagType.List) this.list()
    else this.array(ELEMENT.get(type) ?? 1)
  }

  /** The type of the next member of a compound, behind its name; End behind the last. */
  private member(): number {
    const type = this.type()
    if (type !== TagType.End) {
      this.string()
      this.count(1)
    }
    return type
  }

  run(type: number): void {
    const { types, remaining } = this
    this.enter(type)
    while (types.length > 0) {
      const top = types.length - 1
      const left = remaining[top] ?? 0
      const next = left === COMPOUND ? this.member() : left === 0 ? TagType.End : (types[top] ?? 0)
      if (next === TagType.End) {
        types.pop()
        remaining.pop()
      } else {
        if (left !== COMPOUND) remaining[top] = left - 1
        this.enter(next)
      }
    }
  }
}

/** A payload of `type` that starts at `at`, in bytes that some limit has bounded. */
export interface PayloadPlace {
  readonly at: number
  readonly type: number
}

/** The place behind a payload. Iterative: nesting costs a few bytes a level, and none beyond the limit. */
export function scanPayload(bytes: Buffer, place: PayloadPlace, limits: NbtLimits): number {
  const scanner = new Scanner(bytes, place.at, limits)
  scanner.run(place.type)
  return scanner.at
}

/** The same bytes as a Buffer. */
export const viewOf = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Scans tag bytes (a type byte and a payload, nothing behind it) and gives them as a Buffer. */
export function scanTag(tag: Uint8Array, limits: NbtLimits): Buffer {
  if (tag.byteLength > limits.maxBytes) throw new NbtError(`more than ${limits.maxBytes} bytes`, true)
  const bytes = viewOf(tag)
  const [type = TagType.End] = bytes
  if (type === TagType.End || type > TagType.LongArray) throw new NbtError(`no tag of type ${type}`)
  const end = scanPayload(bytes, { at: 1, type }, limits)
  if (end !== bytes.length) throw new NbtError(`${bytes.length - end} bytes behind the end`)
  return bytes
}
