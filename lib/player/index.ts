/** The player's own state: tool, module and card. */
export { playerInfo, playerInfoTool, playerInfoType, type PlayerInfo, type PlayerRow } from './player-info.js'
export { playerInfoCardType, playerInfoModule } from './player-module.js'
