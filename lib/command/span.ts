/** Positions in typed text. Indices are UTF-16 as in JavaScript strings; what players see counts code points. */

const SPACES = /\s*/y
const WORD = /\S*/y
const LETTERS = /[A-Z]+/g
// control characters and lone surrogates would disturb the line that an excerpt is shown in
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/gu

/** Code points of context that a pointed error shows before its marker. */
const WINDOW = 20
const MARKER = '<--[HERE]'

function matchEnd(pattern: RegExp, input: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(input)?.[0].length ?? 0)
}

/** Index of the first character at or after `at` that is no white space, the ideographic space included. */
export const skipSpaces = (input: string, at: number): number => matchEnd(SPACES, input, at)

/** Index just behind the word that begins at `at`. */
export const wordEnd = (input: string, at: number): number => matchEnd(WORD, input, at)

/** Lower case for `A` to `Z` only, so that no other letter can ever fold into a keyword and lengths stay equal. */
export const asciiLower = (text: string): string => text.replace(LETTERS, (letters) => letters.toLowerCase())

/** Parameters of a pointed error: what stands before `at`, marked, and how many code points that is. */
export function pointAt(input: string, at: number): { input: string; position: number } {
  const before = Array.from(input.slice(0, at))
  const shown = before.slice(-WINDOW).join('').replace(UNPRINTABLE, ' ')
  return { input: `${before.length > WINDOW ? '…' : ''}${shown}${MARKER}`, position: before.length }
}
