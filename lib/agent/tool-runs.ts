import { failure, FailureError, toFailure, type Failure } from '../core/failure.js'
import { ok, type Result } from '../core/result.js'
import { synchronous } from '../core/synchronous.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest } from './live-request.js'
import type { RegisteredTool, ToolCall } from './tool.js'
import { noCommit, type WriteStep } from './write-steps.js'

/** Runs the tools of one request by their kind. Rights and budget are the caller's. */
export class ToolRuns {
  readonly #kernel: Kernel
  readonly #request: LiveRequest
  readonly #check: () => void

  /** `check` throws when the request may not go on. */
  constructor(kernel: Kernel, request: LiveRequest, check: () => void) {
    this.#kernel = kernel
    this.#request = request
    this.#check = check
  }

  /**
   * The decoded output of a decoded call, or the failure in its place. What a write step has committed is its output,
   * whatever its handler does behind that. Never rejects.
   */
  async run(tool: RegisteredTool, input: unknown, step?: WriteStep): Promise<Result<unknown>> {
    const given = await this.#run(tool, input, step?.commit ?? noCommit)
    if (step === undefined || step.committed === null) return given
    return ok(step.committed.output)
  }

  async #run(tool: RegisteredTool, input: unknown, commit: ToolCall['commit']): Promise<Result<unknown>> {
    const { player, language } = this.#request.session
    const call = { player, language, signal: this.#request.signal, commit }
    try {
      const given =
        tool.kind === 'game' ? await this.#inTick(tool, input, call) : await this.#waiting(tool, input, call)
      if (!given.ok) return given
      const decoded = tool.decodeOutput(given.value)
      if (!decoded.ok)
        this.#kernel.logger.error(`tool ${tool.id} broke its own output schema`, decoded.failure.cause)
      return decoded
    } catch (thrown) {
      const reason = toFailure(thrown)
      return {
        ok: false,
        failure: reason.code === 'system:internal' ? this.broken(tool, reason.cause) : reason,
      }
    }
  }

  /** A closure of the tool's author threw: logs it and gives the failure in its place. */
  broken(tool: RegisteredTool, cause: unknown): Failure {
    this.#kernel.logger.error(`tool ${tool.id} failed`, cause)
    return failure('system:tool_failed', { tool: tool.id }, cause)
  }

  async #inTick(tool: RegisteredTool, input: unknown, call: ToolCall): Promise<Result<unknown>> {
    const scheduled = this.#kernel.scheduler.schedule({
      player: call.player,
      label: `tool ${tool.id}`,
      run: () => {
        // a request that ended while this waited for its tick touches the game no more
        this.#check()
        return synchronous(tool.run(input, call))
      },
    })
    return this.#orEnd(scheduled)
  }

  async #waiting(tool: RegisteredTool, input: unknown, call: ToolCall): Promise<Result<unknown>> {
    return ok(await this.#orEnd((async () => tool.run(input, call))()))
  }

  /** What is waited for, or the end of the request, whichever comes first. */
  #orEnd<T>(running: Promise<T>): Promise<T> {
    const ended = this.#request.whenEnded.then((reason): never => {
      throw new FailureError(reason)
    })
    return Promise.race([running, ended])
  }
}
