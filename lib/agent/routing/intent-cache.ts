import { LRUCache } from 'lru-cache'
import type { Clock } from '../../core/clock.js'
import type { Identifier, PlayerId } from '../../core/ids.js'
import { canonicalJson, isJsonObject } from '../../core/json.js'
import { foldText } from '../../lexical/index.js'
import type { LiveRequest } from '../live-request.js'
import type { Sentence } from '../module.js'
import { complexPhrasing } from './complex-phrasing.js'
import type { RoutingSettings } from './settings.js'

export interface IntentCacheParts {
  readonly clock: Clock
  readonly settings: () => Pick<RoutingSettings, 'cacheSize' | 'cacheMinutes'>
  /** What is in a sentence for an extractor; null when it can be read in more than one way. */
  sentence(text: string, language: string): Sentence | null
}

/** The modules of one player's sentences. */
type Intents = LRUCache<string, Identifier>

/**
 * Remembers, for each player, which module a model chose for a sentence; nothing else, so that arguments are extracted and
 * data is looked up anew. `clear` throws away what requests under way began with, so an old one fills nothing again.
 */
export class IntentCache {
  readonly #parts: IntentCacheParts
  readonly #players = new Map<PlayerId, Intents>()
  readonly #begun = new WeakMap<LiveRequest, Intents>()

  constructor(parts: IntentCacheParts) {
    this.#parts = parts
  }

  /** Called when a request begins to look for its module: what it learns belongs to this moment. */
  begin(request: LiveRequest): void {
    const { cacheSize, cacheMinutes } = this.#parts.settings()
    if (cacheSize < 1) return
    const { clock } = this.#parts
    const intents =
      this.#players.get(request.player) ??
      new LRUCache<string, Identifier>({
        max: cacheSize,
        ttl: cacheMinutes * 60_000,
        ttlResolution: 0,
        // to it an entry of time 0 has no time
        perf: { now: () => clock.monotonic() + 1 },
      })
    this.#players.set(request.player, intents)
    this.#begun.set(request, intents)
  }

  /** The module that a model chose for this very sentence, and what is in the sentence now; null in any doubt. */
  find(request: LiveRequest, text: string): { moduleId: string; sentence: Sentence } | null {
    const moduleId = this.#begun.get(request)?.get(keyOf(text, request.session.language))
    const sentence = moduleId === undefined ? null : this.sentence(request, text)
    return moduleId === undefined || sentence === null ? null : { moduleId, sentence }
  }

  /** What is in the sentence for an extractor; null when it can be read in more than one way. */
  sentence({ session }: LiveRequest, text: string): Sentence | null {
    return this.#parts.sentence(text, session.language)
  }

  /** Remembers the module of a sentence that says the same whenever it is said, unless it was forgotten meanwhile. */
  remember(request: LiveRequest, text: string, moduleId: Identifier): void {
    if (complexPhrasing(foldText(text)) !== null) return
    this.#begun.get(request)?.set(keyOf(text, request.session.language), moduleId)
  }

  /** Forgets what is known of one player, or of all. */
  clear(player?: PlayerId): void {
    if (player === undefined) this.#players.clear()
    else this.#players.delete(player)
  }
}

/** Names of items depend on the language, and with them what a sentence asks for. */
const keyOf = (text: string, language: string): string =>
  `${language} ${foldText(text).trim().replace(/\s+/g, ' ')}`

/**
 * Whether an extractor made the same of a sentence as the model: all fields equal, but for words where the sentence names
 * an item, which has an id and several names.
 */
export function isSameInput(extracted: unknown, chosen: unknown, { item }: Sentence): boolean {
  if (!isJsonObject(extracted) || !isJsonObject(chosen))
    return canonicalText(extracted) === canonicalText(chosen)
  const names = new Set([...Object.keys(extracted), ...Object.keys(chosen)])
  return [...names].every((name) => {
    const [one, other] = [extracted[name], chosen[name]]
    const areWords = typeof one === 'string' && typeof other === 'string'
    return (areWords && item !== null) || canonicalText(one) === canonicalText(other)
  })
}

const canonicalText = (value: unknown): string => canonicalJson(value ?? null)
