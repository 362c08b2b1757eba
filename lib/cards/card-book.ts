import type { IdSource, PlayerId } from '../core/ids.js'
import type { CardRef, CardUpdate, CardView } from './card.js'
import type { CardTypes } from './card-types.js'
import type { ButtonTokens } from './tokens.js'

/** What became of an update. */
export type Presented =
  /** Draw it. */
  | { readonly kind: 'shown'; readonly ref: CardRef; readonly view: CardView }
  /** Close it. */
  | { readonly kind: 'removed'; readonly ref: CardRef }
  /** A newer revision is out already, or the card is gone: nothing to draw. */
  | { readonly kind: 'stale'; readonly ref: CardRef }

interface Revisions {
  shown: number
  /** The highest revision shown or promised to an action that has started. */
  reserved: number
}

export interface CardBookOptions {
  readonly ids: IdSource
  readonly types: CardTypes
  readonly tokens: ButtonTokens
  /** Cards of one player whose revisions are remembered; the oldest go first, and with them their buttons. */
  readonly perPlayer?: number
}

const DEFAULT_PER_PLAYER = 128

/**
 * The ids and revisions of each player's cards. A revision is reserved when a button's action starts, so that a
 * slow older action can't overwrite what a newer one has shown.
 */
export class CardBook {
  readonly #players = new Map<PlayerId, Map<string, Revisions>>()
  readonly #ids: IdSource
  readonly #types: CardTypes
  readonly #tokens: ButtonTokens
  readonly #perPlayer: number

  constructor(options: CardBookOptions) {
    this.#ids = options.ids
    this.#types = options.types
    this.#tokens = options.tokens
    this.#perPlayer = options.perPlayer ?? DEFAULT_PER_PLAYER
  }

  /** Players with cards. */
  get players(): number {
    return this.#players.size
  }

  /**
   * Promises the card's next revision to an action that starts now; its REPLACE must name the returned reference.
   * For a card that is no longer remembered the reference comes back unchanged, and a REPLACE of it is stale.
   */
  reserve(player: PlayerId, ref: CardRef): CardRef {
    const card = this.#players.get(player)?.get(ref.id)
    if (card === undefined) return ref
    card.reserved += 1
    return { id: ref.id, revision: card.reserved }
  }

  /**
   * Applies the update: SHOW gives a new id with revision 1; REPLACE takes the reserved revision it names or, when
   * it names the shown one, the next; REMOVE forgets the card. Buttons of earlier revisions die with it.
   */
  present(player: PlayerId, update: CardUpdate): Presented {
    if (update.mode === 'SHOW') return this.#show(player, update.card)
    const card = this.#players.get(player)?.get(update.ref.id)
    const { id, revision } = update.ref
    if (card === undefined || revision < card.shown || revision > card.reserved)
      return { kind: 'stale', ref: update.ref }
    if (update.mode === 'REMOVE') {
      this.#players.get(player)?.delete(id)
      this.#tokens.supersede(player, id, Infinity)
      return { kind: 'removed', ref: update.ref }
    }
    card.shown = revision === card.shown ? card.reserved + 1 : revision
    card.reserved = Math.max(card.reserved, card.shown)
    this.#tokens.supersede(player, id, card.shown)
    const ref = { id, revision: card.shown }
    return { kind: 'shown', ref, view: this.#types.view(update.card) }
  }

  /** Forgets the player's cards and their buttons: at revoke, reset and disconnect. */
  clear(player: PlayerId): void {
    this.#players.delete(player)
    this.#tokens.clear(player)
  }

  #show(player: PlayerId, data: Extract<CardUpdate, { mode: 'SHOW' }>['card']): Presented {
    const cards = this.#players.get(player) ?? new Map<string, Revisions>()
    this.#players.set(player, cards)
    const ref = { id: this.#ids.token(), revision: 1 }
    cards.set(ref.id, { shown: 1, reserved: 1 })
    for (const oldest of cards.keys()) {
      if (cards.size <= this.#perPlayer) break
      cards.delete(oldest)
      this.#tokens.supersede(player, oldest, Infinity)
    }
    return { kind: 'shown', ref, view: this.#types.view(data) }
  }
}
