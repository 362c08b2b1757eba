import type { SquidPlayer, SquidServer } from '../types.js'
import { replaceMethod } from './replace-method.js'
import type { InstallRepair } from './repair.js'
import { SOUND_CATEGORIES, soundWriter, type Sound } from './sound-packet.js'

/** Vanilla clients leave over any other name. */
const SOUND_NAME = /^(?:[a-z0-9_.-]{1,64}:)?[a-z0-9_./-]{1,256}$/
const RADIUS = 32

interface Position {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** How the host asks for a sound. */
interface SoundOptions {
  readonly whitelist?: SquidPlayer | readonly SquidPlayer[]
  readonly blacklist?: readonly SquidPlayer[]
  readonly radius?: number
  readonly volume?: number
  readonly pitch?: number
  readonly soundCategory?: number | string
}

/** Without a position it comes from each listener's own. */
type PlaySound<S> = (
  ...given: readonly [sound: S, world: unknown, position: Position | null | undefined, options?: SoundOptions]
) => void

/** The parts of a server that sounds need. */
interface SoundServer {
  getNearby(place: { world: unknown; position: Position; radius: number }): readonly SquidPlayer[]
  readonly registry: { readonly sounds?: Readonly<Record<number, { readonly name: string } | undefined>> }
}

/**
 * Sounds are heard where and as they are asked for: stock writes positions 32 times too near the origin and pitches 63 times
 * too high, and from 1.19.3 on most of its packets can't be read, which ends vanilla clients.
 */
export const installSounds: InstallRepair = ({ serv }) => {
  const inside = serv as unknown as SoundServer
  const play = player(serv, inside)
  const undo = [
    replaceMethod<PlaySound<string>>(serv, 'playSound', () => play),
    // numbers count from 0 or from 1, by the version's data; names are the same in all
    replaceMethod<PlaySound<number>>(serv, 'playSoundId', () => (id, ...rest) => {
      const name = inside.registry.sounds?.[id]?.name
      if (name !== undefined) play(name, ...rest)
    }),
  ]
  return () => {
    for (const run of undo) run()
  }
}

function player(serv: SquidServer, inside: SoundServer): PlaySound<string> {
  const write = soundWriter(serv)
  return (...given) => {
    const [name, world, position, options = {}] = given
    if (typeof name !== 'string' || !SOUND_NAME.test(name)) return
    const { whitelist, blacklist = [], radius = RADIUS, volume = 1, pitch = 1, soundCategory = 0 } = options
    const near = (): readonly SquidPlayer[] => (position ? inside.getNearby({ world, position, radius }) : [])
    const sound: Omit<Sound, 'at'> = { name, category: categoryOf(soundCategory), volume, pitch }
    for (const listener of whitelist === undefined ? near() : [whitelist].flat())
      if (!blacklist.includes(listener))
        write(listener._client, { ...sound, at: position ?? listener.position })
  }
}

function categoryOf(category: number | string): number {
  if (typeof category === 'number') return SOUND_CATEGORIES[category] === undefined ? 0 : category
  return Math.max(0, (SOUND_CATEGORIES as readonly string[]).indexOf(category))
}
