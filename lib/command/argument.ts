import { isLongerThan } from '../core/code-points.js'
import { isIdentifier } from '../core/ids.js'
import { asciiLower, wordEnd } from './span.js'

/** The kinds of argument, as data: the parser reads them, the host translates them for its clients. */
export type ArgumentType =
  /** Anything up to the next white space. */
  | { readonly kind: 'word' }
  /** The rest of the line, at least one character; inner white space stays as typed. */
  | { readonly kind: 'text' }
  /** A whole number within both bounds, which are 32-bit. */
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** `namespace:path`; a bare path gets the namespace; upper case is folded, since no identifier has any. */
  | { readonly kind: 'identifier'; readonly namespace: string }
  /** An identifier in `minecraft`; whether such an item exists is asked later. */
  | { readonly kind: 'item' }
  /** A name or uuid; whether such a player exists is asked later. */
  | { readonly kind: 'player' }
  /** What a button runs: letters, digits, `-` and `_`. */
  | { readonly kind: 'token' }

/** A value that an argument gave, and the index behind what it read. */
export interface ReadArgument {
  readonly value: string | number
  readonly end: number
}

const INTEGER = /^[+-]?\d{1,10}$/
const TOKEN = /^[\w-]{1,64}$/
/** Longer than a dashed uuid (36) and than any name that a login lets through. */
const PLAYER_NAME_LIMIT = 40

/** Reads one argument that begins at `at`; undefined when what stands there is not of the type. */
export function readArgument(type: ArgumentType, input: string, at: number): ReadArgument | undefined {
  if (type.kind === 'text') {
    const value = input.slice(at).trimEnd()
    return value === '' ? undefined : { value, end: input.length }
  }
  const end = wordEnd(input, at)
  const value = end === at ? undefined : readWord(type, input.slice(at, end))
  return value === undefined ? undefined : { value, end }
}

function readWord(type: Exclude<ArgumentType, { kind: 'text' }>, word: string): string | number | undefined {
  switch (type.kind) {
    case 'word':
      return word
    case 'integer': {
      const number = INTEGER.test(word) ? Number(word) : Number.NaN
      // adding zero turns -0 into 0
      return number >= type.min && number <= type.max ? number + 0 : undefined
    }
    case 'identifier':
      return readIdentifier(word, type.namespace)
    case 'item':
      return readIdentifier(word, 'minecraft')
    case 'player':
      return isLongerThan(word, PLAYER_NAME_LIMIT) ? undefined : word
    case 'token':
      return TOKEN.test(word) ? word : undefined
    default:
      return type satisfies never
  }
}

function readIdentifier(word: string, namespace: string): string | undefined {
  const folded = asciiLower(word)
  const full = folded.includes(':') ? folded : `${namespace}:${folded}`
  return isIdentifier(full) ? full : undefined
}
