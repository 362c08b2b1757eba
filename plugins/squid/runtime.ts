import { createHash } from 'node:crypto'
import {
  AgentEngine,
  LocalRouter,
  routingFeature,
  ModelBreaker,
  ModelMeter,
  Router,
  Sessions,
  TickQueue,
  type Feature,
  type Kernel,
} from '../../lib/agent/index.js'
import { ButtonTokens, CardBook } from '../../lib/cards/index.js'
import type { LiveConfig } from '../../lib/config/index.js'
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
import type { ItemLaneParts } from '../../lib/inventory/index.js'
import { openThreadGroups, runAgentJob, runJob, type ThreadGroups } from '../../lib/pool/index.js'
import { questionsFeature } from '../../lib/questions/index.js'
import type { ShippedData } from '../../lib/registry/index.js'
import type { StorageDriver } from '../../lib/storage/index.js'
import type { Languages } from '../../lib/text/index.js'
import { usageFeature, type LedgerSaver, type UsageLedger } from '../../lib/usage/index.js'
import { closeParts } from './closing.js'
import { openUsage } from './counted.js'
import { loadItemNames } from './item-names.js'
import { openPlayerData, type PlayerData } from './player-data.js'
import { RequestConfig } from './request-config.js'
import { registerAll, type Registered, type RegisteringParts } from './registering.js'
import type { PluginSettings } from './settings.js'

/** The Systems that can be granted; packs will define more. */
const SYSTEMS: ReadonlySet<string> = new Set(['system:default'])

/** What an instance is built from. */
export interface RuntimeParts {
  readonly live: LiveConfig
  readonly shipped: ShippedData
  readonly host: Host
  readonly clock: Clock
  readonly logger: Logger
  /** What an environment variable holds; undefined: nothing. */
  readonly environment: (name: string) => string | undefined
  /** Told once when the breaker opens. */
  readonly onBreaker: (code: FailureCode) => void
  /** The commands open to a player now. */
  readonly helpLines: (player: PlayerId) => readonly HelpLine[]
  readonly languages: Languages
  readonly settings: Pick<PluginSettings, 'languageFolder'>
  /** What other plugins register with. */
  readonly extensions: RegisteringParts['extensions']
  /** A mistake of an extension stops the System. */
  readonly strict: boolean
  /** Folder of other worker files; default: the package's own. */
  readonly workersUrl?: URL | undefined
  /** Where records are kept. */
  readonly driver: StorageDriver
  readonly items: Pick<ItemLaneParts, 'mode' | 'inventories' | 'fault'>
}

/** The parts of one running System. */
export interface Runtime extends PlayerData {
  readonly live: LiveConfig
  readonly clock: Clock
  readonly sessions: Sessions
  readonly registry: Registered['registry']
  readonly extensions: Registered['extensions']
  readonly engine: AgentEngine
  /** The part of routing that asks no model. */
  readonly local: LocalRouter
  readonly tickQueue: TickQueue
  readonly tokens: ButtonTokens
  readonly cards: CardBook
  readonly cardTypes: Registered['cardTypes']
  readonly meter: ModelMeter
  /** What models and searches are used for; its saver is to be loaded before anybody may ask for anything. */
  readonly usage: { readonly ledger: UsageLedger; readonly saver: LedgerSaver }
  readonly breaker: ModelBreaker
  readonly groups: ThreadGroups
  /** Ids of all items of the version, for completion. */
  readonly itemIds: readonly string[]
  /** Reads item names of other languages, in place of those before; see `loadItemNames`. */
  loadNames(): Promise<number | null>
  /** `provider/model`, or null while no model is configured. */
  readonly model: string | null
  /** Takes over what a reload has changed, for requests from now on; gives the names of policies that were refused. */
  reconfigure(): readonly string[]
  /** Saves the configuration and ends all work; resolves when every thread has exited, see `closeParts`. */
  close(): Promise<void>
}

/** Builds the parts and registers the built-in modules. Throws when the installation is incomplete. */
export function openRuntime(parts: RuntimeParts): Runtime {
  const { live, clock, logger } = parts
  const sessions = new Sessions()
  const tickQueue = new TickQueue({ sessions, clock, logger })
  const breaker = new ModelBreaker(clock, parts.onBreaker)
  const usage = openUsage({ ...parts, nameOf: (player) => sessions.get(player)?.name ?? player })
  const limits = () => live.config['system-agent']
  const meter = new ModelMeter({ clock, breaker, limits, quota: usage.ledger })
  const catalogue = loadItemCatalogue(parts.host.version)
  const features = builtIn(parts, catalogue, usage.ledger)
  const { registry, cardTypes, storageTypes, extensions } = registerAll({ ...parts, features })
  const data = openPlayerData({ ...parts, types: storageTypes, systems: SYSTEMS })
  const settings = new RequestConfig(parts)
  const groups = openGroups(parts, settings)
  const { bindings } = data
  const built = { sessions, tickQueue, breaker, meter, bindings, groups, registry, settings }
  const kernel = buildKernel(parts, built)
  const local = openLocal(parts, { groups, registry, catalogue })
  const router = new Router(kernel, local)
  const engine = new AgentEngine(kernel, router, () => limits().lanes.interactive)
  const tokens = new ButtonTokens({ ids: randomIds, clock })
  return {
    live,
    clock,
    sessions,
    ...data,
    registry,
    extensions,
    engine,
    local,
    tickQueue,
    tokens,
    cardTypes,
    cards: new CardBook({ ids: randomIds, types: cardTypes, tokens }),
    meter,
    usage,
    breaker,
    groups,
    itemIds: catalogue.items.map(({ id }) => id),
    loadNames: () => loadItemNames({ ...parts, groups, catalogue }),
    get model() {
      return settings.model
    },
    reconfigure: () => reconfigure(settings, { engine, groups, breaker }),
    close: () => closeParts({ ...parts, ...data, tickQueue, breaker, local, engine, usage, groups }),
  }
}

function reconfigure(
  settings: RequestConfig,
  { engine, groups, breaker }: Pick<Runtime, 'engine' | 'groups' | 'breaker'>,
): readonly string[] {
  const { active, waiting } = engine.state()
  const { refused, isEndpointNew } = settings.renew({ isIdle: active + waiting === 0 })
  if (isEndpointNew) {
    groups.agent.reconfigure(settings.agentData())
    // what the old address or key was refused for says nothing of the new ones
    breaker.close()
  }
  return refused
}

/** The built-in features, in the order of completion and help. */
function builtIn(parts: RuntimeParts, catalogue: ItemCatalogue, usage: UsageLedger): readonly Feature[] {
  return [
    routingFeature,
    questionsFeature,
    itemsFeature(catalogue),
    playerFeature(parts.host),
    usageFeature({ ledger: usage, callLimit: () => parts.live.config['system-agent'].dailyModelCalls }),
    helpFeature(parts.helpLines),
  ]
}

function openLocal(
  parts: RuntimeParts,
  built: Pick<Runtime, 'groups' | 'registry'> & { readonly catalogue: ItemCatalogue },
): LocalRouter {
  const { clock, logger } = parts
  const local = new LocalRouter({
    run: (job) => runJob(built.groups.compute, job),
    items: built.catalogue,
    clock,
    logger,
  })
  local.rebuild(built.registry.modules(), readSynonyms(parts))
  return local
}

function openGroups(parts: RuntimeParts, settings: RequestConfig): ThreadGroups {
  const { live, clock, logger, workersUrl } = parts
  return openThreadGroups({
    threads: live.config['system-agent'].threads,
    agentData: settings.agentData(),
    ...(workersUrl === undefined ? {} : { workersUrl }),
    clock,
    logger,
  })
}

type KernelParts = Pick<Kernel, 'sessions' | 'breaker' | 'meter' | 'registry'> & {
  readonly tickQueue: TickQueue
  readonly bindings: Runtime['bindings']
  readonly groups: ThreadGroups
  readonly settings: RequestConfig
}

function buildKernel(parts: RuntimeParts, built: KernelParts): Kernel {
  const { clock, logger, shipped } = parts
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
    settings: () => built.settings.current,
    prompt(name) {
      const text = shipped.prompts.get(name) ?? built.registry.findPrompt(name)
      return text === undefined ? fail('system:internal', {}, new Error(`no prompt ${name}`)) : ok(text)
    },
    endUser: (player) => createHash('sha256').update(`${salt} ${player}`).digest('base64url').slice(0, 22),
    access: (player) => built.bindings.check(player),
  }
}

function readSynonyms({ shipped, logger }: RuntimeParts) {
  return [...shipped.synonyms].flatMap(([language, table]) => {
    const parsed = synonymsSchema.safeParse(table)
    if (!parsed.success) logger.warn(`synonyms of ${language} are not used`)
    return parsed.success ? [parsed.data] : []
  })
}
