export type { LineCompletion } from './completer.js'
export type { DeclareCommands } from './declare-commands.js'
export { openCommands, type CommandSurface, type CommandSurfaceOptions } from './surface.js'
