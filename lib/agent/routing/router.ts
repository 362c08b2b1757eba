import { z } from 'zod'
import { cardOf, type CardData } from '../../cards/index.js'
import { failure, type Failure } from '../../core/failure.js'
import { parseJson } from '../../core/json.js'
import type { Result } from '../../core/result.js'
import { synchronous } from '../../core/synchronous.js'
import { Budget, type Spent } from '../budget.js'
import type { Kernel } from '../kernel.js'
import type { LiveRequest, RouteSource } from '../live-request.js'
import type { RegisteredModule, Sentence } from '../module.js'
import { ROUTING } from '../policies.js'
import { ROUTING_POLICY, type ExecutionPolicy } from '../policy.js'
import { agentJob } from '../dialogue/agent-job.js'
import { converse, type Verdict } from '../dialogue/conversation.js'
import { NEAREST_COMMANDS, nearestCard, nearestCommand } from './nearest-card.js'

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
}

const replySchema = z.object({ module: z.string().max(256), input: z.unknown().optional() })

/** Finds the module for free text: the local index first, then one model call. Never a guess. */
export class Router {
  readonly #kernel: Kernel
  readonly #local: LocalRoutes

  constructor(kernel: Kernel, local: LocalRoutes) {
    this.#kernel = kernel
    this.#local = local
  }

  /** What finding the way may spend; its time holds for the whole request until the module is known. */
  policy(request: LiveRequest): ExecutionPolicy {
    return request.settings.policy(ROUTING, ROUTING_POLICY)
  }

  /** Tries the local index alone: no model, nothing leaves the server. */
  async routeLocally(request: LiveRequest, text: string): Promise<Routed | null> {
    const match = await this.#local.route(text, request.session.language)
    request.check()
    const module = match === null ? undefined : this.#kernel.registry.findModule(match.moduleId)
    if (match === null || module?.routing.selection !== 'NORMAL') return null
    if (!this.#isOpen(request, module)) return null
    const extracted = synchronous(module.routing.extract?.(match.sentence))
    if (extracted === undefined) return null
    const action = module.decode(extracted)
    if (!action.ok) return null
    const { confidence } = match
    return {
      source: 'local',
      module,
      action: action.value,
      ...(confidence === undefined ? {} : { confidence }),
    }
  }

  /** Asks the model once which of the modules open to this player the sentence means. */
  async routeByModel(request: LiveRequest, text: string): Promise<Result<Routed>> {
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
      judge: (reply) => judgeRoute(reply, offered),
    })
    if (!chosen.ok) return { ok: false, failure: asRouteFailure(chosen.failure) }
    return { ok: true, value: { source: 'model', ...chosen.value, spent: budget.spent() } }
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
      .filter(({ id, routing }) => {
        return routing.selection !== 'STRUCTURED_ONLY' && this.#kernel.access(player, id) === null
      })
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

/** Unknown ids, modules that are not open to the player and arguments that don't decode are all the same: not understood. */
function judgeRoute(
  reply: string,
  offered: ReadonlyMap<string, RegisteredModule>,
): Verdict<{ module: RegisteredModule; action: unknown }> {
  const notUnderstood = { refused: failure('system:not_understood') }
  const parsed = replySchema.safeParse(parseJson(reply))
  const module = parsed.success ? offered.get(parsed.data.module) : undefined
  if (!parsed.success || module === undefined) return notUnderstood
  const action = module.decode(parsed.data.input ?? {})
  return action.ok ? { accepted: { module, action: action.value } } : notUnderstood
}

/** A reply that is no choice at all is, for the player, a sentence that wasn't understood. */
function asRouteFailure(reason: Failure): Failure {
  const unreadable = reason.code === 'system:model_invalid' || reason.code === 'system:incomplete'
  return unreadable ? failure('system:not_understood', {}, reason) : reason
}
