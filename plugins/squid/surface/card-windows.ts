import { renderWindow, type WindowPage } from '../../../lib/cards/render/index.js'
import { drawingOf, type DrawingParts } from './drawing.js'
import type { CardScreens, Reader } from './ports.js'
import type { OpenWindow, Shelf, Snapshot } from './shelf.js'
import { asWaiting } from './waiting.js'

export interface CardWindowsParts extends DrawingParts {
  readonly windows: CardScreens['windows']
  /** A slot of a window was pressed. */
  onPress(reader: Reader, token: string): void
}

/** The one window of each reader that cards are shown in. */
export class CardWindows {
  readonly #parts: CardWindowsParts

  constructor(parts: CardWindowsParts) {
    this.#parts = parts
  }

  /** The window that is open now, if it is one of ours. */
  of(shelf: Shelf): OpenWindow | null {
    const { window } = shelf
    return window !== null && this.#parts.windows.openId(shelf.player) === window.id ? window : null
  }

  /** Whether the card is what is seen. */
  shows(shelf: Shelf, card: string): boolean {
    return this.of(shelf)?.card === card
  }

  /** Shows the card, in the window that is open if there is one; false: none can be opened. */
  show(reader: Reader, shelf: Shelf, snapshot: Snapshot): boolean {
    const { windows } = this.#parts
    const drawing = drawingOf(this.#parts, reader, { shelf, snapshot })
    const { window: drawn } = renderWindow(...drawing.of)
    const isWaiting = shelf.waiting.has(snapshot.ref.id)
    const window = { card: snapshot.ref.id, drawn, isWaiting, asking: drawing.asking }
    const page = isWaiting ? this.#waiting(shelf, window) : drawn
    const open = this.of(shelf)
    if (open !== null && windows.replace(reader.player, open.id, page)) {
      shelf.window = { ...window, id: open.id }
      return true
    }
    const id = windows.open(reader.player, page, {
      onPress: (token) => this.#parts.onPress(reader, token),
      onClose: () => {
        if (shelf.window?.id === id) shelf.window = null
      },
    })
    if (id === null) return false
    shelf.window = { ...window, id }
    return true
  }

  /** Draws what is open once more. */
  redraw(reader: Reader, shelf: Shelf): void {
    const snapshot = shelf.get(this.of(shelf)?.card ?? '')
    if (snapshot !== undefined) this.show(reader, shelf, snapshot)
  }

  /** Shows that an action of the card runs, if the card is open. */
  mark(shelf: Shelf, card: string): void {
    const open = this.of(shelf)
    if (open?.card !== card) return
    open.isWaiting = true
    this.#parts.windows.replace(shelf.player, open.id, this.#waiting(shelf, open))
  }

  close(shelf: Shelf): void {
    const open = this.of(shelf)
    shelf.window = null
    if (open !== null) this.#parts.windows.close(shelf.player, open.id)
  }

  #waiting(shelf: Shelf, { card, drawn, asking }: Omit<OpenWindow, 'id'>): WindowPage {
    const { languages } = this.#parts
    const lang = this.#parts.languageOf(shelf.player)
    const text = languages.render({ key: 'system.surface.waiting' }, lang)
    return asWaiting(drawn, text, { asking, pressed: shelf.waiting.get(card) })
  }
}
