import type {
  AgentModule,
  EventRule,
  Kernel,
  LocalRoutes,
  MeterLimits,
  PolicyOverrides,
  StepPoint,
  Tool,
} from '../../lib/agent/index.js'
import type { CardType } from '../../lib/cards/index.js'
import type { AiLevel } from '../../lib/core/ai-level.js'
import type { Failure } from '../../lib/core/failure.js'
import type { PlayerId } from '../../lib/core/ids.js'
import type { Content, Holder } from '../../lib/registry/index.js'
import type { AnyStorage, StorageDriver, StoreLimits } from '../../lib/storage/index.js'
import type { ModuleConfiguration } from '../../lib/systems/index.js'
import type { ScriptedModel } from '../../lib/testing/index.js'
import type { UsageLimits } from '../../lib/usage/index.js'

/** What a kernel of a test is made of; everything has a usual value. */
export interface KernelSetup {
  readonly model?: ScriptedModel
  /** No model is configured. */
  readonly isOffline?: boolean
  readonly tools?: readonly Tool[]
  readonly modules?: readonly AgentModule[]
  readonly local?: LocalRoutes['route']
  /** Modules that the local index finds nearest to any sentence. */
  readonly nearest?: readonly string[]
  /** Sizes of the intent cache; without them there is none. With `unsure` in it a sentence has two readings, with `piston` an item. */
  readonly intents?: { readonly cacheSize: number; readonly cacheMinutes: number }
  readonly limits?: Partial<MeterLimits & UsageLimits>
  readonly lane?: { active: number; waiting: number }
  readonly policies?: Partial<PolicyOverrides>
  /** Added to the check of the binding. */
  readonly access?: (player: PlayerId, module: string | null) => Failure | null
  readonly ownerAccess?: (player: PlayerId, owner: string) => Failure | null
  readonly prompts?: Readonly<Record<string, string>>
  readonly content?: Content
  readonly configurations?: (player: PlayerId) => readonly Holder<ModuleConfiguration>[]
  readonly openedBy?: Kernel['openedBy']
  readonly compute?: Kernel['compute']
  readonly cardTypes?: readonly CardType[]
  readonly keepsHistory?: (player: PlayerId) => boolean
  /** What is kept of players beside what the kernel itself keeps. */
  readonly types?: readonly AnyStorage<unknown>[]
  readonly driver?: StorageDriver
  readonly storeLimits?: StoreLimits
  readonly eventLane?: { active: number; waiting: number }
  readonly rules?: Readonly<Record<string, EventRule>>
  readonly fault?: (point: StepPoint) => void
  /** The level of those of whom nothing is said; `free` unless given. */
  readonly aiDefault?: AiLevel | null
}
