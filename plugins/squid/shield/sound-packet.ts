import type { SquidClient, SquidServer } from '../types.js'
import { safeWrite, safeWriteMended, type WriteOutcome } from './safe-write.js'

/** One sound for one client. */
export interface Sound {
  /** With or without a namespace; a client that doesn't know it plays nothing. */
  readonly name: string
  /** One of `SOUND_CATEGORIES`, by its place. */
  readonly category: number
  /** Where it comes from, in blocks. */
  readonly at: { readonly x: number; readonly y: number; readonly z: number }
  /** 1 is the sound's own; above that it is heard further away. */
  readonly volume: number
  /** A factor of the speed, 0.5 to 2. */
  readonly pitch: number
}

/** In the order of their numbers; from 1.19.3 on they go by name. */
export const SOUND_CATEGORIES = [
  'master',
  'music',
  'record',
  'weather',
  'block',
  'hostile',
  'neutral',
  'player',
  'ambient',
  'voice',
] as const

/** Positions of sounds are counted in eighths of a block, in 32 bits. */
const PER_BLOCK = 8
const MAX_EIGHTHS = 0x7fff_ffff
const MAX_VOLUME = 1_024

/** The writer of sounds in the form of the server's version. Numbers out of range are clamped. */
export function soundWriter(
  serv: Pick<SquidServer, 'supportFeature'>,
): (client: SquidClient, sound: Sound) => WriteOutcome {
  const hasHolder = serv.supportFeature('removedNamedSoundEffectPacket')
  return (client, { name, category, at, volume, pitch }) => {
    const common = {
      x: eighths(at.x),
      y: eighths(at.y),
      z: eighths(at.z),
      volume: clamped(volume, 0, MAX_VOLUME),
      pitch: clamped(pitch, 0.5, 2),
    }
    if (!hasHolder)
      return safeWrite(client, 'named_sound_effect', { soundName: name, soundCategory: category, ...common })
    const sound = { data: { soundName: name, fixedRange: undefined } }
    const params = { sound, soundCategory: SOUND_CATEGORIES[category], ...common, seed: 0n }
    return safeWriteMended(client, { name: 'sound_effect', params }, (bytes) => writeHolder(bytes, name))
  }
}

/**
 * A sound by its name has a zero before it, where one by number has the number. minecraft-protocol 1.68 leaves that byte
 * as the memory happens to be: it is written here, where the bytes are what is expected.
 */
function writeHolder(bytes: Buffer, name: string): void {
  const holder = endOfVarint(bytes, 0)
  const begin = endOfVarint(bytes, holder + 1)
  if (bytes.toString('latin1', begin, begin + name.length) !== name)
    throw new Error('an unexpected form of sound_effect')
  bytes[holder] = 0
}

function endOfVarint(bytes: Buffer, from: number): number {
  let at = from
  while (((bytes[at] ?? 0) & 0x80) !== 0) at += 1
  return at + 1
}

const eighths = (blocks: number): number =>
  Number.isFinite(blocks) ? clamped(Math.round(blocks * PER_BLOCK), -MAX_EIGHTHS, MAX_EIGHTHS) : 0

/** 1 for what is no number. */
const clamped = (value: number, min: number, max: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(min, value), max) : 1
