import {
  AgentEngine,
  IntentCache,
  Lane,
  ModelBreaker,
  ModelMeter,
  Router,
  Sessions,
  TickQueue,
  type AgentResult,
  type LocalRouter,
  type TraceStream,
} from '../../lib/agent/index.js'
import { Revocation } from '../../lib/binding/index.js'
import { ButtonTokens, CardBook } from '../../lib/cards/index.js'
import type { LiveConfig } from '../../lib/config/index.js'
import { PlayerMemory } from '../../lib/conversation/index.js'
import type { Chance } from '../../lib/core/chance.js'
import type { Clock } from '../../lib/core/clock.js'
import { failure, type FailureCode } from '../../lib/core/failure.js'
import { randomIds, type PlayerId } from '../../lib/core/ids.js'
import type { Logger } from '../../lib/core/logger.js'
import type { HelpLine } from '../../lib/help/index.js'
import type { Host, PlayerLives } from '../../lib/host/index.js'
import { loadItemCatalogue } from '../../lib/items/index.js'
import type { ItemLaneParts } from '../../lib/inventory/index.js'
import type { ThreadGroups } from '../../lib/pool/index.js'
import type { Preferences } from '../../lib/preferences/index.js'
import type { Content, ShippedData } from '../../lib/registry/index.js'
import type { ItemForms } from '../../lib/rewards/index.js'
import type { StorageDriver } from '../../lib/storage/index.js'
import type { ModuleAccess, SystemRegistries } from '../../lib/systems/index.js'
import type { Languages } from '../../lib/text/index.js'
import type { LedgerSaver, UsageLedger } from '../../lib/usage/index.js'
import { openAccess } from './access.js'
import { builtInFeatures } from './built-in-features.js'
import { closeParts } from './closing.js'
import { openUsage } from './counted.js'
import { buildKernel, openThreads, reconfigure, type Heavy } from './heavy.js'
import type { LiveContent } from './packs/index.js'
import { loadItemNames } from './item-names.js'
import { openCommerce, type Commerce } from './open-commerce.js'
import { openPreferences } from './open-preferences.js'
import { openPlayerData, type PlayerData } from './player-data.js'
import { registerAll, type Registered, type RegisteringParts } from './registering.js'
import type { PluginSettings, ServerSettings } from './settings.js'
import { auditedRevoke, openLogFiles, type LogFiles } from './tracing.js'

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
  /** A player's last sign-in lies far in the future: the clock was wrong. */
  readonly onFarAhead: (player: PlayerId, day: string) => void
  /** What an event task gave, for a player who is online. */
  readonly onEventResult: (player: PlayerId, result: AgentResult) => void
  /** The first request of a player goes to that host. */
  readonly onFirstUse: (player: PlayerId, host: string) => void
  /** The commands open to a player now. */
  readonly helpLines: (player: PlayerId) => readonly HelpLine[]
  readonly languages: Languages
  readonly settings: Pick<PluginSettings, 'languageFolder' | 'packs'>
  /** What other plugins register with. */
  readonly extensions: RegisteringParts['extensions']
  /** A mistake of an extension stops the System. */
  readonly strict: boolean
  /** Folder of other worker files; default: the package's own. */
  readonly workersUrl?: URL | undefined
  /** Where records are kept. */
  readonly driver: StorageDriver
  readonly items: Pick<ItemLaneParts, 'mode' | 'inventories' | 'fault'> & {
    readonly forms: ItemForms
    readonly lives: PlayerLives
    /** Default: the system's randomness. */
    readonly chance?: Chance | undefined
  }
  /** Whether an online player administers. */
  readonly isAdmin: (player: PlayerId) => boolean
  readonly serverSettings: Pick<ServerSettings, 'worldFolder'>
  /** What happens in the agent runtime. */
  readonly trace: TraceStream
  /** Where the trace file lies. */
  readonly dataFolder: string
}

/** The parts of one running System. */
export interface Runtime extends PlayerData, LogFiles {
  readonly live: LiveConfig
  readonly clock: Clock
  readonly sessions: Sessions
  readonly registry: Registered['registry']
  readonly services: Registered['services']
  readonly extensions: Registered['extensions']
  readonly engine: AgentEngine
  /** What is remembered of players between requests. */
  readonly memory: PlayerMemory
  /** The part of routing that asks no model. */
  readonly local: LocalRouter
  /** Who may use what. */
  readonly access: ModuleAccess
  /** What each player may have of a model. */
  readonly preferences: Preferences
  readonly registries: SystemRegistries
  /** What sells and what is given. */
  readonly commerce: Commerce
  readonly tickQueue: TickQueue
  readonly tokens: ButtonTokens
  readonly cards: CardBook
  readonly cardTypes: Registered['cardTypes']
  readonly meter: ModelMeter
  /** What models and searches are used for; its saver is to be loaded before anybody may ask for anything. */
  readonly usage: { readonly ledger: UsageLedger; readonly saver: LedgerSaver }
  readonly breaker: ModelBreaker
  /** Takes Systems away. */
  readonly revocation: Revocation
  readonly groups: ThreadGroups
  /** What packs say; to be opened before anybody may ask for anything. */
  readonly packs: LiveContent
  /** What packs say now: another object after a reload. */
  content(): Content
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
  const basics = openBasics(parts)
  const { sessions, usage, catalogue } = basics
  const commerce = openCommerce({ ...parts, catalogue }, () => ({ ...data, access, content: heavy.content }))
  const own = { catalogue, commerce, usage: usage.ledger, late: () => ({ memory, preferences, cardTypes }) }
  const registered = registerAll({ ...parts, ...commerce, features: builtInFeatures(parts, own) })
  const { registry, services, extensions, cardTypes } = registered
  const face = { registry, services, extensions, cardTypes }
  const heavy = openThreads(parts, { ...registered, catalogue, commerce })
  const data = openKept(parts, { ...registered, ...heavy, commerce })
  const access = openAccess({ ...parts, ...data, ...registered, ...heavy })
  sessions.onEnd((player) => {
    access.forget(player)
    commerce.quotes.forget(player)
  })
  const { preferences, firstUse } = openPreferences(parts, { ...data, ...heavy, sessions })
  const memory: PlayerMemory = openMemory(parts, { ...data, cardTypes, preferences })
  const shared = { ...basics, memory, access, preferences, firstUse }
  const engine = openEngine(parts, { ...registered, ...heavy, ...data, ...shared })
  const { settings, ...open } = heavy
  const cards = openCards(parts, cardTypes)
  const revocation = openRevocation(parts, { ...registered, ...data, ...cards, sessions, commerce })
  const files = openLogFiles({ ...parts, ...open, ...commerce })
  const running = { ...data, ...open, ...shared, ...cards, ...files, commerce, revocation, engine }
  return {
    ...running,
    ...face,
    live: parts.live,
    clock: parts.clock,
    itemIds: catalogue.items.map(({ id }) => id),
    loadNames: () => loadItemNames({ ...parts, ...open, catalogue }),
    get model() {
      return settings.model
    },
    reconfigure() {
      files.traceFile.renew()
      files.auditFile.renew()
      return reconfigure(settings, { ...open, ...shared, engine })
    },
    close: () => closeParts({ ...parts, ...registered, ...running }),
  }
}

/** What stands on nothing that is registered. */
function openBasics(parts: RuntimeParts) {
  const { clock, logger } = parts
  const sessions = new Sessions()
  const tickQueue = new TickQueue({ sessions, clock, logger })
  const breaker = new ModelBreaker(clock, parts.onBreaker, (line) => logger.warn(line))
  const usage = openUsage({ ...parts, nameOf: (player) => sessions.get(player)?.name ?? player })
  const meter = openMeter(parts, { breaker, usage })
  return { sessions, tickQueue, breaker, usage, meter, catalogue: loadItemCatalogue(parts.host.version) }
}

function openMeter(
  { live, clock }: RuntimeParts,
  { breaker, usage }: Pick<Runtime, 'breaker' | 'usage'>,
): ModelMeter {
  const limits = () => live.config['system-agent']
  return new ModelMeter({ clock, breaker, limits, quota: usage.ledger })
}

function openCards(
  { clock }: RuntimeParts,
  types: Registered['cardTypes'],
): { readonly tokens: ButtonTokens; readonly cards: CardBook } {
  const tokens = new ButtonTokens({ ids: randomIds, clock })
  return { tokens, cards: new CardBook({ ids: randomIds, types, tokens }) }
}

/** What is kept of players; the Systems they can have are those that packs define. */
function openKept(
  parts: RuntimeParts,
  { storageTypes, registries, content, commerce }: Registered & Heavy & { readonly commerce: Commerce },
): PlayerData {
  const definitions = () => content().registry(registries.definitions)
  return openPlayerData({
    ...parts,
    commerce,
    types: storageTypes,
    systems: {
      isDefined: (id) => definitions().get(id) !== undefined,
      systems: () => definitions().ids(),
    },
  })
}

const openIntents = ({ clock, live }: RuntimeParts, { local }: Heavy): IntentCache =>
  new IntentCache({
    clock,
    settings: () => live.config['system-semantic'],
    sentence: (text, language) => local.sentence(text, language),
  })

/** What a player lets be forgotten takes the running request with it, and what is known of sentences. */
function openEngine(parts: RuntimeParts, built: EngineParts): AgentEngine {
  const kernel = buildKernel(parts, built)
  const lanes = () => parts.live.config['system-agent'].lanes.interactive
  const engine = new AgentEngine(kernel, new Router(kernel, built.local, openIntents(parts, built)), lanes)
  built.preferences.onChange(({ player }) => engine.forgetIntents(player))
  built.memory.onForget((player) => {
    engine.cancel(player, failure('system:forgotten'))
    engine.forgetIntents(player)
  })
  return engine
}

type EngineParts = Heavy & Pick<Runtime, 'memory'> & Parameters<typeof buildKernel>[1]

/** What conversations are remembered with. */
function openMemory(
  { live, languages, clock, logger }: RuntimeParts,
  { store, cardTypes, preferences }: Pick<Runtime, 'store' | 'cardTypes' | 'preferences'>,
): PlayerMemory {
  return new PlayerMemory({
    store,
    cardTypes,
    limits: () => live.config['system-storage'],
    keepsHistory: (player) => preferences.of(player).history,
    text: (message, language) => languages.text(message, language),
    clock,
    logger,
  })
}

function openRevocation(
  { live, clock, logger }: RuntimeParts,
  built: PlayerData & Pick<Runtime, 'sessions' | 'cards' | 'commerce'> & Pick<Registered, 'revokedHooks'>,
): Revocation {
  const lane = new Lane(() => live.config['system-agent'].lanes.maintenance)
  return new Revocation({
    ...built,
    items: auditedRevoke(built),
    hooks: built.revokedHooks,
    lane,
    clock,
    logger,
  })
}
