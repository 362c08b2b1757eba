export { ComputeTools, functionsOf } from './compute-tools.js'
export { fingerprintOf } from './fingerprint.js'
export { ModelBreaker } from './breaker.js'
export { confirmationCardType } from './confirmation.js'
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
  type EventSubmission,
  type StepPoint,
} from './events/index.js'
export type { AiAccess, ConfiguredModel, Kernel, RequestSettings } from './kernel.js'
export { RateLimits, type LimitKind } from './limits.js'
export {
  NO_MEMORY,
  isConclusion,
  type AgentMemory,
  type EndedRequest,
  type KeptOutcome,
  type Replayed,
  type Turn,
} from './memory.js'
export { ModelMeter, type MeterLimits } from './model-meter.js'
export type {
  AgentModule,
  AgentResult,
  ModuleRouting,
  RegisteredModule,
  Selection,
  Sentence,
  WorkbenchPage,
} from './module.js'
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
export { CHAT, CLOCK, LOGGER, TRACE } from './built-in-services.js'
export { ChatProviders, type ChatContext, type ChatProvider, type ProvidedAnswer } from './chat-providers.js'
export { asRegistration, RegistrationError } from './registration-error.js'
export { LATE, Registry } from './registry.js'
export { serviceKey, Services, type ServiceKey } from './services.js'
export { registerContent } from './registered-content.js'
export { registerStorage } from './registered-storage.js'
export { RevokedHooks, type RevokedHook } from './revoked-hooks.js'
export type { RequestStore } from './request-store.js'
export { failedResult, isResult, shown } from './result.js'
export { Router, type LocalRoutes } from './routing/router.js'
export { Sessions, type Session } from './sessions.js'
export { TickQueue } from './tick-queue.js'
export type {
  ComputeFunction,
  ComputeTool,
  RegisteredTool,
  Tool,
  ToolCall,
  ToolHandler,
  ToolId,
  ToolKind,
  ToolType,
} from './tool.js'
export { Lane } from './lane.js'
export {
  JsonLinesSink,
  traceEventSchema,
  TraceStream,
  type JsonLinesConfig,
  type LinesAppended,
  type TraceEvent,
  type TraceListener,
  type TraceReport,
} from './trace/index.js'
export { clarifyCard, IntentCache, LocalRouter, nearestCard, routingFeature } from './routing/index.js'
