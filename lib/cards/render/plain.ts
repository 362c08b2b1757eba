import { componentText, plainText } from '../../text/index.js'
import type { CardButton, CardEntry, CardItem, CardLine, CardValue, CardView } from '../index.js'
import {
  actionCommand,
  itemName,
  MAX_BUTTONS,
  MAX_LINES,
  MAX_TEXT,
  progressText,
  SEPARATOR,
  VALUE_SEPARATOR,
  valuesOf,
  type RenderOptions,
} from './options.js'

/**
 * The card as lines of text for the console and for clients that asked for it: ids and hover texts are written out,
 * buttons are commands to type.
 */
export function renderPlain(view: CardView, options: RenderOptions): readonly string[] {
  const { lang, languages } = options
  const rows: string[] = []
  if (view.title !== null) rows.push(languages.text(view.title, lang))
  for (const line of view.lines.slice(0, MAX_LINES)) rows.push(lineText(line, options))
  if (view.lines.length > MAX_LINES)
    rows.push(
      languages.text(
        { key: 'system.card.more_lines', params: { count: view.lines.length - MAX_LINES } },
        lang,
      ),
    )
  for (const button of view.buttons.slice(0, MAX_BUTTONS)) rows.push(buttonText(button, options))
  return rows.flatMap((row) => row.split('\n'))
}

function lineText(line: CardLine, options: RenderOptions): string {
  const { lang, languages } = options
  if (line.kind === 'message') return languages.text(line.message, lang)
  if (line.kind === 'text') return plainText(line.text, { newlines: 'keep', limit: MAX_TEXT })
  if (line.kind === 'item') return itemText(line, options)
  if (line.kind === 'entry') return entryText(line, options)
  if (line.kind === 'separator') return SEPARATOR
  if (line.kind === 'section') return languages.text(line.label, lang)
  if (line.kind === 'progress')
    return `${line.label === undefined ? '' : `${languages.text(line.label, lang)} `}${progressText(line.share)}`
  const value = valuesOf(line.value)
    .map((part) => valueText(part, options))
    .join(VALUE_SEPARATOR)
  const params = { label: languages.text(line.label, lang), value }
  return languages.text({ key: 'system.card.row', params }, lang)
}

function entryText({ title, about, action }: CardEntry, options: RenderOptions): string {
  const rows = [title, ...(about ?? [])].map((value) => valueText(value, options))
  return [...rows, ...(action === undefined ? [] : [actionCommand(action, options)])].join('\n')
}

function itemText(line: CardItem, options: RenderOptions): string {
  const { lang, languages } = options
  const name = componentText(itemName(line.item, line.name, options))
  const item = languages.text({ key: 'system.card.item_id', params: { item: name, id: line.item } }, lang)
  if (line.count === undefined) return item
  return languages.text({ key: 'system.card.item_count', params: { item, count: line.count } }, lang)
}

function valueText(value: CardValue, options: RenderOptions): string {
  if (typeof value === 'string') return plainText(value, { limit: MAX_TEXT })
  if ('item' in value) return itemText(value, options)
  return 'key' in value ? options.languages.text(value, options.lang) : componentText(value)
}

function buttonText(button: CardButton, options: RenderOptions): string {
  const { lang, languages } = options
  const params = { label: languages.text(button.label, lang), command: actionCommand(button.action, options) }
  if (button.hover === undefined) return languages.text({ key: 'system.card.button', params }, lang)
  const hover = languages.text(button.hover, lang)
  return languages.text({ key: 'system.card.button_hover', params: { ...params, hover } }, lang)
}
