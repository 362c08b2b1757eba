import type { SquidPlayer } from '../types.js'
import { playerInternals } from './internals.js'
import type { InstallRepair } from './repair.js'

/** What the host's item entities and those who collect them have for this. */
interface Collector {
  collect: (entity: ItemEntity) => unknown
}
interface ItemEntity {
  readonly id: number
  /** Falls when only a part of it was taken. */
  readonly itemCount?: number
}
interface World {
  /** Type, world, position, options. */
  spawnObject: (...given: readonly unknown[]) => unknown
  readonly entities: Readonly<Record<number, unknown>>
}

/**
 * A thing that one player throws and another picks up is in two files, saved at two moments. Both are saved at the pick-up,
 * the thrower's first: a kill between the two loses it, and only one within these milliseconds does.
 */
export const installPickupSaves: InstallRepair = ({ serv, tap, log }) => {
  const world = serv as unknown as World
  const throwers = new WeakMap<object, SquidPlayer>()
  const undo = new Map<SquidPlayer, () => void>()
  const spawn = world.spawnObject
  const spawnNoted: World['spawnObject'] = (...given) => {
    const entity: unknown = Reflect.apply(spawn, world, given)
    const position = given[2]
    // what is thrown starts at the very position object of its thrower
    const thrower = serv.players.find((player) => player.position === position)
    if (thrower !== undefined && typeof entity === 'object' && entity !== null) throwers.set(entity, thrower)
    return entity
  }
  world.spawnObject = spawnNoted

  tap.onPlayer((player) => {
    const inside = player as unknown as Collector
    const { collect } = inside
    inside.collect = (entity) => {
      const before = entity.itemCount
      const done: unknown = Reflect.apply(collect, player, [entity])
      const thrower = throwers.get(entity)
      // still there as it was: there was no room for it
      const isUntouched = world.entities[entity.id] === entity && entity.itemCount === before
      if (thrower === undefined || thrower === player || isUntouched) return done
      saveBoth(thrower, player).catch((cause: unknown) =>
        log.write('pickup', 'pickup-saves: a save after a pick-up broke', cause),
      )
      return done
    }
    undo.set(player, () => Object.assign(inside, { collect }))
    player.once('disconnected', () => undo.delete(player))
  })
  return () => {
    if (world.spawnObject === spawnNoted) world.spawnObject = spawn
    for (const run of undo.values()) run()
  }
}

async function saveBoth(thrower: SquidPlayer, collector: SquidPlayer): Promise<void> {
  await playerInternals(thrower).save()
  await playerInternals(collector).save()
}
