import { z } from 'zod'
import { Kinds, kindSchema } from '../codec/index.js'
import type { Reference } from '../registry/index.js'
import { BUILT_IN_COSTS } from './built-in.js'
import { isExternalType, type AnyCostType, type Cost, type ExternalCostType } from './cost-type.js'

/** Parts of one price. */
const MAX_COSTS = 16

/** The kinds of costs: ours, and those of extensions. Filled at start-up, before the schema is asked for. */
export class CostTypes {
  readonly #kinds = new Kinds<AnyCostType, readonly Cost[]>('cost', BUILT_IN_COSTS, costsSchema)

  /** Throws a TypeError for a bad id, one that is taken, or members that can't be described. */
  add(type: AnyCostType): void {
    if (isExternalType(type)) this.#kinds.add(type, ['prepare', 'charge', 'status'] as never[])
    else this.#kinds.add(type, ['price'] as never[])
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    return this.#kinds.mark()
  }

  /** A price: 1 to 16 costs, at most one of them outside. */
  schema(): z.ZodType<readonly Cost[]> {
    return this.#kinds.schema()
  }

  /** Undefined: its plugin isn't there. */
  of(cost: Cost): AnyCostType | undefined {
    return this.#kinds.of(cost.type)
  }

  external(id: string): ExternalCostType | undefined {
    const type = this.#kinds.of(id)
    return type !== undefined && isExternalType(type) ? type : undefined
  }

  /** What decoded costs name in packs. */
  *references(costs: readonly Cost[], pointer: readonly (string | number)[]): Iterable<Reference> {
    for (const [at, cost] of costs.entries()) {
      const type = this.of(cost)
      if (type === undefined || isExternalType(type)) continue
      for (const reference of type.references?.(cost) ?? [])
        yield { ...reference, pointer: [...pointer, at, ...reference.pointer] }
    }
  }
}

function costsSchema(types: readonly AnyCostType[]): z.ZodType<readonly Cost[]> {
  const outside = new Set<string>(types.filter(isExternalType).map(({ id }) => id))
  return z
    .array(kindSchema(types))
    .min(1)
    .max(MAX_COSTS)
    .refine((costs) => costs.filter(({ type }) => outside.has(type)).length <= 1, {
      message: 'more than one cost outside of the server',
    })
}
