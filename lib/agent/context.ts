import type { z } from 'zod'
import type { AiLevel } from '../core/ai-level.js'
import type { CardData, CardRef } from '../cards/index.js'
import type { Failure } from '../core/failure.js'
import type { Identifier, PlayerId, RequestId } from '../core/ids.js'
import type { Result } from '../core/result.js'
import type { DataRegistry, RegistryType } from '../registry/index.js'
import type { Message } from '../text/index.js'
import type { ServiceKey } from './services.js'
import type { Turn } from './memory.js'
import type { RequestStore } from './request-store.js'
import type { ToolId, ToolType } from './tool.js'

/** What a loop learned by one executed action. `id` is what an answer's `sources` refer to, counted from 1. */
export interface Observation {
  readonly id: number
  readonly tool: ToolId
  readonly input: unknown
  /** The decoded output, or the failure in its place. */
  readonly outcome: Result<unknown>
  /** What players read where the tool is named; null: its id. */
  readonly label: Message | null
  /** The tool's card of the output, if it has one. */
  readonly card: CardData | null
}

/** A tool type whatever its input and output are. */
export type AnyToolType = Pick<ToolType<never, never>, 'id'>

/** A module as packs configured it. */
export interface Configured {
  readonly id: Identifier
  /** Decoded by its type's own members. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What a workflow asks of a reasoning loop. It tightens the request's policy, never widens it. */
export interface ReactOptions<A> {
  readonly question: string
  /** Name of the prompt file, such as `react`. */
  readonly prompt: string
  /** What the prompt's own placeholders (`{{name}}`) stand for. */
  readonly values?: Readonly<Record<string, string>>
  /** Read-only tools the model may choose from, each declared by the module; all of the module's without it. */
  readonly tools?: readonly AnyToolType[]
  /**
   * Binds the workflows open to the player as tools beside them; needs the level `free`. One that only reads is run inside
   * this request; of one that writes, or may not be run so, a card is kept whose button asks for it.
   */
  readonly workflows?: true
  /** Schema of the final answer: an object, decoded on the main thread. */
  readonly answer: z.ZodType<A>
  /** Own last check or correction of a decoded answer; a string tells the model what is wrong with it. */
  readonly keep?: (answer: A, observations: readonly Observation[]) => { answer: A } | string
}

/** How a loop ended: a value for every outcome but lost authorization and cancellation, which end `execute`. */
export type ReactOutcome<A> =
  | { readonly end: 'answer'; readonly answer: A; readonly observations: readonly Observation[] }
  | { readonly end: 'failed'; readonly failure: Failure; readonly observations: readonly Observation[] }

/** How a write tool is called. */
export interface ToolOptions {
  /**
   * The step's name, lower case with an optional number: `pay`, `gift/2`. The same name again is the same step, which is
   * made once. Without it a step is called after its tool and counted in the order of the calls.
   */
  readonly step?: string
}

/** One answer of a model without tools. */
export interface CompleteOptions<A> {
  readonly question: string
  readonly prompt: string
  /** What the prompt's own placeholders (`{{name}}`) stand for. */
  readonly values?: Readonly<Record<string, string>>
  readonly answer: z.ZodType<A>
}

/**
 * The single door of a workflow to models, tools and the player. Cancellation, revocation, deadline, budgets and quotas
 * are enforced here and only here: every method throws a FailureError once the request may not go on.
 */
export interface ExecutionContext {
  readonly requestId: RequestId
  readonly player: PlayerId
  readonly playerName: string
  /** The player's language, such as `en_us`. */
  readonly language: string
  /** Aborted when the request ends: its outcome is known, or it was cancelled, or its time is over. */
  readonly signal: AbortSignal
  /** The card whose button asked, with the revision reserved for its replacement; null for other requests. */
  readonly card: CardRef | null
  /** What the player may have of a model now. `react` and `complete` need `route` at least, and throw below it. */
  readonly aiLevel: AiLevel
  /** The entries of a type as they were when the request was accepted: a reload changes only later ones. */
  registry<T>(type: RegistryType<T>): DataRegistry<T>
  /** Calls a tool that the module declares. Expected failures are values. */
  tool<I, O>(type: ToolType<I, O>, input: I, options?: ToolOptions): Promise<Result<O>>
  /** What is kept of the player. */
  store(): RequestStore
  /** Runs a bounded loop of model decisions over read-only tools, in a worker. */
  react<A>(options: ReactOptions<A>): Promise<ReactOutcome<A>>
  /** Asks a model once, in a worker. */
  complete<A>(options: CompleteOptions<A>): Promise<Result<A>>
  /**
   * Earlier rounds of the running conversation, newest last, as model requests carry them too; empty when there are none
   * or the player keeps no history.
   */
  conversation(): readonly Turn[]
  /**
   * The configuration under which this workflow runs: the player's first open one of the types that open it, in the order
   * of the System; null when no type does. Once asked for it stays the same, and its loss ends the request.
   */
  readonly configuration: Configured | null
  /** How packs configured the module type for this player: its open configurations, in the order of the System. */
  configurations(type: Identifier): readonly Configured[]
  /** What a plugin or the System offers; throws an error that names the key and this workflow when nobody does. */
  service<T>(key: ServiceKey<T>): T
  /** Throws when the request may not go on. */
  check(): void
  /** Shows the player where the request stands. */
  progress(message: Message): void
}
