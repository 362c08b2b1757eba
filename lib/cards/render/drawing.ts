import { clipCodePoints, isLongerThan } from '../../core/code-points.js'
import {
  componentText,
  concat,
  join,
  plain,
  styled,
  type Color,
  type Component,
  type Style,
} from '../../text/index.js'
import type { CardAction, CardButton, CardEntry, CardItem, CardLine, CardTone, CardValue } from '../index.js'
import {
  actionCommand,
  itemName,
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
/** Between what stands below one another. */
export const NEWLINE: Component = { text: '\n' }
type ProgressLine = Extract<CardLine, { kind: 'progress' }>

/** Longest text that is drawn when it is pointed at, code points. */
const MAX_HOVER = 1_000

/** A line as a component; entries and some texts have breaks in them. */
export function renderLine(line: CardLine, options: RenderOptions): Component {
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
    : plain(line.text, { color }, { newlines: 'keep' })
}

function renderEntry(entry: CardEntry, options: RenderOptions): Component {
  const { title, about } = entryLines(entry, options)
  const { action } = entry
  const marked = entry.isMarked === true ? styled(title, { bold: true }) : title
  const head = action === undefined ? marked : styled(marked, clickOf(action, options))
  return join([head, ...about], NEWLINE)
}

/** What an entry says. */
export const entryLines = (
  { title, about, tone }: CardEntry,
  options: RenderOptions,
): { readonly title: Component; readonly about: readonly Component[] } => ({
  title: renderValue(title, TONE_COLORS[tone ?? 'normal'], options),
  about: (about ?? []).map((value) => renderValue(value, TONE_COLORS.muted, options)),
})

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

/** A value; a component's own colour wins. */
function renderValue(value: CardValue, color: Color, options: RenderOptions): Component {
  if (typeof value === 'string') return plain(value, { color })
  if ('key' in value) return styled(options.languages.render(value, options.lang), { color })
  if ('item' in value) return renderItem(value, options)
  return { color, ...value }
}

/** The item's name and count. */
export function renderItem(item: CardItem, options: RenderOptions): Component {
  const name = styled(itemName(item.item, item.name, options), {
    color: TONE_COLORS.normal,
    hoverEvent: { action: 'show_text', contents: plain(item.item, { color: TONE_COLORS.muted }) },
  })
  if (item.count === undefined) return name
  const message = { key: 'system.card.item_count', params: { item: name, count: item.count } }
  return styled(options.languages.render(message, options.lang), { color: TONE_COLORS.muted })
}

/** What a click on it does. */
export function clickOf(action: CardAction, options: RenderOptions): Pick<Style, 'clickEvent'> {
  const value = actionCommand(action, options)
  return {
    clickEvent: { action: action.kind === 'suggest' ? 'suggest_command' : 'run_command', value },
  }
}

/** A button as a word that can be clicked. */
export function renderButton(button: CardButton, options: RenderOptions): Component {
  const { lang, languages } = options
  const label = concat([plain('['), languages.render(button.label, lang), plain(']')], {
    color: TONE_COLORS.good,
    ...clickOf(button.action, options),
  })
  if (button.hover === undefined) return label
  const hover = languages.render(button.hover, lang)
  const text = componentText(hover)
  const contents = isLongerThan(text, MAX_HOVER) ? plain(clipCodePoints(text, MAX_HOVER)) : hover
  return styled(label, { hoverEvent: { action: 'show_text', contents } })
}
