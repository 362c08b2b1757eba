import type { Feature } from '../agent/index.js'
import type { Host } from '../host/index.js'
import type { ModuleType } from '../systems/index.js'
import { PLAYER_TYPE, playerInfoTool } from './player-info.js'
import { playerInfoCardType, playerInfoModule } from './player-module.js'

/** The player's own state: tool, module and card. */
export { playerInfo, playerInfoTool } from './player-info.js'
export { playerInfoCardType, playerInfoModule } from './player-module.js'

/** What packs configure. */
export const playerModuleType: ModuleType = { id: PLAYER_TYPE, modules: [playerInfoModule.id] }

/** The player's own state, read from the game server. */
export function playerFeature(host: Host): Feature {
  return (registration) => {
    registration.moduleType(playerModuleType)
    registration.tool(playerInfoTool(host))
    registration.cardType(playerInfoCardType)
    registration.module(playerInfoModule)
  }
}
