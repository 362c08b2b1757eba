import type { Languages } from '../../lib/text/index.js'
import { mayPress } from './access.js'
import type { Runtime } from './runtime.js'
import { safeWrite } from './shield/index.js'
import { Surface, type SurfaceParts } from './surface/index.js'
import { textEra, textSender } from './text/index.js'
import type { SquidServer } from './types.js'

/** What players see, on a running server. */
export function openSurface(
  parts: Pick<SurfaceParts, 'logger' | 'languageOf' | 'onPress' | 'onProgress' | 'screens'> & {
    readonly serv: SquidServer
    readonly languages: Languages
    readonly runtime: Runtime
  },
): Surface {
  const { runtime } = parts
  const era = textEra(parts.serv)
  const surface = new Surface({
    ...parts,
    era,
    sender: textSender(era, safeWrite),
    tokens: runtime.tokens,
    cards: runtime.cards,
    mayPress: (player, action) => mayPress(runtime, player, action),
    preferred: (player) => runtime.preferences.surface(player),
  })
  runtime.sessions.onEnd((player) => surface.presenter.forget(player))
  return surface
}
