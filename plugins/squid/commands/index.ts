export { openCommands, type CommandSurface } from './surface.js'
export { moduleCommands } from './module-commands.js'
