import type { Clock } from '../core/clock.js'
import { failure, type Failure } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import type { Result } from '../core/result.js'
import type { GameScheduler, GameWork } from '../host/index.js'
import type { Sessions } from './sessions.js'

/** Game access per tick: at most this many items … */
export const ITEMS_PER_TICK = 16
/** … and this much time. A single item cannot be interrupted, so one slow item can exceed it alone. */
export const BUDGET_MS_PER_TICK = 2

interface Item {
  readonly work: GameWork<unknown>
  readonly generation: number
  readonly settle: (outcome: Result<unknown>) => void
  readonly reject: (thrown: unknown) => void
}

/** What the queue did since it was made. */
export interface TickQueueState {
  readonly waiting: number
  readonly ranOnArrival: number
  readonly ranInTick: number
  readonly slow: number
}

/**
 * Game access asked for by asynchronous code, run on the main thread within a budget that each tick refills.
 * While budget is left an item runs on arrival (a hop of microseconds instead of 50 ms); otherwise it waits for the
 * next tick, players taken in turn, so that one player's calls never stand before everybody else's.
 */
export class TickQueue implements GameScheduler {
  readonly #sessions: Sessions
  readonly #clock: Clock
  readonly #logger: Logger
  /** Waiting items by player; the map's order is the order of turns. */
  readonly #waiting = new Map<PlayerId, Item[]>()
  #itemsLeft = ITEMS_PER_TICK
  #msLeft = BUDGET_MS_PER_TICK
  #isRunning = false
  #closed: Failure | null = null
  #counts = { waiting: 0, ranOnArrival: 0, ranInTick: 0, slow: 0 }

  constructor(parts: { sessions: Sessions; clock: Clock; logger: Logger }) {
    this.#sessions = parts.sessions
    this.#clock = parts.clock
    this.#logger = parts.logger
    parts.sessions.onEnd((player) => this.drop(player))
  }

  schedule<T>(work: GameWork<T>): Promise<Result<T>> {
    return new Promise((resolve, reject) => {
      const generation = this.#sessions.get(work.player)?.generation ?? -1
      const item: Item = { work, generation, settle: resolve as Item['settle'], reject }
      if (this.#closed !== null) return item.settle({ ok: false, failure: this.#closed })
      // work that schedules work doesn't run it inside itself: the time of both would be counted twice
      if (this.#counts.waiting === 0 && this.#hasBudget() && !this.#isRunning) {
        this.#run(item)
        this.#counts.ranOnArrival += 1 + this.#serve()
        return
      }
      const line = this.#waiting.get(work.player)
      if (line === undefined) this.#waiting.set(work.player, [item])
      else line.push(item)
      this.#counts.waiting++
    })
  }

  /** Refills the budget and serves those who wait. Called once per tick of the server. */
  tick(): void {
    this.#itemsLeft = ITEMS_PER_TICK
    this.#msLeft = BUDGET_MS_PER_TICK
    this.#counts.ranInTick += this.#serve()
  }

  /** Ends what the player has waiting, at once: so it goes when the player's generation moved. */
  drop(player: PlayerId): void {
    const line = this.#waiting.get(player)
    if (line === undefined) return
    this.#waiting.delete(player)
    this.#counts.waiting -= line.length
    for (const item of line) {
      const reason = this.#sessions.check(player, item.generation) ?? failure('system:cancelled')
      item.settle({ ok: false, failure: reason })
    }
  }

  /** Refuses everything from now on, waiting items too. */
  close(): void {
    this.#closed = failure('system:stopping')
    for (const line of this.#waiting.values()) {
      for (const item of line) item.settle({ ok: false, failure: this.#closed })
    }
    this.#waiting.clear()
    this.#counts.waiting = 0
  }

  state(): TickQueueState {
    return { ...this.#counts }
  }

  #hasBudget(): boolean {
    return this.#itemsLeft > 0 && this.#msLeft > 0
  }

  /** Runs waiting items while budget is left; returns how many. */
  #serve(): number {
    let served = 0
    while (this.#counts.waiting > 0 && this.#hasBudget()) {
      const next = this.#takeTurn()
      if (next === undefined) break
      served++
      this.#run(next)
    }
    return served
  }

  /** The first item of the player whose turn it is; that player then goes to the end of the line. */
  #takeTurn(): Item | undefined {
    const first = this.#waiting.entries().next()
    if (first.done === true) return undefined
    const [player, line] = first.value
    const item = line.shift()
    this.#waiting.delete(player)
    if (line.length > 0) this.#waiting.set(player, line)
    this.#counts.waiting--
    return item
  }

  #run(item: Item): void {
    const gone = this.#sessions.check(item.work.player, item.generation)
    if (gone !== null) return item.settle({ ok: false, failure: gone })
    this.#itemsLeft--
    this.#isRunning = true
    const start = this.#clock.monotonic()
    try {
      item.settle({ ok: true, value: item.work.run() })
    } catch (thrown) {
      item.reject(thrown)
    }
    this.#isRunning = false
    const took = this.#clock.monotonic() - start
    this.#msLeft -= took
    if (took > BUDGET_MS_PER_TICK) {
      this.#counts.slow++
      this.#logger.warn(
        `${item.work.label} took ${took.toFixed(1)} ms of a tick (budget ${BUDGET_MS_PER_TICK} ms)`,
      )
    }
  }
}
