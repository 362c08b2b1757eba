import { cardOf, type CardData } from '../../cards/index.js'
import { failure, type Failure } from '../../core/failure.js'
import type { PlayerId } from '../../core/ids.js'
import { fail, ok, type Result } from '../../core/result.js'
import { synchronous } from '../../core/synchronous.js'
import { Budget, type Spent } from '../budget.js'
import type { Kernel } from '../kernel.js'
import type { LiveRequest, RouteSource } from '../live-request.js'
import type { RegisteredModule, Sentence } from '../module.js'
import { ROUTING } from '../policies.js'
import { ROUTING_POLICY, type ExecutionPolicy } from '../policy.js'
import { agentJob } from '../dialogue/agent-job.js'
import { converse } from '../dialogue/conversation.js'
import { clarification } from './clarify-card.js'
import { isSameInput, type IntentCache } from './intent-cache.js'
import { NEAREST_COMMANDS, nearestCard, nearestCommand } from './nearest-card.js'
import { judgeRoute } from './route-reply.js'

/** What local matching found for a sentence. */
export interface LocalMatch {
  readonly moduleId: string
  /** Of the local index, 0 to 1. */
  readonly confidence?: number
  readonly sentence: Sentence
}

/** The local index behind a port: answers from the compute group, or null when it is not sure; `language` is the player's. */
export interface LocalRoutes {
  route(text: string, language: string): Promise<LocalMatch | null>
  /** Ids of the modules that are nearest to the sentence, nearest first. */
  nearest(text: string, language: string): Promise<readonly string[]>
}

/** Where a sentence goes. */
export interface Routed {
  readonly source: RouteSource
  readonly module: RegisteredModule
  /** Decoded by the module's own schema. */
  readonly action: unknown
  /** Of the local index, 0 to 1; absent for other sources. */
  readonly confidence?: number
  /** What finding the way has cost; counts against the module's own budget. */
  readonly spent?: Spent
  /** To be called when the module has succeeded. */
  onSucceeded?(): void
}

/** The model asks the player which of several modules is meant. */
export interface Clarifying {
  readonly clarify: CardData
}

/** Finds the module for free text: the local index first, then one model call. Never a guess. */
export class Router {
  readonly #kernel: Kernel
  readonly #local: LocalRoutes
  readonly #intents: IntentCache | null

  constructor(kernel: Kernel, local: LocalRoutes, intents: IntentCache | null = null) {
    this.#kernel = kernel
    this.#local = local
    this.#intents = intents
    kernel.sessions.onEnd((player) => this.forgetIntents(player))
  }

  /** Which modules a model chose is not known any more: of one player, or of all. */
  forgetIntents(player?: PlayerId): void {
    this.#intents?.clear(player)
  }

  /** What finding the way may spend; its time holds for the whole request until the module is known. */
  policy(request: LiveRequest): ExecutionPolicy {
    return request.settings.policy(ROUTING, ROUTING_POLICY)
  }

  /** Tries what a model chose before and the local index: no model, nothing leaves the server. */
  async routeLocally(request: LiveRequest, text: string): Promise<Routed | null> {
    this.#intents?.begin(request)
    const known = this.#guessed(request, this.#intents?.find(request, text) ?? null, 'cache')
    if (known !== null) return known
    const match = await this.#local.route(text, request.session.language)
    request.check()
    return this.#guessed(request, match, 'local')
  }

  /** The action of a match, if the module may be guessed at all, is open, and all its arguments are in the sentence. */
  #guessed(request: LiveRequest, match: LocalMatch | null, source: 'local' | 'cache'): Routed | null {
    const module = match === null ? undefined : this.#kernel.registry.findModule(match.moduleId)
    if (match === null || module === undefined || !this.#mayBeGuessed(module)) return null
    if (!this.#isOpen(request, module)) return null
    const action = this.#extracted(module, match.sentence)
    if (action?.ok !== true) return null
    const { confidence } = match
    return {
      source,
      module,
      action: action.value,
      ...(confidence === undefined ? {} : { confidence }),
    }
  }

  /** What the module's extractor makes of the sentence, decoded; null when arguments are missing, or it throws. */
  #extracted(module: RegisteredModule, sentence: Sentence): Result<unknown> | null {
    try {
      const extracted = synchronous(module.routing.extract?.(sentence))
      return extracted === undefined ? null : module.decode(extracted)
    } catch (thrown) {
      this.#kernel.logger.error(`the argument extractor of ${module.id} threw`, thrown)
      return null
    }
  }

  /** Remembers what a model chose, if the extractor would have made the same of the sentence. */
  #remember(request: LiveRequest, text: string, { module, action }: Pick<Routed, 'module' | 'action'>): void {
    const sentence = this.#intents?.sentence(request, text) ?? null
    if (sentence === null) return
    const again = this.#guessed(request, { moduleId: module.id, sentence }, 'cache')
    if (again !== null && isSameInput(again.action, action, sentence))
      this.#intents?.remember(request, text, module.id)
  }

  #mayBeGuessed(module: RegisteredModule): boolean {
    return module.routing.selection === 'NORMAL' && this.#kernel.registry.readsOnly(module)
  }

  /** Asks the model once which of the modules open to this player the sentence means. */
  async routeByModel(request: LiveRequest, text: string): Promise<Result<Routed | Clarifying>> {
    const open = this.#kernel.registry.modules().filter((module) => this.#isOpen(request, module))
    const offered = new Map(
      open
        .filter((module) => module.routing.selection !== 'STRUCTURED_ONLY')
        .map((module) => [String(module.id), module]),
    )
    const budget = new Budget(this.policy(request), this.#kernel.clock, { acceptedAt: request.acceptedAt })
    const job = agentJob(this.#kernel, request, {
      kind: 'route',
      question: text,
      prompt: 'route',
      rounds: 1,
      catalogue: [...offered.values()].map((module) => ({
        id: module.id,
        description: module.description,
        schemaText: module.schemaText,
        ...(module.routing.selection === 'EXPLICIT_ONLY' ? { explicitOnly: true } : {}),
      })),
      answerSchemaText: '',
      budget,
    })
    if (!job.ok) return job
    const chosen = await converse(this.#kernel, request, {
      job: job.value,
      budget,
      tools: null,
      judge: (reply) => judgeRoute(reply, offered, job.value.prompt),
    })
    if (!chosen.ok) return { ok: false, failure: asRouteFailure(chosen.failure) }
    if ('question' in chosen.value) {
      const card = clarification(chosen.value.question, chosen.value.modules)
      return card === null ? fail('system:not_understood') : ok({ clarify: card })
    }
    const { value } = chosen
    const onSucceeded = (): void => this.#remember(request, text, value)
    return ok({ source: 'model', ...value, spent: budget.spent(), onSucceeded })
  }

  /**
   * The card for a sentence that nobody understood: the nearest commands open to the player, those of the index first.
   * Null when there is no command at all.
   */
  async notUnderstood({ player, session }: LiveRequest, text: string): Promise<CardData | null> {
    const { registry } = this.#kernel
    const near = (await this.#local.nearest(text, session.language)).map((id) => registry.findModule(id))
    const modules = [...near, ...registry.modules()].filter((module) => module !== undefined)
    const commands = [...new Set(modules)]
      .filter(({ id }) => this.#kernel.access(player, id) === null)
      .map(nearestCommand)
      .filter((command) => command !== undefined)
      .slice(0, NEAREST_COMMANDS)
    return commands.length === 0 ? null : cardOf(nearestCard, { commands })
  }

  /** By the content that the request began with: what it may run is judged by that too. */
  #isOpen({ player, settings }: LiveRequest, { id }: RegisteredModule): boolean {
    return this.#kernel.access(player, id, settings.content) === null
  }
}

/** A reply that is no choice at all is, for the player, a sentence that wasn't understood. */
function asRouteFailure(reason: Failure): Failure {
  const unreadable = reason.code === 'system:model_invalid' || reason.code === 'system:incomplete'
  return unreadable ? failure('system:not_understood', {}, reason) : reason
}
