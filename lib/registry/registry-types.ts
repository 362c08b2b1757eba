import type { AnyRegistryType, RegistryType } from './registry-type.js'

/** One to three levels, as the reader of packs takes them. */
const FOLDER = /^[a-z0-9_][a-z0-9_.-]*(?:\/[a-z0-9_][a-z0-9_.-]*){0,2}$/
/** More than all extensions of a server together have. */
const MAX_TYPES = 128

/** The kinds of entries that packs may hold, in order of registration. */
export class RegistryTypes {
  #types: readonly AnyRegistryType[] = []

  /** Adds a type. Throws a TypeError for an id or folder that is taken, or a folder that is none. */
  add<T>(type: RegistryType<T>): void {
    if (!FOLDER.test(type.folder)) throw new TypeError(`${type.folder} is no folder of a pack`)
    if (this.#types.some(({ id }) => id === type.id)) throw new TypeError(`${type.id} is registered twice`)
    if (this.#types.some(({ folder }) => folder === type.folder))
      throw new TypeError(`the folder ${type.folder} has a type already`)
    if (this.#types.length >= MAX_TYPES) throw new TypeError(`there are ${MAX_TYPES} types already`)
    this.#types = [...this.#types, type]
  }

  list(): readonly AnyRegistryType[] {
    return this.#types
  }

  /** Remembers the types there are now; the returned function takes out those that came later. */
  mark(): () => void {
    const types = this.#types
    return () => {
      this.#types = types
    }
  }
}
