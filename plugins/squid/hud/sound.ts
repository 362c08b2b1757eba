import type { Identifier } from '../../../lib/core/ids.js'
import { SOUND_CATEGORIES, soundWriter } from '../shield/index.js'
import type { SquidPlayer } from '../types.js'
import type { HudParts } from './hud.js'

const CATEGORY = SOUND_CATEGORIES.indexOf('player')

/** Plays sounds at the listener, in the form of the server's version. */
export function soundPlayer({ serv }: HudParts) {
  const write = soundWriter(serv)
  return (player: SquidPlayer, name: Identifier): void => {
    write(player._client, { name, category: CATEGORY, at: player.position, volume: 1, pitch: 1 })
  }
}
