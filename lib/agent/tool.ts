import type { z } from 'zod'
import type { Identifier, PlayerId } from '../core/ids.js'

/** How a tool runs. */
export type ToolKind =
  /** Synchronous game access, run from the tick queue; at most 2 ms. */
  | 'game'
  /** Waits on the main event loop with an AbortSignal; must not compute. */
  | 'async'

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
  /** English, for the model. Present: offered to reasoning. A write tool with it is refused at registration. */
  readonly reasoning?: string
  /** Its output is the player's own data. */
  readonly private?: boolean
  /** What the model needs of the output, as JSON; default: all of it. */
  project?(output: O): unknown
  /** Two inputs with the same key are the same action; default: the canonical JSON of the decoded input. */
  key?(input: I): string
}

/** What a handler is told about the call. */
export interface ToolCall {
  readonly player: PlayerId
  /** The player's language, such as `en_us`. */
  readonly language: string
  /** Aborted when the request ends; only for kind `async`. */
  readonly signal: AbortSignal
}

/** A registered tool. The handler returns the output, or throws a FailureError with an expected failure. */
export interface Tool<I = unknown, O = unknown> {
  readonly type: ToolType<I, O>
  readonly owner: Identifier
  readonly handler: (input: I, call: ToolCall) => O | Promise<O>
}
