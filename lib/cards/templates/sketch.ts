import type { CardAction, CardButton, CardLine, CardView } from '../card.js'
import { TEMPLATE_LIMITS } from './limits.js'

/** An action that the card's type built, with the button that it was on. */
export interface Built {
  readonly action: CardAction
  readonly button?: CardButton
}

/** A view while it is made of a template. */
export class Sketch {
  readonly lines: CardLine[] = []
  readonly buttons: CardButton[] = []
  /** Where in the template is drawn now. */
  readonly place: (string | number)[] = []
  readonly #built: CardView
  readonly #pressed: readonly CardAction[]
  readonly #used = new Set<CardButton>()
  #steps = 0
  #units = 0
  #isCut = false

  constructor(built: CardView) {
    this.#built = built
    this.#pressed = built.lines.flatMap((line) =>
      line.kind === 'entry' && line.action !== undefined ? [line.action] : [],
    )
  }

  /** Something was left out because there was no more room. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Before each node and each element of a list, drawn or not; false: there is no room for it. */
  step(): boolean {
    this.#steps += 1
    this.#isCut ||=
      this.#steps > TEMPLATE_LIMITS.steps ||
      this.#units > TEMPLATE_LIMITS.units ||
      this.lines.length >= TEMPLATE_LIMITS.lines ||
      this.buttons.length >= TEMPLATE_LIMITS.buttons
    return !this.#isCut
  }

  line(line: CardLine): void {
    this.lines.push(line)
    this.#units += unitsOf(line)
  }

  button(button: CardButton): void {
    this.buttons.push(button)
    this.#units += unitsOf(button.label)
  }

  /** By a button's id or its number from 0; `entry:<n>`: the n-th entry that can be pressed. Undefined: it isn't there now. */
  find(name: string): Built | undefined {
    const { buttons } = this.#built
    const [, entry] = /^entry:(\d{1,6})$/.exec(name) ?? []
    if (entry !== undefined) {
      const action = this.#pressed[Number(entry)]
      return action === undefined ? undefined : { action }
    }
    const button =
      buttons.find(({ id }) => id === name) ?? (/^\d{1,6}$/.test(name) ? buttons[Number(name)] : undefined)
    if (button === undefined) return undefined
    this.#used.add(button)
    return { action: button.action, button }
  }

  /** The buttons that no node named. */
  get unused(): readonly CardButton[] {
    return this.#built.buttons.filter((button) => !this.#used.has(button))
  }
}

/** About what texts of a part of a card take. */
function unitsOf(part: unknown): number {
  if (typeof part === 'string') return part.length
  if (typeof part !== 'object' || part === null) return 1
  return Object.values(part).reduce<number>((sum, member) => sum + unitsOf(member), 0)
}
