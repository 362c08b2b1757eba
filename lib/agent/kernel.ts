import type { AiLevel } from '../core/ai-level.js'
import type { Clock } from '../core/clock.js'
import type { Failure } from '../core/failure.js'
import type { Identifier, IdSource, PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import type { Result } from '../core/result.js'
import type { GameScheduler } from '../host/index.js'
import type { AgentCall, AgentHandlers, AgentJob } from '../pool/index.js'
import type { Content, Holder } from '../registry/index.js'
import type { ModuleConfiguration } from '../systems/index.js'
import type { AgentJournal, PlayerStore } from '../storage/index.js'
import type { ModelBreaker } from './breaker.js'
import type { EventSettings } from './events/event-settings.js'
import type { ModelMeter } from './model-meter.js'
import type { AgentMemory } from './memory.js'
import type { PolicyReader } from './policies.js'
import type { Registry } from './registry.js'
import type { Services } from './services.js'
import type { Sessions } from './sessions.js'
import type { RegisteredTool } from './tool.js'
import type { Trace } from './trace/index.js'

/** The configured model, as far as the main thread knows it. */
export interface ConfiguredModel {
  /** Names the endpoint in the agent group, which alone holds address and key. */
  readonly endpoint: string
  /** Its id at the provider: what prices are looked up by. */
  readonly name: string
  /** Name of the host that text goes to. */
  readonly host: string
}

/** What players may have of a model: asked at every door behind which something leaves the server. */
export interface AiAccess {
  /** The player's effective level now. */
  level(player: PlayerId): AiLevel
  /** Why the player may not have this much of a model now, or null. */
  check(player: PlayerId, needed: AiLevel): Failure | null
  /** Calls `end` when the player's rights may be others; it says whether it has ended something. Returns what stops that. */
  watch(player: PlayerId, end: () => boolean): () => void
  /** A request of the player goes to the host now. */
  beforeRequest(player: PlayerId, host: string): void
}

/** What a request takes along when it is accepted: what is read again changes only later ones. */
export interface RequestSettings {
  /** The model to ask, or null while none is configured. */
  readonly model: ConfiguredModel | null
  /** Effective policy of a module: the host's override, else the module's own. */
  readonly policy: PolicyReader
  /** What packs said. */
  readonly content: Content
  /** The system message of the prompt with this name; `values` fill its own placeholders. */
  prompt(name: string, values?: Readonly<Record<string, string>>): Result<string>
}

/** What executions share: the parts of one System instance. */
export interface Kernel {
  readonly clock: Clock
  readonly ids: IdSource
  readonly logger: Logger
  readonly sessions: Sessions
  readonly scheduler: GameScheduler
  readonly registry: Registry
  readonly services: Services
  readonly meter: ModelMeter
  readonly breaker: ModelBreaker
  readonly memory: AgentMemory
  readonly gameVersion: string
  /** Tells listeners what happens; cheap, never throws. */
  readonly trace: Trace
  /** What is kept of players. */
  readonly store: Pick<PlayerStore, 'update' | 'online'>
  /** Tasks and receipts in it. */
  readonly journal: AgentJournal
  /** What the event lane begins with. */
  readonly events: EventSettings
  readonly ai: AiAccess
  /** Posts a job to the agent group. */
  runAgent(job: AgentJob, handlers: AgentHandlers): AgentCall
  /** Runs the function of a compute tool in its thread; rejects with what is the author's. */
  compute(tool: RegisteredTool, input: unknown, isAbandoned: () => boolean): Promise<Result<unknown>>
  /** Those of a request that begins now. */
  settings(): RequestSettings
  /** Salted hash that stands for the player at a provider. */
  endUser(player: PlayerId): string
  /**
   * Why the player may not use the module (null: the System at all) now; checked before a run and at each tool call. A
   * module that needs more of a model than the player may have is closed too.
   * `content`: that of the request; by default the present one.
   */
  access(player: PlayerId, module: string | null, content?: Content): Failure | null
  /** Why the player may not use the tools of this owner now; checked when they are offered and at each call. */
  ownerAccess(player: PlayerId, owner: Identifier, content: Content): Failure | null
  /** The module types that open a workflow. */
  openedBy(module: string): readonly Identifier[]
  /** The player's open configurations, in the order in which the System names them. */
  configurations(player: PlayerId, content: Content): readonly Holder<ModuleConfiguration>[]
}
