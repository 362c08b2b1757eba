import type { Clock } from '../core/clock.js'
import type { Identifier, IdSource, PlayerId } from '../core/ids.js'
import type { PlayerLives } from '../host/index.js'
import type { Price } from './price.js'

/** How long a price holds. */
export const QUOTE_MS = 120_000
/** Quotes of one player; more end the oldest. */
const MAX_QUOTES = 16

/** A price that was named to one player for one thing, once. */
export interface Quote {
  /** Random; becomes the order's id. */
  readonly id: string
  /** The catalogue's module type. */
  readonly seller: Identifier
  readonly entry: Identifier
  /** Of the entry as it was. */
  readonly hash: string
  readonly price: Price
  /** The player's life that it was made in. */
  readonly life: number
  /** On the monotonic clock, milliseconds. */
  readonly until: number
}

interface QuotesParts {
  readonly clock: Clock
  readonly ids: IdSource
  readonly lives: PlayerLives
}

/** Quotes in memory: each for one player, one entry, one use; over at its time, at death, respawn and logout. */
export class Quotes {
  readonly #parts: QuotesParts
  readonly #quotes = new Map<PlayerId, Map<string, Quote>>()

  constructor(parts: QuotesParts) {
    this.#parts = parts
  }

  issue(player: PlayerId, about: Pick<Quote, 'seller' | 'entry' | 'hash' | 'price'>): Quote {
    const { clock, ids, lives } = this.#parts
    const quote = {
      ...about,
      id: ids.token(),
      life: lives.lifeOf(player),
      until: clock.monotonic() + QUOTE_MS,
    }
    const own = this.#quotes.get(player) ?? new Map<string, Quote>()
    own.set(quote.id, quote)
    for (const id of own.keys()) if (own.size > MAX_QUOTES) own.delete(id)
    this.#quotes.set(player, own)
    return quote
  }

  /** Ends a quote and gives it; null: there is none (any more) for this player and seller. */
  take(player: PlayerId, seller: Identifier, id: string): Quote | null {
    const quote = this.#quotes.get(player)?.get(id)
    if (quote === undefined || quote.seller !== seller) return null
    this.#quotes.get(player)?.delete(id)
    return this.isCurrent(player, quote) ? quote : null
  }

  /** Whether the player still lives the life that it was made in, and its time isn't over. */
  isCurrent(player: PlayerId, { life, until }: Quote): boolean {
    return this.#parts.lives.lifeOf(player) === life && this.#parts.clock.monotonic() < until
  }

  /** At logout, and when the System is taken. */
  forget(player: PlayerId): void {
    this.#quotes.delete(player)
  }
}
