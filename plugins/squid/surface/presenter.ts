import type { CardBook, CardRef, CardUpdate, CardView } from '../../../lib/cards/index.js'
import { renderBook, renderChat, renderPlain } from '../../../lib/cards/render/index.js'
import type { CardSurface } from '../../../lib/core/own-settings.js'
import { failure, type Failure } from '../../../lib/core/failure.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import { plain, type Component } from '../../../lib/text/index.js'
import { CardWindows } from './card-windows.js'
import { drawingOf, type Drawing, type DrawingParts } from './drawing.js'
import { canBePinned, isPlainLine } from './local-buttons.js'
import type { CardScreens, Origin, Reader } from './ports.js'
import { Shelf, type Snapshot } from './shelf.js'

export interface PresenterParts extends DrawingParts {
  readonly cards: CardBook
  readonly screens: CardScreens
  /** Where the reader likes cards best. */
  preferred(player: PlayerId): CardSurface
  /** A slot of a window was pressed. */
  onPress(reader: Reader, token: string): void
}

/** One result may open one window or book; its other cards are in the chat. */
export interface ScreenUse {
  isTaken: boolean
}

/** A card that is to be seen. */
interface Coming {
  readonly view: CardView
  /** The same card in its form of before. */
  readonly before: Snapshot | undefined
  readonly origin: Origin
  readonly screen: ScreenUse
}

/**
 * Shows cards where their readers want them, and remembers the newest of each reader so that they can be drawn again
 * without asking anybody: on another page, in another language, in the place of one that came from them.
 */
export class Presenter {
  readonly #parts: PresenterParts
  readonly #windows: CardWindows
  readonly #shelves = new Map<PlayerId, Shelf>()

  constructor(parts: PresenterParts) {
    this.#parts = parts
    this.#windows = new CardWindows({ ...parts, windows: parts.screens.windows })
  }

  /** Readers of whom cards are kept. */
  get readers(): number {
    return this.#shelves.size
  }

  /** Carries out the update. What it gives is for the chat; null: it is on a screen, or nothing is to be seen. */
  present(reader: Reader, update: CardUpdate, how: Pick<Coming, 'origin' | 'screen'>): Component | null {
    if (reader.player.disconnected === true) return null
    const presented = this.#parts.cards.present(reader.id, update)
    if (presented.kind === 'removed') this.remove(reader, presented.ref.id)
    if (presented.kind !== 'shown' || update.mode === 'REMOVE') return null
    const { ref, view } = presented
    const shelf = this.#shelf(reader)
    const before = shelf.get(ref.id)
    const place = this.#placeOf(reader, { view, before, ...how })
    // the action that brings a card's new form is over
    shelf.waiting.delete(ref.id)
    const snapshot: Snapshot = {
      ref,
      view,
      card: update.card,
      // what came of pressing something that writes is a receipt, not what was asked before
      ask: how.origin.ask ?? (how.origin.card === undefined ? before?.ask : null) ?? null,
      from: before === undefined ? this.#behind(shelf, how.origin, place) : before.from,
      place: place ?? before?.place ?? 'chat',
      page: before?.page ?? 0,
      isPinned: false,
      lines: view.lines,
    }
    shelf.put(snapshot)
    if (place === null) return null
    const drawn = this.#show(reader, snapshot, place)
    if (drawn === null) how.screen.isTaken = true
    return drawn
  }

  /** Draws a card that is kept once more, where it was; null: that is no place in the chat. */
  again(reader: Reader, ref: CardRef, page: number): Component | Failure | null {
    const snapshot = this.snapshot(reader.id, ref)
    if (snapshot === undefined) return failure('system:token_outdated')
    snapshot.page = page
    return this.#show(reader, snapshot, snapshot.place)
  }

  /** Shows the card behind this one in its place, as it was. */
  back(reader: Reader, ref: CardRef): Component | Failure | null {
    const snapshot = this.snapshot(reader.id, ref)
    const behind = this.#shelf(reader).get(snapshot?.from ?? '')
    if (snapshot === undefined || behind === undefined) return failure('system:token_outdated')
    return this.#show(reader, behind, snapshot.place)
  }

  /** The card as it is kept; undefined: it isn't any more. */
  snapshot(player: PlayerId, ref: CardRef): Snapshot | undefined {
    return this.#shelves.get(player)?.get(ref.id)
  }

  /** The newest card that can be pinned and isn't yet. */
  newest(player: PlayerId): CardRef | undefined {
    return this.#shelves
      .get(player)
      ?.cards()
      .findLast(({ card, isPinned }) => !isPinned && canBePinned(card))?.ref
  }

  /** The card is pinned now: its window offers that no more. */
  pinned(player: PlayerId, ref: CardRef): void {
    const shelf = this.#shelves.get(player)
    const snapshot = shelf?.get(ref.id)
    if (shelf === undefined || snapshot === undefined) return
    snapshot.isPinned = true
    if (this.#windows.shows(shelf, ref.id)) this.refresh(player)
  }

  /** Closes the card's window. */
  closeCard(reader: Reader, ref: CardRef): void {
    const shelf = this.#shelf(reader)
    if (this.#windows.shows(shelf, ref.id)) this.#windows.close(shelf)
  }

  /** The card is gone, or has a new form elsewhere: the one that is kept is never drawn again. */
  remove(reader: Reader, card: string): void {
    const shelf = this.#shelf(reader)
    if (this.#windows.shows(shelf, card)) this.#windows.close(shelf)
    shelf.remove(card)
  }

  /**
   * An action of the card begins; null: another one of it runs. Until what is given back is called its other buttons wait,
   * and its window shows that.
   */
  begin(reader: Reader, ref: CardRef, token: string): (() => void) | null {
    const shelf = this.#shelf(reader)
    if (shelf.waiting.has(ref.id)) return null
    shelf.waiting.set(ref.id, token)
    this.#windows.mark(shelf, ref.id)
    return () => {
      if (shelf.waiting.get(ref.id) === token) shelf.waiting.delete(ref.id)
      const open = this.#windows.of(shelf)
      if (open?.isWaiting === true && !shelf.waiting.has(open.card)) this.#windows.redraw(reader, shelf)
    }
  }

  /** Draws the reader's window anew: the language or what is open to the reader is another one. */
  refresh(player: PlayerId): void {
    const shelf = this.#shelves.get(player)
    if (shelf !== undefined) this.#windows.redraw({ player: shelf.player, id: player }, shelf)
  }

  /** Closes what is open and forgets the reader's cards. */
  forget(player: PlayerId): void {
    const shelf = this.#shelves.get(player)
    if (shelf === undefined) return
    this.#shelves.delete(player)
    this.#windows.close(shelf)
  }

  /** Closes what is open of everybody. */
  close(): void {
    for (const player of this.#shelves.keys()) this.forget(player)
  }

  #shelf({ player, id }: Reader): Shelf {
    const known = this.#shelves.get(id)
    if (known?.player === player) return known
    const shelf = new Shelf(player)
    // somebody who has gone is not remembered again
    if (player.disconnected !== true) this.#shelves.set(id, shelf)
    return shelf
  }

  /** Where the card is to be seen; null: nowhere, until somebody asks. */
  #placeOf(reader: Reader, { view, before, origin, screen }: Coming): CardSurface | null {
    const shelf = this.#shelf(reader)
    if (before !== undefined) {
      if (before.place === 'window' && this.#windows.shows(shelf, before.ref.id)) return 'window'
      if (origin.isUnasked === true) return null
      return before.place === 'window' ? 'chat' : before.place
    }
    const preferred = this.#parts.preferred(reader.id)
    const inChat = preferred === 'plain' ? 'plain' : 'chat'
    if (screen.isTaken) return inChat
    if (view.surface !== undefined) return view.surface
    if (origin.isUnasked === true || isPlainLine(view)) return inChat
    return this.#windows.shows(shelf, origin.card?.id ?? '') ? 'window' : preferred
  }

  /** The card whose place a new one takes, on the screen where its button was pressed. */
  #behind(shelf: Shelf, { card }: Origin, place: CardSurface | null): string | null {
    const pressed = shelf.get(card?.id ?? '')
    if (pressed === undefined || pressed.place !== place) return null
    const isSeen = place === 'book' || (place === 'window' && this.#windows.shows(shelf, pressed.ref.id))
    return isSeen ? pressed.ref.id : null
  }

  #show(reader: Reader, snapshot: Snapshot, place: CardSurface): Component | null {
    const shelf = this.#shelf(reader)
    snapshot.place = place
    if (place === 'window' && this.#windows.show(reader, shelf, snapshot)) return null
    const draw = (): Drawing['of'] => drawingOf(this.#parts, reader, { shelf, snapshot }).of
    if (place === 'book' && this.#parts.screens.openBook(reader.player, renderBook(...draw()))) return null
    if (place === 'plain') return plain(renderPlain(...draw()).join('\n'), {}, { newlines: 'keep' })
    snapshot.place = 'chat'
    return renderChat(...draw()).component
  }
}
