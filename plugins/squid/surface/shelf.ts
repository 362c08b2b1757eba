import type { Ask } from '../../../lib/agent/index.js'
import type { CardData, CardRef, CardView } from '../../../lib/cards/index.js'
import type { WindowPage } from '../../../lib/cards/render/index.js'
import type { CardSurface } from '../../../lib/core/own-settings.js'
import type { SquidPlayer } from '../types.js'

/** Cards of one player that can be drawn again. */
const MAX_CARDS = 16

/** A card as it was shown: drawn again, it asks nobody. */
export interface Snapshot {
  readonly ref: CardRef
  readonly card: CardData
  readonly view: CardView
  /** What makes it anew; null: nothing does. */
  readonly ask: Ask | null
  /** The card that it took the place of on a screen. */
  readonly from: string | null
  /** Where it was shown last. */
  place: CardSurface
  /** The page that is wanted, from 0; its last where there isn't one. */
  page: number
  isPinned: boolean
  /** The view's lines as they were drawn last: what isn't open to the reader can't be pressed. */
  lines: CardView['lines']
}

/** A window with a card of ours in it. */
export interface OpenWindow {
  readonly id: number
  /** The card that is in it. */
  readonly card: string
  /** What is seen, without the marks of waiting. */
  readonly drawn: WindowPage
  /** Tokens of what is seen that ask the server. */
  readonly asking: ReadonlySet<string>
  isWaiting: boolean
}

/** What is kept of the cards that one player sees. */
export class Shelf {
  readonly player: SquidPlayer
  readonly #cards = new Map<string, Snapshot>()
  /** Cards with an action that runs, and the token that began it. */
  readonly waiting = new Map<string, string>()
  window: OpenWindow | null = null

  constructor(player: SquidPlayer) {
    this.player = player
  }

  get(card: string): Snapshot | undefined {
    return this.#cards.get(card)
  }

  /** The oldest first. */
  cards(): readonly Snapshot[] {
    return [...this.#cards.values()]
  }

  /** Keeps the newest; what is in the window stays whatever its age. */
  put(snapshot: Snapshot): void {
    this.#cards.delete(snapshot.ref.id)
    this.#cards.set(snapshot.ref.id, snapshot)
    for (const oldest of this.#cards.keys()) {
      if (this.#cards.size <= MAX_CARDS) break
      if (oldest !== this.window?.card) this.#cards.delete(oldest)
    }
  }

  remove(card: string): void {
    this.#cards.delete(card)
    this.waiting.delete(card)
  }
}
