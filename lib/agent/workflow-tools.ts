import { z } from 'zod'
import type { CardData } from '../cards/index.js'
import { failure, FailureError, isAuthorization } from '../core/failure.js'
import { canonicalJson } from '../core/json.js'
import { ok, type Result } from '../core/result.js'
import type { Budget } from './budget.js'
import { confirmationCard, type ChosenAction } from './confirmation.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest } from './live-request.js'
import type { AgentResult, RegisteredModule } from './module.js'
import { brokenRun, runModule, type RunContext } from './run-module.js'
import { problemText, type RegisteredTool } from './tool.js'
import { round } from './trace/requests.js'

/** So many confirmations come of one loop. */
export const MAX_CONFIRMATIONS = 3

/** A run inside of another: its doors close when that has what it wanted, or waits no longer. */
export interface Nested {
  isOver: boolean
}

/** The context of a workflow inside of another. */
export interface NestedExecution extends RunContext {
  /** Throws when the workflow, or the configuration under which it ran, is not open any more. */
  checkOpen(): void
}

/** What running a workflow inside of another needs. */
export interface NestedParts {
  readonly kernel: Kernel
  readonly request: LiveRequest
  readonly budget: Budget
  /** The workflow that binds the others: it is none of its own tools. */
  readonly module: RegisteredModule
  /** Throws when the request may not go on. */
  check(): void
  /** A context of its own for a workflow. */
  open(module: RegisteredModule, nested: Nested): NestedExecution
}

/** What a workflow gives a loop. */
interface WorkflowOutput {
  /** For the model: JSON. */
  readonly told: unknown
  /** For the player. */
  readonly card: CardData | null
}

const CONFIRMATION_DESCRIPTION =
  'This changes something: choosing it only shows the player a button; nothing is done until the player presses it.'
const CONFIRMATION_NOTE =
  'A button was put before the player. Nothing has been done; it is done only if the player presses it.'

/** The workflows open to a player as tools of one loop. */
export class WorkflowTools {
  readonly #parts: NestedParts
  readonly #tools: ReadonlyMap<RegisteredTool, RegisteredModule>
  readonly #used = new Set<NestedExecution>()
  #confirmations = 0

  /** Freezes which workflows there are; whether they are open is asked again at each use. */
  constructor(parts: NestedParts) {
    this.#parts = parts
    const { kernel, module, request } = parts
    const modules = kernel.registry
      .modules()
      .filter((other) => other.id !== module.id && this.#isOffered(other))
      .filter(({ id }) => kernel.access(request.player, id, request.settings.content) === null)
    this.#tools = new Map(modules.map((other) => [this.#asTool(other), other]))
  }

  /** Those whose ids none of the others has. */
  beside(others: readonly RegisteredTool[]): readonly RegisteredTool[] {
    return [...this.#tools.keys()].filter(({ id }) => !others.some((other) => other.id === id))
  }

  /** Rights and budget of one attempt; undefined: another tool. Throws when the request may not go on. */
  enter(tool: RegisteredTool): Result<void> | undefined {
    const module = this.#tools.get(tool)
    if (module === undefined) return undefined
    const { kernel, request, budget } = this.#parts
    this.#parts.check()
    const denied = kernel.access(request.player, module.id, request.settings.content)
    if (denied !== null) throw new FailureError(denied)
    return budget.takeToolCall('read')
  }

  /**
   * What came of it: a card to press for what changes something, else what the workflow gave; undefined: another tool.
   * Rejects when the request may not go on.
   */
  run(tool: RegisteredTool, chosen: ChosenAction): Promise<Result<unknown>> | undefined {
    const module = this.#tools.get(tool)
    return module === undefined ? undefined : this.#traced(tool, module, chosen)
  }

  /** Before the final output: all that was used must still be the player's. */
  checkUsed(): void {
    for (const context of this.#used) context.checkOpen()
  }

  async #traced(
    tool: RegisteredTool,
    module: RegisteredModule,
    chosen: ChosenAction,
  ): Promise<Result<unknown>> {
    const { clock, trace } = this.#parts.kernel
    const began = clock.monotonic()
    const outcome = await this.#run(tool, module, chosen)
    trace(() => ({
      kind: 'tool-called',
      request: this.#parts.request.id,
      tool: tool.id,
      toolKind: tool.kind,
      write: false,
      code: outcome.ok ? 'ok' : outcome.failure.code,
      bytes: 0,
      ms: round(clock.monotonic() - began),
    }))
    this.#parts.check()
    if (!outcome.ok && isAuthorization(outcome.failure.code)) throw new FailureError(outcome.failure)
    return outcome
  }

  async #run(tool: RegisteredTool, module: RegisteredModule, chosen: ChosenAction): Promise<Result<unknown>> {
    const { kernel, request } = this.#parts
    const nested: Nested = { isOver: false }
    const context = this.#parts.open(module, nested)
    this.#used.add(context)
    if (this.#writes(module)) return this.#confirmation(module, chosen)
    try {
      const result = await this.#orLate(module, runModule(context, module, chosen.action))
      if (result.failure !== undefined && result.cards.length === 0)
        return { ok: false, failure: result.failure }
      return ok(outputOf(result))
    } catch (thrown) {
      const line = `module ${module.id} failed as a tool of ${this.#parts.module.id}`
      const reason = brokenRun(kernel, request, { thrown, module: module.id, line })
      if (reason.code !== 'system:internal') return { ok: false, failure: reason }
      return { ok: false, failure: failure('system:tool_failed', { tool: tool.id }) }
    } finally {
      // whatever it does after that is refused
      nested.isOver = true
    }
  }

  /** Waits until it is done, its own time is over, or the request ends. */
  async #orLate<T>(module: RegisteredModule, running: Promise<T>): Promise<T> {
    const { kernel, request, budget } = this.#parts
    const { ttlMillis } = request.settings.policy(module.id, module.policy)
    let cancelTimer = (): void => {}
    const late = new Promise<never>((_, reject) => {
      const tooLate = (): void => reject(new FailureError(failure('system:tool_failed', { tool: module.id })))
      cancelTimer = kernel.clock.after(Math.min(ttlMillis, budget.remainingMs()), tooLate)
      void request.whenEnded.then((reason) => reject(new FailureError(reason)))
    })
    try {
      return await Promise.race([running, late])
    } finally {
      cancelTimer()
    }
  }

  /** What a model may choose by itself; what needs a model would loop inside of the loop. */
  #isOffered({ routing, needs }: RegisteredModule): boolean {
    return routing.selection !== 'STRUCTURED_ONLY' && needs === 'off'
  }

  /** A workflow that may write anything is never run by the choice of a model in a conversation. */
  #writes(module: RegisteredModule): boolean {
    const { kernel, request } = this.#parts
    const policy = request.settings.policy(module.id, module.policy)
    return policy.writeSteps > 0 || !kernel.registry.readsOnly(module)
  }

  #confirmation(module: RegisteredModule, chosen: ChosenAction): Result<unknown> {
    if (this.#confirmations >= MAX_CONFIRMATIONS)
      return { ok: false, failure: failure('system:budget_write_steps') }
    const card = confirmationCard(module, chosen)
    if (card === null) return { ok: false, failure: failure('system:tool_too_large', { tool: module.id }) }
    this.#confirmations += 1
    return ok<WorkflowOutput>({ told: { done: false, note: CONFIRMATION_NOTE }, card })
  }

  #asTool(module: RegisteredModule): RegisteredTool {
    const writes = this.#writes(module)
    return {
      id: module.id,
      type: module,
      owner: module.id,
      kind: 'async',
      compute: null,
      web: false,
      events: false,
      // what writes is not run: to the loop it is a card
      write: false,
      reasoning: writes ? `${module.description} ${CONFIRMATION_DESCRIPTION}` : module.description,
      label: module.help,
      private: true,
      schemaText: module.schemaText,
      decodeInput: (value) => decode(module, value),
      decodeOutput: (value) => ok(value),
      encodeOutput: (value) => ok(value),
      run() {
        throw new FailureError(failure('system:internal'))
      },
      // only `run` of this class makes outputs
      project: (output) => (output as WorkflowOutput).told,
      key: (input) => `${module.id} ${canonicalJson(input)}`,
      card: (output) => (output as WorkflowOutput).card,
    }
  }
}

function decode(module: RegisteredModule, value: unknown): Result<unknown> {
  const decoded = module.decode(value)
  if (decoded.ok) return decoded
  const { cause } = decoded.failure
  const problem = cause instanceof z.ZodError ? problemText(cause) : 'not understood'
  return { ok: false, failure: failure('system:tool_input', { tool: module.id, problem }) }
}

/** A result as the model reads it, with the card that the player may see of it. */
function outputOf({ status, message, failure: reason, cards }: AgentResult): WorkflowOutput {
  const shown = cards.flatMap((update) => (update.mode === 'REMOVE' ? [] : [update.card]))
  return {
    told: {
      status,
      ...(reason === undefined ? {} : { failure: reason.code }),
      ...(message === null ? {} : { message }),
      cards: shown,
    },
    card: shown[0] ?? null,
  }
}
