import type { Clock } from '../core/clock.js'
import type { PlayerId } from '../core/ids.js'
import { silentLogger, type Logger } from '../core/logger.js'

/** What a player can do too often. */
export type LimitKind = 'text' | 'act' | 'completion' | 'click' | 'wrong-token' | 'payload' | 'length'

/** `ok`: do it. `notice`: refuse and say so. `silent`: refuse without a word. */
export type LimitVerdict = 'ok' | 'notice' | 'silent'

/** A token bucket: `burst` at once, then one more every `refillMs`. */
export interface LimitRule {
  readonly burst: number
  readonly refillMs: number
  /** Whether a refusal may be told to the player. */
  readonly isNoticed: boolean
}

/** A second's. */
const PAYLOAD_BYTES = 65_536

/**
 * Per player: one text per 2 s after five, ten buttons a second, twenty completions, forty clicks in windows, ten bad tokens
 * a minute, 64 KiB a second on plugin channels, and nothing that is too long.
 */
export const LIMIT_RULES: Readonly<Record<LimitKind, LimitRule>> = {
  text: { burst: 5, refillMs: 2_000, isNoticed: true },
  act: { burst: 10, refillMs: 100, isNoticed: true },
  completion: { burst: 20, refillMs: 50, isNoticed: false },
  click: { burst: 40, refillMs: 25, isNoticed: false },
  'wrong-token': { burst: 10, refillMs: 6_000, isNoticed: false },
  payload: { burst: PAYLOAD_BYTES, refillMs: 1_000 / PAYLOAD_BYTES, isNoticed: false },
  length: { burst: 0, refillMs: Infinity, isNoticed: true },
}

const NOTICE_EVERY_MS = 5_000
const LOG_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 60_000
const KINDS = Object.keys(LIMIT_RULES) as readonly LimitKind[]

interface Bucket {
  tokens: number
  /** Monotonic ms at which `tokens` was right. */
  at: number
}

interface Entry {
  readonly buckets: Map<LimitKind, Bucket>
  noticedAt: number
  loggedAt: number
  refused: number
}

/**
 * Token buckets per player. A notice is given at most once in 5 s and a log line at most once a minute, each for
 * a player's refusals of all kinds together. Entries of players at rest vanish by themselves.
 */
export class RateLimits {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #entries = new Map<PlayerId, Entry>()
  #sweptAt: number

  constructor(clock: Clock, logger: Logger = silentLogger) {
    this.#clock = clock
    this.#logger = logger
    this.#sweptAt = clock.monotonic()
  }

  /** Takes so many tokens of the player's bucket; a refusal takes nothing. */
  take(player: PlayerId, kind: LimitKind, cost = 1): LimitVerdict {
    const now = this.#clock.monotonic()
    this.#sweep(now)
    const entry = this.#entry(player)
    const rule = LIMIT_RULES[kind]
    const bucket = entry.buckets.get(kind) ?? { tokens: rule.burst, at: now }
    entry.buckets.set(kind, bucket)
    bucket.tokens = refilled(bucket, rule, now)
    bucket.at = now
    if (bucket.tokens >= cost) {
      bucket.tokens -= cost
      return 'ok'
    }
    return this.#refuse(entry, { player, kind, now })
  }

  /** Drops what is known of a player who left. */
  forget(player: PlayerId): void {
    this.#entries.delete(player)
  }

  /** How many players have an entry. */
  get size(): number {
    return this.#entries.size
  }

  #entry(player: PlayerId): Entry {
    let entry = this.#entries.get(player)
    if (entry === undefined) {
      entry = { buckets: new Map(), noticedAt: -Infinity, loggedAt: -Infinity, refused: 0 }
      this.#entries.set(player, entry)
    }
    return entry
  }

  #refuse(
    entry: Entry,
    { player, kind, now }: { player: PlayerId; kind: LimitKind; now: number },
  ): LimitVerdict {
    entry.refused += 1
    if (now - entry.loggedAt >= LOG_EVERY_MS) {
      this.#logger.warn(`limits: ${player} is over the limit for ${kind} (refused ${entry.refused})`)
      entry.loggedAt = now
      entry.refused = 0
    }
    if (!LIMIT_RULES[kind].isNoticed || now - entry.noticedAt < NOTICE_EVERY_MS) return 'silent'
    entry.noticedAt = now
    return 'notice'
  }

  /** An entry whose buckets are full and whose pauses are over says nothing that a new one would not say. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = now
    for (const [player, entry] of this.#entries) {
      const isResting = KINDS.every((kind) => {
        const bucket = entry.buckets.get(kind)
        return bucket === undefined || refilled(bucket, LIMIT_RULES[kind], now) >= LIMIT_RULES[kind].burst
      })
      if (isResting && now - entry.loggedAt >= LOG_EVERY_MS) this.#entries.delete(player)
    }
  }
}

const refilled = (bucket: Bucket, rule: LimitRule, now: number): number =>
  Math.min(rule.burst, bucket.tokens + (now - bucket.at) / rule.refillMs)
