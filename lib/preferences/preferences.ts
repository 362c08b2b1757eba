import { lowerLevel, reaches, type AiLevel } from '../core/ai-level.js'
import { failure, type Failure } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import type { CardSurface } from '../core/own-settings.js'
import { fail, ok, type Result } from '../core/result.js'
import type { PlayerStore, Reading } from '../storage/index.js'
import { isSame, PERMISSION, SWITCHES, type Switches } from './stored.js'

/** What holds for those of whom no administrator has said anything. */
export interface WorldDefault {
  /** What the host has set; null: `off` while there is no model, `route` once there is one. */
  readonly configured: AiLevel | null
  readonly hasModel: boolean
}

/** What is said of one player. */
export interface AiState {
  /** By an administrator; null: nothing. */
  readonly admin: AiLevel | null
  readonly own: Switches
  /** What comes of it. */
  readonly level: AiLevel
}

/** A change that may have given or taken a right. */
export interface AiChange {
  readonly player: PlayerId
  readonly by: 'admin' | 'player'
  readonly before: AiLevel
  readonly after: AiLevel
  /** A running request has ended by it, and says so itself. */
  readonly hasEnded: boolean
}

export interface PreferencesParts {
  readonly store: PlayerStore
  /** Asked when the server starts and at each `refresh`. */
  readonly worldDefault: () => WorldDefault
  /** The players who are here. */
  readonly online: () => Iterable<PlayerId>
  /** Where the server shows cards. */
  readonly surface: () => CardSurface
  /** The languages there are texts for, each with what it calls itself. */
  readonly languages: () => ReadonlyMap<string, string>
}

/**
 * What is assumed of a player of whom nothing is known: text that is not sent can be sent later, what is not shown is
 * lost.
 */
const UNKNOWN: Switches = {
  externalAi: false,
  freeChat: false,
  history: false,
  notifications: true,
  sounds: false,
  surface: null,
  language: null,
}

/**
 * What each player may have of a model: the lower of what an administrator allows (or the default of the server) and
 * what the player has switched. Read from memory, at once; a change counts when it is durable.
 */
export class Preferences {
  readonly #store: PlayerStore
  readonly #parts: PreferencesParts
  readonly #requests = new Map<PlayerId, Set<() => boolean>>()
  readonly #listeners = new Set<(change: AiChange) => void>()
  #world: WorldDefault

  /** The store must know the types `SWITCHES`, `PERMISSION` and, for the notice of first use, `TOLD`. */
  constructor(parts: PreferencesParts) {
    this.#parts = parts
    this.#store = parts.store
    this.#world = parts.worldDefault()
  }

  /** The level of those of whom no administrator has said anything. */
  get worldDefault(): AiLevel {
    return levelOf(this.#world)
  }

  /** What a player who is here has set; nothing leaves the server while it isn't known. */
  of(player: PlayerId): Switches {
    return this.#store.online(player)?.get(SWITCHES) ?? UNKNOWN
  }

  /** Where cards are shown to a player who has chosen nothing. */
  get worldSurface(): CardSurface {
    return this.#parts.surface()
  }

  /** Where cards are shown to the player, whose own choice counts. */
  surface(player: PlayerId): CardSurface {
    return this.of(player).surface ?? this.worldSurface
  }

  /** The languages that can be chosen, each with what it calls itself. */
  get languages(): ReadonlyMap<string, string> {
    return this.#parts.languages()
  }

  /** The language that a player who is here has chosen, while there are texts in it; null: that of the client. */
  language(player: PlayerId): string | null {
    const { language } = this.of(player)
    return language !== null && this.languages.has(language) ? language : null
  }

  /** The effective level of a player who is here. */
  level(player: PlayerId): AiLevel {
    return this.state(player).level
  }

  /** All that is said of a player who is here. */
  state(player: PlayerId): AiState {
    return this.#state(this.#store.online(player))
  }

  /**
   * Why the player may not have this much of a model now, or null: `ai_off` and `chat_off` by an administrator,
   * `ai_off_self` and `chat_off_self` by the player, `no_model` where nobody has said anything and there is none.
   */
  check(player: PlayerId, needed: AiLevel): Failure | null {
    if (needed === 'off') return null
    const { admin, level } = this.state(player)
    if (reaches(level, needed)) return null
    if (admin === null && this.#world.configured === null && !this.#world.hasModel)
      return failure('system:no_model')
    const allowed = admin ?? this.worldDefault
    const isOwn = reaches(allowed, needed)
    if (!reaches(level, 'route')) return failure(isOwn ? 'system:ai_off_self' : 'system:ai_off')
    return failure(isOwn ? 'system:chat_off_self' : 'system:chat_off')
  }

  /** What is kept of any player. Fails as `PlayerStore.read` does. */
  async read(player: PlayerId): Promise<Result<AiState>> {
    const view = await this.#store.read(player)
    return view.ok ? ok(this.#state(view.value)) : view
  }

  /** Changes what a player who is here has set. Fails as `PlayerView.update` does: then nothing has changed. */
  set(player: PlayerId, changes: Partial<Switches>): Promise<Result<AiState>> {
    const kept = this.#store.online(player)
    if (kept === null) return Promise.resolve(fail('system:storage_failed'))
    return this.#change(player, 'player', () =>
      kept.update((tx) => {
        const before = tx.get(SWITCHES)
        if (!isSame(before, changes)) tx.set(SWITCHES, { ...before, ...changes })
        return this.#state(tx)
      }),
    )
  }

  /** What an administrator allows the player, who needn't be here; null takes it back. Fails as `PlayerStore.update` does. */
  allow(player: PlayerId, level: AiLevel | null): Promise<Result<AiState>> {
    return this.#change(player, 'admin', () =>
      this.#store.update(player, (tx) => {
        if (tx.get(PERMISSION).level !== level) tx.set(PERMISSION, { level })
        return this.#state(tx)
      }),
    )
  }

  /** Default or model may be others now: takes them over. */
  refresh(): void {
    const before = new Map([...this.#parts.online()].map((player) => [player, this.level(player)]))
    this.#world = this.#parts.worldDefault()
    for (const [player, level] of before) {
      if (this.level(player) !== level) this.#tell(player, 'admin', level)
    }
  }

  /**
   * Calls `end` whenever the player's rights may be others; it says whether that has ended the request it speaks for.
   * Returns what stops that.
   */
  watch(player: PlayerId, end: () => boolean): () => void {
    const watching = this.#requests.get(player) ?? new Set()
    this.#requests.set(player, watching.add(end))
    return () => {
      watching.delete(end)
      if (watching.size === 0 && this.#requests.get(player) === watching) this.#requests.delete(player)
    }
  }

  /** Calls `fn` after each change of a player who is here, of any setting; returns what stops that. */
  onChange(fn: (change: AiChange) => void): () => void {
    this.#listeners.add(fn)
    return () => void this.#listeners.delete(fn)
  }

  async #change(
    player: PlayerId,
    by: AiChange['by'],
    save: () => Promise<Result<AiState>>,
  ): Promise<Result<AiState>> {
    const before = this.level(player)
    const saved = await save()
    if (saved.ok && this.#store.online(player) !== null) this.#tell(player, by, before)
    return saved
  }

  #tell(player: PlayerId, by: AiChange['by'], before: AiLevel): void {
    // each is asked, also behind one that has ended
    const ended = [...(this.#requests.get(player) ?? [])].map((end) => end())
    const change = { player, by, before, after: this.level(player), hasEnded: ended.includes(true) }
    for (const fn of this.#listeners) fn(change)
  }

  #state(kept: Reading | null): AiState {
    const own = kept?.get(SWITCHES) ?? UNKNOWN
    const admin = kept?.get(PERMISSION).level ?? null
    return { admin, own, level: lowerLevel(admin ?? this.worldDefault, ceilingOf(own)) }
  }
}

/** The highest level that the switches leave. */
function ceilingOf({ externalAi, freeChat }: Switches): AiLevel {
  if (!externalAi) return 'off'
  return freeChat ? 'free' : 'route'
}

const levelOf = ({ configured, hasModel }: WorldDefault): AiLevel =>
  configured ?? (hasModel ? 'route' : 'off')
