import {
  isConclusion,
  type AgentMemory,
  type AgentResult,
  type EndedRequest,
  type KeptOutcome,
  type Turn,
} from '../agent/index.js'
import { CardFact, type CardTypes } from '../cards/index.js'
import type { Clock } from '../core/clock.js'
import { clipCodePoints } from '../core/code-points.js'
import { isAuthorization, type Failure } from '../core/failure.js'
import type { PlayerId, RequestId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import type { Result } from '../core/result.js'
import {
  appendRound,
  findReplay,
  forgetChat,
  recordReplay,
  recordRequest,
  REQUESTS,
  type ChatEntry,
  type PlayerStore,
  type PlayerView,
  type StoreLimits,
  type Transaction,
} from '../storage/index.js'
import { failureMessage, type Message } from '../text/index.js'
import { PINS } from './pins.js'
import { decodeReplay, encodeReplay, REPLAYS } from './replay-text.js'
import { conversationAt, ROUNDS, TEXT_LIMIT, turnsAt, type Round } from './rounds.js'

/** What memory works with. */
export interface PlayerMemoryParts {
  readonly store: Pick<PlayerStore, 'online' | 'read'>
  readonly cardTypes: Pick<CardTypes, 'memoryFact' | 'view'>
  readonly limits: () => StoreLimits
  /** A sentence in a language. */
  readonly text: (message: Message, language: string) => string
  /** Whether anything a player says is kept, and may be told to a model again; by default it is. */
  readonly keepsHistory?: (player: PlayerId) => boolean
  readonly clock: Clock
  readonly logger: Logger
}

/** How much is forgotten. `all`: pins, and what listeners hold besides conversations, such as private notes. */
export interface Forgetting {
  readonly all: boolean
}

/** Clears what it holds of a player's conversations in memory. */
export type ForgetListener = (player: PlayerId, what: Forgetting) => void

type Entry = ChatEntry<Round>

/** What is remembered of players: rounds of their conversations, and how requests ended that may be asked again. */
export class PlayerMemory implements AgentMemory {
  readonly #parts: PlayerMemoryParts
  /** Of players who have forgotten since they came. */
  readonly #generations = new Map<PlayerId, number>()
  /** Players whose forgetting is not durable yet, with its generation: what is kept of them is to be seen no more. */
  readonly #forgetting = new Map<PlayerId, number>()
  /** Rounds that are being saved: the next request knows them already. */
  readonly #saving = new Map<PlayerId, readonly Entry[]>()
  readonly #listeners: ForgetListener[] = []
  #forgotten = 0

  constructor(parts: PlayerMemoryParts) {
    this.#parts = parts
  }

  /** Calls the listener whenever a player forgets, after the memory generation has moved. */
  onForget(listener: ForgetListener): void {
    this.#listeners.push(listener)
  }

  generation(player: PlayerId): number {
    return this.#generations.get(player) ?? 0
  }

  conversation(player: PlayerId): readonly Turn[] {
    return turnsAt(this.rounds(player), this.#parts.clock.now())
  }

  /** All rounds that are kept, oldest first; empty while the player keeps no history, or nothing can be read. */
  rounds(player: PlayerId): readonly Entry[] {
    if (!this.keepsHistory(player)) return []
    const saved = this.#forgetting.has(player) ? null : this.#read(player, (view) => view.entries(ROUNDS))
    return [...(saved ?? []), ...(this.#saving.get(player) ?? [])]
  }

  find(player: PlayerId, id: RequestId): KeptOutcome | null {
    return this.#read(player, (view) => {
      const receipt = view.row(REQUESTS, id)
      if (receipt === undefined) return null
      const text = this.#forgetting.has(player) ? undefined : findReplay(view, REPLAYS, id)
      return { ...receipt, replay: text === undefined ? null : decodeReplay(text) }
    })
  }

  /** Never rejects: what can't be kept is named in the log, and the answer stands. */
  async keep(ended: EndedRequest): Promise<void> {
    const { request, result } = ended
    if (!isConclusion(result)) return
    try {
      const round = this.#roundOf(ended)
      const view =
        round === null && ended.fingerprint === null ? null : this.#parts.store.online(request.player)
      if (view !== null) await this.#save(view, ended, round)
    } catch (thrown) {
      this.#parts.logger.error(`what became of request ${request.id} is not kept`, thrown)
    }
  }

  async #save(view: PlayerView, ended: EndedRequest, round: Round | null): Promise<void> {
    const { id, player, memoryGeneration } = ended.request
    const at = this.#parts.clock.now()
    const entry = round === null ? null : this.#begin(player, { at, round })
    const replay = this.#replayOf(ended)
    try {
      const saved = await view.update((tx) => {
        recordReceipt(tx, ended, at)
        // forgotten while it waited for its turn
        if (this.generation(player) !== memoryGeneration) return
        if (replay !== null) recordReplay(tx, REPLAYS, { request: id, result: replay, at })
        if (entry !== null) appendRound(tx, ROUNDS, { entry, limits: this.#parts.limits() })
      })
      if (!saved.ok) this.#notKept(id, saved.failure)
    } finally {
      if (entry !== null) this.#end(player, entry)
    }
  }

  /** A player who keeps no history keeps no texts for replay either: the receipt alone says that it was done. */
  #replayOf({ request, result, fingerprint }: EndedRequest): string | null {
    if (fingerprint === null || !this.keepsHistory(request.player)) return null
    return encodeReplay({ source: request.source, module: request.module, result })
  }

  /**
   * Forgets conversations and results for replay. From the first step on what runs for the player's conversation is over
   * and keeps nothing, and nothing of before can be read. Receipts stay: forgetting lets nothing be done twice. Fails as
   * `PlayerView.update` does: what is still kept can be read again then.
   */
  async forget(player: PlayerId, what: Forgetting): Promise<Result<void>> {
    const generation = ++this.#forgotten
    this.#dropGenerations()
    this.#generations.set(player, generation)
    this.#forgetting.set(player, generation)
    this.#saving.delete(player)
    for (const listener of this.#listeners) this.#tell(listener, player, what)
    try {
      return await this.#delete(player, what)
    } finally {
      // the last of several: the earlier ones are over before it
      if (this.#forgetting.get(player) === generation) this.#forgetting.delete(player)
    }
  }

  async #delete(player: PlayerId, what: Forgetting): Promise<Result<void>> {
    const view = await this.#parts.store.read(player)
    if (!view.ok) return view
    return view.value.update((tx) => {
      forgetChat(tx)
      if (what.all) for (const id of tx.rows(PINS).keys()) tx.remove(PINS, id)
    })
  }

  /** Of who has left, no request runs that could have begun before a forget, and no save waits that could come after one. */
  #dropGenerations(): void {
    for (const player of this.#generations.keys()) {
      const isHere = this.#parts.store.online(player) !== null
      if (!isHere && !this.#saving.has(player) && !this.#forgetting.has(player))
        this.#generations.delete(player)
    }
  }

  #tell(listener: ForgetListener, player: PlayerId, what: Forgetting): void {
    try {
      listener(player, what)
    } catch (thrown) {
      this.#parts.logger.error('a listener did not forget a player', thrown)
    }
  }

  /** Null: nothing of it is to be remembered. */
  #roundOf({ request, asked, result }: EndedRequest): Round | null {
    const { player, memoryGeneration } = request
    if (memoryGeneration === null || memoryGeneration !== this.generation(player)) return null
    if (result.silent === true || !this.keepsHistory(player)) return null
    const text = (message: Message): string => this.#parts.text(message, request.session.language)
    const answered = answeredOf(result, text)
    const facts = CardFact.of(this.#parts.cardTypes, result.cards)
    if (answered === '' && facts.length === 0) return null
    const titles = CardFact.titles(this.#parts.cardTypes, result.cards, text)
    return { asked, answered, facts: [...facts], titles: [...titles] }
  }

  #begin(player: PlayerId, { at, round }: { readonly at: number; readonly round: Round }): Entry {
    const entry: Entry = { conversation: conversationAt(this.rounds(player), at), at, body: round }
    this.#saving.set(player, [...(this.#saving.get(player) ?? []), entry])
    return entry
  }

  #end(player: PlayerId, entry: Entry): void {
    const left = this.#saving.get(player)?.filter((other) => other !== entry) ?? []
    if (left.length === 0) this.#saving.delete(player)
    else this.#saving.set(player, left)
  }

  /** False: the player has switched the history off, whatever was kept before. */
  keepsHistory(player: PlayerId): boolean {
    return this.#parts.keepsHistory?.(player) ?? true
  }

  /** Null while nothing can be read. */
  #read<T>(player: PlayerId, read: (view: PlayerView) => T): T | null {
    try {
      const view = this.#parts.store.online(player)
      return view === null ? null : read(view)
    } catch {
      // the stay ended, or what is committed isn't known: the store has said so
      return null
    }
  }

  /** Who left or lost the System has nothing that could be kept. */
  #notKept(id: RequestId, { code, cause }: Failure): void {
    if (!isAuthorization(code))
      this.#parts.logger.error(`what became of request ${id} is not kept: ${code}`, cause)
  }
}

function recordReceipt(tx: Transaction, { request, result, fingerprint }: EndedRequest, at: number): void {
  if (fingerprint === null) return
  recordRequest(tx, request.id, { fingerprint, at, outcome: result.failure?.code ?? 'ok' })
}

function answeredOf({ message, failure }: AgentResult, text: (message: Message) => string): string {
  const said = [
    ...(failure === undefined ? [] : [failureMessage(failure)]),
    ...(message === null ? [] : [message]),
  ]
  return clipCodePoints(said.map(text).join('\n'), TEXT_LIMIT)
}
