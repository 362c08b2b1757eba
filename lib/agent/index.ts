/** The agent runtime's public face. */
export type { ExecutionContext } from './context.js'
export type {
  AgentModule,
  AgentResult,
  CommandDeclaration,
  ModuleRouting,
  Selection,
  Sentence,
} from './module.js'
export { FAST_POLICY, type ExecutionPolicy } from './policy.js'
export type { Tool, ToolCall, ToolId, ToolKind, ToolType } from './tool.js'
export {
  LocalRouter,
  createRouteJobs,
  type ItemFinder,
  type ItemMention,
  type LocalRoute,
} from './routing/index.js'
