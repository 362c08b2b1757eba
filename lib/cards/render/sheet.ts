import { componentText, join, type Component } from '../../text/index.js'
import type { CardButton, CardLine, CardView } from '../index.js'
import { componentBytes, Flow } from './flow.js'
import { measured, type Block, type Bounds, type Measured } from './pages.js'

/** Draws the parts of a card for one kind of surface. */
export interface Pen {
  title(title: NonNullable<CardView['title']>): Component
  line(line: CardLine): Component
  button(button: CardButton): Component
  /** So many lines are not shown. */
  rest(count: number): Component
  /** Between buttons. */
  readonly gap: Component
}

/** A card drawn, not yet divided into pages. */
export interface Sheet {
  /** Null: there is none, or it is too long to be repeated and is among the blocks. */
  readonly title: Component | null
  readonly blocks: readonly Measured[]
  /** The buttons that every page has; null: none. */
  readonly footer: Component | null
}

/** What pages repeat may take, so that there is room for what they don't. */
export interface Repeated extends Pick<Bounds, 'width'> {
  readonly titleRows: number
  readonly buttons: number
  readonly buttonRows: number
}

/** Bounds of what is laid out at all, so that no card takes long: code units and lines, far above what is read. */
const MAX_TEXT = 100_000
const MAX_LINES = 2_000
const MAX_REPEATED_BYTES = 4_096
/** Buttons beside one another among the lines. */
const BUTTONS_IN_ROW = 4

/** The lines as blocks, laid out. */
export const linesOf = (
  lines: readonly CardLine[],
  pen: Pen,
  width: Pick<Bounds, 'width'>,
): readonly Measured[] => blocksOf(lines, pen).map((block) => measured(block, width))

/** A card whose lines are laid out, in the width of its pages. */
export interface LaidCard {
  readonly view: CardView
  readonly lines: readonly Measured[]
}

/** Draws the rest of it. */
export function sheetOf({ view, lines }: LaidCard, pen: Pen, repeated: Repeated): Sheet {
  const blocks = [...lines]
  const title = view.title === null ? null : pen.title(view.title)
  const isRepeated = title === null || isWithin(title, repeated.width, repeated.titleRows)
  if (!isRepeated) blocks.unshift(measured({ component: title }, repeated))
  const { footer, others } = footerOf(view, pen, repeated)
  const body = [...view.buttons.filter(({ place }) => place === 'body'), ...others]
  for (let at = 0; at < body.length; at += BUTTONS_IN_ROW)
    blocks.push(measured({ component: buttonRow(body.slice(at, at + BUTTONS_IN_ROW), pen) }, repeated))
  return { title: isRepeated ? title : null, blocks, footer }
}

/** Buttons beside or below one another. */
const buttonRow = (buttons: readonly CardButton[], pen: Pen): Component =>
  join(
    buttons.map((button) => pen.button(button)),
    pen.gap,
  )

function blocksOf(lines: readonly CardLine[], pen: Pen): Block[] {
  const blocks: Block[] = []
  let length = 0
  for (const [index, line] of lines.entries()) {
    if (length > MAX_TEXT || index >= MAX_LINES) {
      blocks.push({ component: pen.rest(lines.length - index) })
      break
    }
    const component = pen.line(line)
    length += componentText(component).length
    blocks.push({
      component,
      isEntry: line.kind === 'entry' || line.kind === 'item',
      isSection: line.kind === 'section',
    })
  }
  return blocks
}

/** As many buttons as can be on every page; the others come after the lines. */
function footerOf(
  { buttons }: CardView,
  pen: Pen,
  { width, buttons: count, buttonRows }: Repeated,
): { readonly footer: Component | null; readonly others: readonly CardButton[] } {
  const all = buttons.filter(({ place }) => place !== 'body')
  let footer: Component | null = null
  let taken = 0
  for (; taken < Math.min(count, all.length); taken += 1) {
    const longer = buttonRow(all.slice(0, taken + 1), pen)
    if (!isWithin(longer, width, buttonRows)) break
    footer = longer
  }
  return { footer, others: all.slice(taken) }
}

const isWithin = (component: Component, width: number, rows: number): boolean =>
  new Flow(component, width).rows() <= rows && componentBytes(component) <= MAX_REPEATED_BYTES
