import { join, type Component, type Message } from '../../text/index.js'
import type { CardAction } from '../index.js'
import { componentBytes, Flow } from './flow.js'
import { pageOf, type PageOptions } from './options.js'
import { isOnePage, paginate, sectionLabels, waysTo, type Bounds, type Pages } from './pages.js'
import { sheetOf, type LaidCard, type Pen } from './sheet.js'

/** Draws what leads from page to page, too. */
export interface ScreenPen extends Pen {
  /** Where one is, with the ways back and on. */
  turn(page: number, pages: number): Component
  /** The way to a section; without one: it is here. */
  tab(label: Message, action: CardAction | null): Component
}

/** One page of a card, as what stands below one another. */
export interface Screen {
  readonly rows: readonly Component[]
  readonly pages: number
}

const REPEATED = { titleRows: 3, buttons: 9, buttonRows: 4 }
/** Sections that a page has ways to: those around its own. */
const MAX_TABS = 6

/** The page of the card that is wanted, within the bounds. */
export function screenOf(
  { view, lines }: LaidCard,
  pen: ScreenPen,
  { page: wanted, ...bounds }: Bounds & Pick<PageOptions, 'page'>,
): Screen {
  const { title, footer, blocks } = sheetOf({ view, lines }, pen, { ...REPEATED, width: bounds.width })
  const around = (page: readonly Component[], ...below: (Component | null)[]): readonly Component[] =>
    [title, ...page, ...below].filter((row) => row !== null)
  const whole = without(bounds, around([], footer))
  const labels = sectionLabels(view)
  // what leads to other pages takes room of each
  const room = isOnePage(blocks, whole)
    ? whole
    : without(bounds, around([], footer, widestTabs(pen, labels, bounds), pen.turn(1, 3)))
  const { pages, sections } = paginate(blocks, room)
  const page = pageOf(wanted, pages.length)
  const shown = pages[page] ?? []
  if (pages.length === 1) return { rows: around(shown, footer), pages: 1 }
  const tabs = tabsOf(pen, labels, { sections, page })
  return { rows: around(shown, tabs, footer, pen.turn(page, pages.length)), pages: pages.length }
}

/** The bounds of a page that has those components, too. */
function without(bounds: Bounds, fixed: readonly Component[]): Bounds {
  const rows = fixed.reduce((sum, row) => sum + new Flow(row, bounds.width).rows(), 0)
  const bytes = fixed.reduce((sum, row) => sum + componentBytes(row), 0)
  return { ...bounds, rows: bounds.rows - rows, bytes: bounds.bytes - bytes }
}

/** The ways that take most room, of those that the pages have. */
function widestTabs(pen: ScreenPen, labels: readonly Message[], { width }: Bounds): Component | null {
  const sections = labels.map((_, index) => index)
  let widest: Component | null = null
  let most = 0
  for (const section of sections) {
    const tabs = tabsOf(pen, labels, { sections, page: section })
    const rows = tabs === null ? 0 : new Flow(tabs, width).rows()
    if (rows > most) [widest, most] = [tabs, rows]
  }
  return widest
}

/** The ways to the sections around the one that the page belongs to; null: there are none. */
function tabsOf(
  pen: ScreenPen,
  labels: readonly Message[],
  at: Pick<Pages, 'sections'> & { readonly page: number },
): Component | null {
  const ways = waysTo(labels, at, MAX_TABS)
  if (ways.length === 0) return null
  return join(
    ways.map(({ label, action }) => pen.tab(label, action)),
    pen.gap,
  )
}
