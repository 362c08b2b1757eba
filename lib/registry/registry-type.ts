import type { z } from 'zod'
import type { Identifier } from '../core/ids.js'

/** A kind of entry in data packs. The object is the key: a registry is asked for by it. */
export interface RegistryType<T> {
  readonly id: Identifier
  /** Below `data/<namespace>/`, such as `system/system`; tags lie in `tags/<folder>/`. */
  readonly folder: string
  readonly schema: z.ZodType<T>
  /** What a decoded entry names in other registries: an entry that names something missing is skipped. */
  references?(value: T): Iterable<Reference>
}

/** A registry type whatever its values are. */
export type AnyRegistryType = RegistryType<unknown>

/** One place of an entry that names another entry. */
export interface Reference {
  /** Id of the registry type, or `minecraft:item`, `minecraft:block`, … whose tags packs have but whose ids they don't. */
  readonly registry: Identifier
  /** An id, or a tag as `#id`. */
  readonly ref: string
  /** Where it stands in the entry. */
  readonly pointer: readonly (string | number)[]
  /** False: nothing happens when it is missing. */
  readonly required?: boolean
}
