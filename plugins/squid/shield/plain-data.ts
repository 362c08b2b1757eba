import { isJsonObject } from '../../../lib/core/json.js'

/** Deeper than any item that a client may send. */
const MAX_DEPTH = 1_024

/**
 * The fields of a packet as a JSON value. What JSON doesn't have becomes an object with one member: `$int` a bigint,
 * `$bytes` bytes, `$number` a number that isn't finite. Names that begin with `$` get a second one.
 */
export function toPlain(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new RangeError('too deep')
  if (typeof value === 'bigint') return { $int: value.toString() }
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) }
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return null
  if (value === null || typeof value !== 'object') return value
  if (ArrayBuffer.isView(value))
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
  if (Array.isArray(value)) return value.map((member) => toPlain(member, depth + 1))
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.map(([key, member]) => [key.startsWith('$') ? `$${key}` : key, toPlain(member, depth + 1)]),
  )
}

/** The inverse of `toPlain`. */
export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain)
  if (!isJsonObject(value)) return value
  const { $int, $bytes, $number } = value
  if (typeof $int === 'string' && /^-?\d{1,40}$/.test($int)) return BigInt($int)
  if (typeof $bytes === 'string') return Buffer.from($bytes, 'base64')
  if (typeof $number === 'string') return Number($number)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.startsWith('$') ? key.slice(1) : key,
      fromPlain(member),
    ]),
  )
}
