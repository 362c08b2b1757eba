import type { z } from 'zod'
import type { AiLevel } from '../core/ai-level.js'
import type { CardUpdate } from '../cards/index.js'
import type { CommandDeclaration } from '../command/index.js'
import type { Failure } from '../core/failure.js'
import type { Identifier } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import type { Message } from '../text/index.js'
import type { ExecutionContext } from './context.js'
import type { ExecutionPolicy } from './policy.js'
import { schemaText, type ToolId } from './tool.js'

/** Who may route to a module. */
export type Selection =
  /** Commands, local routing and models. */
  | 'NORMAL'
  /** In the model's catalogue, marked; never routed locally or from the intent cache. */
  | 'EXPLICIT_ONLY'
  /** In no catalogue: buttons only. */
  | 'STRUCTURED_ONLY'

/** What a sentence offers to an argument extractor. */
export interface Sentence {
  /** As the player wrote it. */
  readonly text: string
  /** The item named in it, by the local item index, or null. */
  readonly item: Identifier | null
  /** The item's name as it stands in the sentence, where several items share it. */
  readonly sharedName?: string
}

/** How requests find a module. */
export interface ModuleRouting<A> {
  readonly selection: Selection
  readonly command?: CommandDeclaration
  /** Turns the command's argument into the action's input, undecoded; without it the input is `{}`. */
  fromCommand?(argument: string): unknown
  /**
   * Example sentences by language; `{item}` stands for any item name. Read-only NORMAL modules only. Short and plain:
   * sentences with several wishes, negation, conditions or words such as `it` and `that` are always left to a model.
   */
  readonly examples?: Readonly<Record<string, readonly string[]>>
  /** The action of a locally routed sentence, or undefined when an argument is missing. */
  extract?(sentence: Sentence): A | undefined
  /** Turns a button's parameters back into the action's input, undecoded; without it they are the input. */
  fromButton?(params: Readonly<Record<string, string>>): unknown
}

/** The outcome of a request. */
export interface AgentResult {
  readonly status: 'succeeded' | 'failed' | 'partially_succeeded'
  /** A sentence of ours, or null when a card or the answer says it all. */
  readonly message: Message | null
  readonly cards: readonly CardUpdate[]
  readonly failure?: Failure
  /** Shows the new form of the card it came from and nothing else: no message, no sound, no round of history. */
  readonly silent?: true
}

/** What a module shows of itself in the workbench, which `/system` alone opens. */
export interface WorkbenchPage {
  /** What it looks like in a window: an item, such as `minecraft:compass`. */
  readonly icon: Identifier
  /** What it is called; default: its line in help. */
  readonly title?: Pick<Message, 'key'>
  /** What stands beneath; default: with a title its line in help, else nothing. */
  readonly about?: Pick<Message, 'key'>
  /**
   * A press asks for the module with these, as any button does (`routing.fromButton`). Without them the command of a module
   * whose command takes an argument is put into the chat box, and any other module is asked with `{}`.
   */
  readonly params?: Readonly<Record<string, string>>
}

/** A workflow: one registration gives its command, completion, routing profile and model capability. */
export interface AgentModule<A = unknown> {
  readonly id: Identifier
  readonly version: number
  /** The decoded action; strict, without `moduleId`. */
  readonly action: z.ZodType<A>
  /** English, for the model's catalogue. */
  readonly description: string
  /** Language key of its line in help. */
  readonly help: Message
  /** Its place in the workbench of those to whom it is open; absent: none. */
  readonly workbench?: WorkbenchPage
  /** Tools it may call; `reasoning`: every tool that declares itself for reasoning. */
  readonly tools: readonly ToolId[] | 'reasoning'
  readonly policy: ExecutionPolicy
  /**
   * What of a model it cannot do without: players who may not have that don't see it. Default `off`: it works without a
   * model, and looks at `context.aiLevel` before it asks one.
   */
  readonly needs?: AiLevel
  readonly routing: ModuleRouting<A>
  /**
   * Of a module for event tasks: which older versions of its tasks it can resume as they are, or what their input becomes
   * (undecoded; throws for what can't be resumed). Tasks of all other versions end FAILED.
   */
  readonly resumes?: readonly number[] | ((input: unknown, version: number) => unknown)
  execute(context: ExecutionContext, action: A): Promise<AgentResult>
}

/** A registered module with its action's type erased: what the kernel holds. */
export interface RegisteredModule {
  readonly id: Identifier
  readonly version: number
  readonly description: string
  readonly help: Message
  readonly workbench?: WorkbenchPage
  readonly tools: readonly ToolId[]
  /** Its tools are those that declare themselves for reasoning: filled in when the registry is frozen. */
  readonly usesReasoningTools: boolean
  readonly policy: ExecutionPolicy
  readonly needs: AiLevel
  readonly routing: ModuleRouting<unknown>
  readonly resumes?: AgentModule['resumes']
  /** JSON Schema text of the action, made once. */
  readonly schemaText: string
  decode(input: unknown): Result<unknown>
  execute(context: ExecutionContext, action: unknown): Promise<AgentResult>
}

/** Erases a module's action type. An action only ever comes out of `decode`, an extractor's too, so the casts hold. */
export function registeredModule<A>(module: AgentModule<A>): RegisteredModule {
  return {
    ...module,
    tools: module.tools === 'reasoning' ? [] : module.tools,
    usesReasoningTools: module.tools === 'reasoning',
    needs: module.needs ?? 'off',
    schemaText: schemaText(module.action),
    decode(input) {
      const parsed = module.action.safeParse(input)
      if (parsed.success) return ok(parsed.data)
      return fail('system:not_understood', {}, parsed.error)
    },
    execute: (context, action) => module.execute(context, action as A),
  }
}
