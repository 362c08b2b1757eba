import type { Identifier } from '../../../lib/core/ids.js'
import { SOUND_CATEGORIES, soundWriter } from '../shield/index.js'
import type { SquidPlayer } from '../types.js'
import type { HudParts } from './hud.js'

/** Loudness 0 to 1, and pitch as a factor of the speed, 0.5 to 2; both 1 unless given, others are clamped. */
export interface SoundOptions {
  readonly volume?: number
  readonly pitch?: number
}

const CATEGORY = SOUND_CATEGORIES.indexOf('player')

/** Plays sounds at the listener, in the form of the server's version. */
export function soundPlayer({ serv }: HudParts) {
  const write = soundWriter(serv)
  return (player: SquidPlayer, name: Identifier, { volume = 1, pitch = 1 }: SoundOptions): void => {
    const loudness = Number.isFinite(volume) ? Math.min(volume, 1) : 1
    write(player._client, { name, category: CATEGORY, at: player.position, volume: loudness, pitch })
  }
}
