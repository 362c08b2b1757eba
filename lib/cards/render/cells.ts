import { identifier, type Identifier } from '../../core/ids.js'
import { componentText, join, plain, styled, type Component } from '../../text/index.js'
import type { CardAction, CardButton, CardEntry, CardItem, CardLine } from '../index.js'
import { entryLines, NEWLINE, renderItem, renderLine, TONE_COLORS } from './drawing.js'
import { componentBytes, Flow } from './flow.js'
import { suggestedCommand, type RenderOptions } from './options.js'
import type { WindowSlot } from './screens.js'
import { spelledOut } from './spelled.js'

/** What stands in a slot: an icon with text, whose first line is its name. */
interface Cell {
  readonly icon: Identifier
  readonly count?: number | undefined
  readonly text: Component
  readonly isMarked?: boolean | undefined
  readonly action?: CardAction | undefined
}

/** Items that every version has. */
export const ICONS = {
  text: identifier('minecraft:paper'),
  title: identifier('minecraft:name_tag'),
  progress: identifier('minecraft:experience_bottle'),
  section: identifier('minecraft:book'),
  turn: identifier('minecraft:arrow'),
  close: identifier('minecraft:barrier'),
  server: identifier('minecraft:lime_dye'),
  suggest: identifier('minecraft:writable_book'),
  local: identifier('minecraft:paper'),
} as const
/** About forty characters, so that a tooltip stays on the screen. */
const LORE_WIDTH = 240
const MAX_LORE = 20
const MAX_COUNT = 64
/** What a slot takes besides its texts. */
const SLOT_BYTES = 128

/** What stands in slots beside one another, or begins a section with them. */
export interface Piece {
  readonly isSection?: boolean
  readonly slots: readonly WindowSlot[]
}

/** The lines in slots: each entry, item, progress and command one of its own, texts together. */
export function piecesOf(lines: readonly CardLine[], options: RenderOptions): readonly Piece[] {
  const pieces: Piece[] = []
  const hasTabs = lines.filter(({ kind }) => kind === 'section').length > 1
  // the name of a section stands in the first row, unless there is none or it is too long for a slot there
  const sectionSlots = (text: Component): readonly WindowSlot[] => {
    const slots = slotsOf({ icon: ICONS.section, text }, options)
    return hasTabs && slots.length === 1 ? [] : slots
  }
  let texts: Component[] = []
  const close = (): void => {
    if (texts.length > 0)
      pieces.push({ slots: slotsOf({ icon: ICONS.text, text: join(texts, NEWLINE) }, options) })
    texts = []
  }
  for (const line of lines) {
    const cell = cellOf(line, options)
    if (cell === null && line.kind !== 'separator' && line.kind !== 'section') {
      texts.push(renderLine(line, options))
      continue
    }
    close()
    if (cell !== null) pieces.push({ slots: slotsOf(cell, options) })
    if (line.kind === 'section')
      pieces.push({ isSection: true, slots: sectionSlots(renderLine(line, options)) })
  }
  close()
  return pieces
}

/** The slot of its own that a line has; null: it has none. */
function cellOf(line: CardLine, options: RenderOptions): Cell | null {
  if (line.kind === 'entry') return entryCell(line, options)
  if (line.kind === 'item') return { ...iconOf(line), text: renderItem(line, options) }
  if (line.kind === 'progress') return { icon: ICONS.progress, text: renderLine(line, options) }
  if (line.kind !== 'row' || line.suggest === undefined) return null
  const { suggest: command, ...row } = line
  return suggesting({ icon: ICONS.suggest, text: renderLine(row, options) }, command)
}

function entryCell(entry: CardEntry, options: RenderOptions): Cell {
  const { icon, action, isMarked } = entry
  const { title, about } = entryLines(entry, options)
  const cell = { ...iconOf(icon), text: join([title, ...about], NEWLINE), isMarked }
  return action?.kind === 'suggest' ? suggesting(cell, action.command) : { ...cell, action }
}

const iconOf = (item: CardItem | undefined): Pick<Cell, 'icon' | 'count'> => ({
  icon: item?.item ?? ICONS.text,
  count: item?.count,
})

/** Pressing can't write into the chat box of a player who looks at a window, so the command can be read there. */
function suggesting(cell: Cell, command: string): Cell {
  const typed = suggestedCommand({ command })
  const isSaid = componentText(cell.text).includes(typed.trim())
  const text = isSaid ? cell.text : join([cell.text, plain(typed, { color: 'dark_gray' })], NEWLINE)
  return { ...cell, text, action: { kind: 'suggest', command } }
}

/** A button in slots: one, unless it has more to say than a slot can hold. */
export function buttonSlots(button: CardButton, options: RenderOptions): readonly WindowSlot[] {
  const { lang, languages } = options
  const { label, hover, action, icon } = button
  const lines = [
    styled(languages.render(label, lang), { color: TONE_COLORS.good }),
    ...(hover === undefined ? [] : [styled(languages.render(hover, lang), { color: TONE_COLORS.muted })]),
  ]
  const cell = { icon: icon ?? ICONS[action.kind], text: join(lines, NEWLINE) }
  return slotsOf(action.kind === 'suggest' ? suggesting(cell, action.command) : { ...cell, action }, options)
}

/** The cell as slots beside one another, of which each but the last says that it goes on. */
export function slotsOf(
  { text, icon, count, isMarked, action }: Cell,
  options: RenderOptions,
): readonly WindowSlot[] {
  const flow = new Flow(spelledOut(text, { hover: true, click: 'all' }), LORE_WIDTH)
  const lore = Array.from({ length: flow.lines - 1 }, (_, line) => loreLine(flow.part(line + 1, line + 2)))
  const name = nameLine(flow.part(0, 1))
  const slot = {
    icon,
    count: Math.min(MAX_COUNT, Math.max(1, Math.trunc(count ?? 1) || 1)),
    name,
    ...(isMarked === undefined ? {} : { isMarked }),
    ...(action === undefined ? {} : { token: options.token(action) }),
  }
  if (lore.length <= MAX_LORE) return [{ ...slot, lore }]
  const more = loreLine(options.languages.render({ key: 'system.card.goes_on' }, options.lang))
  const slots: WindowSlot[] = []
  for (let at = 0; at < lore.length; at += MAX_LORE - 1) {
    const part = lore.slice(at, at + MAX_LORE - 1)
    slots.push({ ...slot, lore: at + part.length < lore.length ? [...part, more] : part })
  }
  return slots
}

const nameLine = (line: Component): Component =>
  componentText(line) === '' ? { text: ' ' } : { italic: false, color: 'white', ...line }
/** A line of lore. */
export const loreLine = (line: Component): Component => ({ italic: false, color: 'gray', ...line })

/** Upper bound of a slot's encoded size. */
export const slotBytes = ({ name, lore }: WindowSlot): number =>
  [name, ...lore].reduce((sum, line) => sum + componentBytes(line), SLOT_BYTES)
