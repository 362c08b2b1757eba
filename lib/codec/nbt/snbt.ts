import { fail, ok, type Result } from '../../core/result.js'
import type { NbtCompound, NbtLong, NbtTree } from './tree.js'

/** As deep as vanilla reads. */
const MAX_DEPTH = 512
/** White space, and commas: FTB's writers leave them out, others put one too many. */
const SEPARATORS = /[\0- ,]*/y
/** A line of its own that says nothing. */
const COMMENT_LINES = /^[ \t]*(?:#|\/\/).*$/gm
const WORD = /[\p{L}\p{M}\p{N}._+∞-]+/uy
const INTEGER = /^([+-]?\d+)([bsl]?)$/i
/** Digits are matched in one way only, or a long word of them would be tried in all. */
const DECIMAL = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([fd]?)$/i
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
  ['r', '\r'],
  ['f', '\f'],
])
const INTEGERS = { b: ['byte', 8], s: ['short', 16], l: ['long', 64], '': ['int', 32] } as const
const ARRAYS = { B: ['byteArray', 'byte'], I: ['intArray', 'int'], L: ['longArray', 'long'] } as const

/** Ends the reading; never leaves this file. */
class NotSnbt extends Error {
  readonly at: number

  constructor(reason: string, at: number) {
    super(reason)
    this.at = at
  }
}

class SnbtReader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): NbtTree {
    this.#space()
    const tree = this.#value()
    this.#space()
    if (this.#at < this.#text.length) this.#refuse('something stands behind the value')
    return tree
  }

  #refuse(reason: string, at = this.#at): never {
    throw new NotSnbt(reason, at)
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #space(): void {
    this.#match(SEPARATORS)
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) this.#refuse(`more than ${MAX_DEPTH} values inside each other`)
    const value = read()
    this.#depth -= 1
    return value
  }

  #value(): NbtTree {
    const first = this.#text[this.#at]
    if (first === '{') return { type: 'compound', value: this.#nested(() => this.#compound()) }
    if (first === '[') return this.#nested(() => this.#listOrArray())
    return this.#isQuote() ? { type: 'string', value: this.#quoted() } : this.#bare()
  }

  #isQuote(): boolean {
    const character = this.#text[this.#at]
    return character === '"' || character === "'"
  }

  #quoted(): string {
    const start = this.#at
    const quote = this.#text[start]
    let read = ''
    for (this.#at += 1; ; this.#at += 1) {
      const character = this.#text[this.#at]
      if (character === undefined || character === '\n') this.#refuse('a text does not end', start)
      if (character === quote) break
      if (character === '\\') {
        this.#at += 1
        const escaped = this.#text[this.#at] ?? ''
        read += ESCAPES.get(escaped) ?? escaped
      } else read += character
    }
    this.#at += 1
    return read
  }

  #bare(): NbtTree {
    const start = this.#at
    const word = this.#match(WORD)
    if (word === '') this.#refuse('a value is missing')
    if (word === 'true' || word === 'false') return { type: 'byte', value: word === 'true' ? 1 : 0 }
    const [, digits = '', suffix = ''] = INTEGER.exec(word) ?? []
    if (digits !== '') return this.#integer(BigInt(digits.replace('+', '')), suffix.toLowerCase(), start)
    const [, decimal = '', kind = ''] = DECIMAL.exec(word) ?? []
    if (decimal === '') return { type: 'string', value: word }
    return { type: kind.toLowerCase() === 'f' ? 'float' : 'double', value: Number(decimal) }
  }

  #integer(value: bigint, suffix: string, start: number): NbtTree {
    const [type, bits] = INTEGERS[suffix as keyof typeof INTEGERS]
    const fits = (width: number): boolean => BigInt.asIntN(width, value) === value
    // ids of quest books that were written without their suffix
    if (type === 'long' || (type === 'int' && !fits(32))) {
      if (!fits(64)) this.#refuse('a number of more than 64 bits', start)
      return { type: 'long', value: halves(value) }
    }
    if (!fits(bits)) this.#refuse(`a ${type} out of its range`, start)
    return { type, value: Number(value) }
  }

  #compound(): NbtCompound {
    const start = this.#at
    this.#at += 1
    // no prototype: `__proto__` is a key like others
    const members: Record<string, NbtTree> = Object.create(null) as Record<string, NbtTree>
    for (this.#space(); !this.#take('}'); this.#space()) {
      if (this.#at >= this.#text.length) this.#refuse("a '{' has no '}'", start)
      const key = this.#isQuote() ? this.#quoted() : this.#match(WORD)
      this.#space()
      if (!this.#take(':') && !this.#take('=')) this.#refuse("a ':' is missing behind a key")
      this.#space()
      members[key] = this.#value()
    }
    return members
  }

  #listOrArray(): NbtTree {
    const start = this.#at
    this.#at += 1
    const array = ARRAYS[this.#text[this.#at] as keyof typeof ARRAYS] as
      (typeof ARRAYS)[keyof typeof ARRAYS] | undefined
    const isArray = array !== undefined && this.#text[this.#at + 1] === ';'
    if (isArray) this.#at += 2
    const values: NbtTree[] = []
    for (this.#space(); !this.#take(']'); this.#space()) {
      if (this.#at >= this.#text.length) this.#refuse("a '[' has no ']'", start)
      const at = this.#at
      const value = this.#value()
      if (isArray) values.push(this.#element(value, array[1], at))
      else if (value.type === (values[0]?.type ?? value.type)) values.push(value)
      else this.#refuse(`a ${value.type} in a list of ${values[0]?.type ?? 'nothing'}`, at)
    }
    const bare = values.map(({ value }) => value)
    if (isArray) return { type: array[0], value: bare } as NbtTree
    return { type: 'list', value: { type: values[0]?.type ?? 'end', value: bare } }
  }

  /** Elements of `[L; 1 2L]` carry their suffix or not. */
  #element(tree: NbtTree, type: 'byte' | 'int' | 'long', at: number): NbtTree {
    if (tree.type === type) return tree
    if (tree.type === 'int' && type === 'long') return { type, value: halves(BigInt(tree.value)) }
    if (tree.type === 'int' && type === 'byte' && tree.value === (tree.value << 24) >> 24)
      return { type, value: tree.value }
    return this.#refuse(`a ${tree.type} in an array of ${type}s`, at)
  }
}

const halves = (value: bigint): NbtLong => [
  Number(BigInt.asIntN(32, value >> 32n)),
  Number(BigInt.asIntN(32, value)),
]

/**
 * Reads SNBT, vanilla's and that of quest books: https://minecraft.wiki/w/NBT_format#SNBT_format. Beyond vanilla: commas
 * may be missing, `=` stands for `:`, lines that begin with `#` or `//` are comments, letters of every alphabet need no
 * quotes, and a whole number without suffix that needs more than 32 bits is a long. `true` and `false` are bytes.
 * `system:snbt` with the place (`line` and `column` from 1) and the reason.
 */
export function parseSnbt(text: string): Result<NbtTree> {
  // blanks keep each place where it was
  const source = text.replace(COMMENT_LINES, (line) => ' '.repeat(line.length))
  try {
    return ok(new SnbtReader(source).whole())
  } catch (error) {
    if (!(error instanceof NotSnbt)) throw error
    const before = source.slice(0, error.at).split('\n')
    return fail('system:snbt', {
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
      reason: error.message,
    })
  }
}
