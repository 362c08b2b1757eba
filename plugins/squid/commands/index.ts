export { openCommands, type CommandSurface } from './surface.js'
