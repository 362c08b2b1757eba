import type { Component } from '../../text/index.js'
import type { CardAction } from '../index.js'
import { ACT } from './options.js'

/** No text of players or models holds a control character, so a mark can't be written by one. */
const MARK = '\0'
const COMMAND = `${ACT}${MARK}`
// eslint-disable-next-line no-control-regex -- NUL is what is looked for
const MARKS = /\0(\d+)\0/g

/**
 * Stands in for tokens while a card is laid out: the whole card is measured, and only what is drawn in the end gets
 * tokens.
 */
export class Marks {
  readonly actions: CardAction[]
  readonly #issue: (action: CardAction) => string

  /** `actions`: those that have marks already. */
  constructor(issue: (action: CardAction) => string, actions: readonly CardAction[] = []) {
    this.#issue = issue
    this.actions = [...actions]
  }

  /** A mark in the place of a token. */
  readonly mark = (action: CardAction): string => `${MARK}${this.actions.push(action) - 1}${MARK}`

  /** The text with tokens instead of marks. */
  readonly text = (text: string): string =>
    text.includes(MARK) ? text.replace(MARKS, (_, index: string) => this.#token(Number(index))) : text

  /** The component with tokens instead of marks in what clicks do. */
  component(component: Component): Component {
    const { clickEvent, extra } = component
    return {
      ...component,
      ...(clickEvent === undefined
        ? {}
        : { clickEvent: { ...clickEvent, value: this.text(clickEvent.value) } }),
      ...(extra === undefined ? {} : { extra: extra.map((part) => this.component(part)) }),
    }
  }

  #token(index: number): string {
    const action = this.actions[index]
    return action === undefined ? '' : this.#issue(action)
  }
}

/** Where the character ends that begins at the index, or the whole command with a mark: no line or page may break it. */
export function glyphEnd(text: string, index: number): number {
  if (text.startsWith(COMMAND, index)) {
    const end = text.indexOf(MARK, index + COMMAND.length)
    if (end !== -1) return end + 1
  }
  return index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1)
}
