import { higherLevel, type AiLevel } from '../core/ai-level.js'
import type { CancelTimer, Clock } from '../core/clock.js'
import { failure, FailureError, type Failure } from '../core/failure.js'
import type { PlayerId, RequestId } from '../core/ids.js'
import type { CardRef } from '../cards/index.js'
import type { Message } from '../text/index.js'
import type { Kernel, RequestSettings } from './kernel.js'
import type { Session, Sessions } from './sessions.js'

/** How a request found its module. */
export type RouteSource = 'structured' | 'command' | 'local' | 'cache' | 'model' | 'event'

/**
 * What a request is for: a player who waits for it; a task that is kept until it is over; or reading in the background, in
 * no conversation and without an answer of its own.
 */
export type RequestKind = 'interactive' | 'event' | 'background'

/** How a request begins that isn't a player's new one. */
export interface RequestStart {
  readonly kind: RequestKind
  /** Monotonic milliseconds, where it isn't now: the original deadline of a task counts from there. */
  readonly acceptedAt?: number
}

type LiveParts = Pick<Kernel, 'sessions' | 'clock' | 'settings' | 'memory' | 'ai'> & {
  readonly start?: RequestStart
}

/** One request from its acceptance to its one outcome. Owned by the engine; it ends once, for one reason. */
export class LiveRequest {
  readonly id: RequestId
  readonly session: Session
  readonly kind: RequestKind
  readonly settings: RequestSettings
  /** Monotonic milliseconds; deadlines count from here. */
  readonly acceptedAt: number
  /** Epoch milliseconds, for what is shown or told to a model. */
  readonly acceptedTime: number
  /** Resolves when the request was ended from outside: cancelled, logged out, revoked, out of time, stopped. */
  readonly whenEnded: Promise<Failure>
  source: RouteSource | null = null
  /** The card whose button asked, with the revision reserved for its replacement. */
  card: CardRef | null = null
  module: string | null = null
  /** The player's memory that it belongs to: what is forgotten ends it; null: it has no part in a conversation. */
  memoryGeneration: number | null = null
  modelCalls = 0
  /** A write step of it was committed, or is being committed. */
  hasReceipts = false
  /** Makes durable what was spent, before a call that costs money goes out; null: done, or not needed. */
  keepSpent: (() => Promise<Failure | null>) | null = null
  /** What its module, or routing, needs of a model: it ends when the player may not have that any more. */
  needs: AiLevel = 'off'
  /** Where it stands, for the action bar. */
  onProgress: (message: Message) => void = () => {}
  readonly #sessions: Sessions
  readonly #memory: Kernel['memory']
  readonly #clock: Clock
  readonly #ai: Kernel['ai']
  readonly #unwatch: () => void
  readonly #controller = new AbortController()
  /** Its calls of a model that run now. */
  readonly #asking = new Set<{ readonly level: AiLevel }>()
  #ended: Failure | null = null
  #isFinished = false
  #tookMs = 0
  #deadline: CancelTimer = () => {}
  #resolveEnded: (reason: Failure) => void = () => {}

  constructor(id: RequestId, session: Session, parts: LiveParts) {
    this.id = id
    this.session = session
    this.kind = parts.start?.kind ?? 'interactive'
    this.settings = parts.settings()
    this.#sessions = parts.sessions
    this.#memory = parts.memory
    this.#clock = parts.clock
    this.#ai = parts.ai
    this.#unwatch = parts.ai.watch(session.player, () => this.#checkAi())
    this.acceptedAt = parts.start?.acceptedAt ?? parts.clock.monotonic()
    this.acceptedTime = parts.clock.now()
    this.whenEnded = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
  }

  get player(): PlayerId {
    return this.session.player
  }

  /** Aborted at the end of the request. Stays on the main thread: never given to a pool. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds from acceptance to its end; 0 before. */
  get tookMs(): number {
    return this.#tookMs
  }

  get ended(): Failure | null {
    return this.#ended
  }

  /** Moves the deadline to `ttlMillis` after acceptance. */
  armDeadline(ttlMillis: number): void {
    if (this.#isFinished) return
    this.#deadline()
    const left = this.acceptedAt + ttlMillis - this.#clock.monotonic()
    this.#deadline = this.#clock.after(left, () => this.end(failure('system:deadline')))
  }

  /** Ends it from outside; only the first reason counts, and none once the outcome is known. */
  end(reason: Failure): void {
    if (this.#isFinished) return
    this.#ended = reason
    this.finish()
    this.#resolveEnded(reason)
  }

  /** Its outcome is known: no deadline any more, and what its workflow has left running ends. */
  finish(): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#tookMs = this.#clock.monotonic() - this.acceptedAt
    this.#deadline()
    this.#unwatch()
    this.#controller.abort()
  }

  /** Why it may not go on, or null. */
  stopReason(): Failure | null {
    if (this.#ended !== null) return this.#ended
    if (this.#isFinished) return failure('system:cancelled')
    return (
      this.#sessions.check(this.player, this.session.generation) ??
      this.#forgotten() ??
      this.#ai.check(this.player, this.#needed())
    )
  }

  #forgotten(): Failure | null {
    if (this.memoryGeneration === null) return null
    return this.#memory.generation(this.player) === this.memoryGeneration ? null : failure('system:forgotten')
  }

  /** While `ask` asks a model it needs the right to that, and ends when the right is taken away. */
  async needing<T>(level: AiLevel, ask: () => Promise<T>): Promise<T> {
    const asking = { level }
    this.#asking.add(asking)
    try {
      return await ask()
    } finally {
      this.#asking.delete(asking)
    }
  }

  #needed(): AiLevel {
    return [...this.#asking].reduce((highest, { level }) => higherLevel(highest, level), this.needs)
  }

  /** Ends it when the player may not have any more what it needs; says whether that has ended it. */
  #checkAi(): boolean {
    const denied = this.#ai.check(this.player, this.#needed())
    if (denied === null || this.#isFinished) return false
    this.end(denied)
    return true
  }

  /** Throws the reason why it may not go on. */
  check(): void {
    const reason = this.stopReason()
    if (reason !== null) throw new FailureError(reason)
  }
}
