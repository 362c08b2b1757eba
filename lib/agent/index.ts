export { ModelBreaker } from './breaker.js'
export type {
  AnyToolType,
  CompleteOptions,
  ExecutionContext,
  Observation,
  ReactOptions,
  ReactOutcome,
} from './context.js'
export { AgentEngine, INPUT_CHARACTERS, type Ask, type Outcome, type SubmitOptions } from './engine.js'
export type { ConfiguredModel, Kernel } from './kernel.js'
export { RateLimits, type LimitKind, type LimitVerdict } from './limits.js'
export type { LiveRequest, RouteSource } from './live-request.js'
export { ModelMeter, type MeterLimits, type MeterState } from './model-meter.js'
export type {
  AgentModule,
  AgentResult,
  ModuleRouting,
  RegisteredModule,
  Selection,
  Sentence,
} from './module.js'
export { readPolicies, ROUTING, type PolicyOverrides, type PolicyReader } from './policies.js'
export {
  executionPolicySchema,
  FAST_POLICY,
  REASONING_POLICY,
  ROUTING_POLICY,
  type ExecutionPolicy,
} from './policy.js'
export type { Feature, Registration } from './registration.js'
export { RegistrationError, Registry } from './registry.js'
export type { RequestEntry } from './request-log.js'
export { failedResult, shown } from './result.js'
export { Router, type LocalRoutes } from './routing/router.js'
export { Sessions, type Session } from './sessions.js'
export { TickQueue } from './tick-queue.js'
export type { RegisteredTool, Tool, ToolCall, ToolHandler, ToolId, ToolKind, ToolType } from './tool.js'
export {
  createRouteJobs,
  LocalRouter,
  routingFeature,
  type ItemFinder,
  type ItemMention,
  type LocalRoute,
} from './routing/index.js'
