export * from './protocol.js'
export { runAgentJob, type AgentCall, type AgentHandlers } from './agent-call.js'
export {
  createFunctionJobs,
  FUNCTION_BYTES,
  functionAnswerSchema,
  type AuthorFunctions,
  type FunctionJob,
} from './author-functions.js'
export { runJob, serveJob, type JobTable } from './job-table.js'
export { serveAgentJob, type KernelLink } from './kernel-link.js'
export { ThreadGroup, type RunOptions, type ThreadGroupOptions } from './thread-group.js'
export { openThreadGroups, type ThreadGroups } from './thread-groups.js'
