import type { CardAction, CardButton, CardData, CardLine, CardView } from '../../../lib/cards/index.js'
import { PINNED_CARD, PINS_MODULE } from '../../../lib/conversation/index.js'
import { identifier, type Identifier } from '../../../lib/core/ids.js'
import type { Snapshot } from './shelf.js'

const BACK: CardButton = {
  id: 'back',
  icon: identifier('minecraft:arrow'),
  label: { key: 'system.surface.back' },
  action: { kind: 'local', show: 'back' },
}
const PIN: CardButton = {
  id: 'pin',
  icon: identifier('minecraft:paper'),
  label: { key: 'system.surface.pin' },
  hover: { key: 'system.surface.pin_hover' },
  action: { kind: 'local', show: 'pin' },
}
/** What the button does for whom pins are open. */
const LIST_PINS: CardAction = { kind: 'server', module: PINS_MODULE, params: {} }

const OWN_COMMANDS = ['help', 'history', 'pins', 'settings', 'settings_choice', 'usage', 'workbench']
const QUESTIONS = ['clarify', 'confirmation', 'not_understood']
/** What its own command shows at any time, is a pin itself, or asks a question. */
const NOT_PINNED: ReadonlySet<Identifier> = new Set([
  PINNED_CARD,
  ...[...OWN_COMMANDS, ...QUESTIONS].map((name) => identifier(`system:${name}`)),
])

/** Whether a card of that type may be pinned. */
export const canBePinned = ({ type }: CardData): boolean => !NOT_PINNED.has(type)

/** A card that is one line of text is printed as a line, wherever its reader likes cards. */
export const isPlainLine = ({ title, lines, buttons }: CardView): boolean =>
  title === null &&
  buttons.length === 0 &&
  lines.length === 1 &&
  /^(text|message)$/.test(lines[0]?.kind ?? '')

/** What a reader sees of a card: buttons whose workflow is open, and those of the surface. */
export function withLocalButtons(
  snapshot: Snapshot,
  how: { readonly hasBack: boolean; mayPress(action: CardAction): boolean },
): CardView {
  const { view, card, ask, isPinned } = snapshot
  const buttons = view.buttons.filter(({ action }) => how.mayPress(action))
  // a receipt, or an answer without a title, stays as short as it is: `/system pins add` keeps that too
  const canPin =
    !isPinned && ask !== null && view.title !== null && canBePinned(card) && how.mayPress(LIST_PINS)
  return {
    ...view,
    lines: openLines(snapshot, how),
    buttons: [...(how.hasBack ? [BACK] : []), ...buttons, ...(canPin ? [PIN] : [])],
  }
}

/** What is laid out of lines is kept as long as they are the same: they are while the same entries are open. */
function openLines(snapshot: Snapshot, how: { mayPress(action: CardAction): boolean }): CardView['lines'] {
  const { view, lines: before } = snapshot
  const lines = view.lines.map((line) => withOpenAction(line, how))
  const isSame = lines.every((line, at) => (line === view.lines[at]) === (before[at] === view.lines[at]))
  if (!isSame) snapshot.lines = lines
  return snapshot.lines
}

function withOpenAction(line: CardLine, how: { mayPress(action: CardAction): boolean }): CardLine {
  if (line.kind !== 'entry' || line.action === undefined || how.mayPress(line.action)) return line
  const { action: _, ...closed } = line
  return closed
}
