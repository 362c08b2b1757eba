import type { Sessions } from '../../lib/agent/index.js'
import { FirstUse, Preferences } from '../../lib/preferences/index.js'
import type { Heavy } from './heavy.js'
import type { PlayerData } from './player-data.js'
import type { RuntimeParts } from './runtime.js'

/** What players may have of a model, and the notice of where their words go. */
export function openPreferences(
  { live, languages, logger, onFirstUse }: RuntimeParts,
  { store, settings, sessions }: PlayerData & Heavy & { readonly sessions: Sessions },
): { readonly preferences: Preferences; readonly firstUse: FirstUse } {
  const preferences = new Preferences({
    store,
    worldDefault: () => ({
      configured: live.config['system-agent'].aiDefault,
      hasModel: settings.model !== null,
    }),
    online: () => [...sessions.all()].map(({ player }) => player),
    surface: () => live.config['system-surface'].surface,
    languages: () => languages.named,
  })
  const firstUse = new FirstUse({ store, logger, tell: onFirstUse })
  sessions.onEnd((player) => firstUse.forget(player))
  return { preferences, firstUse }
}
