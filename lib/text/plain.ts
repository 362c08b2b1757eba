import { clipCodePoints, headPoints } from '../core/code-points.js'
import type { Style, TextComponent } from './component.js'

/** How outside text is cleaned. */
export interface PlainOptions {
  /** Line breaks stay line breaks; without it they become spaces. */
  readonly newlines?: 'keep' | 'space'
  /** Most code points of the result, the ellipsis included. */
  readonly limit?: number
}

/** Code units read for each code point wanted: keeps a hostile megabyte from being scanned whole for one line. */
const UNITS_PER_POINT = 8
/** There is nothing to clean in most texts. */
const PRINTABLE = /^[ -~]*$/
/** Tab and every kind of line break, which become `\n` or a space. CR LF counts once. */
const BREAKS = /\r\n?|[\n\v\f\u0085\u2028\u2029]/gu
/** Removed without a trace: other C0 and C1 controls, bidirectional marks, overrides and isolates, byte order mark. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
/** A formatting code of the client: the section sign with, if there is one, its code letter. */
const FORMATTING = /\u00a7[0-9a-fk-orx]?/giu
/** With the `u` flag this matches lone surrogates only. */
const LONE_SURROGATE = /\p{Surrogate}/gu

/** The text with every lone surrogate replaced by U+FFFD, as each encoder below would need it. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd')

/**
 * Outside text (of players, models, the world) as it may be shown: everything a client would act on or that could
 * disguise the text is removed, all else stays as it is, markup of any language included.
 */
export function plainText(text: string, options: PlainOptions = {}): string {
  const limit = options.limit ?? Infinity
  if (text.length <= limit && PRINTABLE.test(text)) return text
  const bounded = headUnits(text, limit * UNITS_PER_POINT)
  const clean = wellFormed(bounded)
    .replace(BREAKS, '\n')
    .replaceAll('\t', ' ')
    .split('\n')
    .map((line) => line.replace(INVISIBLE, '').replace(FORMATTING, ''))
    .join(options.newlines === 'keep' ? '\n' : ' ')
  if (bounded.length === text.length) return clipCodePoints(clean, limit)
  return `${headPoints(clean, Math.max(0, limit - 1))}…`
}

/** The first code units, never half of a surrogate pair. */
export function headUnits(text: string, units: number): string {
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? units - 1 : units)
}

/**
 * Literal text as a component: the only way by which text of players, models and worlds becomes one. `style` is
 * ours; its hover and click events are kept as they are.
 */
export function plain(text: string, style: Style = {}, options: PlainOptions = {}): TextComponent {
  return { ...style, text: plainText(text, options) }
}
