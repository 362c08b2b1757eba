import { z } from 'zod'
import { isIdentifier, type Identifier } from '../core/ids.js'
import { systemClock, type Clock } from '../core/clock.js'
import type { Logger } from '../core/logger.js'
import { synchronous } from '../core/synchronous.js'
import { BUILT_IN_CONDITIONS } from './built-in.js'
import type { Condition, ConditionType, Situation } from './condition-type.js'

/** A condition with all inside it: they are judged at doors, on the server's thread. */
const MAX_CONDITIONS = 256
/** A kind that takes longer is named in the log. */
const SLOW_MS = 5
/** Ids of ours may be written without their namespace. */
const OWN = 'system:'

/** The kinds of conditions: ours, and those of extensions. Filled at start-up, before the schema is asked for. */
export class ConditionTypes {
  #types: Map<Identifier, ConditionType>
  readonly #logger: Logger
  readonly #clock: Clock
  /** Kinds that the log has named. */
  readonly #told = new Set<string>()
  #schema: z.ZodType<Condition> | null = null

  constructor(logger: Logger, clock: Clock = systemClock) {
    this.#logger = logger
    this.#clock = clock
    this.#types = new Map(BUILT_IN_CONDITIONS.map((type) => [type.id, type]))
  }

  /** Throws a TypeError for a bad id or one that is taken. */
  add(type: ConditionType): void {
    if (!isIdentifier(type.id))
      throw new TypeError(`condition ${String(type.id)} has no id of the form namespace:path`)
    if (this.#types.has(type.id)) throw new TypeError(`condition ${type.id} is registered twice`)
    if (typeof type.test !== 'function') throw new TypeError(`condition ${type.id} has no test`)
    const before = this.#types
    this.#types = new Map([...before, [type.id, type]])
    this.#schema = null
    try {
      // a member that JSON Schema can't express is found now
      z.toJSONSchema(this.schema(), { io: 'input' })
    } catch (cause) {
      this.#types = before
      this.#schema = null
      throw new TypeError(`condition ${type.id} has members that can't be described`, { cause })
    }
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const types = this.#types
    return () => {
      this.#types = types
      this.#schema = null
    }
  }

  /** The schema of a condition of any type. */
  schema(): z.ZodType<Condition> {
    this.#schema ??= conditionSchema([...this.#types.values()])
    return this.#schema
  }

  /** Whether a decoded condition holds. */
  test(condition: Condition, situation: Situation): boolean {
    const type = this.#types.get(fullId(condition.type))
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

const fullId = (type: string): Identifier => (type.includes(':') ? type : OWN + type) as Identifier

function conditionSchema(types: readonly ConditionType[]): z.ZodType<Condition> {
  const names = (id: Identifier): string[] => (id.startsWith(OWN) ? [id, id.slice(OWN.length)] : [id])
  const inner: z.ZodType<Condition> = z.lazy(() => schema)
  const options = types.map((type) =>
    z.strictObject({ ...type.members(inner), type: z.literal(names(type.id)) }),
  )
  const [first, ...rest] = options
  if (first === undefined) throw new TypeError('no kind of condition')
  const schema = z.discriminatedUnion('type', [first, ...rest])
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
