/**
 * Java's modified UTF-8, https://docs.oracle.com/javase/8/docs/api/java/io/DataInput.html#modified-utf-8: NUL is C0 80,
 * characters beyond U+FFFF are two surrogates of three bytes each. Where a surrogate stands alone, U+FFFD is written.
 */
import { NbtError } from './tag.js'

/** Most bytes that a string's two-byte length can name. */
export const MAX_STRING_BYTES = 65_535
/** Below these lengths a loop is quicker than a call into native code; reading builds its text piece by piece. */
const SHORT_TO_WRITE = 96
const SHORT_TO_READ = 24
const REPLACEMENT = 0xfffd
// eslint-disable-next-line no-control-regex -- NUL is what is looked for
const SPECIAL = /[\0\uD800-\uDFFF]/

const LONE_SURROGATE = /\p{Surrogate}/gu

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00
const isSurrogate = (unit: number): boolean => (unit & 0xf800) === 0xd800

export const hasLoneSurrogate = (text: string): boolean => text.search(LONE_SURROGATE) !== -1

/** The text as it is read back: U+FFFD for lone surrogates. */
export const soundText = (text: string): string => text.replace(LONE_SURROGATE, '\uFFFD')

/** Bytes of the text in modified UTF-8. */
export function modifiedUtf8Bytes(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7ff) bytes += 2
    else if (unit > 0x7f || unit === 0) bytes += 1
  }
  return bytes
}

/** The code unit at `i`, U+FFFD for a surrogate without its partner. */
function soundUnit(text: string, i: number): number {
  const unit = text.charCodeAt(i)
  if (!isSurrogate(unit)) return unit
  const partner = isHigh(unit) ? isLow(text.charCodeAt(i + 1)) : isHigh(text.charCodeAt(i - 1))
  return partner ? unit : REPLACEMENT
}

function writeUnits(text: string, target: Buffer, at: number): number {
  let end = at
  for (let i = 0; i < text.length; i++) {
    const unit = soundUnit(text, i)
    if (unit < 0x80 && unit !== 0) target[end++] = unit
    else if (unit < 0x800) {
      target[end++] = 0xc0 | (unit >> 6)
      target[end++] = 0x80 | (unit & 0x3f)
    } else {
      target[end++] = 0xe0 | (unit >> 12)
      target[end++] = 0x80 | ((unit >> 6) & 0x3f)
      target[end++] = 0x80 | (unit & 0x3f)
    }
  }
  return end
}

/** Writes the text and gives the place behind it. The target must have room for three bytes a code unit. */
export function writeModifiedUtf8(text: string, target: Buffer, at: number): number {
  if (text.length >= SHORT_TO_WRITE) {
    return SPECIAL.test(text) ? writeUnits(text, target, at) : at + target.write(text, at, 'utf8')
  }
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0 || unit > 0x7f) return writeUnits(text, target, at)
    target[at + i] = unit
  }
  return at + text.length
}

/**
 * The text of `bytes[from, to)`. Beside modified UTF-8 it reads what programs with plain UTF-8 write (a raw NUL,
 * sequences of four bytes); a lone surrogate becomes U+FFFD. Anything else is refused.
 */
export function readModifiedUtf8(bytes: Buffer, from: number, to: number): string {
  if (to - from < SHORT_TO_READ) {
    let text = ''
    let at = from
    for (; at < to; at++) {
      const byte = bytes[at] ?? 0
      if (byte > 0x7f) break
      text += String.fromCharCode(byte)
    }
    if (at === to) return text
  }
  const text = bytes.toString('utf8', from, to)
  // whatever plain UTF-8 doesn't know comes out as U+FFFD
  return text.includes('\uFFFD') ? readUnits(bytes, from, to) : text
}

function readUnits(bytes: Buffer, from: number, to: number): string {
  const units: number[] = []
  for (let at = from; at < to;) at = readUnit(bytes.subarray(at, Math.min(at + 4, to)), units) + at
  return unitsToText(units)
}

/** Reads one sequence from the start of `bytes`, adds its code units and gives its length. */
function readUnit(bytes: Uint8Array, units: number[]): number {
  const [first = 0] = bytes
  if (first < 0x80) {
    units.push(first)
    return 1
  }
  const length = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0
  let point = first & (0x7f >> length)
  for (let i = 1; i < length; i++) {
    const next = bytes[i] ?? 0
    if ((next & 0xc0) !== 0x80) throw new NbtError('a string that is not UTF-8')
    point = (point << 6) | (next & 0x3f)
  }
  const least = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000
  if (length === 0 || (point < least && !(length === 2 && point === 0)) || point > 0x10ffff)
    throw new NbtError('a string that is not UTF-8')
  if (length === 4) units.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff))
  else units.push(point)
  return length
}

function unitsToText(units: readonly number[]): string {
  let text = ''
  for (let i = 0; i < units.length; i += 4096) text += String.fromCharCode(...units.slice(i, i + 4096))
  return soundText(text)
}
