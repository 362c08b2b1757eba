export type { ArgumentType } from './argument.js'
export { complete, MATCH_LIMIT, type CompletionMatch } from './complete.js'
export type { CommerceCommand } from './commerce-commands.js'
export { declarationProblem, type CommandDeclaration, type ModuleCommand } from './declaration.js'
export { graph, type GraphNode } from './graph.js'
export { argument, literal, type CommandNode } from './node.js'
export { INPUT_LIMIT, parse } from './parse.js'
export type { CommandSource } from './source.js'
export {
  BUILT_IN_COMMANDS,
  parseSystemCommand,
  systemCommands,
  type SystemCommand,
} from './system-commands.js'
export { argumentWordKey, usage } from './usage.js'
