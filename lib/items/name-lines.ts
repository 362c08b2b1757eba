import { isCharacter, type Unit } from '../lexical/index.js'
import { editDistance } from './edit-distance.js'

/** How a name fits a query; the kinds are those of a search. */
export interface LineFit {
  readonly kind: 'folded' | 'words' | 'prefix' | 'close'
  /** Length that the query leaves open, or edits. */
  readonly extra: number
}

/** Items by number, each with the best of its names. */
export type LineFits = Map<number, LineFit>

const KINDS = ['folded', 'words', 'prefix', 'close'] as const

/** Folded words as they are compared here: characters of a script without spaces stand close together. */
export function spelled(units: readonly Unit[]): string {
  let text = ''
  let wasCharacter = false
  for (const unit of units) {
    const is = isCharacter(unit)
    text += text === '' || (is && wasCharacter) ? unit.text : ` ${unit.text}`
    wasCharacter = is
  }
  return text
}

/** The parts of a query, each to be found in a name: a space and a word, or the characters between two blanks. */
export function partsOf(units: readonly Unit[]): string[] {
  const parts: string[] = []
  let end = -1
  for (const unit of units) {
    if (!isCharacter(unit)) parts.push(` ${unit.text}`)
    else if (unit.start === end) parts.push((parts.pop() ?? '') + unit.text)
    else parts.push(unit.text)
    end = isCharacter(unit) ? unit.end : -1
  }
  return parts
}

/** Neighbours that names are compared by when nothing fits: words of more than two letters, pairs of characters. */
export function piecesOf(parts: readonly string[]): string[] {
  return parts.flatMap((part) => {
    if (part.startsWith(' ')) return part.length > 3 ? [`${part} `] : []
    const characters = Array.from(part)
    return characters.slice(1).map((character, at) => (characters[at] ?? '') + character)
  })
}

/**
 * The names of one language: one text with a line for each, searched by the engine's own text search. Immutable.
 * A thousand names take some 40 KB and about 0.05 ms to look through.
 */
export class NameLines {
  readonly #text: string
  /** Where each line begins, in rising order. */
  readonly #starts: Uint32Array
  /** The item number of each line. */
  readonly #items: Uint32Array

  /** `names`: pairs of an item number and a name as `spelled` gives it. */
  constructor(names: readonly (readonly [item: number, name: string])[]) {
    this.#text = names.map(([, name]) => ` ${name} \n`).join('')
    this.#items = Uint32Array.from(names, ([item]) => item)
    this.#starts = new Uint32Array(names.length + 1)
    names.forEach(([, name], at) => {
      this.#starts[at + 1] = (this.#starts[at] ?? 0) + name.length + 3
    })
  }

  /** Adds the items that have a name with all parts of the query; `whole` is the query as `spelled` gives it. */
  fit(parts: readonly string[], whole: string, fits: LineFits): void {
    const rarest = parts.toSorted((a, b) => b.length - a.length)[0]
    if (rarest === undefined) return
    for (const at of this.#linesWith(rarest)) {
      const line = this.#line(at)
      if (!parts.every((part) => line.includes(part))) continue
      const isWhole = line.length === whole.length + 2 && line.includes(whole)
      // a character is a word of its own
      const areWords = parts.every((part) => !part.startsWith(' ') || line.includes(`${part} `))
      const kind = isWhole ? 'folded' : areWords ? 'words' : 'prefix'
      this.#add(fits, at, { kind, extra: line.length - whole.length - 2 })
    }
  }

  /** Adds the items that have a name so many edits away at most. */
  close(whole: string, limit: number, fits: LineFits): void {
    if (limit === 0) return
    for (let at = 0; at < this.#items.length; at += 1) {
      const length = (this.#starts[at + 1] ?? 0) - (this.#starts[at] ?? 0) - 3
      if (Math.abs(length - whole.length) > limit) continue
      const edits = editDistance(whole, this.#line(at).slice(1, -1), limit)
      if (edits <= limit) this.#add(fits, at, { kind: 'close', extra: edits })
    }
  }

  /** Counts for each item how many of the pieces its names share. */
  count(pieces: readonly string[], counts: Map<number, number>): void {
    for (const piece of new Set(pieces)) {
      const items = new Set<number>()
      for (const at of this.#linesWith(piece)) items.add(this.#items[at] ?? 0)
      for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
    }
  }

  #add(fits: LineFits, line: number, fit: LineFit): void {
    const item = this.#items[line] ?? 0
    const before = fits.get(item)
    const order = before === undefined ? -1 : KINDS.indexOf(fit.kind) - KINDS.indexOf(before.kind)
    if (before === undefined || order < 0 || (order === 0 && fit.extra < before.extra)) fits.set(item, fit)
  }

  #line(at: number): string {
    return this.#text.slice(this.#starts[at], (this.#starts[at + 1] ?? 0) - 1)
  }

  /** Numbers of the lines that hold the part, each once. */
  *#linesWith(part: string): Generator<number> {
    let from = 0
    for (;;) {
      const place = this.#text.indexOf(part, from)
      if (place < 0) return
      const at = this.#lineAt(place)
      yield at
      from = this.#starts[at + 1] ?? this.#text.length
    }
  }

  #lineAt(place: number): number {
    let low = 0
    let high = this.#items.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= place) low = middle
      else high = middle - 1
    }
    return low
  }
}
