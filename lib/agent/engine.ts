import type { CardRef } from '../cards/index.js'
import { INPUT_LIMIT } from '../command/index.js'
import { isLongerThan } from '../core/code-points.js'
import { failure, FailureError, type Failure } from '../core/failure.js'
import type { Identifier, PlayerId, RequestId } from '../core/ids.js'
import { orThrow } from '../core/result.js'
import { Budget } from './budget.js'
import { EventLane, type BackgroundAsk } from './events/index.js'
import { Execution } from './execution.js'
import type { Kernel } from './kernel.js'
import { Lane, type LaneLimits } from './lane.js'
import { LiveRequest, type RouteSource } from './live-request.js'
import type { AgentResult } from './module.js'
import type { ExecutionPolicy } from './policy.js'
import { askedText, Replays, type Executed } from './replays.js'
import { RequestLog } from './request-log.js'
import { failedResult, shown } from './result.js'
import { isWayOfText, selectionRefusal } from './routing/doors.js'
import type { Clarifying, Routed, Router } from './routing/router.js'
import { brokenRun, runModule } from './run-module.js'
import { traceAccepted, traceEnded, traceRefused, traceRouted } from './trace/index.js'
import { outcomeOf, STOP_GRACE_MS, Workflows, type Place } from './workflows.js'
import { endReceipts } from './write-steps.js'

/** What a player asks for. */
export type Ask =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'action'
      readonly source: 'structured' | 'command'
      readonly module: Identifier
      /** Undecoded. */
      readonly input: unknown
    }

/** The one outcome of a request. */
export interface Outcome {
  readonly requestId: RequestId | null
  readonly source: RouteSource | null
  readonly module: string | null
  readonly result: AgentResult
}

/** What the surface is told while a request runs. */
export interface SubmitOptions {
  /** The card whose button was pressed, with the revision reserved for its replacement. */
  readonly card?: CardRef
  readonly onProgress?: LiveRequest['onProgress']
  /** The asker's own id: asked again with the same content, the request has the outcome of the first time. */
  readonly requestId?: RequestId
  /** The player's words, where they aren't the text that is asked. */
  readonly said?: string
}

/** The one entry for commands, chat and buttons: validates, admits, routes, executes. One request per player. */
export class AgentEngine {
  readonly log = new RequestLog()
  /** Tasks that are kept until they are over, and reading in the background. */
  readonly events: EventLane
  readonly #kernel: Kernel
  readonly #router: Router
  readonly #lane: Lane
  readonly #active = new Map<PlayerId, LiveRequest>()
  readonly #replays: Replays
  readonly #workflows: Workflows
  #stopping = false

  constructor(kernel: Kernel, router: Router, limits: () => LaneLimits) {
    this.#kernel = kernel
    this.#router = router
    this.#lane = new Lane(limits)
    this.#replays = new Replays(kernel)
    this.#workflows = new Workflows(kernel)
    this.events = new EventLane(kernel, {
      log: this.log,
      isInteractive: (id) => [...this.#active.values()].some((request) => request.id === id),
    })
    kernel.sessions.onEnd((player, reason) => void this.cancel(player, reason))
  }

  /** Runs the request to its one outcome. Never rejects. */
  async submit(player: PlayerId, ask: Ask, options: SubmitOptions = {}): Promise<Outcome> {
    const { requestId } = options
    const refused = this.#refusal(player, ask)
    if (refused !== null) return this.#refused(player, refused)
    if (requestId === undefined) return (await this.#submit(player, ask, options)).outcome
    return this.#replays.once({ player, id: requestId, ask }, (fingerprint) =>
      this.#submit(player, ask, { ...options, fingerprint }),
    )
  }

  async #submit(
    player: PlayerId,
    ask: Ask,
    options: SubmitOptions & { readonly fingerprint?: string | null },
  ): Promise<Executed> {
    const session = this.#kernel.sessions.get(player)
    if (session === undefined) return this.#notExecuted(player, failure('system:disconnected'))
    if (this.#active.has(player)) return this.#notExecuted(player, failure('system:request_active'))
    const { ids, memory } = this.#kernel
    const request = new LiveRequest(options.requestId ?? ids.requestId(), session, this.#kernel)
    request.memoryGeneration = memory.generation(player)
    if (options.onProgress !== undefined) request.onProgress = options.onProgress
    request.card = options.card ?? null
    this.#active.set(player, request)
    traceAccepted(this.#kernel, request, ask.kind === 'text' ? 'text' : ask.source)
    const place: Place = {}
    const executed = this.#execute(request, ask, place)
    const result = outcomeOf(request, await this.#workflows.track(request, executed, place))
    if (this.#active.get(player) === request) this.#active.delete(player)
    this.log.record(request, result)
    void endReceipts(this.#kernel, request)
    traceEnded(this.#kernel, request, result)
    const { fingerprint = null } = options
    const saved = memory.keep({ request, asked: askedText(ask, options.said), result, fingerprint })
    const { id, source, module } = request
    return { outcome: { requestId: id, source, module, result }, saved }
  }

  /** Ends the player's running request; false when there was none. */
  cancel(player: PlayerId, reason: Failure = failure('system:cancelled')): boolean {
    const request = this.#active.get(player)
    request?.end(reason)
    return request !== undefined
  }

  /** Which modules a model chose for sentences is forgotten: of one player, or of all. */
  forgetIntents(player?: PlayerId): void {
    this.#router.forgetIntents(player)
  }

  /** Runs a read-only module for a player, outside of its one request and of any conversation. Never rejects. */
  background(player: PlayerId, ask: BackgroundAsk): Promise<AgentResult> {
    return this.events.background(player, ask)
  }

  /**
   * No admission, everything cancelled; resolves when all workflows have settled, at the latest after a second. Event
   * tasks that aren't over stay as they are kept.
   */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#lane.close()
    for (const request of this.#active.values()) request.end(failure('system:stopping'))
    await Promise.all([this.events.stop(), this.#workflows.settled(STOP_GRACE_MS)])
  }

  /** What a request of the module that begins now may spend; null: there is no such module. */
  policyOf(id: Identifier): ExecutionPolicy | null {
    const module = this.#kernel.registry.findModule(id)
    return module === undefined ? null : this.#kernel.settings().policy(module.id, module.policy)
  }

  /** The id of the player's running request, or null. */
  running(player: PlayerId): RequestId | null {
    return this.#active.get(player)?.id ?? null
  }

  state(): { readonly active: number; readonly waiting: number; readonly refused: number } {
    const lane = this.#lane.state()
    return { active: this.#active.size - lane.waiting, waiting: lane.waiting, refused: lane.refused }
  }

  #notExecuted(player: PlayerId, reason: Failure): Executed {
    return { outcome: this.#refused(player, reason), saved: Promise.resolve() }
  }

  #refused(player: PlayerId, reason: Failure): Outcome {
    traceRefused(this.#kernel, player, reason)
    return { requestId: null, source: null, module: null, result: failedResult(reason) }
  }

  #refusal(player: PlayerId, ask: Ask): Failure | null {
    if (this.#stopping) return failure('system:stopping')
    // a button of a workflow that is closed is not used up by its press: it works when that is open again
    const denied = this.#kernel.access(player, ask.kind === 'action' ? ask.module : null)
    if (denied !== null) return denied
    if (ask.kind === 'text' && isLongerThan(ask.text, INPUT_LIMIT)) {
      return failure('system:input_too_long', { limit: INPUT_LIMIT })
    }
    return null
  }

  async #execute(request: LiveRequest, ask: Ask, place: Place): Promise<AgentResult> {
    try {
      const routed = await this.#route(request, ask, place)
      if ('clarify' in routed) {
        request.source = 'model'
        return shown(routed.clarify)
      }
      return await this.#run(request, routed, place)
    } catch (thrown) {
      const module = request.module ?? 'none'
      const line = `request ${request.id} of module ${module} failed`
      return await this.#failed(request, ask, brokenRun(this.#kernel, request, { thrown, module, line }))
    } finally {
      place.taken?.leave()
    }
  }

  /** A sentence that wasn't understood is answered with the commands that may have been meant. */
  async #failed(request: LiveRequest, ask: Ask, reason: Failure): Promise<AgentResult> {
    const result = failedResult(reason)
    if (reason.code !== 'system:not_understood' || ask.kind !== 'text') return result
    try {
      const card = await this.#router.notUnderstood(request, ask.text)
      return card === null ? result : { ...result, cards: [{ mode: 'SHOW', card }] }
    } catch (thrown) {
      // modules of extensions may be plain JavaScript without a help line
      this.#kernel.logger.error('the nearest commands were not found', thrown)
      return result
    }
  }

  async #route(request: LiveRequest, ask: Ask, place: Place): Promise<Routed | Clarifying> {
    if (ask.kind === 'action') {
      const module = this.#kernel.registry.findModule(ask.module)
      if (module === undefined) throw new FailureError(failure('system:not_understood'))
      return { source: ask.source, module, action: orThrow(module.decode(ask.input)) }
    }
    request.armDeadline(this.#router.policy(request).ttlMillis)
    const local = await this.#router.routeLocally(request, ask.text)
    if (local !== null) return wayOfText(local)
    request.needs = 'route'
    request.check()
    if (request.settings.model === null) throw new FailureError(failure('system:no_model'))
    await this.#enterLane(request, place)
    const routed = orThrow(await this.#router.routeByModel(request, ask.text))
    return 'clarify' in routed ? routed : wayOfText(routed)
  }

  async #run(request: LiveRequest, routed: Routed, place: Place): Promise<AgentResult> {
    const { module } = routed
    request.source = routed.source
    request.module = module.id
    request.needs = module.needs
    traceRouted(this.#kernel, request, routed)
    const refused = selectionRefusal(module, routed.source)
    if (refused !== null) throw new FailureError(refused)
    const policy = request.settings.policy(module.id, module.policy)
    request.armDeadline(policy.ttlMillis)
    // a module that cannot ask a model waits for nothing but the tick queue: it needs no place among those that can
    if (policy.modelCalls > 0) await this.#enterLane(request, place)
    const budget = new Budget(policy, this.#kernel.clock, {
      acceptedAt: request.acceptedAt,
      ...(routed.spent === undefined ? {} : { carried: routed.spent }),
    })
    const context = new Execution(this.#kernel, { request, module, budget })
    const result = await runModule(context, module, routed.action)
    if (result.status === 'succeeded') this.#remember(routed)
    return result
  }

  /** What routing keeps of a success decides nothing about it. */
  #remember(routed: Routed): void {
    try {
      routed.onSucceeded?.()
    } catch (thrown) {
      this.#kernel.logger.error(`the way to ${routed.module.id} could not be remembered`, thrown)
    }
  }

  async #enterLane(request: LiveRequest, place: Place): Promise<void> {
    if (place.taken !== undefined) return
    const taken = orThrow(this.#lane.enter())
    place.taken = taken
    if (this.#lane.state().waiting > 0) request.onProgress({ key: 'system.request.waiting' })
    const may = await Promise.race([taken.start, request.whenEnded.then(() => false)])
    request.check()
    if (!may) throw new FailureError(failure('system:stopping'))
  }
}

/** A sentence never counts as a press or a command, whatever found its module. */
function wayOfText(routed: Routed): Routed {
  if (!isWayOfText(routed.source)) throw new FailureError(failure('system:no_permission'))
  return routed
}
