import type { Component } from '../../text/index.js'
import type { WindowPage, WindowSlot } from './screens.js'
import { DARK, escapeXml, PAPER, runLines, trimmed, widthOf, type Run } from './svg-text.js'

/** Pixels of the picture for one of the game. */
const SCALE = 2
const FONT = 9
const LINE = 12
const PADDING = 10
const CHAT_WIDTH = 320
const MIN_CHAT_WIDTH = 180
const BOOK = { width: 114, lines: 14, padding: 14 }
const COLUMNS = 9
const SLOT = 20
const TILE = 16
/** Of what stands in the slots, beside their tiles; as wide as lore is. */
const LEGEND = { width: 244, indent: 22, gap: 6 }
/** From so many slots on they are told in two columns. */
const TWO_COLUMNS = 4
const TILE_COLORS = ['#3d6ea5', '#4c8052', '#8a5a3b', '#7a4f8f', '#a34a4a', '#2f7f86', '#85752b', '#5d6470']

type Lines = readonly (readonly Run[])[]
interface Drawn {
  readonly width: number
  readonly height: number
  readonly body: readonly string[]
}

/** A page of `renderChat` as an SVG document, on a dark panel. Text is text; nothing in it can become markup. */
export function chatSvg(component: Component): string {
  const lines = runLines(component, CHAT_WIDTH, DARK)
  const width = Math.max(MIN_CHAT_WIDTH, ...lines.map(widthOf)) + 2 * PADDING
  const height = lines.length * LINE + 2 * PADDING
  const panel = rect({ width, height, rx: 6, fill: '#1d2026' })
  return document({ width, height, body: [panel, ...textLines(lines, PADDING, PADDING)] })
}

/** A page of `renderBook` as an SVG document, on paper. */
export function bookSvg(component: Component): string {
  const lines = runLines(component, BOOK.width, PAPER)
  const width = BOOK.width + 2 * BOOK.padding
  const height = Math.max(BOOK.lines, lines.length) * LINE + 2 * BOOK.padding
  const body = [
    rect({ width, height, rx: 5, fill: '#6b4a2f' }),
    rect({ x: 3, y: 3, width: width - 6, height: height - 6, rx: 3, fill: '#f4ead2' }),
    ...textLines(lines, BOOK.padding, BOOK.padding),
  ]
  return document({ width, height, body })
}

/** A page of `renderWindow` as an SVG document: its slots, and beneath them what pointing at each of them shows. */
export function windowSvg({ title, rows, slots }: WindowPage): string {
  const head = runLines(title, Infinity, DARK)
  const inOrder = [...slots].sort(([a], [b]) => a - b)
  const grid = Array.from({ length: rows * COLUMNS }, (_, index) => slotDrawn(index, slots.get(index)))
  const top = PADDING + LINE + 4
  const below = top + rows * SLOT + PADDING
  const legend = legendOf(inOrder.map(([, slot]) => slot))
  const width = Math.max(COLUMNS * SLOT, legend.width, ...head.map(widthOf)) + 2 * PADDING
  const height = below + legend.height + PADDING
  const body = [
    rect({ width, height, rx: 6, fill: '#1d2026' }),
    ...textLines(head, PADDING, PADDING),
    group(PADDING, top, grid),
    group(PADDING, below, legend.body),
  ]
  return document({ width, height, body })
}

function slotDrawn(index: number, slot: WindowSlot | undefined): string {
  const x = (index % COLUMNS) * SLOT
  const y = Math.floor(index / COLUMNS) * SLOT
  const ground = { x: x + 1, y: y + 1, width: SLOT - 2, height: SLOT - 2, rx: 2, fill: '#2b2f37' }
  const edge = slot?.isMarked === true ? '#e0a526' : slot?.token === undefined ? '#3a3f49' : '#7d8796'
  const field = rect({ ...ground, stroke: edge })
  return slot === undefined ? field : field + group(x + 2, y + 2, [tile(slot)])
}

/** An item: a tile of its own colour with the letters of its id, its count in the corner. */
function tile({ icon, count }: WindowSlot): string {
  const hash = icon.split('').reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7)
  const fill = TILE_COLORS[hash % TILE_COLORS.length] ?? '#5d6470'
  const label = (text: string, at: string): string => `<text ${at} fill="#fff">${escapeXml(text)}</text>`
  const letters = label(
    lettersOf(icon),
    `x="8" y="${count > 1 ? 8 : 10.5}" font-size="7" text-anchor="middle"`,
  )
  const corner = count > 1 ? label(String(count), 'x="15" y="15" font-size="6" text-anchor="end"') : ''
  return rect({ width: TILE, height: TILE, rx: 2, fill }) + letters + corner
}

function lettersOf(icon: string): string {
  const words = icon
    .slice(icon.indexOf(':') + 1)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const [first = '?', second] = words
  const letters = second === undefined ? first.slice(0, 2) : first.slice(0, 1) + second.slice(0, 1)
  return letters.charAt(0).toUpperCase() + letters.slice(1)
}

function legendOf(slots: readonly WindowSlot[]): Drawn {
  const told = slots.map((slot) => {
    const lines = [slot.name, ...slot.lore].flatMap((line) => runLines(line, LEGEND.width, DARK))
    return { slot, lines, height: Math.max(TILE, lines.length * LINE) + LEGEND.gap }
  })
  const all = told.reduce((sum, { height }) => sum + height, 0)
  const columns = slots.length >= TWO_COLUMNS ? 2 : 1
  const columnWidth = LEGEND.indent + Math.max(0, ...told.flatMap(({ lines }) => lines.map(widthOf)))
  const step = columnWidth + 2 * PADDING
  const body: string[] = []
  let [column, y, most] = [0, 0, 0]
  for (const { slot, lines, height } of told) {
    if (column + 1 < columns && y >= all / columns) [column, y] = [column + 1, 0]
    body.push(group(column * step, y, [tile(slot), ...textLines(lines, LEGEND.indent, 0)]))
    y += height
    most = Math.max(most, y)
  }
  return { width: column * step + columnWidth, height: Math.max(0, most - LEGEND.gap), body }
}

function textLines(lines: Lines, left: number, top: number): readonly string[] {
  return lines.flatMap((runs, line) => {
    const y = top + line * LINE
    let x = left
    return runs.flatMap((run) => {
      const inner = trimmed(run)
      const from = x + inner.before
      x += run.width
      if (inner.text === '') return []
      return [...(run.isPressed ? [key(inner, from, y)] : []), textOf(inner, from, y)]
    })
  })
}

/** What can be pressed lies on a lighter ground. */
const key = ({ width, color }: Run, x: number, y: number): string =>
  `<rect x="${x - 1}" y="${y}" width="${width + 1}" height="${LINE - 1}" rx="2" fill="${color}" fill-opacity=".16"/>`

/** The length is that of the game's font, whatever font is there. */
function textOf({ text, width, color, bold, italic, decoration }: Run, x: number, y: number): string {
  const look = [
    `fill="${color}"`,
    ...(bold ? ['font-weight="bold"'] : []),
    ...(italic ? ['font-style="italic"'] : []),
    ...(decoration === null ? [] : [`text-decoration="${decoration}"`]),
  ]
  const place = `x="${x}" y="${y + FONT}" textLength="${width - 1}" lengthAdjust="spacingAndGlyphs"`
  return `<text ${place} ${look.join(' ')}>${escapeXml(text)}</text>`
}

interface Rect {
  readonly x?: number
  readonly y?: number
  readonly width: number
  readonly height: number
  readonly rx: number
  readonly fill: string
  readonly stroke?: string
}

const rect = (attributes: Rect): string =>
  `<rect ${Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')}/>`

const group = (x: number, y: number, parts: readonly string[]): string =>
  `<g transform="translate(${x} ${y})">${parts.join('\n')}</g>`

const document = ({ width, height, body }: Drawn): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * SCALE}" height="${height * SCALE}" viewBox="0 0 ${width} ${height}"`,
    ` font-family="Verdana, 'DejaVu Sans', 'Noto Sans CJK SC', 'Microsoft YaHei', sans-serif" font-size="${FONT}" xml:space="preserve">\n`,
    body.join('\n'),
    '\n</svg>\n',
  ].join('')
