import { ANY, CLASSES, CODES, only } from './code-sets.js'
import { PACK_LIMITS } from './limits.js'

/** What matching may still cost; shared by all patterns of a load. */
export interface StepBudget {
  left: number
}

/** Whether the pattern is found in a text; null: the budget is spent. */
export type Pattern = (text: string, budget: StepBudget) => boolean | null

type Node =
  | { readonly kind: 'set'; readonly has: Uint8Array }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number }

type Step =
  | { readonly kind: 'set'; readonly has: Uint8Array }
  | { readonly kind: 'start' | 'end' | 'match' }
  /** Goes on at both places. */
  | { readonly kind: 'fork'; a: number; b: number }

/** A repetition such as `{9}` is written out. */
const PROGRAM_STEPS = 2_048
/** Parts of the expression that are written, those of a repetition each time: an empty group has no steps. */
const PROGRAM_PARTS = 8_192
/** What a match costs before its first step, in steps. */
const MATCH_STEPS = 8

/** What the grammar doesn't have; never leaves this file. */
class Unsupported extends Error {}

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  pattern(): Node {
    const node = this.#any()
    if (this.#at < this.#text.length) throw new Unsupported("')' without '('")
    return node
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #any(): Node {
    const of = [this.#all()]
    while (this.#take('|')) of.push(this.#all())
    return { kind: 'any', of }
  }

  #all(): Node {
    const of: Node[] = []
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] ?? '')) {
      of.push(this.#repeated(this.#atom()))
    }
    return { kind: 'all', of }
  }

  #repeated(of: Node): Node {
    const counted = /\{(\d{1,3})(,?)(\d{0,3})\}/y
    counted.lastIndex = this.#at
    const found = counted.exec(this.#text)
    let [min, max] = [1, 1]
    if (this.#take('*')) [min, max] = [0, Infinity]
    else if (this.#take('+')) [min, max] = [1, Infinity]
    else if (this.#take('?')) [min, max] = [0, 1]
    else if (found !== null) {
      this.#at += found[0].length
      min = Number(found[1])
      max = found[2] === '' ? min : found[3] === '' ? Infinity : Number(found[3])
      if (max < min) throw new Unsupported('a repetition from more to less')
    } else return of
    // how much a repetition prefers changes nothing in whether there is a match
    this.#take('?')
    if (this.#at < this.#text.length && '*+?{'.includes(this.#text[this.#at] ?? ''))
      throw new Unsupported('a repetition of a repetition')
    return { kind: 'repeat', of, min, max }
  }

  #atom(): Node {
    const character = this.#text[this.#at] ?? ''
    this.#at += 1
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return { kind: 'set', has: this.#set() }
      case '.':
        return { kind: 'set', has: ANY }
      case '^':
        return { kind: 'start' }
      case '$':
        return { kind: 'end' }
      case '\\':
        return { kind: 'set', has: this.#escaped() }
      case '*':
      case '+':
      case '?':
      case '{':
        throw new Unsupported(`'${character}' behind nothing`)
      default:
        return { kind: 'set', has: only(character.charCodeAt(0)) }
    }
  }

  #group(): Node {
    if (this.#take('?') && !this.#take(':')) throw new Unsupported("groups that begin with '(?'")
    const node = this.#any()
    if (!this.#take(')')) throw new Unsupported("'(' without ')'")
    return node
  }

  #escaped(): Uint8Array {
    const letter = this.#text[this.#at] ?? ''
    this.#at += 1
    const known = CLASSES.get(letter)
    if (known !== undefined) return known
    if (letter === '' || /[A-Za-z0-9]/.test(letter)) throw new Unsupported(`the escape '\\${letter}'`)
    return only(letter.charCodeAt(0))
  }

  #set(): Uint8Array {
    const isNegated = this.#take('^')
    const has = new Uint8Array(CODES)
    let isFirst = true
    while (isFirst || this.#text[this.#at] !== ']') {
      isFirst = false
      const from = this.#member()
      if (typeof from !== 'number') from.forEach((is, code) => (has[code] ||= is))
      else {
        const isRange = this.#text[this.#at] === '-' && this.#text[this.#at + 1] !== ']'
        if (isRange) this.#at += 1
        const to = isRange ? this.#member() : from
        if (typeof to !== 'number' || to < from) throw new Unsupported('a range without two ends')
        has.fill(1, from, to + 1)
      }
    }
    this.#at += 1
    return isNegated ? has.map((is) => 1 - is) : has
  }

  /** A character's code, or the characters of a class. */
  #member(): number | Uint8Array {
    const character = this.#text[this.#at]
    if (character === undefined) throw new Unsupported("'[' without ']'")
    if (character === '[' || character === '&') throw new Unsupported(`'${character}' inside of '[…]'`)
    this.#at += 1
    if (character !== '\\') return character.charCodeAt(0)
    const letter = this.#text[this.#at] ?? ''
    const set = this.#escaped()
    return CLASSES.has(letter) ? set : letter.charCodeAt(0)
  }
}

/** Writes an expression out as a program. */
class Writer {
  readonly steps: Step[] = []
  #parts = 0

  write(node: Node): void {
    this.#parts += 1
    if (this.steps.length > PROGRAM_STEPS || this.#parts > PROGRAM_PARTS)
      throw new Unsupported('repetitions that are this large')
    switch (node.kind) {
      case 'set':
        this.steps.push(node)
        return
      case 'start':
      case 'end':
        this.steps.push({ kind: node.kind })
        return
      case 'all':
        for (const part of node.of) this.write(part)
        return
      case 'any':
        return this.#any(node.of)
      case 'repeat':
        return this.#repeat(node)
    }
  }

  #fork(): { a: number; b: number } {
    const next = this.steps.length + 1
    const step: Step = { kind: 'fork', a: next, b: next }
    this.steps.push(step)
    return step
  }

  #any(of: readonly Node[]): void {
    const ends: { a: number; b: number }[] = []
    of.forEach((part, at) => {
      const choice = at < of.length - 1 ? this.#fork() : null
      this.write(part)
      if (choice === null) return
      ends.push(this.#fork())
      choice.b = this.steps.length
    })
    for (const end of ends) end.a = end.b = this.steps.length
  }

  #repeat({ of, min, max }: Extract<Node, { kind: 'repeat' }>): void {
    for (let times = 0; times < min; times += 1) this.write(of)
    if (max === Infinity) {
      const start = this.steps.length
      const loop = this.#fork()
      this.write(of)
      this.#fork().a = start
      loop.b = this.steps.length
      return
    }
    const skips: { a: number; b: number }[] = []
    for (let times = min; times < max; times += 1) {
      skips.push(this.#fork())
      this.write(of)
    }
    for (const skip of skips) skip.b = this.steps.length
  }
}

interface Program {
  readonly steps: readonly Step[]
  /** Which steps were taken at a place of a text, by a mark that no other place has: clearing would cost each match. */
  readonly seen: { readonly by: Float64Array; mark: number }
}

/** Follows all ways through the program at once: time grows with text × program, whatever the pattern is. */
function run({ steps, seen }: Program, text: string, budget: StepBudget): boolean | null {
  budget.left -= MATCH_STEPS
  let here: number[] = []
  let next: number[] = []
  const open: number[] = []
  for (let at = 0; at <= text.length; at += 1) {
    // a match may begin anywhere
    here.push(0)
    next = []
    seen.mark += 1
    for (const begin of here) {
      open.push(begin)
      for (let pc = open.pop(); pc !== undefined; pc = open.pop()) {
        budget.left -= 1
        if (seen.by[pc] === seen.mark) continue
        seen.by[pc] = seen.mark
        const step = steps[pc]
        if (step === undefined) continue
        if (step.kind === 'match') return true
        if (step.kind === 'fork') open.push(step.a, step.b)
        else if (step.kind === 'set') {
          if (at < text.length && step.has[text.charCodeAt(at)] === 1) next.push(pc + 1)
        } else if (step.kind === 'start' ? at === 0 : at === text.length) open.push(pc + 1)
      }
    }
    if (budget.left < 0) return null
    here = next
  }
  return false
}

/**
 * A regular expression of a pack's filter, as vanilla means it: found anywhere in the text. Packs come from anywhere and
 * an expression of ten characters can keep a backtracking matcher busy for years, so this one follows all ways at once
 * and has no look-around, back references or possessive repetitions. A string says why the pattern can't be used.
 */
export function parsePattern(text: string): Pattern | string {
  if (text.length > PACK_LIMITS.patternUnits) return `is longer than ${PACK_LIMITS.patternUnits} characters`
  const writer = new Writer()
  try {
    writer.write(new Parser(text).pattern())
  } catch (error) {
    if (error instanceof Unsupported) return `has ${error.message}, which patterns of packs can't have here`
    throw error
  }
  const steps: readonly Step[] = [...writer.steps, { kind: 'match' }]
  const program = { steps, seen: { by: new Float64Array(steps.length), mark: 0 } }
  return (value, budget) => run(program, value, budget)
}
