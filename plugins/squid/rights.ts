import type { AccessConfig } from '../../lib/config/index.js'
import type { SquidPlayer } from './types.js'

/** What the right to administer depends on beside the player. */
export interface RightsSettings {
  readonly access: AccessConfig
  readonly onlineMode: boolean
  /** flying-squid makes everybody an operator: then being one says nothing. */
  readonly everybodyOp: boolean
}

/**
 * Whether a player administers. Without online mode a name is free for anybody to take, so nobody does, unless the host
 * said otherwise.
 */
export function isAdmin(player: SquidPlayer, settings: RightsSettings): boolean {
  const { access, onlineMode, everybodyOp } = settings
  if (!onlineMode && !access.adminsInOfflineMode) return false
  const names = new Set(access.admins.map((name) => name.toLowerCase()))
  if (names.has(player._client.uuid.toLowerCase()) || names.has(player._client.username.toLowerCase()))
    return true
  return access.trustOp && !everybodyOp && player.op === true
}
