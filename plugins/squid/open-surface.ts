import type { Languages } from '../../lib/text/index.js'
import { mayPress } from './access.js'
import type { Runtime } from './runtime.js'
import { safeWrite } from './shield/index.js'
import { NO_SCREENS, RENDERERS, Surface, type SurfaceParts } from './surface/index.js'
import { textEra, textSender } from './text/index.js'
import type { SquidServer } from './types.js'

/** What players see, on a running server. */
export function openSurface(
  parts: Pick<SurfaceParts, 'logger' | 'languageOf' | 'onPress'> & {
    readonly serv: SquidServer
    readonly languages: Languages
    readonly runtime: Runtime
  },
): Surface {
  const { runtime } = parts
  const era = textEra(parts.serv)
  return new Surface({
    ...parts,
    era,
    sender: textSender(era, safeWrite),
    tokens: runtime.tokens,
    cards: runtime.cards,
    mayPress: (player, action) => mayPress(runtime, player, action),
    renderers: RENDERERS,
    screens: NO_SCREENS,
    preferred: () => 'chat',
  })
}
