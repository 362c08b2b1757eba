import type { Json } from '../core/json.js'
import { JsonReader, NotJson } from './json-reader.js'

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A JSON text that was read. */
export interface ReadJson {
  readonly ok: true
  readonly value: Json
  /** How many values it consists of. */
  readonly values: number
  /** Only a lenient reader takes it: `JSON.parse` would not. */
  readonly isLenient: boolean
  /** The first key that an object repeats; its last value holds. */
  readonly repeated: { readonly key: string; readonly place: Place } | null
}

/** A text that is no JSON. */
export interface NoJson {
  readonly ok: false
  /** What was found, behind a file's name: `is not JSON: …`. */
  readonly reason: string
  readonly place: Place
}

/** Reads a text of a pack. Keys such as `__proto__` are data like others. */
export function readJson(text: string): ReadJson | NoJson {
  const reader = new JsonReader(text, [])
  try {
    const value = reader.whole()
    const { repeated, values, isLenient } = reader
    return {
      ok: true,
      value,
      values,
      isLenient,
      repeated: repeated && { key: repeated.key, place: placeAt(text, repeated.at) },
    }
  } catch (error) {
    if (error instanceof NotJson)
      return { ok: false, reason: `is not JSON: ${error.message}`, place: placeAt(text, error.at) }
    throw error
  }
}

/**
 * Where the value of a JSON pointer begins, or the innermost value on the way to it that is there. Null: the text is no
 * JSON, or the pointer is none.
 */
export function locate(text: string, pointer: string): Place | null {
  if (pointer !== '' && !pointer.startsWith('/')) return null
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const reader = new JsonReader(text, steps)
  try {
    reader.whole()
    return placeAt(text, reader.found)
  } catch (error) {
    if (error instanceof NotJson) return null
    throw error
  }
}

function placeAt(text: string, at: number): Place {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) {
    line += 1
    start = end + 1
  }
  return { line, column: at - start + 1 }
}
