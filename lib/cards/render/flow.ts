import { modifiedUtf8Bytes } from '../../codec/index.js'
import {
  componentText,
  concat,
  plain,
  type Component,
  type Style,
  type TranslateComponent,
} from '../../text/index.js'
import { advance } from './font.js'
import { glyphEnd } from './marks.js'

/** Deeper parts are taken as plain text, as they are when they are sent. */
const MAX_DEPTH = 16
/** Longest text that is shown when it is pointed at, code points. */
const MAX_HOVER = 1_000
/** Longest translation that is drawn as one, code units. */
const MAX_TRANSLATION = 64
/** A byte each in every form. */
const SIMPLE = /^[ !#-[\]-~]*$/
/** What a node takes at most besides its members, in JSON or NBT. */
const NODE_BYTES = 32
/** A client's own words for an item can be longer than the English ones that we know, and are never this short. */
const TRANSLATION_FACTOR = 2
const MIN_TRANSLATION = 60
/** `/system act` with a token of 22 characters. */
const COMMAND_WIDTH = 34 * 6

/** Upper bound of a component's encoded size, in bytes, whatever the version is. */
export function componentBytes(component: Component): number {
  let sum = NODE_BYTES + jsonBytes(component, 'extra')
  for (const part of component.extra ?? []) sum += componentBytes(part)
  return sum
}

/** What the value takes as JSON in modified UTF-8, counted without writing it; the member of that name left out. */
function jsonBytes(value: unknown, except?: string): number {
  if (typeof value === 'string')
    return SIMPLE.test(value) ? value.length + 2 : modifiedUtf8Bytes(JSON.stringify(value))
  if (typeof value !== 'object' || value === null) return String(value).length
  let sum = 1
  // quotes and a colon around each name, a comma or the end behind each member
  for (const [name, member] of Object.entries(value))
    if (name !== except && member !== undefined) sum += name.length + 4 + jsonBytes(member)
  return Math.max(2, sum)
}

/** The component as a sequence of parts without parts, each with the whole of its style. */
export function leavesOf(component: Component, inherited: Style = {}, depth = 0): readonly Component[] {
  if (depth >= MAX_DEPTH)
    return [{ ...inherited, ...plain(componentText(component), {}, { newlines: 'keep' }) }]
  const { extra, ...shell } = bounded(component)
  const leaf: Component = { ...inherited, ...shell }
  const leaves = 'text' in leaf && leaf.text === '' ? [] : [leaf]
  if (extra === undefined || extra.length === 0) return leaves
  const style = styleOf(leaf)
  return [...leaves, ...extra.flatMap((part) => leavesOf(part, style, depth + 1))]
}

/** What can't be divided between pages, within bounds: what pointing shows and what a click inserts. */
function bounded(component: Component): Component {
  if (component.hoverEvent === undefined && component.insertion === undefined)
    return 'text' in component ? component : shortTranslation(component)
  const { insertion, hoverEvent, ...rest } = component
  const shown = hoverEvent === undefined ? '' : componentText(hoverEvent.contents)
  const hover =
    shown.length <= MAX_HOVER
      ? hoverEvent
      : { action: 'show_text' as const, contents: plain(shown, {}, { newlines: 'keep', limit: MAX_HOVER }) }
  return {
    ...('text' in rest ? rest : shortTranslation(rest)),
    ...(hover === undefined ? {} : { hoverEvent: hover }),
    ...(insertion === undefined || insertion.length > MAX_HOVER ? {} : { insertion }),
  }
}

/** A translation is drawn whole; one that is too long for that becomes its text. */
function shortTranslation(component: TranslateComponent): Component {
  const text = componentText({ ...component, extra: [] })
  if (text.length <= MAX_TRANSLATION) return component
  const { translate: _translate, fallback: _fallback, with: _with, ...style } = component
  return { ...style, ...plain(text) }
}

function styleOf(leaf: Component): Style {
  if ('text' in leaf) {
    const { text: _, ...style } = leaf
    return style
  }
  const { translate: _translate, fallback: _fallback, with: _with, ...style } = leaf
  return style
}

const INK = 0
const SPACE = 1
const BREAK = 2

/** A character, or a translation as a whole. */
interface Glyph {
  readonly leaf: number
  readonly start: number
  /** 0 for a translation. */
  readonly end: number
  readonly width: number
  readonly kind: typeof INK | typeof SPACE | typeof BREAK
}

/** Glyphs in columns: to keep an object for each would be most of what a layout costs. */
class Glyphs {
  readonly leaves: number[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly widths: number[] = []
  readonly kinds: number[] = []

  get length(): number {
    return this.leaves.length
  }

  add({ leaf, start, end, width, kind }: Glyph): void {
    this.leaves.push(leaf)
    this.starts.push(start)
    this.ends.push(end)
    this.widths.push(width)
    this.kinds.push(kind)
  }

  width(at: number): number {
    return this.widths[at] ?? 0
  }
}

/** A line as the client breaks it. */
interface Line {
  /** Glyphs, the end excluded. */
  readonly start: number
  readonly end: number
  /** More than one only for a translation that is wider than the line. */
  readonly rows: number
}

/**
 * A component as it flows into lines of a width in pixels, broken as the client does it: at the last blank that fits,
 * else between characters. The parts of it taken one after the other hold all of its text but for blanks between them.
 */
export class Flow {
  readonly #leaves: readonly Component[]
  readonly #glyphs = new Glyphs()
  readonly #lines: readonly Line[]

  constructor(component: Component, width: number) {
    this.#leaves = leavesOf(component)
    for (const [index, leaf] of this.#leaves.entries()) addGlyphs(this.#glyphs, leaf, index)
    this.#lines = linesOf(this.#glyphs, width)
  }

  /** Lines, at least one. */
  get lines(): number {
    return this.#lines.length
  }

  /** How many rows the lines from `start` up to `end` take. */
  rows(start = 0, end = this.lines): number {
    let rows = 0
    for (let line = start; line < end; line += 1) rows += this.#lines[line]?.rows ?? 0
    return rows
  }

  /** The lines from `start` up to `end`, without the break or blank that ends the last: it would begin another. */
  part(start: number, end: number): Component {
    const from = this.#lines[start]?.start ?? 0
    let to = this.#lines[end - 1]?.end ?? from
    const { leaves, starts, ends, kinds, length } = this.#glyphs
    const ending = kinds[to - 1]
    if (to > from && (ending === BREAK || (ending === SPACE && to < length))) to -= 1
    const parts: Component[] = []
    for (let at = from; at < to;) {
      const first = at
      while (at < to && leaves[at] === leaves[first]) at += 1
      const leaf = this.#leaves[leaves[first] ?? -1]
      if (leaf === undefined) continue
      parts.push('text' in leaf ? { ...leaf, text: leaf.text.slice(starts[first], ends[at - 1]) } : leaf)
    }
    return concat(parts)
  }
}

function addGlyphs(glyphs: Glyphs, leaf: Component, index: number): void {
  const isBold = leaf.bold === true
  if (!('text' in leaf)) {
    let width = 0
    for (const glyph of componentText(leaf)) width += advance(glyph.codePointAt(0) ?? 0, isBold)
    const most = Math.max(MIN_TRANSLATION, TRANSLATION_FACTOR * width)
    glyphs.add({ leaf: index, start: 0, end: 0, width: most, kind: INK })
    return
  }
  const { text } = leaf
  for (let start = 0; start < text.length;) {
    const end = glyphEnd(text, start)
    const code = text.codePointAt(start) ?? 0
    const kind = code === 10 ? BREAK : code === 32 ? SPACE : INK
    const width = kind === BREAK ? 0 : end - start > 2 ? COMMAND_WIDTH : advance(code, isBold)
    glyphs.add({ leaf: index, start, end, width, kind })
    start = end
  }
}

function linesOf(glyphs: Glyphs, width: number): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  let used = 0
  let space = -1
  const end = (at: number): void => {
    lines.push({ start, end: at, rows: Math.max(1, Math.ceil(used / width)) })
    start = at
    used = 0
    space = -1
  }
  for (let at = 0; at < glyphs.length; at += 1) {
    const kind = glyphs.kinds[at]
    if (kind === BREAK) {
      end(at + 1)
      continue
    }
    if (kind === SPACE) space = at
    if (used + glyphs.width(at) > width && (at > start || space === at)) {
      // the line ends behind its last blank, and what came after it begins the next one
      const next = space >= start ? space + 1 : at
      for (let moved = next; moved < at; moved += 1) used -= glyphs.width(moved)
      end(next)
      for (let moved = next; moved < at; moved += 1) used += glyphs.width(moved)
      if (next > at) continue
    }
    used += glyphs.width(at)
  }
  end(glyphs.length)
  return lines
}
