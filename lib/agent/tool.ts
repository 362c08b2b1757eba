import { z } from 'zod'
import type { CardData } from '../cards/index.js'
import { failure } from '../core/failure.js'
import type { Identifier, PlayerId } from '../core/ids.js'
import { canonicalJson } from '../core/json.js'
import type { Result } from '../core/result.js'
import { synchronous } from '../core/synchronous.js'
import type { Transaction } from '../storage/index.js'
import type { Message } from '../text/index.js'
import type { Configured } from './context.js'

/** How a tool runs. */
export type ToolKind =
  /** Synchronous game access, run from the tick queue; at most 2 ms. */
  | 'game'
  /** Waits on the main event loop with an AbortSignal; must not compute. */
  | 'async'
  /** A pure function in a file of its own, run in a thread; at most 5 s. */
  | 'compute'

/** A tool id: dotted for built-in tools (`player.info`), `namespace:path` for those of extensions. */
export type ToolId = string

/** One behaviour with its schemas and flags. Input and output are decoded at every call. */
export interface ToolType<I, O> {
  readonly id: ToolId
  readonly input: z.ZodType<I>
  readonly output: z.ZodType<O>
  readonly kind: ToolKind
  /** Changes something; such a tool is never offered to a model. */
  readonly write: boolean
  /** Of a write tool: event tasks may call it. It is of kind `async` then, and makes its change with `commit`. */
  readonly events?: boolean
  /** English, for the model. Present: offered to reasoning. A write tool with it is refused at registration. */
  readonly reasoning?: string
  /** What players read where it is named ("Looking up …"); without it they read its id. */
  readonly label?: Message
  /** Its output is the player's own data. */
  readonly private?: boolean
  /**
   * Sends text out of the server or brings text of strangers in. A loop that has learned something private calls no
   * such tool any more, and one that has read the web no private one.
   */
  readonly web?: boolean
  /** What the model needs of the output, as JSON; default: all of it. */
  project?(output: O): unknown
  /** Two inputs with the same key are the same action; default: the canonical JSON of the decoded input. */
  key?(input: I): string
  /** The card that shows the output to the player, where an analysis could not be completed. */
  card?(output: O, input: I): CardData | null
}

/** What a handler is told about the call. */
export interface ToolCall {
  readonly player: PlayerId
  /** The player's language, such as `en_us`. */
  readonly language: string
  /** Aborted when the request ends; only of use to kind `async`. */
  readonly signal: AbortSignal
  /**
   * For write tools of kind `async`: changes what is kept of the player, together with the receipt of this step, whose
   * output is what the change gives. When the step runs again, its handler isn't called: the recorded output is given;
   * the same step with another input is refused. The change is synchronous, has no effect but through `tx`, and may be run
   * again. Rejects with a FailureError: nothing has changed then, but after `system:storage_unknown`, and
   * `system:result_gone`: it was made before, and the output schema can't read what is recorded.
   */
  commit<T>(change: (tx: Transaction) => T): Promise<T>
  /**
   * Where the tool's owner is a module type: the player's configuration of it by which the call is made, the first open one
   * in the order of the System; null for other owners. A loop keeps to the one that it began with.
   */
  readonly configuration: Configured | null
}

/** The behaviour itself. Throws a FailureError for an expected failure; whatever else it throws is `tool_failed`. */
export type ToolHandler<I, O> = (input: I, call: ToolCall) => O | Promise<O>

/** A tool as it is registered: its type, its behaviour, and whose configuration it belongs to. */
export interface Tool<I = unknown, O = unknown> {
  readonly type: ToolType<I, O>
  readonly owner: Identifier
  readonly handler: ToolHandler<I, O>
}

/**
 * A pure function that a compute tool runs in a thread: JSON in, JSON out, 256 KiB each, no state that matters. The file is
 * named here, when the server starts, and by nobody later; it is imported once, with the first call.
 */
export interface ComputeFunction {
  /** A file: `new URL('./plan-route.js', import.meta.url)`. */
  readonly module: URL
  /** The name under which the file exports the function. */
  readonly export: string
}

/** A tool of kind `compute` as it is registered. */
export interface ComputeTool<I = unknown, O = unknown> {
  readonly type: ToolType<I, O>
  readonly owner: Identifier
  readonly compute: ComputeFunction
}

/** A registered tool with its types erased: what the kernel holds. */
export interface RegisteredTool {
  readonly id: ToolId
  /** The very type object it was registered with: a caller must hold it to call the tool. */
  readonly type: unknown
  readonly owner: Identifier
  readonly kind: ToolKind
  /** Of kind `compute` only. */
  readonly compute: ComputeFunction | null
  readonly write: boolean
  readonly events: boolean
  readonly reasoning: string | null
  readonly label: Message | null
  readonly private: boolean
  readonly web: boolean
  /** JSON Schema text of the input, made once. */
  readonly schemaText: string
  decodeInput(value: unknown): Result<unknown>
  decodeOutput(value: unknown): Result<unknown>
  /** What `decodeOutput` takes: the form in which a receipt keeps an output. */
  encodeOutput(output: unknown): Result<unknown>
  run(input: unknown, call: ToolCall): unknown
  project(output: unknown): unknown
  key(input: unknown): string
  card(output: unknown, input: unknown): CardData | null
}

/** Making the text takes about 0.1 ms a schema, and a workflow asks for the same one at each request. */
const schemaTexts = new WeakMap<z.ZodType, string>()

/** JSON Schema text of a zod schema, for a model; the meta-schema's address would only cost tokens. */
export function schemaText(schema: z.ZodType): string {
  const known = schemaTexts.get(schema)
  if (known !== undefined) return known
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  const text = JSON.stringify(json)
  schemaTexts.set(schema, text)
  return text
}

/** What is wrong, for a model that shall do better: at most 500 characters. */
export const problemText = (error: z.ZodError): string => z.prettifyError(error).slice(0, 500)

/** Erases a tool's types. Everything that goes in was decoded by the type's own schema, so the casts hold. */
export function registeredTool<I, O>(tool: Tool<I, O> | ComputeTool<I, O>): RegisteredTool {
  const { type, owner } = tool
  return {
    id: type.id,
    type,
    owner,
    kind: type.kind,
    compute: 'compute' in tool ? tool.compute : null,
    write: type.write,
    events: type.events === true,
    reasoning: type.reasoning ?? null,
    label: type.label ?? null,
    private: type.private === true,
    web: type.web === true,
    schemaText: schemaText(type.input),
    decodeInput: (value) =>
      decode(type.input, value, (problem) => failure('system:tool_input', { tool: type.id, problem })),
    decodeOutput: (value) =>
      decode(type.output, value, (problem) => failure('system:tool_failed', { tool: type.id }, problem)),
    encodeOutput: (output) => {
      const problem = (cause: unknown) => failure('system:tool_failed', { tool: type.id }, cause)
      const encoded = z.safeEncode(type.output, output as O)
      return encoded.success
        ? { ok: true, value: encoded.data }
        : { ok: false, failure: problem(problemText(encoded.error)) }
    },
    run(input, call) {
      if ('handler' in tool) return tool.handler(input as I, call)
      throw new TypeError('a compute tool runs in a thread')
    },
    project: (output) => synchronous(type.project?.(output as O)) ?? output,
    key: (input) => `${type.id} ${synchronous(type.key?.(input as I)) ?? canonicalJson(input)}`,
    card: (output, input) => synchronous(type.card?.(output as O, input as I)) ?? null,
  }
}

function decode<T>(
  schema: z.ZodType<T>,
  value: unknown,
  onProblem: (problem: string) => ReturnType<typeof failure>,
): Result<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, failure: onProblem(problemText(parsed.error)) }
}
