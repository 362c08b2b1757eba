import type { Json } from '../core/json.js'
import { PACK_LIMITS } from './limits.js'
import { quoted } from './problems.js'

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
const NAME = /[A-Za-z_$][\w$.-]*/y
const ESCAPES = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['/', '/'],
  ['\\', '\\'],
  ['"', '"'],
])
const WORDS = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const [TAB, LINE_FEED, RETURN, SPACE] = [9, 10, 13, 32]
const [DOUBLE_QUOTE, SINGLE_QUOTE, HASH, STAR, SLASH, BACKSLASH] = [34, 39, 35, 42, 47, 92]

/** Ends the reading; never leaves `lenient-json.ts`. */
export class NotJson extends Error {
  readonly at: number

  constructor(reason: string, at: number) {
    super(reason)
    this.at = at
  }
}

/**
 * Reads JSON by RFC 8259 and what vanilla's reader takes beyond it: comments (`//`, `/* * /`, `#`), single quotes, the
 * escape `\'`, escaped and raw line breaks in texts, keys without quotes, a comma behind the last element. Nesting is
 * bounded, so a recursion is too.
 */
export class JsonReader {
  readonly text: string
  at = 0
  values = 0
  isLenient = false
  repeated: { readonly key: string; readonly at: number } | null = null
  /** Where the value lies that `seek` leads to, or the innermost one on the way to it that is there. */
  found = 0
  #depth = 0
  /** Steps of `seek` that lead to the value which is being read; -1: it lies beside the way. */
  #onWay = 0
  readonly #seek: readonly string[]

  constructor(text: string, seek: readonly string[]) {
    this.text = text
    this.#seek = seek
  }

  whole(): Json {
    this.#space()
    if (this.at >= this.text.length) throw new NotJson('it is empty', this.at)
    const value = this.#value()
    this.#space()
    if (this.at < this.text.length) throw new NotJson('something stands behind the value', this.at)
    return value
  }

  /** White space and comments. */
  #space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) this.at += 1
      else if (code === SLASH || code === HASH) this.#comment(code)
      else return
    }
  }

  #comment(code: number): void {
    const next = this.text.charCodeAt(this.at + 1)
    this.isLenient = true
    if (code === SLASH && next === STAR) {
      const end = this.text.indexOf('*/', this.at + 2)
      if (end === -1) throw new NotJson('a comment does not end', this.at)
      this.at = end + 2
    } else if (code === HASH || next === SLASH) {
      const end = this.text.indexOf('\n', this.at)
      this.at = end === -1 ? this.text.length : end
    } else throw new NotJson("'/' where no comment begins", this.at)
  }

  #value(): Json {
    this.values += 1
    if (this.#onWay >= 0) this.found = this.at
    const first = this.text[this.at] ?? ''
    switch (first) {
      case '{':
        return this.#object()
      case '[':
        return this.#array()
      case '"':
      case "'":
        return this.#string(first.charCodeAt(0))
      default:
        return this.#scalar()
    }
  }

  #scalar(): Json {
    NUMBER.lastIndex = this.at
    const digits = NUMBER.exec(this.text)?.[0]
    if (digits !== undefined) {
      const number = Number(digits)
      if (!Number.isFinite(number)) throw new NotJson('a number is too large', this.at)
      this.at += digits.length
      return number
    }
    NAME.lastIndex = this.at
    const word = NAME.exec(this.text)?.[0]
    const value = word === undefined ? undefined : WORDS.get(word)
    if (value === undefined) throw this.#unexpected('a value')
    this.at += word?.length ?? 0
    return value
  }

  #object(): Json {
    const value: Record<string, Json> = {}
    this.#items('}', () => {
      const start = this.at
      const key = this.#key()
      if (Object.hasOwn(value, key)) this.repeated ??= { key, at: start }
      this.#space()
      if (this.text[this.at] !== ':') throw this.#unexpected("':'")
      this.at += 1
      this.#space()
      const member = this.#inside(key)
      // an assignment would set the prototype
      if (key === '__proto__')
        Object.defineProperty(value, key, {
          value: member,
          enumerable: true,
          configurable: true,
          writable: true,
        })
      else value[key] = member
    })
    return value
  }

  #array(): Json {
    const value: Json[] = []
    this.#items(']', () => value.push(this.#inside(value.length)))
    return value
  }

  /** The value at a key of an object or at an index of a list. */
  #inside(step: string | number): Json {
    const before = this.#onWay
    if (before >= 0) this.#onWay = this.#seek[before] === String(step) ? before + 1 : -1
    const value = this.#value()
    this.#onWay = before
    return value
  }

  #items(close: string, readItem: () => void): void {
    this.#depth += 1
    if (this.#depth > PACK_LIMITS.depth)
      throw new NotJson(`it is nested more than ${PACK_LIMITS.depth} levels deep`, this.at)
    this.at += 1
    this.#space()
    while (this.text[this.at] !== close) {
      readItem()
      this.#space()
      const next = this.text[this.at]
      if (next === ',') {
        this.at += 1
        this.#space()
        if (this.text[this.at] === close) this.isLenient = true
      } else if (next !== close) throw this.#unexpected(`',' or '${close}'`)
    }
    this.at += 1
    this.#depth -= 1
  }

  #key(): string {
    const code = this.text.charCodeAt(this.at)
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) return this.#string(code)
    NAME.lastIndex = this.at
    const name = NAME.exec(this.text)?.[0]
    if (name === undefined) throw this.#unexpected('a key')
    this.isLenient = true
    this.at += name.length
    return name
  }

  #string(quote: number): string {
    if (quote === SINGLE_QUOTE) this.isLenient = true
    const start = this.at
    let built = ''
    this.at += 1
    let from = this.at
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code === quote) break
      if (Number.isNaN(code)) throw new NotJson('a text does not end', start)
      if (code === BACKSLASH) {
        built += this.text.slice(from, this.at) + this.#escape()
        from = this.at
      } else {
        if (code < SPACE) this.isLenient = true
        this.at += 1
      }
    }
    const text = this.text.slice(from, this.at)
    this.at += 1
    return built === '' ? text : built + text
  }

  #escape(): string {
    const letter = this.text[this.at + 1] ?? ''
    const known = ESCAPES.get(letter)
    if (letter === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6)
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new NotJson('an escape without four digits', this.at)
      this.at += 6
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    if (known === undefined) {
      if (letter !== "'" && letter !== '\n') throw new NotJson(`no escape: \\${quoted(letter)}`, this.at)
      this.isLenient = true
    }
    this.at += 2
    return known ?? letter
  }

  #unexpected(wanted: string): NotJson {
    const point = this.text.codePointAt(this.at)
    const got = point === undefined ? 'the end' : `'${quoted(String.fromCodePoint(point))}'`
    return new NotJson(`${got} instead of ${wanted}`, this.at)
  }
}
