import { createHash } from 'node:crypto'
import {
  AgentEngine,
  LocalRouter,
  routingFeature,
  ModelBreaker,
  ModelMeter,
  readPolicies,
  Router,
  ROUTING,
  ROUTING_POLICY,
  Sessions,
  TickQueue,
  type Feature,
  type Kernel,
} from '../../lib/agent/index.js'
import { BINDING, Bindings } from '../../lib/binding/index.js'
import { ButtonTokens, CardBook } from '../../lib/cards/index.js'
import type { SystemConfig } from '../../lib/config/index.js'
import type { Clock } from '../../lib/core/clock.js'
import type { FailureCode } from '../../lib/core/failure.js'
import { randomIds, type PlayerId } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import { fail, ok } from '../../lib/core/result.js'
import { helpFeature, type HelpLine } from '../../lib/help/index.js'
import type { Host } from '../../lib/host/index.js'
import { itemsFeature, loadItemCatalogue, type ItemCatalogue } from '../../lib/items/index.js'
import { synonymsSchema } from '../../lib/lexical/index.js'
import { playerFeature } from '../../lib/player/index.js'
import { openThreadGroups, runAgentJob, runJob, type ThreadGroups } from '../../lib/pool/index.js'
import { questionsFeature } from '../../lib/questions/index.js'
import type { ShippedData } from '../../lib/registry/index.js'
import { MemoryDriver, PlayerStore, StorageTypes, type StoreLimits } from '../../lib/storage/index.js'
import type { Languages } from '../../lib/text/index.js'
import { registerAll, type Registered, type RegisteringParts } from './registering.js'

/** The Systems that can be granted; packs will define more. */
const SYSTEMS: ReadonlySet<string> = new Set(['system:default'])

/** How much is kept of a player. */
const LIMITS: StoreLimits = {
  businessBytes: 4_194_304,
  chatBytes: 2_097_152,
  chatRounds: 200,
  conversations: 20,
  conversationDays: 90,
  receiptBytes: 786_432,
  eventTaskBytes: 262_144,
}

/** What an instance is built from. */
export interface RuntimeParts {
  readonly config: SystemConfig
  readonly shipped: ShippedData
  readonly host: Host
  readonly clock: Clock
  readonly logger: Logger
  /** The model's key, or null when the variable that should hold it is not set. */
  readonly apiKey: string | null
  /** Address and key are what the host wrote; otherwise no model is asked. */
  readonly isEndpointSound: boolean
  /** Told once when the breaker opens. */
  readonly onBreaker: (code: FailureCode) => void
  /** The commands open to a player now. */
  readonly helpLines: (player: PlayerId) => readonly HelpLine[]
  readonly languages: Languages
  /** What other plugins register with. */
  readonly extensions: RegisteringParts['extensions']
  /** A mistake of an extension stops the System. */
  readonly strict: boolean
  /** Folder of other worker files; default: the package's own. */
  readonly workersUrl?: URL | undefined
}

/** The parts of one running System. */
export interface Runtime {
  readonly config: SystemConfig
  readonly clock: Clock
  readonly sessions: Sessions
  readonly store: PlayerStore
  readonly bindings: Bindings
  readonly registry: Registered['registry']
  readonly extensions: Registered['extensions']
  readonly engine: AgentEngine
  /** The part of routing that asks no model. */
  readonly local: LocalRouter
  readonly tickQueue: TickQueue
  readonly tokens: ButtonTokens
  readonly cards: CardBook
  readonly meter: ModelMeter
  readonly breaker: ModelBreaker
  readonly groups: ThreadGroups
  /** Ids of all items of the version, for completion. */
  readonly itemIds: readonly string[]
  /** `provider/model`, or null while no model is configured. */
  readonly model: string | null
  /** Ends all work; resolves when every thread has exited. */
  close(): Promise<void>
}

/** Builds the parts and registers the built-in modules. Throws when the installation is incomplete. */
export function openRuntime(parts: RuntimeParts): Runtime {
  const { config, clock, logger } = parts
  const sessions = new Sessions()
  const tickQueue = new TickQueue({ sessions, clock, logger })
  const breaker = new ModelBreaker(clock, parts.onBreaker)
  const meter = new ModelMeter({ clock, breaker, limits: () => config['system-agent'] })
  const store = openStore(parts)
  const bindings = new Bindings({ store, clock, systems: SYSTEMS })
  const groups = openGroups(parts)
  const catalogue = loadItemCatalogue(parts.host.version)
  const features = builtIn(parts, catalogue)
  const { registry, cardTypes, extensions } = registerAll({ ...parts, features })
  const kernel = buildKernel(parts, { sessions, tickQueue, breaker, meter, bindings, groups, registry })
  const local = new LocalRouter({
    run: (job) => runJob(groups.compute, job),
    items: catalogue,
    clock,
    logger,
  })
  local.rebuild(registry.modules(), readSynonyms(parts))
  const router = new Router(kernel, local, () => kernel.policy(ROUTING, ROUTING_POLICY))
  const engine = new AgentEngine(kernel, router, () => config['system-agent'].lanes.interactive)
  const tokens = new ButtonTokens({ ids: randomIds, clock })
  return {
    config,
    clock,
    sessions,
    store,
    bindings,
    registry,
    extensions,
    engine,
    local,
    tickQueue,
    tokens,
    cards: new CardBook({ ids: randomIds, types: cardTypes, tokens }),
    meter,
    breaker,
    groups,
    itemIds: catalogue.items.map(({ id }) => id),
    model: isModelSet(parts) ? `${config['system-model'].provider}/${config['system-model'].model}` : null,
    async close() {
      tickQueue.close()
      breaker.close()
      local.close()
      await engine.stop()
      await store.close()
      await groups.close()
    },
  }
}

/** The built-in features, in the order of completion and help. */
function builtIn(parts: RuntimeParts, catalogue: ItemCatalogue): readonly Feature[] {
  return [
    routingFeature,
    questionsFeature,
    itemsFeature(catalogue),
    playerFeature(parts.host),
    helpFeature(parts.helpLines),
  ]
}

function openStore({ clock, logger }: RuntimeParts): PlayerStore {
  const types = new StorageTypes().add(BINDING)
  return new PlayerStore({ driver: new MemoryDriver(), types, limits: () => LIMITS, clock, logger })
}

function openGroups(parts: RuntimeParts): ThreadGroups {
  const { config, clock, logger, workersUrl } = parts
  return openThreadGroups({
    threads: config['system-agent'].threads,
    agentData: { endpoints: endpoints(parts) },
    ...(workersUrl === undefined ? {} : { workersUrl }),
    clock,
    logger,
  })
}

type KernelParts = Pick<Kernel, 'sessions' | 'breaker' | 'meter' | 'registry'> & {
  readonly tickQueue: TickQueue
  readonly bindings: Bindings
  readonly groups: ThreadGroups
}

function buildKernel(parts: RuntimeParts, built: KernelParts): Kernel {
  const { clock, logger, shipped, config } = parts
  const salt = randomIds.token()
  return {
    clock,
    logger,
    ids: randomIds,
    sessions: built.sessions,
    scheduler: built.tickQueue,
    registry: built.registry,
    meter: built.meter,
    breaker: built.breaker,
    gameVersion: parts.host.version,
    runAgent: (job, handlers) => runAgentJob(built.groups.agent, job, { handlers, clock, logger }),
    model: () => (isModelSet(parts) ? { endpoint: ENDPOINT } : null),
    prompt(name) {
      const text = shipped.prompts.get(name) ?? built.registry.findPrompt(name)
      return text === undefined ? fail('system:internal', {}, new Error(`no prompt ${name}`)) : ok(text)
    },
    policy: readPolicies(config['system-agent'], logger),
    endUser: (player) => createHash('sha256').update(`${salt} ${player}`).digest('base64url').slice(0, 22),
    access: (player) => built.bindings.check(player),
  }
}

const ENDPOINT = 'default'

/** An endpoint without a key variable needs none; otherwise the key must be there. */
function isModelSet({ config, apiKey, isEndpointSound }: RuntimeParts): boolean {
  if (!isEndpointSound) return false
  return config['system-model'].apiKeyEnv === '' || apiKey !== null
}

function endpoints(parts: RuntimeParts): readonly unknown[] {
  if (!isModelSet(parts)) return []
  const { provider, baseUrl, model, thinking, extra } = parts.config['system-model']
  return [{ id: ENDPOINT, provider, baseUrl, model, thinking, extra, apiKey: parts.apiKey ?? '' }]
}

function readSynonyms({ shipped, logger }: RuntimeParts) {
  return [...shipped.synonyms].flatMap(([language, table]) => {
    const parsed = synonymsSchema.safeParse(table)
    if (!parsed.success) logger.warn(`synonyms of ${language} are not used`)
    return parsed.success ? [parsed.data] : []
  })
}
