import { z } from 'zod'
import { Kinds, kindSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import { systemClock, type Clock } from '../core/clock.js'
import type { Logger } from '../core/logger.js'
import { synchronous } from '../core/synchronous.js'
import { BUILT_IN_CONDITIONS } from './built-in.js'
import type { Condition, ConditionType, Situation } from './condition-type.js'

/** A condition with all inside it: they are judged at doors, on the server's thread. */
const MAX_CONDITIONS = 256
/** A kind that takes longer is named in the log. */
const SLOW_MS = 5

/** The kinds of conditions: ours, and those of extensions. Filled at start-up, before the schema is asked for. */
export class ConditionTypes {
  readonly #kinds = new Kinds('condition', BUILT_IN_CONDITIONS, conditionSchema)
  readonly #logger: Logger
  readonly #clock: Clock
  /** Kinds that the log has named. */
  readonly #told = new Set<string>()

  constructor(logger: Logger, clock: Clock = systemClock) {
    this.#logger = logger
    this.#clock = clock
  }

  /** Throws a TypeError for a bad id or one that is taken. */
  add(type: ConditionType): void {
    this.#kinds.add(type, ['test'])
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    return this.#kinds.mark()
  }

  /** The schema of a condition of any type. */
  schema(): z.ZodType<Condition> {
    return this.#kinds.schema()
  }

  /** Whether a decoded condition holds. */
  test(condition: Condition, situation: Situation): boolean {
    const type = this.#kinds.of(condition.type)
    if (type === undefined) return false
    const begun = this.#clock.monotonic()
    try {
      const held: unknown = synchronous(
        type.test(condition, situation, (inner) => this.test(inner, situation)),
      )
      const tookMs = this.#clock.monotonic() - begun
      if (tookMs > SLOW_MS) this.#tell(type.id, `took ${tookMs.toFixed(1)} ms of the server's thread`)
      return held === true
    } catch (cause) {
      this.#tell(type.id, 'failed and counts as not met', cause)
      return false
    }
  }

  /** Once a kind: conditions are judged each second for each player. */
  #tell(id: Identifier, what: string, cause?: unknown): void {
    const line = `condition ${id} ${what}`
    const key = `${id} ${cause === undefined ? 'slow' : 'failed'}`
    if (this.#told.has(key)) return
    this.#told.add(key)
    if (cause === undefined) this.#logger.warn(line)
    else this.#logger.error(line, cause)
  }
}

function conditionSchema(types: readonly ConditionType[]): z.ZodType<Condition> {
  const inner: z.ZodType<Condition> = z.lazy(() => schema)
  const schema = kindSchema(types, (type) => type.members(inner))
  return schema.refine((condition) => countOf(condition) <= MAX_CONDITIONS, {
    message: `more than ${MAX_CONDITIONS} conditions inside each other`,
  })
}

/** The condition and all inside it, whatever its members are. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = !Array.isArray(value) && 'type' in value ? 1 : 0
  return Object.values(value).reduce<number>((sum, member) => sum + countOf(member), own)
}
