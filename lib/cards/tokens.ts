import type { Clock } from '../core/clock.js'
import type { IdSource, PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { CardAction, CardRef } from './card.js'

/** What a token stands for. */
export interface TokenTarget {
  readonly ref: CardRef
  readonly action: CardAction
}

interface Entry extends TokenTarget {
  /** Monotonic milliseconds. */
  readonly expiresAt: number
  isUsed: boolean
  /** What it was drawn on is not shown any more: given back, it is not live again. */
  isOutdated: boolean
}

export interface ButtonTokensOptions {
  readonly ids: IdSource
  readonly clock: Clock
  /** How long a button works; 10 minutes by default. */
  readonly ttlMs?: number
  /** Tokens kept for one player, used and dead ones included; the oldest go first. */
  readonly perPlayer?: number
}

const DEFAULT_TTL_MS = 10 * 60_000
const DEFAULT_PER_PLAYER = 512
/** No honest token is longer; a longer word is not even looked up. */
const MAX_TOKEN_LENGTH = 64

/**
 * The secrets behind buttons: 128 random bits each, for one player, one revision of one card, one press. A token is
 * looked up only in its own player's table, so that nobody learns anything from another's.
 */
export class ButtonTokens {
  readonly #players = new Map<PlayerId, Map<string, Entry>>()
  readonly #ids: IdSource
  readonly #clock: Clock
  readonly #ttlMs: number
  readonly #perPlayer: number

  constructor(options: ButtonTokensOptions) {
    this.#ids = options.ids
    this.#clock = options.clock
    this.#ttlMs = options.ttlMs ?? DEFAULT_TTL_MS
    this.#perPlayer = options.perPlayer ?? DEFAULT_PER_PLAYER
  }

  /** Players with tokens. */
  get players(): number {
    return this.#players.size
  }

  /** A new token for a button of that card revision. */
  issue(player: PlayerId, ref: CardRef, action: CardAction): string {
    const entries = this.#players.get(player) ?? new Map<string, Entry>()
    this.#players.set(player, entries)
    const token = this.#ids.token()
    const expiresAt = this.#clock.monotonic() + this.#ttlMs
    entries.set(token, { ref, action, expiresAt, isUsed: false, isOutdated: false })
    for (const oldest of entries.keys()) {
      if (entries.size <= this.#perPlayer) break
      entries.delete(oldest)
    }
    return token
  }

  /** Uses the token up: `token_used`, `token_outdated`, `token_expired` and `token_unknown` say why it can't be. */
  take(player: PlayerId, token: string): Result<TokenTarget> {
    const entry = token.length > MAX_TOKEN_LENGTH ? undefined : this.#players.get(player)?.get(token)
    if (entry === undefined) return fail('system:token_unknown')
    if (entry.isUsed) return fail('system:token_used')
    if (entry.isOutdated) return fail('system:token_outdated')
    if (this.#clock.monotonic() >= entry.expiresAt) return fail('system:token_expired')
    entry.isUsed = true
    return ok({ ref: entry.ref, action: entry.action })
  }

  /**
   * Makes a taken token usable again: for a request that was refused before it began (lane full, another request
   * active), so that the player may press the same button later. Nothing happens when it isn't a used one.
   */
  giveBack(player: PlayerId, token: string): void {
    const entry = this.#players.get(player)?.get(token)
    if (entry !== undefined) entry.isUsed = false
  }

  /** The card has this revision now: buttons of its older ones are dead. Infinity: those of every drawing so far. */
  supersede(player: PlayerId, cardId: string, revision: number): void {
    for (const entry of this.#players.get(player)?.values() ?? [])
      if (entry.ref.id === cardId && entry.ref.revision < revision) entry.isOutdated = true
  }

  /** Forgets all tokens of the player: at revoke, reset and disconnect. */
  clear(player: PlayerId): void {
    this.#players.delete(player)
  }
}
