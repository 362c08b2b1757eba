import type { Identifier, PlayerId } from '../core/ids.js'
import type { Result } from '../core/result.js'

/** A stack as facts: vanilla id, the English name, the count. */
export interface HeldItem {
  readonly id: Identifier
  readonly name: string
  readonly count: number
}

/** What one player's own state is right now; read on the game thread inside the tick budget. */
export interface PlayerFacts {
  readonly name: string
  /** Block coordinates with fractions. */
  readonly position: { readonly x: number; readonly y: number; readonly z: number }
  readonly dimension: Identifier
  /** Half hearts, 0..20. */
  readonly health: number
  /** Half drumsticks, 0..20. */
  readonly food: number
  /** Experience level. */
  readonly level: number
  readonly gameMode: 'survival' | 'creative' | 'adventure' | 'spectator'
  readonly held: HeldItem | null
  /** Stacks of main inventory, hotbar and off hand, equal ids added up, most first. */
  readonly inventory: readonly HeldItem[]
}

/** One piece of game access that asynchronous code asked for. */
export interface GameWork<T> {
  /** Whose turn it uses; players are served in turn. */
  readonly player: PlayerId
  /** Named in the log when the work alone exceeds the budget of a tick. */
  readonly label: string
  run(): T
}

/** Runs game access on the game thread within the budget of each tick: see lib/agent/tick-queue.ts. */
export interface GameScheduler {
  /**
   * Runs the work on arrival while this tick has budget left, else in a later tick.
   * Resolves with `system:disconnected` / `system:revoked` when the player's generation moved before it ran.
   * What `run` throws rejects.
   */
  schedule<T>(work: GameWork<T>): Promise<Result<T>>
}

/** Tells one life of a player from the next. */
export interface PlayerLives {
  /** Another number after each death, respawn and change of world within a stay. */
  lifeOf(player: PlayerId): number
}

/** The game server as the runtime sees it. Every member runs on the main thread and returns at once. */
export interface Host {
  /** The Minecraft version, such as `1.21.4`. */
  readonly version: string
  /** Facts of an online player; undefined when not online. */
  facts(player: PlayerId): PlayerFacts | undefined
  /** Ticks of the day, 0 to 23,999; 0 is the morning. */
  dayTime(): number
}
