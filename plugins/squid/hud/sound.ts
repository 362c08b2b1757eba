import type { Identifier } from '../../../lib/core/ids.js'
import type { WriteOutcome } from '../shield/index.js'
import type { SquidClient, SquidPlayer } from '../types.js'
import type { HudParts } from './hud.js'

/** Loudness 0 to 1, and pitch as a factor of the speed, 0.5 to 2; both 1 unless given, others are clamped. */
export interface SoundOptions {
  readonly volume?: number
  readonly pitch?: number
}

/** Writes one packet whose bytes are put right before: the shield's. */
export type MendedWriter = (
  client: SquidClient,
  packet: { readonly name: string; readonly params: unknown },
  mend: (bytes: Buffer) => void,
) => WriteOutcome

/** The number of the category `player`, and its name from 1.19.3 on. */
const CATEGORY = { number: 7, name: 'player' } as const
/** Positions of sounds are counted in eighths of a block. */
const PER_BLOCK = 8

/** Plays sounds in the form of the server's version. */
export function soundPlayer({ serv, write, writeMended }: HudParts) {
  const hasHolder = serv.supportFeature('removedNamedSoundEffectPacket')
  return (player: SquidPlayer, name: Identifier, options: SoundOptions): void => {
    const { _client: client, position } = player
    const common = {
      x: Math.round(position.x * PER_BLOCK),
      y: Math.round(position.y * PER_BLOCK),
      z: Math.round(position.z * PER_BLOCK),
      volume: clamped(options.volume, 0, 1),
      pitch: clamped(options.pitch, 0.5, 2),
    }
    if (!hasHolder) {
      write(client, 'named_sound_effect', { soundName: name, soundCategory: CATEGORY.number, ...common })
      return
    }
    const sound = { data: { soundName: name, fixedRange: undefined } }
    const params = { sound, soundCategory: CATEGORY.name, ...common, seed: 0n }
    writeMended(client, { name: 'sound_effect', params }, (bytes) => writeHolder(bytes, name))
  }
}

/**
 * A sound by its name has a zero before it, where one by number has the number. minecraft-protocol 1.68 leaves that byte
 * as the memory happens to be: it is written here, where the bytes are what is expected.
 */
function writeHolder(bytes: Buffer, name: string): void {
  // 1. the packet's id, a varint
  let holder = 0
  while (((bytes[holder] ?? 0) & 0x80) !== 0) holder += 1
  holder += 1
  // 2. behind the byte, the name with its length, another varint
  let begin = holder + 1
  while (((bytes[begin] ?? 0) & 0x80) !== 0) begin += 1
  begin += 1
  if (bytes.toString('latin1', begin, begin + name.length) !== name)
    throw new Error('an unexpected form of sound_effect')
  bytes[holder] = 0
}

const clamped = (value = 1, min = 0, max = 1): number =>
  Number.isFinite(value) ? Math.min(Math.max(min, value), max) : 1
