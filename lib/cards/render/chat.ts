import { concat, join, plain, styled, type Color, type Component, type Style } from '../../text/index.js'
import type {
  CardAction,
  CardButton,
  CardEntry,
  CardItem,
  CardLine,
  CardTone,
  CardValue,
  CardView,
} from '../index.js'
import {
  actionCommand,
  itemName,
  MAX_BUTTONS,
  MAX_LINES,
  MAX_TEXT,
  progressText,
  SEPARATOR,
  suggestedCommand,
  VALUE_SEPARATOR,
  valuesOf,
  type RenderOptions,
} from './options.js'

/** How tones look in the chat. */
export const TONE_COLORS: Readonly<Record<CardTone, Color>> = {
  normal: 'white',
  muted: 'gray',
  good: 'green',
  bad: 'red',
  accent: 'aqua',
}
const NEWLINE: Component = { text: '\n' }
const SPACE: Component = { text: ' ' }
type ProgressLine = Extract<CardLine, { kind: 'progress' }>

/**
 * The card as one chat message: title, lines, buttons in the last line. A card of one line is that line alone. What
 * only pointing shows here (ids, hover texts) stands in the text of `renderPlain`.
 */
export function renderChat(view: CardView, options: RenderOptions): Component {
  const rows: Component[] = []
  if (view.title !== null)
    rows.push(
      styled(options.languages.render(view.title, options.lang), { color: TONE_COLORS.accent, bold: true }),
    )
  for (const line of view.lines.slice(0, MAX_LINES)) rows.push(renderLine(line, options))
  if (view.lines.length > MAX_LINES) rows.push(moreLine(view.lines.length - MAX_LINES, options))
  if (view.buttons.length > 0)
    rows.push(
      join(
        view.buttons.slice(0, MAX_BUTTONS).map((button) => renderButton(button, options)),
        SPACE,
      ),
    )
  return join(rows, NEWLINE)
}

function renderLine(line: CardLine, options: RenderOptions): Component {
  if (line.kind === 'row') return renderRow(line, options)
  if (line.kind === 'item') return renderItem(line, options)
  if (line.kind === 'entry') return renderEntry(line, options)
  if (line.kind === 'progress') return renderProgress(line, options)
  if (line.kind === 'separator') return plain(SEPARATOR, { color: TONE_COLORS.muted })
  if (line.kind === 'section')
    return styled(options.languages.render(line.label, options.lang), { color: TONE_COLORS.accent })
  const color = TONE_COLORS[line.tone ?? 'normal']
  return line.kind === 'message'
    ? styled(options.languages.render(line.message, options.lang), { color })
    : plain(line.text, { color }, { newlines: 'keep', limit: MAX_TEXT })
}

function renderEntry(entry: CardEntry, options: RenderOptions): Component {
  const title = renderValue(entry.title, TONE_COLORS[entry.tone ?? 'normal'], options)
  const about = (entry.about ?? []).map((value) => renderValue(value, TONE_COLORS.muted, options))
  const { action } = entry
  const head = action === undefined ? title : styled(title, clickOf(action, options))
  return join([head, ...about], NEWLINE)
}

function renderProgress({ label, share, tone }: ProgressLine, options: RenderOptions): Component {
  const color = TONE_COLORS[tone ?? 'good']
  const bar = plain(progressText(share), { color })
  if (label === undefined) return bar
  return concat([options.languages.render(label, options.lang), plain(' '), bar])
}

function renderRow(row: Extract<CardLine, { kind: 'row' }>, options: RenderOptions): Component {
  const { lang, languages } = options
  const color = TONE_COLORS[row.tone ?? 'normal']
  const values = valuesOf(row.value).map((value) => renderValue(value, color, options))
  const value =
    values.length === 1 ? values : [join(values, plain(VALUE_SEPARATOR, { color: TONE_COLORS.muted }))]
  const params = { label: renderLabel(row, options), value: concat(value) }
  return styled(languages.render({ key: 'system.card.row', params }, lang), { color: TONE_COLORS.muted })
}

function renderLabel(
  { label, suggest }: Extract<CardLine, { kind: 'row' }>,
  { lang, languages }: RenderOptions,
): Component {
  const text = languages.render(label, lang)
  if (suggest === undefined) return text
  const value = suggestedCommand({ command: suggest })
  return styled(text, { color: TONE_COLORS.accent, clickEvent: { action: 'suggest_command', value } })
}

function renderValue(value: CardValue, color: Color, options: RenderOptions): Component {
  if (typeof value === 'string') return plain(value, { color }, { limit: MAX_TEXT })
  if ('key' in value) return styled(options.languages.render(value, options.lang), { color })
  if ('item' in value) return renderItem(value, options)
  // a component's own colour wins
  return { color, ...value }
}

function renderItem(item: CardItem, options: RenderOptions): Component {
  const name = styled(itemName(item.item, item.name, options), {
    color: TONE_COLORS.normal,
    hoverEvent: { action: 'show_text', contents: plain(item.item, { color: TONE_COLORS.muted }) },
  })
  if (item.count === undefined) return name
  const message = { key: 'system.card.item_count', params: { item: name, count: item.count } }
  return styled(options.languages.render(message, options.lang), { color: TONE_COLORS.muted })
}

const moreLine = (count: number, options: RenderOptions): Component =>
  styled(options.languages.render({ key: 'system.card.more_lines', params: { count } }, options.lang), {
    color: TONE_COLORS.muted,
  })

function clickOf(action: CardAction, options: RenderOptions): Pick<Style, 'clickEvent'> {
  const value = actionCommand(action, options)
  return {
    clickEvent: { action: action.kind === 'suggest' ? 'suggest_command' : 'run_command', value },
  }
}

function renderButton(button: CardButton, options: RenderOptions): Component {
  const { lang, languages } = options
  const label = concat([plain('['), languages.render(button.label, lang), plain(']')], {
    color: TONE_COLORS.good,
    ...clickOf(button.action, options),
  })
  if (button.hover === undefined) return label
  return styled(label, {
    hoverEvent: { action: 'show_text', contents: languages.render(button.hover, lang) },
  })
}
