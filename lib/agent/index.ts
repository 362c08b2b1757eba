export { ModelBreaker } from './breaker.js'
export type {
  CompleteOptions,
  Configured,
  ExecutionContext,
  Observation,
  ReactOptions,
  ReactOutcome,
  ToolOptions,
} from './context.js'
export { AgentEngine, type Ask, type Outcome, type SubmitOptions } from './engine.js'
export {
  EventRules,
  type AuthorizedTask,
  type EventRule,
  type EventSettings,
  type EventState,
  type EventSubmission,
  type StepPoint,
} from './events/index.js'
export type { Kernel, RequestSettings } from './kernel.js'
export { RateLimits, type LimitKind } from './limits.js'
export { ModelMeter, type MeterLimits } from './model-meter.js'
export type { AgentModule, AgentResult, ModuleRouting, Selection, Sentence } from './module.js'
export { readPolicies, ROUTING, type Policies, type PolicyOverrides } from './policies.js'
export {
  EVENT_POLICY,
  executionPolicySchema,
  FAST_POLICY,
  REASONING_POLICY,
  ROUTING_POLICY,
  type ExecutionPolicy,
} from './policy.js'
export type { DayUse, ModelCharge, ModelQuota, QuotaCall } from './quota.js'
export type { Feature, Registration } from './registration.js'
export { RegistrationError, Registry } from './registry.js'
export { registerContent } from './registered-content.js'
export { registerStorage } from './registered-storage.js'
export { RevokedHooks, type RevokedHook } from './revoked-hooks.js'
export type { RequestStore } from './request-store.js'
export { failedResult, shown } from './result.js'
export { Router, type LocalRoutes } from './routing/router.js'
export { Sessions, type Session } from './sessions.js'
export { TickQueue } from './tick-queue.js'
export type { RegisteredTool, Tool, ToolCall, ToolHandler, ToolId, ToolKind, ToolType } from './tool.js'
export { Lane } from './lane.js'
export { LocalRouter, routingFeature } from './routing/index.js'
