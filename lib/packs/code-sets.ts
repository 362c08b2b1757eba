/** Sets of characters, as one byte a code. Paths and namespaces are ASCII. */
export const CODES = 128

const setOf = (test: (character: string) => boolean): Uint8Array =>
  Uint8Array.from({ length: CODES }, (_, code) => (test(String.fromCharCode(code)) ? 1 : 0))

/** One character. */
export function only(code: number): Uint8Array {
  const has = new Uint8Array(CODES)
  has.fill(1, code, code + 1)
  return has
}

/** What a dot stands for. */
export const ANY = setOf((c) => c !== '\n' && c !== '\r')
/** By the letter behind the backslash. */
export const CLASSES = new Map<string, Uint8Array>([
  ['d', setOf((c) => /\d/.test(c))],
  ['D', setOf((c) => /\D/.test(c))],
  ['w', setOf((c) => /\w/.test(c))],
  ['W', setOf((c) => /\W/.test(c))],
  ['s', setOf((c) => /\s/.test(c))],
  ['S', setOf((c) => /\S/.test(c))],
])
