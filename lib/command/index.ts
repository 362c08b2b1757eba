export type { ArgumentType } from './argument.js'
export { complete, MATCH_LIMIT, type Completion, type CompletionMatch } from './complete.js'
export { declarationProblem, type CommandDeclaration, type ModuleCommand } from './declaration.js'
export { graph, type GraphNode } from './graph.js'
export {
  argument,
  literal,
  type ArgumentNode,
  type CommandArgs,
  type CommandNode,
  type LiteralNode,
} from './node.js'
export { INPUT_LIMIT, parse, type ParsedCommand } from './parse.js'
export type { CommandSource, CommandSuggestions } from './source.js'
export {
  BUILT_IN_COMMANDS,
  parseSystemCommand,
  systemCommands,
  type SystemCommand,
} from './system-commands.js'
export { argumentWordKey, usage, type ArgumentWord, type UsageLine } from './usage.js'
