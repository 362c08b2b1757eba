import { replaceMethod } from './replace-method.js'
import type { InstallRepair } from './repair.js'

interface MobType {
  readonly id: number
  readonly name: string
  readonly type?: string
}

/** What minecraft-data calls living things other than players; up to 1.16 they all are `mob`. */
const LIVING = new Set<unknown>([
  'mob',
  'living',
  'animal',
  'ambient',
  'hostile',
  'passive',
  'water_creature',
])

type SpawnMob = (type: number, ...rest: readonly unknown[]) => unknown

/**
 * From 1.20 on the host's table of mobs lacks nearly all of them: spawning one throws, and leaves half of it in the world.
 * The table is one for all servers of a process, so that what is missing is in it only while it is asked.
 */
export const installMobRegistry: InstallRepair = ({ serv }) => {
  const { mobs, entities } = serv.registry as unknown as {
    readonly mobs: Record<number, MobType>
    readonly entities: Readonly<Record<number, MobType>>
  }
  return replaceMethod<SpawnMob>(serv, 'spawnMob', (stock) => (type, ...rest) => {
    const spawn = (): unknown => Reflect.apply(stock, serv, [type, ...rest])
    if (Object.hasOwn(mobs, type)) return spawn()
    const missing = Object.hasOwn(entities, type) ? entities[type] : undefined
    if (missing === undefined || !LIVING.has(missing.type)) throw new Error(`${type} is no kind of mob`)
    mobs[type] = missing
    try {
      return spawn()
    } finally {
      delete mobs[type]
    }
  })
}
