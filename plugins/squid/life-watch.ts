import type { PlayerId } from '../../lib/core/ids.js'
import type { Lives } from './lives.js'
import { idOf } from './players.js'
import type { SquidPlayer, SquidServer } from './types.js'

/** Members through which a player dies, lives again and goes to another world. */
interface Mortal {
  updateHealth: (health: number) => unknown
  changeWorld: (...given: readonly unknown[]) => unknown
}

/** Tells of each death, respawn and change of world, whatever brings it about; returns what ends that. */
export function watchLives(serv: SquidServer, lives: Pick<Lives, 'next' | 'forget'>): () => void {
  const undo = new Map<SquidPlayer, () => void>()
  const follow = (player: SquidPlayer): void => {
    undo.set(
      player,
      wrap(player, (id) => lives.next(id)),
    )
    player.once('disconnected', () => {
      undo.delete(player)
      const id = idOf(player)
      // a second login of the account may be here before the first has left
      const isHere = [...undo.keys()].some((other) => idOf(other) === id)
      if (id !== null && !isHere) lives.forget(id)
    })
  }
  serv.on('newPlayer', follow)
  for (const player of serv.players ?? []) follow(player)
  return () => {
    serv.removeListener('newPlayer', follow)
    for (const run of undo.values()) run()
    undo.clear()
  }
}

function wrap(player: SquidPlayer, next: (id: PlayerId) => void): () => void {
  const inside = player as unknown as Mortal
  const { updateHealth, changeWorld } = inside
  const begin = (): void => {
    const id = idOf(player)
    if (id !== null) next(id)
  }
  let isDead = player.health <= 0
  const ours: Mortal = {
    updateHealth: (health) => {
      if (isDead !== health <= 0) begin()
      isDead = health <= 0
      return Reflect.apply(updateHealth, player, [health])
    },
    changeWorld: (...given) => {
      const before = player.world
      const done: unknown = Reflect.apply(changeWorld, player, given)
      if (player.world !== before) begin()
      return done
    },
  }
  Object.assign(inside, ours)
  return () => {
    if (inside.updateHealth === ours.updateHealth) inside.updateHealth = updateHealth
    if (inside.changeWorld === ours.changeWorld) inside.changeWorld = changeWorld
  }
}
