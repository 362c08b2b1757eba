import type { Identifier } from '../../core/ids.js'
import { componentText, plain, type Component, type Message } from '../../text/index.js'
import type { CardButton, CardView } from '../index.js'
import { buttonSlots, ICONS, piecesOf, slotBytes, slotsOf, type Piece } from './cells.js'
import { Flow } from './flow.js'
import { KeptLines } from './kept-lines.js'
import type { Marks } from './marks.js'
import { pageButtons, pageOf, type PageOptions, type RenderOptions } from './options.js'
import { sectionLabels, waysTo } from './pages.js'
import type { WindowPage, WindowSlot } from './screens.js'

const COLUMNS = 9
const MAX_ROWS = 6
/** Of all slots of a page; clients take 2 MiB in one packet. */
const MAX_BYTES = 131_072
/** Pixels of a window's title. */
const TITLE_WIDTH = 160
/** Where the last row has the ways to other pages and out; the card's buttons are in between. */
const BACK = 0
const CLOSE = COLUMNS - 2
const ON = COLUMNS - 1
const MAX_BUTTONS = CLOSE - 1

const LINES = new KeptLines<readonly Weighed[]>()

/**
 * A page of the card as a chest window: sections in the first row, entries and texts in the slots, buttons in the last
 * row. All pages of a card have the same size and title, so that they can be exchanged in place.
 */
export function renderWindow(
  view: CardView,
  options: PageOptions,
): { readonly window: WindowPage; readonly pages: number } {
  const { laid, marks } = LINES.of(view.lines, options, (inner) => piecesOf(view.lines, inner).map(weighed))
  const inner = { ...options, token: marks.mark }
  const labels = sectionLabels(view)
  const tabRows = labels.length < 2 ? 0 : 1
  const { footer, others } = footerOf(view, inner)
  const { title, whole } = titleOf(view, inner)
  const body = [
    ...whole.map(weighed),
    ...laid,
    ...others.map((button) => weighed({ slots: buttonSlots(button, inner) })),
  ]
  const { pages, sections } = layOut(body, COLUMNS * (MAX_ROWS - 1 - tabRows))
  const page = pageOf(options.page, pages.length)
  const bodyRows = Math.max(...pages.map(({ length }) => Math.ceil(length / COLUMNS)))
  const rows = tabRows + bodyRows + 1
  const slots = [
    ...tabsOf(labels, { sections, page }, inner),
    ...(pages[page] ?? []).map((slot, index) => [COLUMNS * tabRows + index, slot] as const),
    ...lastRow({ ...view, footer }, { page, pages: pages.length }, inner).map(
      ([column, slot]) => [COLUMNS * (rows - 1) + column, slot] as const,
    ),
  ]
  const drawn = slots.map(([index, slot]) => [index, withToken(slot, marks)] as const)
  return { window: { title, rows: rowsOf(rows), slots: new Map(drawn) }, pages: pages.length }
}

/** The window's title on one line; one that is longer is the first thing in the window, too. */
function titleOf(
  view: CardView,
  options: RenderOptions,
): { readonly title: Component; readonly whole: readonly Piece[] } {
  const message = view.title ?? { key: 'system.card.untitled' }
  const text = options.languages.render(message, options.lang)
  const flow = new Flow(text, TITLE_WIDTH)
  if (flow.rows() === 1) return { title: plain(componentText(text)), whole: [] }
  const head = plain(componentText(flow.part(0, 1))).text.trimEnd()
  return { title: { text: `${head}…` }, whole: [{ slots: slotsOf({ icon: ICONS.title, text }, options) }] }
}

/** The buttons of the last row, and those that it has no place for: too many, or too long for one slot. */
function footerOf(
  { buttons }: CardView,
  options: RenderOptions,
): { readonly footer: readonly WindowSlot[]; readonly others: readonly CardButton[] } {
  const footer: WindowSlot[] = []
  const others: CardButton[] = []
  for (const button of buttons) {
    const [slot, ...more] = buttonSlots(button, options)
    const isLast = button.place !== 'body' && footer.length < MAX_BUTTONS && more.length === 0
    if (isLast && slot !== undefined) footer.push(slot)
    else others.push(button)
  }
  return { footer, others }
}

/** A piece whose slots' bytes are known. */
interface Weighed extends Piece {
  readonly sizes: readonly number[]
}

const weighed = (piece: Piece): Weighed => ({ ...piece, sizes: piece.slots.map(slotBytes) })

interface Laid {
  /** At least one. */
  readonly pages: readonly (readonly WindowSlot[])[]
  /** The page on which each section begins. */
  readonly sections: readonly number[]
}

function layOut(body: readonly Weighed[], room: number): Laid {
  const pages: WindowSlot[][] = [[]]
  const sections: number[] = []
  let bytes = 0
  const turn = (): void => {
    if (pages.at(-1)?.length !== 0) pages.push([])
    bytes = 0
  }
  for (const piece of body) {
    if (piece.isSection === true) {
      turn()
      sections.push(pages.length - 1)
    }
    for (const [at, slot] of piece.slots.entries()) {
      const size = piece.sizes[at] ?? 0
      if (pages.at(-1)?.length === room || bytes + size > MAX_BYTES) turn()
      pages.at(-1)?.push(slot)
      bytes += size
    }
  }
  return { pages, sections }
}

/** The sections around the one of the page, as many as there are columns. */
function tabsOf(
  labels: readonly Message[],
  at: Pick<Laid, 'sections'> & { readonly page: number },
  options: RenderOptions,
): readonly (readonly [number, WindowSlot])[] {
  return waysTo(labels, at, COLUMNS).flatMap(({ label, action }, column) => {
    const text = options.languages.render(label, options.lang)
    const isMarked = action === null
    const [slot] = slotsOf({ icon: ICONS.section, text, isMarked, action: action ?? undefined }, options)
    return slot === undefined ? [] : [[column, slot] as const]
  })
}

function lastRow(
  { buttons, footer }: Pick<CardView, 'buttons'> & { readonly footer: readonly WindowSlot[] },
  { page, pages }: { readonly page: number; readonly pages: number },
  options: RenderOptions,
): readonly (readonly [number, WindowSlot])[] {
  const { back, on } = pageButtons(page, pages)
  const hover: Message = { key: 'system.card.page', params: { page: page + 1, pages } }
  const fixed = (column: number, button: CardButton | null, icon: Identifier): [number, WindowSlot][] => {
    const [slot] = button === null ? [] : buttonSlots({ ...button, icon }, options)
    return slot === undefined ? [] : [[column, slot]]
  }
  const closes = buttons.some(({ action }) => action.kind === 'local' && action.show === 'close')
  const close: CardButton = { label: { key: 'system.card.close' }, action: { kind: 'local', show: 'close' } }
  return [
    ...fixed(BACK, back === null ? null : { ...back, hover }, ICONS.turn),
    ...footer.map((slot, index): [number, WindowSlot] => [BACK + 1 + index, slot]),
    ...fixed(CLOSE, closes ? null : close, ICONS.close),
    ...fixed(ON, on === null ? null : { ...on, hover }, ICONS.turn),
  ]
}

const withToken = ({ token, ...slot }: WindowSlot, marks: Marks): WindowSlot =>
  token === undefined ? slot : { ...slot, token: marks.text(token) }

function rowsOf(rows: number): WindowPage['rows'] {
  const known = ([1, 2, 3, 4, 5, 6] as const).find((count) => count >= rows)
  return known ?? MAX_ROWS
}
