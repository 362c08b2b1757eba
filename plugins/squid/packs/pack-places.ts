import { join, resolve } from 'node:path'
import type { PackPlaces as Places } from '../../../lib/packs/index.js'
import { SHIPPED_PACKS } from '../../../lib/registry/index.js'
import { packFormatOf } from './pack-format.js'

/** Where packs lie, and what they are read for. */
export interface PackPlaces extends Places {
  readonly extra: string[]
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
