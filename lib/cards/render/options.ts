import type { Identifier } from '../../core/ids.js'
import { headUnits, plainText, translate, type Component, type Languages } from '../../text/index.js'
import type { CardAction, CardButton, CardValue } from '../index.js'

/** What every renderer needs besides the view. */
export interface RenderOptions {
  /** The reader's language. */
  readonly lang: string
  readonly languages: Languages
  /** A fresh token for a button that asks the server; called once for each such button drawn, in order. */
  readonly token: (button: CardButton) => string
  /** The client's translation key of an item; by default `item.<namespace>.<path>`, right for all but blocks. */
  readonly itemKey?: (item: Identifier) => string
}

/** Bounds of what one message shows; a later page or surface shows the rest. */
export const MAX_LINES = 100
export const MAX_BUTTONS = 32
/** Code points of one literal text: the longest answer a model may give. */
export const MAX_TEXT = 4_000
/** Vanilla's limit of the chat box, code units. */
const MAX_COMMAND = 256

/** Stands between the values of a row. */
export const VALUE_SEPARATOR = ', '

/** The values of a row, one or several. */
export const valuesOf = (value: CardValue | readonly CardValue[]): readonly CardValue[] =>
  Array.isArray(value) ? (value as readonly CardValue[]) : [value as CardValue]

/** The command that a button stands for. A suggested one ends where the chat box does. */
export function buttonCommand(button: CardButton, options: RenderOptions): string {
  return button.action.kind === 'server'
    ? `/system act ${options.token(button)}`
    : suggestedCommand(button.action)
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
