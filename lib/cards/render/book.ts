import {
  concat,
  headUnits,
  join,
  plainText,
  styled,
  type ClickEvent,
  type Color,
  type Component,
} from '../../text/index.js'
import type { CardView } from '../index.js'
import { chatPen } from './chat.js'
import { NEWLINE } from './drawing.js'
import { componentBytes, Flow, leavesOf } from './flow.js'
import { KeptLines } from './kept-lines.js'
import { actionCommand, leadTo, pageOf, type PageOptions, type RenderOptions } from './options.js'
import { measured, paginate, sectionLabels, type Block, type Bounds, type Measured } from './pages.js'
import type { ScreenPen } from './screen.js'
import { linesOf, sheetOf } from './sheet.js'
import { spelledOut } from './spelled.js'

/** A card as a written book. */
interface Book {
  /** At most 32 characters; the whole title stands on the first page. */
  readonly title: string
  /** From one to a hundred. */
  readonly pages: readonly Component[]
  /** More than one for a card that no book holds: the last page of each leads to the others. */
  readonly volumes: number
}

/** A page of Minecraft's default font. Fewer bytes than any version takes: 32,767 characters of JSON. */
const PAGE: Bounds = { width: 114, rows: 14, bytes: 8_192, entries: Infinity }
const LINES = new KeptLines<readonly Measured[]>()
const MAX_PAGES = 100
/** Of all pages of a book: clients read it as one item, whose tags they bound at 2 MiB of their own memory. */
const MAX_BYTES = 262_144
const MAX_TITLE = 32
/** Nothing but a few buttons stands on each page. */
const REPEATED = { width: PAGE.width, titleRows: 0, buttons: 4, buttonRows: 3 }
/** Before the number of a section whose page isn't known yet; no text holds it. */
const SECTION = '\u0001'

/**
 * The card as a book: title, where the sections are, lines, buttons at the foot of each page. Pages end where those of
 * the client do. A click in a book can't write into the chat box, so commands to complete are written out. `page`
 * counts volumes.
 */
export function renderBook(view: CardView, options: PageOptions): Book {
  const { laid: lines, marks } = LINES.of(view.lines, options, (inner) =>
    linesOf(view.lines, bookPen(inner), PAGE),
  )
  const inner = { ...options, token: marks.mark }
  const pen = bookPen(inner)
  const { blocks, footer } = sheetOf({ view, lines }, pen, REPEATED)
  const contents = contentsOf(view, inner)
  // the title, where there is one, is the first of the blocks
  const head = view.title === null ? 0 : 1
  const below = footer === null ? [] : [footer]
  const listed = contents.map((block) => measured(block, PAGE))
  const laid = paginate([...blocks.slice(0, head), ...listed, ...blocks.slice(head)], roomAbove(below))
  const volumes = volumesOf(laid.pages.map((page) => join([...page, ...below], NEWLINE)))
  const volume = pageOf(options.page, volumes.length)
  const shown = (volumes[volume]?.pages ?? []).map((page) =>
    withClicks(page, (section) => clickTo(laid.sections[section] ?? 0, { volume, volumes }, inner)),
  )
  if (volumes.length > 1) shown.push(lastPage(volume, volumes.length, pen))
  return {
    title: titleOf(view, options),
    pages: shown.map((page) => marks.component(page)),
    volumes: volumes.length,
  }
}

/** The colours of the chat on paper. */
const ON_PAPER: Partial<Record<Color, Color>> = {
  white: 'black',
  gray: 'dark_gray',
  green: 'dark_green',
  red: 'dark_red',
  aqua: 'dark_aqua',
  yellow: 'gold',
  light_purple: 'dark_purple',
}

function onPaper(component: Component): Component {
  const leaves = leavesOf(spelledOut(component, { click: 'suggest' }))
  return concat(
    leaves.map((leaf) =>
      leaf.color === undefined ? leaf : { ...leaf, color: ON_PAPER[leaf.color] ?? leaf.color },
    ),
  )
}

function bookPen(options: RenderOptions): ScreenPen {
  const pen = chatPen(options)
  return {
    ...pen,
    title: (title) => onPaper(pen.title(title)),
    line: (line) => onPaper(pen.line(line)),
    button: (button) => onPaper(pen.button(button)),
    rest: (count) => onPaper(pen.rest(count)),
    turn: (page, pages) => onPaper(pen.turn(page, pages)),
  }
}

/** The title as the client lists the book. */
function titleOf({ title }: CardView, { lang, languages }: RenderOptions): string {
  const text = plainText(languages.text(title ?? { key: 'system.card.untitled' }, lang)).trim()
  // vanilla counts code units
  return text.length <= MAX_TITLE ? text : `${headUnits(text, MAX_TITLE - 1)}…`
}

/** Ways to the sections, where there are several. */
function contentsOf(view: CardView, { lang, languages }: RenderOptions): readonly Block[] {
  const labels = sectionLabels(view)
  if (labels.length < 2) return []
  return labels.map((label, index) => ({
    component: styled(onPaper(languages.render(label, lang)), {
      color: 'dark_aqua',
      underlined: true,
      clickEvent: { action: 'change_page', value: `${SECTION}${index}` },
    }),
  }))
}

const roomAbove = (below: readonly Component[]): Bounds => ({
  ...PAGE,
  rows: below.reduce((rows, part) => rows - new Flow(part, PAGE.width).rows(), PAGE.rows),
  bytes: below.reduce((bytes, part) => bytes - componentBytes(part), PAGE.bytes),
})

interface Volume {
  /** Of all pages of the card, the first that is in it. */
  readonly first: number
  readonly pages: readonly Component[]
}

/** All pages in one book, if it can hold them. */
function volumesOf(pages: readonly Component[]): readonly Volume[] {
  const sizes = pages.map(componentBytes)
  if (pages.length <= MAX_PAGES && sizes.reduce((sum, size) => sum + size, 0) <= MAX_BYTES)
    return [{ first: 0, pages }]
  const volumes: Volume[] = []
  for (let first = 0; first < pages.length;) {
    let end = first + 1
    let bytes = sizes[first] ?? 0
    // one page leads to the other books
    for (; end < pages.length && end - first < MAX_PAGES - 1; end += 1) {
      bytes += sizes[end] ?? 0
      if (bytes > MAX_BYTES - PAGE.bytes) break
    }
    volumes.push({ first, pages: pages.slice(first, end) })
    first = end
  }
  return volumes
}

/** What a click does that leads to a page of the card: turns to it, or opens the book that has it. */
function clickTo(
  page: number,
  { volume, volumes }: { readonly volume: number; readonly volumes: readonly Volume[] },
  options: RenderOptions,
): ClickEvent {
  const target = volumes.findLastIndex(({ first }) => first <= page)
  if (target !== volume) {
    const value = actionCommand({ kind: 'local', show: { page: target } }, options)
    return { action: 'run_command', value }
  }
  return { action: 'change_page', value: String(page - (volumes[volume]?.first ?? 0) + 1) }
}

function withClicks(component: Component, clickOn: (section: number) => ClickEvent): Component {
  const { clickEvent, extra } = component
  const section = clickEvent?.value.startsWith(SECTION) === true ? Number(clickEvent.value.slice(1)) : null
  return {
    ...component,
    ...(section === null ? {} : { clickEvent: clickOn(section) }),
    ...(extra === undefined ? {} : { extra: extra.map((part) => withClicks(part, clickOn)) }),
  }
}

function lastPage(volume: number, volumes: number, pen: ScreenPen): Component {
  const more = volume + 1 < volumes ? [pen.button(leadTo(volume + 1, { key: 'system.card.more' }))] : []
  return join([...more, pen.turn(volume, volumes)], NEWLINE)
}
