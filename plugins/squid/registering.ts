import {
  EventRules,
  registerContent,
  registerStorage,
  Registry,
  RegistrationError,
  RevokedHooks,
  type Feature,
  type Registration,
} from '../../lib/agent/index.js'
import { CardTypes } from '../../lib/cards/index.js'
import { ConditionTypes } from '../../lib/conditions/index.js'
import type { Logger } from '../../lib/core/logger.js'
import { RegistryTypes } from '../../lib/registry/index.js'
import type { StorageTypes } from '../../lib/storage/index.js'
import { ModuleTypes } from '../../lib/systems/index.js'
import { parseCatalogue, type Languages } from '../../lib/text/index.js'
import { builtInTypes } from './kept.js'

/** What registration needs from the plugin. */
export interface RegisteringParts {
  /** Built-in features, in the order of completion and help. Their mistakes are ours and throw. */
  readonly features: readonly Feature[]
  /** What other plugins listen with; each is one extension. */
  readonly extensions: readonly ((registration: Registration) => unknown)[]
  readonly languages: Languages
  readonly logger: Logger
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
  /** What packs may hold. */
  readonly registryTypes: RegistryTypes
  readonly revokedHooks: RevokedHooks
  /** What authorizes event tasks. */
  readonly eventRules: EventRules
}

/** What was registered. */
export interface Registered extends Tables {
  /** What is there from other plugins, and what was taken out again. */
  readonly extensions: { readonly registered: number; readonly refused: readonly string[] }
}

/** Where registration stands, and what was registered by whoever registers now. */
interface Phase {
  isOpen: boolean
  isOurs: boolean
  readonly ids: string[]
}

/** Registers everything, then ends registration: a later attempt is refused. */
export function registerAll(parts: RegisteringParts): Registered {
  const { languages, logger } = parts
  const tables: Tables = {
    registry: new Registry(),
    cardTypes: new CardTypes([], (type, cause) => logger.error(`card ${type} could not be shown`, cause)),
    storageTypes: builtInTypes(),
    moduleTypes: new ModuleTypes(),
    conditions: new ConditionTypes(logger),
    registryTypes: new RegistryTypes(),
    revokedHooks: new RevokedHooks(),
    eventRules: new EventRules(),
  }
  const phase: Phase = { isOpen: true, isOurs: true, ids: [] }
  const registration = registrationFor(tables, languages, phase)
  for (const feature of parts.features) feature(registration)
  phase.isOurs = false
  const refused: string[] = []
  for (const extension of parts.extensions) {
    phase.ids.length = 0
    const undo = [...Object.values(tables), languages].map((table: { mark(): () => void }) => table.mark())
    try {
      refusePromise(extension(registration), logger)
      tables.registry.check()
    } catch (thrown) {
      if (parts.strict) throw thrown
      for (const takeOut of undo) takeOut()
      refused.push(phase.ids[0] ?? 'unnamed')
      logger.error(`the extension that registers ${phase.ids.join(', ') || 'nothing'} is not used`, thrown)
    }
  }
  tables.registry.freeze()
  phase.isOpen = false
  return { ...tables, extensions: { registered: parts.extensions.length - refused.length, refused } }
}

function registrationFor(tables: Tables, languages: Languages, phase: Phase): Registration {
  const { registry, cardTypes, storageTypes, moduleTypes, conditions, registryTypes, revokedHooks } = tables
  const named = (id: string): void => {
    if (!phase.isOpen)
      throw new RegistrationError(`${id} comes too late: registration ended when the server was ready`)
    phase.ids.push(nameOf(id))
  }
  /** The names of ours are ours. */
  const owned = (id: string): void => {
    named(id)
    if (!phase.isOurs && typeof id === 'string' && id.startsWith('system:'))
      throw new RegistrationError(`${id}: the namespace is ours`)
  }
  return {
    tool: (tool) => (named(tool.type.id), registry.tool(tool)),
    module: (module) => (named(module.id), registry.module(module)),
    cardType: (type) => (named(type.id), cardTypes.register(type)),
    texts: (language, sentences) => (named(`texts ${language}`), addTexts(languages, language, sentences)),
    prompt: (id, text) => (named(id), registry.prompt(id, text)),
    moduleType: (type) => (owned(type.id), asRegistration(() => moduleTypes.add(type))),
    conditionType: (type) => (owned(type.id), asRegistration(() => conditions.add(type))),
    storage: (type) => (named(type.id), registerStorage(storageTypes, type, phase.isOurs)),
    registry: (type) => (named(type.id), registerContent(registryTypes, type, phase.isOurs)),
    onRevoked: (owner, hook) => (named(owner), revokedHooks.add(owner, hook, phase.isOurs)),
    eventRule: (id, rule) => (named(id), tables.eventRules.add(id, rule, phase.isOurs)),
  }
}

/** A mistake of the caller, whatever the part calls it. */
function asRegistration(register: () => void): void {
  try {
    register()
  } catch (thrown) {
    throw new RegistrationError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** An id for the log: what an extension gives may be anything. */
const nameOf = (id: unknown): string => (typeof id === 'string' ? id.slice(0, 100) : 'no id')

const OWN_KEYS = 'system.'
const LANGUAGE = /^[a-z]{2,3}_[a-z0-9]{2,8}$/

function addTexts(languages: Languages, language: string, sentences: Readonly<Record<string, string>>): void {
  if (!LANGUAGE.test(language)) throw new RegistrationError(`${language} is not a language of the form en_us`)
  const parsed = parseCatalogue(sentences)
  if (!parsed.ok) throw new RegistrationError(`texts of ${language}: ${String(parsed.failure.cause)}`)
  const own = Object.keys(parsed.value).find((key) => key.startsWith(OWN_KEYS))
  if (own !== undefined) throw new RegistrationError(`texts of ${language}: ${own} is ours`)
  languages.add(language, parsed.value)
}

/** Registration is synchronous: what an async listener registers after its first `await` would come too late. */
function refusePromise(returned: unknown, logger: Logger): void {
  if (!(returned instanceof Promise)) return
  returned.catch((thrown: unknown) => logger.error('an extension failed after its registration', thrown))
  throw new RegistrationError('a listener of system:register must not be async')
}
