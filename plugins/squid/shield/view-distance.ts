import type { SquidClient } from '../types.js'
import { settingOf } from './internals.js'
import { VIEW_DISTANCES } from './packet-rules.js'
import type { InstallRepair } from './repair.js'

/**
 * From 1.20.2 on a client tells its settings before it is a player, where flying-squid doesn't listen: `player.view` stays
 * undefined and no chunk is sent when the player walks. The settings are kept from the first phase on.
 */
export const installViewDistance: InstallRepair = ({ serv, tap, upstream }) => {
  const asked = new WeakMap<SquidClient, number>()
  let isActive = true
  const clamped = (distance: number): number => {
    const setting = settingOf(serv, 'view-distance')
    const max = typeof setting === 'number' ? Math.min(VIEW_DISTANCES.max, setting) : VIEW_DISTANCES.max
    return Math.max(Math.min(VIEW_DISTANCES.min, max), Math.min(max, Math.trunc(distance)))
  }
  tap.filter('settings', ({ client, data }) => {
    const distance = data['viewDistance']
    if (!isActive || typeof distance !== 'number' || !Number.isFinite(distance)) return 'pass'
    data['viewDistance'] = clamped(distance)
    asked.set(client, clamped(distance))
    return 'pass'
  })
  tap.onPlayer((player) => {
    const isKnown = typeof player.view === 'number' && Number.isFinite(player.view)
    // known although no settings came while there was a player to hear them: flying-squid has learned it
    if (isKnown && serv.supportFeature('hasConfigurationState') && player.username === undefined)
      upstream('view-distance')
    if (!isKnown) player.view = asked.get(player._client) ?? clamped(VIEW_DISTANCES.max)
  })
  return () => {
    isActive = false
  }
}
