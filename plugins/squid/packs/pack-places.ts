import { join, resolve } from 'node:path'
import type { PackPlaces } from '../../../lib/packs/index.js'
import { SHIPPED_PACKS } from '../../../lib/registry/index.js'

/** Where packs lie, absolute: ours, the world's, and those that the host names relative to the working folder. */
export const packPlaces = (worldFolder: string | null, packs: readonly string[]): PackPlaces => ({
  builtIn: SHIPPED_PACKS,
  world: worldFolder === null ? null : resolve(join(worldFolder, 'datapacks')),
  extra: packs.map((path) => resolve(path)),
})
