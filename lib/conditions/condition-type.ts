import type { z } from 'zod'
import type { Identifier, PlayerId } from '../core/ids.js'
import type { PlayerFacts } from '../host/index.js'

/** What conditions are judged by: one player at one moment, read once. */
export interface Situation {
  readonly player: PlayerId
  /** The player's System, or null. */
  readonly system: Identifier | null
  /** 0 for players, 4 for administrators of the System. */
  readonly permissionLevel: number
  /** The player's state in the game; undefined while the player isn't in the world. */
  readonly facts: PlayerFacts | undefined
  /** Ticks of the day, 0 to 23,999; 0 is the morning. */
  readonly dayTime: number
  /** The items of a tag, by its id without `#`; undefined when no pack has it. */
  itemTag(id: Identifier): ReadonlySet<Identifier> | undefined
}

/** A condition as a pack names it: its type and that type's members. */
export interface Condition {
  readonly type: string
}

/**
 * A kind of condition. `test` is synchronous, reads nothing but what it is given, and takes microseconds: it runs at each
 * door. What throws is false, and logged.
 */
export interface ConditionType<C extends Condition = Condition> {
  readonly id: Identifier
  /** Members beside `type`; `inner` is the schema of any condition. */
  members(inner: z.ZodType<Condition>): z.ZodRawShape
  test(condition: C, situation: Situation, test: (inner: Condition) => boolean): boolean
}
