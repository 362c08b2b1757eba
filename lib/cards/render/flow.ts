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
import { glyphAt } from './marks.js'

/** Deeper parts are taken as plain text, as they are when they are sent. */
const MAX_DEPTH = 16
/** Longest text that is shown when it is pointed at, code points. */
const MAX_HOVER = 1_000
/** Longest translation that is drawn as one, code units. */
const MAX_TRANSLATION = 64
/** What a node takes at most besides its members, in JSON or NBT. */
const NODE_BYTES = 32
/** A client's own words for an item can be longer than the English ones that we know, and are never this short. */
const TRANSLATION_FACTOR = 2
const MIN_TRANSLATION = 60
/** `/system act` with a token of 22 characters. */
const COMMAND_WIDTH = 34 * 6

/** Upper bound of a component's encoded size, in bytes, whatever the version is. */
export function componentBytes({ extra, ...shell }: Component): number {
  const own = NODE_BYTES + modifiedUtf8Bytes(JSON.stringify(shell))
  return (extra ?? []).reduce((sum, part) => sum + componentBytes(part), own)
}

/** The component as a sequence of parts without parts, each with the whole of its style. */
export function leavesOf(component: Component, inherited: Style = {}, depth = 0): readonly Component[] {
  if (depth >= MAX_DEPTH)
    return [{ ...inherited, ...plain(componentText(component), {}, { newlines: 'keep' }) }]
  const { extra, ...shell } = bounded(component)
  const leaf: Component = { ...inherited, ...shell }
  const style = styleOf(leaf)
  const inner = (extra ?? []).flatMap((part) => leavesOf(part, style, depth + 1))
  return 'text' in leaf && leaf.text === '' ? inner : [leaf, ...inner]
}

/** What can't be divided between pages, within bounds: what pointing shows and what a click inserts. */
function bounded(component: Component): Component {
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

/** A character, or a translation as a whole. */
interface Glyph {
  readonly leaf: number
  readonly start: number
  /** 0 for a translation. */
  readonly end: number
  readonly width: number
  readonly kind: 'ink' | 'space' | 'break'
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
  readonly #glyphs: readonly Glyph[]
  readonly #lines: readonly Line[]

  constructor(component: Component, width: number) {
    this.#leaves = leavesOf(component)
    const glyphs: Glyph[] = []
    for (const [index, leaf] of this.#leaves.entries()) addGlyphs(glyphs, leaf, index)
    this.#glyphs = glyphs
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
    const ending = this.#glyphs[to - 1]?.kind
    if (to > from && (ending === 'break' || (ending === 'space' && to < this.#glyphs.length))) to -= 1
    const parts: Component[] = []
    for (let at = from; at < to;) {
      const first = this.#glyphs[at]
      if (first === undefined) break
      let last = first
      for (; at < to && this.#glyphs[at]?.leaf === first.leaf; at += 1) last = this.#glyphs[at] ?? last
      const leaf = this.#leaves[first.leaf]
      if (leaf !== undefined)
        parts.push('text' in leaf ? { ...leaf, text: leaf.text.slice(first.start, last.end) } : leaf)
    }
    return concat(parts)
  }
}

function addGlyphs(glyphs: Glyph[], leaf: Component, index: number): void {
  const isBold = leaf.bold === true
  if (!('text' in leaf)) {
    let width = 0
    for (const glyph of componentText(leaf)) width += advance(glyph, isBold)
    const most = Math.max(MIN_TRANSLATION, TRANSLATION_FACTOR * width)
    glyphs.push({ leaf: index, start: 0, end: 0, width: most, kind: 'ink' })
    return
  }
  for (let start = 0; start < leaf.text.length;) {
    const glyph = glyphAt(leaf.text, start)
    const end = start + glyph.length
    const kind = glyph === '\n' ? 'break' : glyph === ' ' ? 'space' : 'ink'
    const width = kind === 'break' ? 0 : glyph.length > 2 ? COMMAND_WIDTH : advance(glyph, isBold)
    glyphs.push({ leaf: index, start, end, width, kind })
    start = end
  }
}

function linesOf(glyphs: readonly Glyph[], width: number): readonly Line[] {
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
    const glyph = glyphs[at]
    if (glyph === undefined) break
    if (glyph.kind === 'break') {
      end(at + 1)
      continue
    }
    if (glyph.kind === 'space') space = at
    if (used + glyph.width > width && (at > start || space === at)) {
      // the line ends behind its last blank, and what came after it begins the next one
      const next = space >= start ? space + 1 : at
      for (let moved = next; moved < at; moved += 1) used -= glyphs[moved]?.width ?? 0
      end(next)
      for (let moved = next; moved < at; moved += 1) used += glyphs[moved]?.width ?? 0
      if (next > at) continue
    }
    used += glyph.width
  }
  end(glyphs.length)
  return lines
}
