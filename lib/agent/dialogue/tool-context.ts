import { boundedJson } from '../../core/bounded-json.js'
import { failure, isAuthorization, type Failure } from '../../core/failure.js'
import { clipCodePoints } from '../../core/code-points.js'
import { utf8Bytes } from '../../core/json.js'
import { fail, ok, type Result } from '../../core/result.js'
import type { ToolAnswer } from '../../pool/index.js'
import type { Observation } from '../context.js'
import type { RegisteredTool } from '../tool.js'

/** Limits of what a model reads: one observation, all observations of a loop, one tool input (UTF-8 bytes). */
export const OBSERVATION_BYTES = 4_096
export const LOOP_OBSERVATION_BYTES = 24_576
export const TOOL_INPUT_BYTES = 8_192
/** Of one parameter of a failure, code points. */
const FAILURE_CHARACTERS = 500

/** What a model asked for. */
interface Action {
  readonly name: string
  readonly input: unknown
  readonly tool?: RegisteredTool
}

/** Runs one decoded tool call inside the request: budget, generation and kind are its business. */
export type CallTool = (tool: RegisteredTool, input: unknown) => Promise<Result<unknown>>

/**
 * The tools of one loop, frozen when it is created: type, handler and owner cannot change under it. Keeps the typed
 * observations and the keys of actions already done; the worker only ever sees bounded text.
 */
export class ToolContext {
  readonly #tools: ReadonlyMap<string, RegisteredTool>
  readonly #call: CallTool
  readonly #observations: Observation[] = []
  readonly #done = new Map<string, number>()
  #bytes = 0

  constructor(tools: readonly RegisteredTool[], call: CallTool) {
    this.#tools = new Map(tools.map((tool) => [tool.id, tool]))
    this.#call = call
  }

  get observations(): readonly Observation[] {
    return this.#observations
  }

  /** Observations that hold an output: what an answer can be built on. */
  hasEvidence(): boolean {
    return this.#observations.some((observation) => observation.outcome.ok)
  }

  /** Executes what a model asked for, by the words it used. */
  async use(name: string, inputText: string): Promise<ToolAnswer> {
    const tool = this.#tools.get(name)
    // a name is a model's text: it is an ordinary observation that no such tool exists
    if (tool === undefined)
      return this.#record({ name, input: null }, fail('system:unknown_tool', { tool: name.slice(0, 64) }))
    const input = decodeInput(tool, inputText)
    if (!input.ok) return this.#record({ name: tool.id, input: null }, input)
    const key = tool.key(input.value)
    const before = this.#done.get(key)
    if (before !== undefined) return { repeat: before }
    const outcome = await this.#call(tool, input.value)
    if (!outcome.ok && isLoopFailure(outcome.failure)) return refusal(outcome.failure)
    const answer = this.#record({ name: tool.id, input: input.value, tool }, outcome)
    if ('obs' in answer) this.#done.set(key, answer.obs)
    return answer
  }

  #record(done: Action, outcome: Result<unknown>): ToolAnswer {
    const { name, input, tool } = done
    const id = this.#observations.length + 1
    const head = { id, tool: name.slice(0, 64), input }
    const text = outcome.ok
      ? boundedJson({ ...head, output: tool?.project(outcome.value) ?? outcome.value }, OBSERVATION_BYTES)
      : boundedJson({ ...head, failure: told(outcome.failure) }, OBSERVATION_BYTES)
    if (text === null) return refusal(failure('system:tool_too_large', { tool: name.slice(0, 64) }))
    const bytes = utf8Bytes(text)
    if (this.#bytes + bytes > LOOP_OBSERVATION_BYTES) {
      return refusal(failure('system:tool_too_large', { tool: name.slice(0, 64) }))
    }
    this.#bytes += bytes
    const card = outcome.ok ? (tool?.card(outcome.value, input) ?? null) : null
    this.#observations.push({ id, tool: name, input, outcome, card })
    return { obs: id, text }
  }
}

/** Failures of the request rather than of the tool: the model is not told, the loop is. */
function isLoopFailure(reason: Failure): boolean {
  return isAuthorization(reason.code) || /^system:(budget_|deadline|stopping|internal)/.test(reason.code)
}

function refusal(reason: Failure): ToolAnswer {
  return {
    code: reason.code,
    recoverable: !isAuthorization(reason.code) && /budget_|too_large/.test(reason.code),
  }
}

/** What the model may learn of a failure: its code, and the parameters, which name its own words. */
function told({ code, params }: Failure): Pick<Failure, 'code' | 'params'> {
  const cut = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? clipCodePoints(value, FAILURE_CHARACTERS) : value,
  ])
  return { code, params: Object.fromEntries(cut) as Failure['params'] }
}

function decodeInput(tool: RegisteredTool, text: string): Result<unknown> {
  if (utf8Bytes(text) > TOOL_INPUT_BYTES)
    return fail('system:tool_input', { tool: tool.id, problem: 'input too large' })
  try {
    const decoded = tool.decodeInput(JSON.parse(text))
    return decoded.ok ? ok(decoded.value) : decoded
  } catch {
    return fail('system:tool_input', { tool: tool.id, problem: 'input is not JSON' })
  }
}
