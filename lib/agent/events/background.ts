import { failure, FailureError } from '../../core/failure.js'
import type { Identifier, PlayerId } from '../../core/ids.js'
import { ok, type Result } from '../../core/result.js'
import { Budget } from '../budget.js'
import { Execution } from '../execution.js'
import type { Kernel } from '../kernel.js'
import type { Lane, LanePlace } from '../lane.js'
import { LiveRequest } from '../live-request.js'
import type { AgentResult, RegisteredModule } from '../module.js'
import { failedResult } from '../result.js'
import { brokenRun, runModule } from '../run-module.js'
import { outcomeOf, type Workflows } from '../workflows.js'
import { admitted } from './admission.js'

/** What is to be read. */
export interface BackgroundAsk {
  readonly module: Identifier
  /** Undecoded. */
  readonly input: unknown
}

interface Prepared {
  readonly request: LiveRequest
  readonly module: RegisteredModule
  readonly action: unknown
  readonly place: LanePlace
}

/**
 * Reading in the background: beside the player's one request, in no conversation, not kept, with the module's policy but no
 * write steps. It ends with the player's stay.
 */
export class BackgroundRun {
  readonly #kernel: Kernel
  readonly #prepared: Prepared

  private constructor(kernel: Kernel, prepared: Prepared) {
    this.#kernel = kernel
    this.#prepared = prepared
  }

  /** As `admitted` refuses, `system:busy`, `stopping`. */
  static begin(
    kernel: Kernel,
    { player, ask, lane }: { player: PlayerId; ask: BackgroundAsk; lane: Lane },
  ): Result<BackgroundRun> {
    const asked = admitted(kernel, { ...ask, player })
    if (!asked.ok) return asked
    const { session, module, action } = asked.value
    const place = lane.enter()
    if (!place.ok) return place
    const start = { kind: 'background' } as const
    const request = new LiveRequest(kernel.ids.requestId(), session, { ...kernel, start })
    request.source = 'event'
    request.module = module.id
    request.needs = module.needs
    return ok(new BackgroundRun(kernel, { request, module, action, place: place.value }))
  }

  get request(): LiveRequest {
    return this.#prepared.request
  }

  /** Never rejects. */
  async run(workflows: Workflows): Promise<AgentResult> {
    const { request, place } = this.#prepared
    const executed = this.#execute()
    return outcomeOf(request, await workflows.track(request, executed, { taken: place }))
  }

  async #execute(): Promise<AgentResult> {
    const { request, module, action, place } = this.#prepared
    const { clock } = this.#kernel
    try {
      const policy = { ...request.settings.policy(module.id, module.policy), writeSteps: 0 }
      request.armDeadline(policy.ttlMillis)
      const may = await Promise.race([place.start, request.whenEnded.then(() => false)])
      request.check()
      if (!may) throw new FailureError(failure('system:stopping'))
      const budget = new Budget(policy, clock, { acceptedAt: request.acceptedAt })
      return await runModule(new Execution(this.#kernel, { request, module, budget }), module, action)
    } catch (thrown) {
      const line = `module ${module.id} failed in the background`
      return failedResult(brokenRun(this.#kernel, request, { thrown, module: module.id, line }))
    } finally {
      place.leave()
    }
  }
}
