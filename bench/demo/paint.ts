import type { Component, Style } from '../../lib/text/index.js'

/** Vanilla's colours as terminals have them: 16 colours, so that each terminal's own theme is kept. */
const CODES: Readonly<Record<string, number>> = {
  black: 30,
  dark_blue: 34,
  dark_green: 32,
  dark_aqua: 36,
  dark_red: 31,
  dark_purple: 35,
  gold: 33,
  gray: 37,
  dark_gray: 90,
  blue: 94,
  green: 92,
  aqua: 96,
  red: 91,
  light_purple: 95,
  yellow: 93,
}

/** How text becomes what a terminal shows. */
export interface Paint {
  readonly colors: boolean
  /** The client's own text of a translation key, or undefined when it has none. */
  translate(key: string): string | undefined
}

/** A stretch of text in one look. */
interface Run {
  readonly text: string
  readonly style: Style
}

/** A line of the terminal in one look of ours. */
export function tint(text: string, look: 'dim' | 'bold' | 'good' | 'bad', colors: boolean): string {
  const codes = { dim: 2, bold: 1, good: 32, bad: 31 }
  return colors ? `\u001b[${codes[look]}m${text}\u001b[0m` : text
}

/** The lines that a client draws for a component, coloured for a terminal. */
export function paintComponent(component: Component, paint: Paint): string[] {
  const lines: string[] = ['']
  for (const { text, style } of runs(component, {}, paint)) {
    text.split('\n').forEach((piece, at) => {
      if (at > 0) lines.push('')
      lines[lines.length - 1] += painted(piece, style, paint)
    })
  }
  return lines
}

function painted(text: string, style: Style, { colors }: Paint): string {
  const codes = [
    ...(style.bold ? [1] : []),
    ...(style.italic ? [3] : []),
    ...(style.underlined ? [4] : []),
    ...(style.color !== undefined && style.color in CODES ? [CODES[style.color]] : []),
  ]
  return !colors || text === '' || codes.length === 0 ? text : `\u001b[${codes.join(';')}m${text}\u001b[0m`
}

/** The text in order; a part looks like its parent but for what it says itself. */
function runs(component: Component, parent: Style, paint: Paint): Run[] {
  const { color, bold, italic, underlined } = component
  const style: Style = {
    ...parent,
    ...(color === undefined ? {} : { color }),
    ...(bold === undefined ? {} : { bold }),
    ...(italic === undefined ? {} : { italic }),
    ...(underlined === undefined ? {} : { underlined }),
  }
  const own =
    'translate' in component ? translated(component, style, paint) : [{ text: component.text, style }]
  return [...own, ...(component.extra ?? []).flatMap((part) => runs(part, style, paint))]
}

function translated(component: Extract<Component, { translate: string }>, style: Style, paint: Paint): Run[] {
  const template = paint.translate(component.translate) ?? component.fallback ?? component.translate
  const args = component.with ?? []
  let next = 0
  // split with one capture group: literals at even, placeholders at odd places
  return template.split(/(%(?:\d\$)?[s%])/).flatMap((piece, at): Run[] => {
    if (at % 2 === 0) return piece === '' ? [] : [{ text: piece, style }]
    if (piece === '%%') return [{ text: '%', style }]
    const arg = args[piece === '%s' ? next++ : Number(piece[1]) - 1]
    return arg === undefined ? [{ text: piece, style }] : runs(arg, style, paint)
  })
}

/** The commands behind the clickable parts, by what is written on them. */
export function buttonsOf(component: Component, paint: Paint): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (part: Component): void => {
    if (part.clickEvent?.action === 'run_command')
      found.set(paintComponent(part, { ...paint, colors: false }).join(' '), part.clickEvent.value)
    for (const child of part.extra ?? []) visit(child)
  }
  visit(component)
  return found
}
