import { componentText, concat, wellFormed, type Color, type Component } from '../../text/index.js'
import { Flow, leavesOf } from './flow.js'
import { advance } from './font.js'

/** Text of one look that stands on one line. */
export interface Run {
  readonly text: string
  /** Pixels of the game's font. */
  readonly width: number
  readonly color: string
  readonly bold: boolean
  readonly italic: boolean
  readonly decoration: 'underline' | 'line-through' | null
  readonly isPressed: boolean
}

/** Colours by the names of the game. */
export type Palette = ReadonlyMap<string, string>

const ON_DARK: Readonly<Record<Exclude<Color, `#${string}`>, string>> = {
  black: '#101114',
  dark_blue: '#4a60d0',
  dark_green: '#3f9a4e',
  dark_aqua: '#2f97a3',
  dark_red: '#c84a4a',
  dark_purple: '#a355b5',
  gold: '#e0a526',
  gray: '#b4b8bf',
  dark_gray: '#8a909a',
  blue: '#7f9bff',
  green: '#7ddc7a',
  aqua: '#67d5e0',
  red: '#ff7b72',
  light_purple: '#e08be8',
  yellow: '#f2e35c',
  white: '#f4f4f4',
}
/** On a dark ground. */
export const DARK: Palette = new Map(Object.entries(ON_DARK))
/** The same on paper, where light colours can't be read. */
export const PAPER: Palette = new Map([
  ...DARK,
  ['dark_green', '#1f6e2c'],
  ['dark_aqua', '#0f6873'],
  ['dark_red', '#9c2424'],
  ['dark_purple', '#7a2c8c'],
  ['dark_blue', '#2a3fa8'],
  ['gold', '#8a5f00'],
  ['dark_gray', '#5a554b'],
])
const HEX_COLOR = /^#[0-9a-f]{6}$/i
/** What XML 1.0 has no way to say, not even as a reference; what breaks lines or moves the pen is no text here. */
// oxlint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/gu
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The text as it may stand in an element or an attribute: never markup, whatever it is. */
export const escapeXml = (text: string): string =>
  wellFormed(text)
    .replace(NOT_XML, '')
    .replace(/[&<>"']/g, (mark) => REFERENCES[mark] ?? '')

/** The component as lines of runs, broken where the client does. */
export function runLines(component: Component, width: number, palette: Palette): readonly (readonly Run[])[] {
  const flow = new Flow(concat(leavesOf(component).map(asText)), width)
  return Array.from({ length: flow.lines }, (_, line) => runsOf(flow.part(line, line + 1), palette))
}

/** A translation is drawn in the words that are known of it. */
function asText(leaf: Component): Component {
  if ('text' in leaf) return leaf
  const { translate: _translate, fallback: _fallback, with: _with, ...style } = leaf
  return { ...style, text: componentText(leaf) }
}

function runsOf(line: Component, palette: Palette): readonly Run[] {
  const runs: Run[] = []
  for (const leaf of leavesOf(line)) {
    const run = runOf(leaf, palette)
    const last = runs.at(-1)
    if (last !== undefined && isSameLook(last, run))
      runs[runs.length - 1] = { ...last, text: last.text + run.text, width: last.width + run.width }
    else runs.push(run)
  }
  return runs
}

function runOf(leaf: Component, palette: Palette): Run {
  const text = componentText(leaf).replace(/\s/gu, ' ')
  const bold = leaf.bold === true
  return {
    text,
    width: textWidth(text, bold),
    color: colorOf(leaf.color ?? (palette === PAPER ? 'black' : 'white'), palette),
    bold,
    italic: leaf.italic === true,
    decoration: leaf.underlined === true ? 'underline' : leaf.strikethrough === true ? 'line-through' : null,
    isPressed: leaf.clickEvent !== undefined,
  }
}

const colorOf = (color: Color, palette: Palette): string =>
  palette.get(color) ?? (HEX_COLOR.test(color) ? color : '#888888')

const isSameLook = (a: Run, b: Run): boolean =>
  a.color === b.color &&
  a.bold === b.bold &&
  a.italic === b.italic &&
  a.decoration === b.decoration &&
  a.isPressed === b.isPressed

/** Without the blanks around it, which viewers of pictures drop or keep as they like; `before` is how wide the first are. */
export function trimmed(run: Run): Run & { readonly before: number } {
  const text = run.text.trim()
  const start = run.text.length - run.text.trimStart().length
  const before = textWidth(run.text.slice(0, start), run.bold)
  return { ...run, text, before, width: textWidth(text, run.bold) }
}

function textWidth(text: string, isBold: boolean): number {
  let width = 0
  for (const glyph of text) width += advance(glyph.codePointAt(0) ?? 0, isBold)
  return width
}

export const widthOf = (runs: readonly Run[]): number => runs.reduce((sum, { width }) => sum + width, 0)
