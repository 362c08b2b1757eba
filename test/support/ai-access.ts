/** Levels of a kernel of a test. */
import type { AiAccess, ConfiguredModel, Registry, Sessions } from '../../lib/agent/index.js'
import type { AiLevel } from '../../lib/core/ai-level.js'
import type { Failure } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import { PERMISSION, Preferences, SWITCHES, TOLD } from '../../lib/preferences/index.js'
import type { PlayerStore } from '../../lib/storage/index.js'

/** What of it is kept of a player. */
export const AI_TYPES = [SWITCHES, PERMISSION, TOLD]

/** The model of a kernel of a test. */
export const MODEL: ConfiguredModel = { endpoint: 'main', name: 'test-model', host: 'provider.test' }

/** Everybody may have everything, unless the setup or a test says otherwise. */
export function openPreferences(
  { store, sessions }: { readonly store: PlayerStore; readonly sessions: Sessions },
  setup: { readonly aiDefault?: AiLevel | null; readonly isOffline?: boolean },
): Preferences {
  const configured = setup.aiDefault === undefined ? 'free' : setup.aiDefault
  return new Preferences({
    store,
    worldDefault: () => ({ configured, hasModel: setup.isOffline !== true }),
    online: () => [...sessions.all()].map(({ player }) => player),
    surface: () => 'chat',
    languages: () => new Map([['en_us', 'English']]),
  })
}

/** The kernel's side of them; what goes out is noted. */
export const aiAccess = (preferences: Preferences, sent: [PlayerId, string][]): AiAccess => ({
  level: (player) => preferences.level(player),
  check: (player, needed) => preferences.check(player, needed),
  watch: (player, end) => preferences.watch(player, end),
  beforeRequest: (player, host) => void sent.push([player, host]),
})

/** Why the module needs more than the player may have, or null. */
export const needsOf = (
  { registry, preferences }: { readonly registry: Registry; readonly preferences: Preferences },
  player: PlayerId,
  module: string | null,
): Failure | null => preferences.check(player, registry.findModule(module ?? '')?.needs ?? 'off')
