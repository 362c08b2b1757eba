import {
  registerStorage,
  Registry,
  RegistrationError,
  RevokedHooks,
  type Feature,
  type Registration,
} from '../../lib/agent/index.js'
import { CardTypes } from '../../lib/cards/index.js'
import type { Logger } from '../../lib/core/logger.js'
import type { StorageTypes } from '../../lib/storage/index.js'
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

/** What was registered. */
export interface Registered {
  readonly registry: Registry
  readonly cardTypes: CardTypes
  /** What is kept of each player; the store is made of it. */
  readonly storageTypes: StorageTypes
  readonly revokedHooks: RevokedHooks
  /** What is there from other plugins, and what was taken out again. */
  readonly extensions: { readonly registered: number; readonly refused: readonly string[] }
}

/** Registers everything, then ends registration: a later attempt is refused. */
export function registerAll(parts: RegisteringParts): Registered {
  const { languages, logger } = parts
  const registry = new Registry()
  const cardTypes = new CardTypes([], (type, cause) => logger.error(`card ${type} could not be shown`, cause))
  const storageTypes = builtInTypes()
  const revokedHooks = new RevokedHooks()
  const phase = { isOpen: true, isOurs: true }
  const ids: string[] = []
  const named = (id: string): void => {
    if (!phase.isOpen)
      throw new RegistrationError(`${id} comes too late: registration ended when the server was ready`)
    ids.push(nameOf(id))
  }
  const registration: Registration = {
    tool: (tool) => (named(tool.type.id), registry.tool(tool)),
    module: (module) => (named(module.id), registry.module(module)),
    cardType: (type) => (named(type.id), cardTypes.register(type)),
    texts: (language, sentences) => (named(`texts ${language}`), addTexts(languages, language, sentences)),
    prompt: (id, text) => (named(id), registry.prompt(id, text)),
    storage: (type) => (named(type.id), registerStorage(storageTypes, type, phase.isOurs)),
    onRevoked: (owner, hook) => (named(owner), revokedHooks.add(owner, hook, phase.isOurs)),
  }
  for (const feature of parts.features) feature(registration)
  phase.isOurs = false
  const refused: string[] = []
  for (const extension of parts.extensions) {
    ids.length = 0
    const undo = [registry, cardTypes, languages, storageTypes, revokedHooks].map((kind) => kind.mark())
    try {
      refusePromise(extension(registration), logger)
      registry.check()
    } catch (thrown) {
      if (parts.strict) throw thrown
      for (const takeOut of undo) takeOut()
      refused.push(ids[0] ?? 'unnamed')
      logger.error(`the extension that registers ${ids.join(', ') || 'nothing'} is not used`, thrown)
    }
  }
  registry.freeze()
  phase.isOpen = false
  return {
    registry,
    cardTypes,
    storageTypes,
    revokedHooks,
    extensions: { registered: parts.extensions.length - refused.length, refused },
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
