/** Bytes before each part: the reply's number (u32), the part's (u16, from 0) and how many there are (u16). */
const HEADER_BYTES = 8
/** Largest part, far below the 1,048,576 bytes that a vanilla client takes in one payload. */
export const PART_BYTES = 65_536
/** Largest reply, bytes: whoever asked for a larger one is told that it failed. */
export const MAX_RESPONSE_BYTES = 1_048_576
/** Replies that a reader keeps unfinished; the oldest goes. */
const MAX_OPEN = 8

/** The parts of one reply, each with its header. Throws a RangeError above `MAX_RESPONSE_BYTES`. */
export function splitResponse(bytes: Uint8Array, number: number): readonly Uint8Array[] {
  if (bytes.byteLength > MAX_RESPONSE_BYTES) throw new RangeError('a reply is too large for a channel')
  const room = PART_BYTES - HEADER_BYTES
  const count = Math.max(1, Math.ceil(bytes.byteLength / room))
  return Array.from({ length: count }, (_, index) => {
    const body = bytes.subarray(index * room, (index + 1) * room)
    const part = new Uint8Array(HEADER_BYTES + body.byteLength)
    const view = new DataView(part.buffer)
    view.setUint32(0, number >>> 0)
    view.setUint16(4, index)
    view.setUint16(6, count)
    part.set(body, HEADER_BYTES)
    return part
  })
}

interface OpenResponse {
  readonly parts: (Uint8Array | undefined)[]
  missing: number
  bytes: number
}

/** Puts replies together again, on the reader's side. What makes no sense is left out. */
export class ResponseReader {
  readonly #open = new Map<number, OpenResponse>()

  /** The whole reply once its last part is there; null before, and for what is no part. */
  take(part: Uint8Array): Uint8Array | null {
    if (part.byteLength < HEADER_BYTES || part.byteLength > PART_BYTES) return null
    const view = new DataView(part.buffer, part.byteOffset, part.byteLength)
    const [number, index, count] = [view.getUint32(0), view.getUint16(4), view.getUint16(6)]
    if (count === 0 || index >= count || count > MAX_RESPONSE_BYTES / (PART_BYTES - HEADER_BYTES) + 1)
      return null
    const open = this.#opened(number, count)
    if (open.parts.length !== count || open.parts[index] !== undefined) return null
    const body = part.slice(HEADER_BYTES)
    open.parts[index] = body
    open.missing -= 1
    open.bytes += body.byteLength
    if (open.missing > 0) return null
    this.#open.delete(number)
    return joined(open)
  }

  #opened(number: number, count: number): OpenResponse {
    const known = this.#open.get(number)
    if (known !== undefined) return known
    const opened = { parts: Array.from({ length: count }, () => undefined), missing: count, bytes: 0 }
    this.#open.set(number, opened)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_OPEN) break
      this.#open.delete(oldest)
    }
    return opened
  }
}

function joined({ parts, bytes }: OpenResponse): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    if (part === undefined) continue
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
