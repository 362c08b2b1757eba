import type { WindowPage, WindowSlot } from '../../../lib/cards/render/index.js'
import { componentText, type Color, type Component } from '../../../lib/text/index.js'

/** A component in lines for a terminal. */
export type Write = (component: Component) => string

const COLUMNS = 9
/** Select Graphic Rendition of ECMA-48. */
const SGR: Readonly<Record<Exclude<Color, `#${string}`>, number>> = {
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
  white: 97,
}
const RESET = '\u001b[0m'

/** With colours and decorations as escape codes; text itself never holds any. */
export function coloured(component: Component, above: readonly (number | string)[] = []): string {
  const { extra, ...own } = component
  const codes = [...above, ...codesOf(own)]
  const text = componentText(own)
  const head = text === '' || codes.length === 0 ? text : `\u001b[${codes.join(';')}m${text}${RESET}`
  return head + (extra ?? []).map((part) => coloured(part, codes)).join('')
}

const codesOf = ({ color, bold, italic, underlined, strikethrough }: Component): (number | string)[] => [
  ...(color === undefined ? [] : [codeOf(color)]),
  ...(bold === true ? [1] : []),
  ...(italic === true ? [3] : []),
  ...(underlined === true ? [4] : []),
  ...(strikethrough === true ? [9] : []),
]

function codeOf(color: Color): number | string {
  if (color in SGR) return SGR[color as keyof typeof SGR]
  const value = Number.parseInt(color.slice(1), 16)
  return `38;2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`
}

/** A window's slots in their places by number, in brackets where one can press, and what they hold beneath. */
export function windowLines({ title, rows, slots }: WindowPage, write: Write): readonly string[] {
  const cell = (index: number): string => {
    const slot = slots.get(index)
    if (slot === undefined) return '  . '
    const number = String(index).padStart(2)
    return slot.token === undefined ? ` ${number} ` : `[${number}]`
  }
  const grid = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, column) => cell(row * COLUMNS + column))
      .join(' ')
      .trimEnd(),
  )
  const names = [...slots].sort(([a], [b]) => a - b).flatMap(([index, slot]) => slotLines(index, slot, write))
  return [write(title), '', ...grid, '', ...names]
}

function slotLines(index: number, { icon, count, name, lore, isMarked }: WindowSlot, write: Write): string[] {
  const amount = count === 1 ? '' : ` × ${count}`
  const mark = isMarked === true ? '*' : ' '
  return [
    `${String(index).padStart(2)}${mark} ${write(name)}${amount} (${icon})`,
    ...lore.map((line) => `      ${write(line)}`),
  ]
}
