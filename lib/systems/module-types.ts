import { z } from 'zod'
import { isIdentifier, type Identifier } from '../core/ids.js'
import type { ModuleType } from './module-type.js'

/** Members that every configuration has. */
const RESERVED = new Set(['type', 'condition', 'client', 'server'])

/** The kinds of module configurations. Filled at start-up. */
export class ModuleTypes {
  #types = new Map<Identifier, ModuleType>()

  /** Throws a TypeError for what can't be one. */
  add(type: ModuleType): void {
    const { id, parameters = {}, modules } = type
    if (!isIdentifier(id))
      throw new TypeError(`module type ${String(id)} has no id of the form namespace:path`)
    if (this.#types.has(id)) throw new TypeError(`module type ${id} is registered twice`)
    if (!Array.isArray(modules) || !modules.every(isIdentifier))
      throw new TypeError(`module type ${id} names workflows that are no ids`)
    const reserved = Object.keys(parameters).find((name) => RESERVED.has(name))
    if (reserved !== undefined) throw new TypeError(`module type ${id}: the parameter ${reserved} is taken`)
    try {
      // one that JSON Schema can't express is found now
      z.toJSONSchema(z.strictObject({ ...parameters }), { io: 'input' })
    } catch (cause) {
      throw new TypeError(`module type ${id} has parameters that can't be described`, { cause })
    }
    this.#types.set(id, type)
  }

  /** Remembers what is registered now; the returned function takes out everything that came later. */
  mark(): () => void {
    const types = new Map(this.#types)
    return () => {
      this.#types = types
    }
  }

  get(id: string): ModuleType | undefined {
    return this.#types.get(id as Identifier)
  }

  all(): readonly ModuleType[] {
    return [...this.#types.values()]
  }

  /** The types that open the workflow; none: it needs no configuration. */
  opening(module: string): readonly ModuleType[] {
    return this.all().filter(({ modules }) => modules.includes(module as Identifier))
  }
}
