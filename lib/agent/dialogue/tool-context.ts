import { boundedJson } from '../../core/bounded-json.js'
import { clipCodePoints } from '../../core/code-points.js'
import { failure, isAuthorization, isRecoverable, type Failure } from '../../core/failure.js'
import { parseJson, utf8Bytes } from '../../core/json.js'
import { fail, ok, type Result } from '../../core/result.js'
import type { ToolAnswer } from '../../pool/index.js'
import type { Message } from '../../text/index.js'
import type { Observation } from '../context.js'
import type { RegisteredTool } from '../tool.js'

/** Limits of what a model reads: one observation, all observations of a loop, one tool input (UTF-8 bytes). */
export const OBSERVATION_BYTES = 4_096
export const LOOP_OBSERVATION_BYTES = 24_576
export const TOOL_INPUT_BYTES = 8_192
/** Of one parameter of a failure, code points. */
const FAILURE_CHARACTERS = 500
/** Longest tool name that is kept of a model's words, UTF-16 units. */
const NAME_LENGTH = 64

/** The request's side of a tool call. `enter` and `run` throw a FailureError once the request may not go on. */
export interface ToolDoor {
  /** Rights and budget of one attempt. */
  enter(tool: RegisteredTool): Result<void>
  /** Runs a decoded call by the tool's kind and decodes what comes of it; `given`: the input before it was decoded. */
  run(tool: RegisteredTool, input: unknown, given: unknown): Promise<Result<unknown>>
  /** A closure of the tool's author threw: logs it and gives the failure in its place. */
  broken(tool: RegisteredTool, cause: unknown): Failure
}

/**
 * The tools of one loop, frozen when it is created: type, handler and owner cannot change under it. Keeps the typed
 * observations and the keys of actions already done; the worker only ever sees bounded text.
 */
export class ToolContext {
  readonly #tools: ReadonlyMap<string, RegisteredTool>
  readonly #door: ToolDoor
  readonly #observations: Observation[] = []
  readonly #done = new Map<string, number>()
  #bytes = 0

  constructor(tools: readonly RegisteredTool[], door: ToolDoor) {
    this.#tools = new Map(tools.map((tool) => [tool.id, tool]))
    this.#door = door
  }

  get observations(): readonly Observation[] {
    return this.#observations
  }

  /** What a player reads while the tool runs: a name that no tool has stays as it is, cut short. */
  label(name: string): Message | string {
    return this.#tools.get(name)?.label ?? name.slice(0, NAME_LENGTH)
  }

  /**
   * Executes what a model asked for, by the words it used, in this order: the tool, private and web kept apart, rights and
   * budget, the input, the key (a repeated action is not executed), the run, the observation.
   */
  async use(name: string, inputText: string): Promise<ToolAnswer> {
    const tool = this.#tools.get(name)
    // a name is a model's text: it is an ordinary observation that no such tool exists
    if (tool === undefined) {
      const shown = name.slice(0, NAME_LENGTH)
      return this.#failed(shown, null, failure('system:unknown_tool', { tool: shown }))
    }
    if (this.#isApart(tool))
      return this.#failed(tool.id, null, failure('system:tool_withheld', { tool: tool.id }))
    const entered = this.#door.enter(tool)
    if (!entered.ok) return refusal(entered.failure)
    const action = this.#decode(tool, inputText)
    if (!action.ok) return this.#failed(tool.id, null, action.failure)
    const { input, key, given } = action.value
    const before = this.#done.get(key)
    if (before !== undefined) return { repeat: before }
    const outcome = await this.#door.run(tool, input, given)
    if (!outcome.ok && isLoopFailure(outcome.failure)) return refusal(outcome.failure)
    const answer = outcome.ok
      ? this.#succeeded(tool, input, outcome.value)
      : this.#failed(tool.id, input, outcome.failure)
    if ('obs' in answer) this.#done.set(key, answer.obs)
    return answer
  }

  /**
   * What is private must not leave, and what strangers wrote must not steer look-ups of what is private: whichever of
   * the two kinds comes first in a loop shuts the other out. A failed look-up has told nothing.
   */
  #isApart(tool: RegisteredTool): boolean {
    if (!tool.private && !tool.web) return false
    return this.#observations.some(({ tool: id, outcome }) => {
      const seen = outcome.ok ? this.#tools.get(id) : undefined
      return tool.web ? seen?.private === true : seen?.web === true
    })
  }

  #decode(tool: RegisteredTool, text: string): Result<{ input: unknown; key: string; given: unknown }> {
    const refused = (problem: string): Result<never> => fail('system:tool_input', { tool: tool.id, problem })
    if (utf8Bytes(text) > TOOL_INPUT_BYTES) return refused('input too large')
    const given = parseJson(text)
    if (given === undefined) return refused('input is not JSON')
    return this.#authored(tool, () => {
      const decoded = tool.decodeInput(given)
      return decoded.ok ? ok({ input: decoded.value, key: tool.key(decoded.value), given }) : decoded
    })
  }

  #failed(tool: string, input: unknown, reason: Failure): ToolAnswer {
    const id = this.#observations.length + 1
    const text = boundedJson({ id, tool, input, failure: told(reason) }, OBSERVATION_BYTES)
    return this.#keep(text, {
      id,
      tool,
      input,
      outcome: { ok: false, failure: reason },
      label: this.#tools.get(tool)?.label ?? null,
      card: null,
    })
  }

  #succeeded(tool: RegisteredTool, input: unknown, output: unknown): ToolAnswer {
    const id = this.#observations.length + 1
    const text = this.#authored(tool, () => {
      const shown = { id, tool: tool.id, input, output: tool.project(output) ?? null }
      return ok(boundedJson(shown, OBSERVATION_BYTES))
    })
    if (!text.ok) return this.#failed(tool.id, input, text.failure)
    const card = this.#authored(tool, () => ok(tool.card(output, input)))
    return this.#keep(text.value, {
      id,
      tool: tool.id,
      input,
      outcome: ok(output),
      label: tool.label,
      card: card.ok ? card.value : null,
    })
  }

  #keep(text: string | null, observation: Observation): ToolAnswer {
    const bytes = text === null ? Infinity : utf8Bytes(text)
    if (text === null || this.#bytes + bytes > LOOP_OBSERVATION_BYTES) {
      return refusal(failure('system:tool_too_large', { tool: observation.tool }))
    }
    this.#bytes += bytes
    this.#observations.push(observation)
    return { obs: observation.id, text }
  }

  /** Runs a closure of the tool's author. */
  #authored<T>(tool: RegisteredTool, closure: () => Result<T>): Result<T> {
    try {
      return closure()
    } catch (cause) {
      return { ok: false, failure: this.#door.broken(tool, cause) }
    }
  }
}

/** Failures of the request rather than of the tool: the model is not told, the loop is. */
function isLoopFailure(reason: Failure): boolean {
  return isAuthorization(reason.code) || /^system:(budget_|deadline|stopping|internal)/.test(reason.code)
}

const refusal = ({ code }: Failure): ToolAnswer => ({ code, recoverable: isRecoverable(code) })

/** What the model may learn of a failure: its code, and the parameters, which name its own words. */
function told({ code, params }: Failure): Pick<Failure, 'code' | 'params'> {
  const cut = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? clipCodePoints(value, FAILURE_CHARACTERS) : value,
  ])
  return { code, params: Object.fromEntries(cut) as Failure['params'] }
}
