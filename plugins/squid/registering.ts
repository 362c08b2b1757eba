import {
  asRegistration,
  CHAT,
  ChatProviders,
  CLOCK,
  LOGGER,
  EventRules,
  registerContent,
  registerStorage,
  Registry,
  RegistrationError,
  RevokedHooks,
  Services,
  TRACE,
  type Feature,
  type Registration,
  type TraceListener,
  type TraceStream,
} from '../../lib/agent/index.js'
import { CardTypes } from '../../lib/cards/index.js'
import { ConditionTypes } from '../../lib/conditions/index.js'
import { endableClock, type Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import type { CostTypes } from '../../lib/costs/index.js'
import { RegistryTypes } from '../../lib/registry/index.js'
import type { RewardTypes } from '../../lib/rewards/index.js'
import type { StorageTypes } from '../../lib/storage/index.js'
import { ModuleTypes } from '../../lib/systems/index.js'
import { parseCatalogue, type Languages } from '../../lib/text/index.js'
import { builtInTypes } from './kept.js'
import { RegistrationPhase } from './registration-phase.js'
import { LogLimit } from './shield/index.js'

/** What registration needs from the plugin. */
export interface RegisteringParts {
  /** Built-in features, in the order of completion and help. Their mistakes are ours and throw. */
  readonly features: readonly Feature[]
  /** What other plugins listen with; each is one extension. */
  readonly extensions: readonly ((registration: Registration) => unknown)[]
  readonly languages: Languages
  readonly clock: Clock
  readonly logger: Logger
  readonly trace: TraceStream
  /** What packs may name as prices and as rewards. */
  readonly costs: CostTypes
  readonly rewards: RewardTypes
  /** A mistake of an extension stops the System instead of taking out the extension. */
  readonly strict: boolean
}

/** The tables that registration fills. */
interface Tables {
  readonly registry: Registry
  readonly cardTypes: CardTypes
  /** What is kept of each player; the store is made of it. */
  readonly storageTypes: StorageTypes
  readonly moduleTypes: ModuleTypes
  readonly conditions: ConditionTypes
  readonly costs: CostTypes
  readonly rewards: RewardTypes
  /** What packs may hold. */
  readonly registryTypes: RegistryTypes
  readonly revokedHooks: RevokedHooks
  readonly services: Services
  readonly chatProviders: ChatProviders
  /** What authorizes event tasks. */
  readonly eventRules: EventRules
}

/** What was registered. */
export interface Registered extends Tables {
  /** The names of what is there from other plugins, and of those that were taken out again. */
  readonly extensions: {
    readonly registered: readonly string[]
    readonly refused: readonly string[]
  }
  /** Those that extensions have of us. */
  readonly timers: { end(): void }
}

/** An extension that takes longer to register holds up the start, and is named. */
const REGISTER_MS = 100

/**
 * Registers everything in its phases: built-in services and features, then each extension, whose references are validated
 * when it has ended, then the freeze: a later attempt is refused.
 */
export function registerAll(parts: RegisteringParts): Registered {
  const { languages, logger } = parts
  const { clock, end } = endableClock(parts.clock)
  const tables = openTables({ ...parts, clock })
  const phase = new RegistrationPhase()
  const registration = registrationFor(tables, languages, phase)
  for (const feature of parts.features) feature(registration)
  const [registered, refused]: [string[], string[]] = [[], []]
  for (const [at, extension] of parts.extensions.entries()) {
    phase.begin(`unnamed (${at + 1} of ${parts.extensions.length})`)
    const undo = [...Object.values(tables), languages].map((table: { mark(): () => void }) => table.mark())
    try {
      timed(() => refusePromise(extension(registration), logger), { ...parts, phase })
      tables.registry.check()
      phase.keep()
      registered.push(phase.name)
    } catch (thrown) {
      if (parts.strict) throw namedError(phase, thrown)
      for (const takeOut of undo) takeOut()
      refused.push(phase.name)
      logger.error(`extension ${phase.describe()} is not used, nothing of it`, thrown)
    }
  }
  tables.registry.freeze()
  phase.end()
  return { ...tables, extensions: { registered, refused }, timers: { end } }
}

/** Empty tables but for the built-in services, which are there before anybody may want them. */
function openTables(parts: RegisteringParts): Tables {
  const { logger } = parts
  const chatProviders = new ChatProviders(parts)
  // each look at a broken card that is kept would be a line
  const log = new LogLimit(logger, parts.clock)
  return {
    registry: new Registry(),
    cardTypes: new CardTypes([], (type, cause) => log.write(type, `card ${type} could not be shown`, cause)),
    storageTypes: builtInTypes(),
    moduleTypes: new ModuleTypes(),
    conditions: new ConditionTypes(logger),
    costs: parts.costs,
    rewards: parts.rewards,
    registryTypes: new RegistryTypes(),
    revokedHooks: new RevokedHooks(),
    services: builtInServices(parts, chatProviders),
    chatProviders,
    eventRules: new EventRules(),
  }
}

/** Others get views: what one extension does to them is nobody else's. */
function builtInServices({ clock, logger, trace }: RegisteringParts, chat: ChatProviders): Services {
  const services = new Services()
  const log: Logger = {
    info: (message) => logger.info(message),
    warn: (message) => logger.warn(message),
    error: (message, cause) => logger.error(message, cause),
  }
  services.add(CLOCK, clock)
  services.add(LOGGER, Object.freeze(log))
  services.add(TRACE, Object.freeze({ on: (listener: TraceListener) => trace.on(listener) }))
  services.add(CHAT, Object.freeze({ answer: chat.answer.bind(chat) }))
  return services
}

function registrationFor(tables: Tables, languages: Languages, phase: RegistrationPhase): Registration {
  const { registry, cardTypes, storageTypes, moduleTypes, conditions, registryTypes, revokedHooks } = tables
  return Object.freeze<Registration>({
    extension: (name) => phase.call(name),
    service: (key, service) => (phase.take('service', key.id), tables.services.add(key, service)),
    use: (key) => (phase.check('a service'), tables.services.get(key, `extension ${phase.name}`)),
    tool: (tool) => (phase.take('tool', tool.type.id), registry.tool(tool)),
    module: (module) => (phase.take('module', module.id), registry.module(module)),
    cardType: (type) => (phase.take('card type', type.id), cardTypes.register(type)),
    texts: (language, sentences) => (phase.check('a text'), addTexts(languages, language, sentences)),
    prompt: (id, text) => (phase.take('prompt', id), registry.prompt(id, text)),
    chatProvider: (provider) => (
      phase.take('chat provider', provider.id),
      tables.chatProviders.add(provider)
    ),
    moduleType: (type) => (phase.take('module type', type.id), asRegistration(() => moduleTypes.add(type))),
    costType: (type) => (phase.take('cost', type.id), asRegistration(() => tables.costs.add(type))),
    rewardType: (type) => (phase.take('reward', type.id), asRegistration(() => tables.rewards.add(type))),
    conditionType: (type) => (phase.take('condition', type.id), asRegistration(() => conditions.add(type))),
    storage: (type) => (phase.take('storage', type.id), registerStorage(storageTypes, type)),
    registry: (type) => (phase.take('registry', type.id), registerContent(registryTypes, type, phase.isOurs)),
    onRevoked: (owner, hook) => (phase.take('hook', owner), revokedHooks.add(owner, hook)),
    eventRule: (id, rule) => (phase.take('event rule', id), tables.eventRules.add(id, rule, phase.isOurs)),
  })
}

function timed(
  register: () => void,
  { clock, logger, phase }: { clock: Clock; logger: Logger; phase: RegistrationPhase },
): void {
  const began = clock.monotonic()
  register()
  const tookMs = clock.monotonic() - began
  if (tookMs > REGISTER_MS)
    logger.warn(
      `extension ${phase.name} took ${Math.round(tookMs)} ms to register (at most ${REGISTER_MS} ms)`,
    )
}

const namedError = (phase: RegistrationPhase, thrown: unknown): RegistrationError =>
  new RegistrationError(`extension ${phase.name}: ${messageOf(thrown)}`, undefined, { cause: thrown })

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

const OWN_KEYS = 'system.'
const LANGUAGE = /^[a-z]{2,3}_[a-z0-9]{2,8}$/

function addTexts(languages: Languages, language: string, sentences: Readonly<Record<string, string>>): void {
  if (!LANGUAGE.test(language)) throw new RegistrationError(`${language} is not a language of the form en_us`)
  const parsed = parseCatalogue(sentences)
  if (!parsed.ok) throw new RegistrationError(`texts of ${language}: ${String(parsed.failure.cause)}`)
  const own = Object.keys(parsed.value).find((key) => key.startsWith(OWN_KEYS))
  if (own !== undefined)
    throw new RegistrationError(
      `texts of ${language}: ${own} is ours`,
      'begin your keys with your own namespace and a dot',
    )
  languages.add(language, parsed.value)
}

/** Registration is synchronous: what an async listener registers after its first `await` would come too late. */
function refusePromise(returned: unknown, logger: Logger): void {
  if (!(returned instanceof Promise)) return
  returned.catch((thrown: unknown) => logger.error('an extension failed after its registration', thrown))
  throw new RegistrationError(
    'a listener of system:register must not be async',
    'do what waits before, when the plugin is loaded, or in the tools themselves',
  )
}
