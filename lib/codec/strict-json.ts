/** Deepest nesting that is read; the outer object is level 1. */
const MAX_DEPTH = 32
const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const QUOTE = 34
const BACKSLASH = 92
/** Below it lie the control characters. */
const SPACE_CODE = 32
const RAW_CONTROLS = /[\t\n\r]/g
const CONTROL_ESCAPES = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
])

/** Ends the reading; never leaves this file. */
class NotJson extends Error {}

/** Reads JSON by RFC 8259, and beyond it refuses repeated keys, deep nesting and numbers that are not finite. */
class StrictReader {
  private readonly text: string
  private depth = 0
  at: number

  constructor(text: string, start: number) {
    this.text = text
    this.at = start
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? null
    if (found !== null) this.at += found.length
    return found
  }

  private take(character: string): boolean {
    this.match(SPACE)
    if (this.text[this.at] !== character) return false
    this.at += 1
    return true
  }

  private need(character: string): void {
    if (!this.take(character)) throw new NotJson()
  }

  /**
   * A raw line break or tab inside is a slip of models that leaves no doubt and is read as what it is; other control
   * characters and wrong escapes are refused.
   */
  private string(): string {
    this.need('"')
    const start = this.at
    for (let code = this.text.charCodeAt(this.at); code !== QUOTE; code = this.text.charCodeAt(this.at)) {
      // NaN: the text is over
      if (Number.isNaN(code)) throw new NotJson()
      if (code === BACKSLASH && this.text.charCodeAt(this.at + 1) < SPACE_CODE) throw new NotJson()
      this.at += code === BACKSLASH ? 2 : 1
    }
    const raw = this.text.slice(start, this.at)
    this.at += 1
    const legal = raw.replace(RAW_CONTROLS, (character) => CONTROL_ESCAPES.get(character) ?? character)
    try {
      return JSON.parse(`"${legal}"`) as string
    } catch {
      throw new NotJson()
    }
  }

  /** Items up to `close`, with commas between them. */
  private items(close: string, readItem: () => void): void {
    this.depth += 1
    if (this.depth > MAX_DEPTH) throw new NotJson()
    if (!this.take(close)) {
      do readItem()
      while (this.take(','))
      this.need(close)
    }
    this.depth -= 1
  }

  object(): Record<string, unknown> {
    const value = Object.create(null) as Record<string, unknown>
    this.need('{')
    this.items('}', () => {
      const key = this.string()
      if (Object.hasOwn(value, key)) throw new NotJson()
      this.need(':')
      value[key] = this.value()
    })
    return value
  }

  private array(): unknown[] {
    const value: unknown[] = []
    this.need('[')
    this.items(']', () => value.push(this.value()))
    return value
  }

  private value(): unknown {
    this.match(SPACE)
    const next = this.text[this.at]
    if (next === '{') return this.object()
    if (next === '[') return this.array()
    if (next === '"') return this.string()
    const word = this.match(WORD)
    if (word !== null) return WORDS.get(word)
    const number = Number(this.match(NUMBER) ?? Number.NaN)
    if (!Number.isFinite(number)) throw new NotJson()
    return number
  }
}

/** The object that starts at `start` and the place behind its closing brace; null when there is no such object. */
export function readStrictObject(
  text: string,
  start: number,
): { readonly value: Record<string, unknown>; readonly end: number } | null {
  const reader = new StrictReader(text, start)
  try {
    const value = reader.object()
    return { value, end: reader.at }
  } catch (error) {
    if (error instanceof NotJson) return null
    throw error
  }
}
