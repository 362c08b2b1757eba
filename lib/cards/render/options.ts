import type { Identifier } from '../../core/ids.js'
import { headUnits, plainText, translate, type Component, type Languages } from '../../text/index.js'
import type { CardAction, CardButton, CardValue } from '../index.js'

/** What every renderer needs besides the view. */
export interface RenderOptions {
  /** The reader's language. */
  readonly lang: string
  readonly languages: Languages
  /**
   * The token of an action; asked for wherever one is drawn, in order: an action that stands in several places has one
   * token if it is given the same again. Actions are those of the view, and local ones for the pages. In chat and books a
   * suggested command needs none, in a window each action does.
   */
  readonly token: (action: CardAction) => string
  /** The client's translation key of an item; by default `item.<namespace>.<path>`, right for all but blocks. */
  readonly itemKey?: (item: Identifier) => string
}

/** A renderer that shows one page of a card. */
export interface PageOptions extends RenderOptions {
  /** From 0, the default; the last one for a page that there isn't (any more). */
  readonly page?: number | undefined
}

/** Vanilla's limit of the chat box, code units. */
const MAX_COMMAND = 256

/** The command that uses a token up. */
export const ACT = '/system act '

/** Stands between the values of a row. */
export const VALUE_SEPARATOR = ', '

/** The values of a row, one or several. */
export const valuesOf = (value: CardValue | readonly CardValue[]): readonly CardValue[] =>
  Array.isArray(value) ? (value as readonly CardValue[]) : [value as CardValue]

/** The command that an action stands for. A suggested one ends where the chat box does. */
export function actionCommand(action: CardAction, options: RenderOptions): string {
  return action.kind === 'suggest' ? suggestedCommand(action) : `${ACT}${options.token(action)}`
}

/** What stands between parts of a card. */
export const SEPARATOR = '―'.repeat(12)
const PROGRESS_CELLS = 20

/** A bar and what it says in percent. */
export function progressText(share: number): string {
  const known = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0
  const full = Math.floor(known * PROGRESS_CELLS)
  return `${'█'.repeat(full)}${'░'.repeat(PROGRESS_CELLS - full)} ${Math.floor(known * 100)} %`
}

/** A command as the chat box holds it. */
export const suggestedCommand = ({
  command,
}: Pick<Extract<CardAction, { kind: 'suggest' }>, 'command'>): string =>
  headUnits(plainText(command), MAX_COMMAND)

/** The item's name in the client's own language. */
export function itemName(item: Identifier, name: string, options: RenderOptions): Component {
  const key = options.itemKey?.(item) ?? `item.${item.replace(':', '.').replaceAll('/', '.')}`
  return translate(key, name)
}

/** The page that is shown for the one wanted. */
export const pageOf = (wanted: number | undefined, pages: number): number =>
  Number.isFinite(wanted) ? Math.min(pages - 1, Math.max(0, Math.trunc(wanted ?? 0))) : 0

/** The buttons that lead to the pages before and after. */
export const pageButtons = (
  page: number,
  pages: number,
): Readonly<Record<'back' | 'on', CardButton | null>> => ({
  back: page === 0 ? null : leadTo(page - 1, { key: 'system.card.back' }),
  on: page === pages - 1 ? null : leadTo(page + 1, { key: 'system.card.on' }),
})

/** A button that leads to another page. */
export const leadTo = (page: number, label: CardButton['label']): CardButton => ({
  label,
  action: { kind: 'local', show: { page } },
})
