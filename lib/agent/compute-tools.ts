import type { CancelTimer, Clock } from '../core/clock.js'
import { utf8Bytes } from '../core/json.js'
import { fail, ok, type Result } from '../core/result.js'
import {
  FUNCTION_BYTES,
  functionAnswerSchema,
  type AuthorFunctions,
  type FunctionJob,
} from '../pool/index.js'
import type { RegisteredTool, ToolId } from './tool.js'

/** A function that computes longer is ended with its thread. */
const FUNCTION_MS = 5_000
/** Its tool is refused for so long then. */
const REST_MS = 60_000

export interface ComputeToolsParts {
  /** Runs a job in the one thread for functions of plugins, one at a time; never rejects. */
  readonly run: (
    job: FunctionJob,
    options: { isAbandoned(): boolean; onStart(): void },
  ) => Promise<Result<unknown>>
  /** Ends that thread with the function that runs in it. */
  readonly terminate: () => void
  readonly clock: Clock
}

/** The functions of compute tools, for the thread that is to run them. */
export const functionsOf = (tools: readonly RegisteredTool[]): AuthorFunctions => ({
  functions: tools.flatMap(({ id, compute }) =>
    compute === null ? [] : [{ tool: id, module: compute.module.href, export: compute.export }],
  ),
})

/**
 * Tools of kind `compute`: pure functions of plugins, in a thread that nothing else needs. One that computes for ever costs
 * that thread and a minute of its own tool's time, nothing else.
 */
export class ComputeTools {
  readonly #parts: ComputeToolsParts
  readonly #restingUntil = new Map<ToolId, number>()

  constructor(parts: ComputeToolsParts) {
    this.#parts = parts
  }

  /**
   * The undecoded output. Fails with `system:tool_input` for an input that is too large, `busy`, `stopping` and
   * `cancelled`; rejects with what is the author's: an error of the function, its time is over.
   */
  async run(tool: RegisteredTool, input: unknown, isAbandoned: () => boolean): Promise<Result<unknown>> {
    const { run, clock } = this.#parts
    const restMs = (this.#restingUntil.get(tool.id) ?? 0) - clock.monotonic()
    if (restMs > 0) throw new Error(`it computed too long, and rests for ${Math.ceil(restMs / 1_000)} s more`)
    const inputText = JSON.stringify(input ?? null)
    if (utf8Bytes(inputText) > FUNCTION_BYTES)
      return fail('system:tool_input', { tool: tool.id, problem: 'input too large' })
    let cancelTimer: CancelTimer | null = null
    const job = { kind: 'author-function' as const, tool: tool.id, inputText }
    const outcome = await run(job, {
      isAbandoned,
      onStart: () => (cancelTimer = clock.after(FUNCTION_MS, () => this.#expire(tool))),
    })
    // never handed to a thread: full, stopping, or off after too many crashes
    if (cancelTimer === null && !outcome.ok) return outcome
    ;(cancelTimer as CancelTimer | null)?.()
    return this.#judge(tool, outcome)
  }

  #expire(tool: RegisteredTool): void {
    this.#restingUntil.set(tool.id, this.#parts.clock.monotonic() + REST_MS)
    this.#parts.terminate()
  }

  #judge({ id }: RegisteredTool, outcome: Result<unknown>): Result<unknown> {
    if (outcome.ok) {
      const text = functionAnswerSchema.parse(outcome.value)
      return ok(JSON.parse(text) as unknown)
    }
    const { code, cause } = outcome.failure
    if (code === 'system:stopping') return outcome
    if (code === 'system:internal' || code === 'system:protocol')
      throw new Error(typeof cause === 'string' ? cause : code)
    const isExpired = (this.#restingUntil.get(id) ?? 0) > this.#parts.clock.monotonic()
    throw new Error(
      isExpired
        ? `it computed for more than ${FUNCTION_MS} ms: its thread was ended, and it rests for ${REST_MS / 1_000} s`
        : 'its thread ended under it',
      { cause },
    )
  }
}
