import { z } from 'zod'
import { isIdentifier, type Identifier } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { synchronous } from '../core/synchronous.js'
import { BUILT_IN_CONDITIONS } from './built-in.js'
import type { Condition, ConditionType, Situation } from './condition-type.js'

/** Ids of ours may be written without their namespace. */
const OWN = 'system:'

/** The kinds of conditions: ours, and those of extensions. Filled at start-up, before the schema is asked for. */
export class ConditionTypes {
  #types: Map<Identifier, ConditionType>
  readonly #logger: Logger
  #schema: z.ZodType<Condition> | null = null

  constructor(logger: Logger) {
    this.#logger = logger
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
    try {
      const held: unknown = synchronous(
        type.test(condition, situation, (inner) => this.test(inner, situation)),
      )
      return held === true
    } catch (cause) {
      this.#logger.error(`condition ${condition.type} failed and counts as not met`, cause)
      return false
    }
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
  return schema
}
