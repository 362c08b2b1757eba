import type { Identifier } from '../core/ids.js'
import type { PackData, PackEntry } from '../packs/index.js'
import type { Holder } from './holder.js'
import type { Place, Problems, Unlocated } from './problems.js'
import type { AnyRegistryType } from './registry-type.js'

/** How a content is decoded. */
export interface DecodeOptions {
  /** Names this content. */
  readonly version: string
  /** Asked between small steps; gives something to wait for when others should have their turn. */
  readonly yield: () => Promise<void> | null
  /** Where the places of problems are in their files; null: unknown. By default nothing is looked up. */
  readonly locate?: (problems: readonly Unlocated[]) => Promise<readonly (Place | null)[]>
  /** Told what a type's own code threw; the entry is skipped. */
  readonly onThrown?: (type: AnyRegistryType, entry: Identifier, thrown: unknown) => void
}

/** A decoded entry with where it came from. */
export interface Decoded {
  readonly holder: Holder<unknown>
  readonly source: PackEntry
}

/** The decoded entries of one type, in registry order. */
export interface DecodedType {
  readonly type: AnyRegistryType
  readonly entries: Map<Identifier, Decoded>
}

/** What all steps of one load share. */
export interface Decoding {
  readonly data: PackData
  readonly problems: Problems
  readonly options: DecodeOptions
}
