import { componentText, plainText, type Component, type Message } from '../../text/index.js'
import type { CardButton, CardEntry, CardItem, CardLine, CardValue, CardView } from '../index.js'
import { KeptLines, layOnce } from './kept-lines.js'
import {
  actionCommand,
  itemName,
  pageButtons,
  progressText,
  SEPARATOR,
  suggestedCommand,
  VALUE_SEPARATOR,
  valuesOf,
  type PageOptions,
  type RenderOptions,
} from './options.js'
import type { Bounds, Measured } from './pages.js'
import { screenOf, type ScreenPen } from './screen.js'
import { linesOf } from './sheet.js'
import { spelledOut } from './spelled.js'

/** As much as one page has in the chat. */
const SCREEN: Bounds = { width: 320, rows: 20, bytes: 16_384, entries: 10 }
const LINES = new KeptLines<readonly Measured[]>()
const ALL: Bounds = { width: Infinity, rows: Infinity, bytes: Infinity, entries: Infinity }

/** The page of a card in lines, or all of it: for the console, whose reader scrolls and can't press. */
export interface PlainOptions extends RenderOptions {
  readonly page?: PageOptions['page'] | 'all'
}

/**
 * The card as lines of text for the console and for clients that asked for it: ids and hover texts are written out,
 * buttons are commands to type.
 */
export function renderPlain(view: CardView, options: PlainOptions): readonly string[] {
  const { page } = options
  const bounds = page === 'all' ? ALL : { ...SCREEN, page }
  const lay = (inner: RenderOptions): readonly Measured[] => linesOf(view.lines, plainPen(inner), bounds)
  // the console is not asked for another page
  const { laid, marks } = page === 'all' ? layOnce(options, lay) : LINES.of(view.lines, options, lay)
  // no section begins a page where there is one for all
  const lines = page === 'all' ? laid.map((line) => ({ ...line, isSection: false })) : laid
  const { rows } = screenOf({ view, lines }, plainPen({ ...options, token: marks.mark }), bounds)
  return rows.flatMap((row) => marks.text(componentText(row)).split('\n'))
}

function plainPen(options: RenderOptions): ScreenPen {
  const text = (text: string): Component => ({ text })
  const sentence = (message: Message): Component => text(sentenceText(message, options))
  return {
    gap: { text: '\n' },
    title: sentence,
    line: (line) => text(lineText(line, options)),
    button: (button) => text(buttonText(button, options)),
    rest: (count) => sentence({ key: 'system.card.more_lines', params: { count } }),
    turn(page, pages) {
      const { back, on } = pageButtons(page, pages)
      const place = sentenceText({ key: 'system.card.page', params: { page: page + 1, pages } }, options)
      const ways = [back, on].flatMap((way) => (way === null ? [] : [buttonText(way, options)]))
      return text([place, ...ways].join('\n'))
    },
    tab: (label, action) =>
      action === null ? sentence(label) : text(buttonText({ label, action }, options)),
  }
}

function lineText(line: CardLine, options: RenderOptions): string {
  if (line.kind === 'message') return sentenceText(line.message, options)
  if (line.kind === 'text') return plainText(line.text, { newlines: 'keep' })
  if (line.kind === 'item') return itemText(line, options)
  if (line.kind === 'entry') return entryText(line, options)
  if (line.kind === 'separator') return SEPARATOR
  if (line.kind === 'section') return sentenceText(line.label, options)
  if (line.kind === 'row') return rowText(line, options)
  const bar = progressText(line.share)
  return line.label === undefined ? bar : `${sentenceText(line.label, options)} ${bar}`
}

function rowText(row: Extract<CardLine, { kind: 'row' }>, options: RenderOptions): string {
  const values = valuesOf(row.value).map((part) => valueText(part, options))
  const label = sentenceText(row.label, options)
  const params = { label: { text: label }, value: { text: values.join(VALUE_SEPARATOR) } }
  const text = sentenceText({ key: 'system.card.row', params }, options)
  const command = row.suggest === undefined ? '' : suggestedCommand({ command: row.suggest })
  // a row of help begins with the very command
  return label.startsWith(command.trim()) ? text : `${text} ${command}`
}

function entryText({ title, about, action, isMarked }: CardEntry, options: RenderOptions): string {
  const [head, ...rows] = [title, ...(about ?? [])].map((value) => valueText(value, options))
  const marked = isMarked === true ? `* ${head ?? ''}` : (head ?? '')
  return [marked, ...rows, ...(action === undefined ? [] : [actionCommand(action, options)])].join('\n')
}

function itemText(line: CardItem, options: RenderOptions): string {
  const name = componentText(itemName(line.item, line.name, options))
  const key = 'system.card.item_id'
  const item = sentenceText({ key, params: { item: name, id: line.item } }, options)
  if (line.count === undefined) return item
  return sentenceText({ key: 'system.card.item_count', params: { item, count: line.count } }, options)
}

function valueText(value: CardValue, options: RenderOptions): string {
  if (typeof value === 'string') return plainText(value)
  if ('item' in value) return itemText(value, options)
  return 'key' in value ? sentenceText(value, options) : writtenOut(value)
}

function buttonText(button: CardButton, options: RenderOptions): string {
  const label: Component = { text: sentenceText(button.label, options) }
  // a component, because tokens come later and what stands for them must not be cleaned away
  const command: Component = { text: actionCommand(button.action, options) }
  if (button.hover === undefined)
    return sentenceText({ key: 'system.card.button', params: { label, command } }, options)
  const hover: Component = { text: sentenceText(button.hover, options) }
  return sentenceText({ key: 'system.card.button_hover', params: { label, command, hover } }, options)
}

const sentenceText = (message: Message, { lang, languages }: RenderOptions): string =>
  writtenOut(languages.render(message, lang))

const writtenOut = (component: Component): string =>
  componentText(spelledOut(component, { hover: true, click: 'all' }))
