import { join, resolve } from 'node:path'
import { SHIPPED_PACKS } from '../../../lib/registry/index.js'
import { packFormatOf } from './pack-format.js'

/** Where packs lie, in order of loading; absolute. */
export interface PackPlaces {
  readonly builtIn: string
  readonly world: string | null
  readonly extra: readonly string[]
  /** The `pack_format` of the game's version. */
  readonly packFormat: number
}

/** Ours, then the world's, then those that the host names, relative to the working folder. */
export const packPlaces = (from: {
  readonly worldFolder: string | null
  readonly packs: readonly string[]
  readonly version: string
}): PackPlaces => ({
  builtIn: SHIPPED_PACKS,
  world: from.worldFolder === null ? null : resolve(join(from.worldFolder, 'datapacks')),
  extra: from.packs.map((path) => resolve(path)),
  packFormat: packFormatOf(from.version),
})
