import { failure, FailureError, toFailure, type Failure } from '../core/failure.js'
import { utf8Bytes } from '../core/json.js'
import { ok, type Result } from '../core/result.js'
import { synchronous } from '../core/synchronous.js'
import type { Kernel } from './kernel.js'
import { AuthorTime } from './author-time.js'
import type { Configured } from './context.js'
import type { LiveRequest } from './live-request.js'
import type { RegisteredTool, ToolCall } from './tool.js'
import { round } from './trace/requests.js'
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
  async run(
    tool: RegisteredTool,
    input: unknown,
    { configuration, step }: { readonly configuration: Configured | null; readonly step?: WriteStep },
  ): Promise<Result<unknown>> {
    const { clock, trace } = this.#kernel
    const began = clock.monotonic()
    const { player, language } = this.#request.session
    const { signal } = this.#request
    const call = { player, language, signal, configuration, commit: step?.commit ?? noCommit }
    const given = await this.#run(tool, input, call)
    const outcome = step?.committed ?? given
    trace(() => ({
      kind: 'tool-called',
      request: this.#request.id,
      tool: tool.id,
      toolKind: tool.kind,
      write: tool.write,
      code: outcome.ok ? 'ok' : outcome.failure.code,
      bytes: outcome.ok ? jsonBytes(outcome.value) : 0,
      ms: round(clock.monotonic() - began),
    }))
    return outcome
  }

  async #run(tool: RegisteredTool, input: unknown, call: ToolCall): Promise<Result<unknown>> {
    try {
      const given = await this.#byKind(tool, input, call)
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

  /** The decoded input; a schema may hold code of its author's that throws. */
  decode(tool: RegisteredTool, input: unknown): Result<unknown> {
    try {
      return tool.decodeInput(input)
    } catch (cause) {
      return { ok: false, failure: this.broken(tool, cause) }
    }
  }

  /** A closure of the tool's author threw: logs it and gives the failure in its place. */
  broken(tool: RegisteredTool, cause: unknown): Failure {
    this.#kernel.logger.error(`tool ${tool.id} failed`, cause)
    const subject = `tool ${tool.id}`
    this.#kernel.trace({
      kind: 'failure-raised',
      request: this.#request.id,
      subject,
      code: 'system:tool_failed',
    })
    return failure('system:tool_failed', { tool: tool.id }, cause)
  }

  #byKind(tool: RegisteredTool, input: unknown, call: ToolCall): Promise<Result<unknown>> {
    switch (tool.kind) {
      case 'game':
        return this.#inTick(tool, input, call)
      case 'async':
        return this.#waiting(tool, input, call)
      case 'compute':
        return this.#orEnd(this.#kernel.compute(tool, input, () => call.signal.aborted))
    }
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
    const time = new AuthorTime(`tool ${tool.id}`, this.#kernel)
    time.begin()
    const running = (async () => tool.run(input, call))()
    time.stop()
    return ok(await this.#orEnd(running))
  }

  /** What is waited for, or the end of the request, whichever comes first. */
  #orEnd<T>(running: Promise<T>): Promise<T> {
    const ended = this.#request.whenEnded.then((reason): never => {
      throw new FailureError(reason)
    })
    return Promise.race([running, ended])
  }
}

/** What JSON can't hold has no size there. */
function jsonBytes(value: unknown): number {
  try {
    const text: unknown = JSON.stringify(value)
    return typeof text === 'string' ? utf8Bytes(text) : 0
  } catch {
    return 0
  }
}
