import type { Identifier, PlayerId } from '../../core/ids.js'
import type { LaneLimits } from '../lane.js'
import type { AgentResult } from '../module.js'
import type { EventRules } from './event-rules.js'

/** Where a task or a write step stands. */
export type StepPoint =
  /** The task is durable, and not begun. */
  | 'task.queued'
  /** It is durable that it runs. */
  | 'task.running'
  | 'step.committing'
  /** Change and receipt are durable. */
  | 'step.committed'
  /** The workflow has given its result. */
  | 'task.ending'
  /** The end is durable. */
  | 'task.ended'

/** What the event lane begins with. */
export interface EventSettings {
  readonly rules: EventRules
  /** Places in the lane, read at each use. */
  limits(): LaneLimits
  /** The result of a task that is DONE, for a player who is here: at most once, for it isn't kept. */
  onResult(player: PlayerId, result: AgentResult): void
  /** Called at each point; for programs that end the process there. */
  fault?(point: StepPoint): void
}

/** A task as plugins submit it. */
export interface EventSubmission {
  /** Of a player who is online. */
  readonly player: PlayerId
  /** A module whose selection is STRUCTURED_ONLY and that has no command. */
  readonly module: Identifier
  /** Undecoded. */
  readonly input: unknown
  /** What authorizes it: asked now, and again before each run. */
  readonly rule: Identifier
}

/** How many tasks stand where; `done`, `failed` and `refused` since the start. */
export interface EventState {
  /** Admitted, or to be resumed as soon as there is room. */
  readonly queued: number
  readonly running: number
  /** For their player to come back, or for the pause before a second run to end: those that this run has seen. */
  readonly waiting: number
  readonly done: number
  readonly failed: number
  readonly refused: number
}
