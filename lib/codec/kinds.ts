import { z } from 'zod'
import { isIdentifier, type Identifier } from '../core/ids.js'

/** Ids of ours may be written without their namespace. */
const OWN = 'system:'

/** One kind of thing that packs name by `type`, with the members beside it. */
export interface Kind {
  readonly id: Identifier
  members(...inner: never[]): z.ZodRawShape
}

/** Whether the kind is ours, so that its answers need no look: nobody else may register one in that namespace. */
export const isOwnKind = ({ id }: Pick<Kind, 'id'>): boolean => id.startsWith(OWN)

/** How a file may write the id. */
const namesOf = (id: Identifier): string[] => (isOwnKind({ id }) ? [id, id.slice(OWN.length)] : [id])

/** The kinds that packs may name in one place: ours, and those of extensions. Filled at start-up, before a schema is asked for. */
export class Kinds<K extends Kind, T> {
  readonly #what: string
  readonly #schemaOf: (kinds: readonly K[]) => z.ZodType<T>
  #kinds: Map<string, K>
  #schema: z.ZodType<T> | null = null

  /** `what` names it in errors; `schemaOf` makes the schema of everything that packs may write in that place. */
  constructor(what: string, builtIn: readonly K[], schemaOf: (kinds: readonly K[]) => z.ZodType<T>) {
    this.#what = what
    this.#schemaOf = schemaOf
    this.#kinds = new Map(builtIn.map((kind) => [kind.id, kind]))
  }

  /** Throws a TypeError for a bad id, one that is taken, a function that is missing, or members that can't be described. */
  add(kind: K, functions: readonly (keyof K & string)[]): void {
    const name = `${this.#what} ${String(kind.id)}`
    if (!isIdentifier(kind.id)) throw new TypeError(`${name} has no id of the form namespace:path`)
    if (this.#kinds.has(kind.id)) throw new TypeError(`${name} is registered twice`)
    for (const needed of functions)
      if (typeof kind[needed] !== 'function') throw new TypeError(`${name} has no ${needed}`)
    const before = this.#kinds
    this.#kinds = new Map([...before, [kind.id, kind]])
    this.#schema = null
    try {
      // a member that JSON Schema can't express is found now
      z.toJSONSchema(this.schema(), { io: 'input' })
    } catch (cause) {
      this.#kinds = before
      this.#schema = null
      throw new TypeError(`${name} has members that can't be described`, { cause })
    }
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const kinds = this.#kinds
    return () => {
      this.#kinds = kinds
      this.#schema = null
    }
  }

  schema(): z.ZodType<T> {
    this.#schema ??= this.#schemaOf([...this.#kinds.values()])
    return this.#schema
  }

  /** By the word of a file; undefined: who registered it isn't there. */
  of(type: string): K | undefined {
    return this.#kinds.get(type.includes(':') ? type : OWN + type)
  }
}

/** The schema of one of these kinds. */
export function kindSchema<K extends Kind>(
  kinds: readonly K[],
  membersOf: (kind: K) => z.ZodRawShape = (kind) => kind.members(),
): z.ZodType<{ readonly type: string }> {
  const options = kinds.map((kind) =>
    z.strictObject({ ...membersOf(kind), type: z.literal(namesOf(kind.id)) }),
  )
  const [first, ...rest] = options
  if (first === undefined) throw new TypeError('no kinds')
  return z.discriminatedUnion('type', [first, ...rest])
}
