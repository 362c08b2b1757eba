import type { FailureCode } from '../core/failure.js'
import type { Message } from '../text/index.js'
import type { ArgumentType } from './argument.js'
import type { CommandSource } from './source.js'

/** What a parse collected: by argument name, or by `as`. Names are ours; the object has no prototype. */
export type CommandArgs = Readonly<Record<string, string | number | boolean>>

interface NodeOptions {
  /** Who sees the node: parser, completion, help and graph alike. Default: everyone. */
  readonly requires?: (source: CommandSource) => boolean
  /** What those are told who type a node that they don't see; null or absent: for them it does not exist. */
  readonly denied?: (source: CommandSource) => FailureCode | null
  /** The line may end here: the command's id, and who may end here (default: whoever sees the node). */
  readonly execute?: { readonly id: string; readonly when?: (source: CommandSource) => boolean }
  /** Values that passing the node adds to the arguments. */
  readonly sets?: CommandArgs
  /** Its line in help; a node without one is not listed there. */
  readonly help?: Message
}

/** A fixed word, typed in any case. */
export interface LiteralNode extends NodeOptions {
  readonly kind: 'literal'
  /** Lower case, no white space. */
  readonly name: string
  readonly children: readonly CommandNode[]
}

interface ArgumentOptions extends NodeOptions {
  /** Key of the value among the arguments; default: the name. */
  readonly as?: string
  /** What completion offers, best first, instead of what the type offers; it is filtered, so `partial` may be ignored. */
  readonly suggest?: (source: CommandSource, partial: string) => readonly string[]
  /** Whether a value of the type is one; what isn't is refused as if it weren't of the type. */
  readonly accept?: (source: CommandSource, value: string | number) => boolean
}

/** A value. Its name is shown in usage lines. */
export interface ArgumentNode extends ArgumentOptions {
  readonly kind: 'argument'
  readonly name: string
  readonly type: ArgumentType
  readonly children: readonly CommandNode[]
}

/** A node of the grammar: a tree as in Mojang's Brigadier, with data instead of code to execute. */
export type CommandNode = LiteralNode | ArgumentNode

/** A literal node. */
export function literal(
  name: string,
  options: NodeOptions = {},
  children: readonly CommandNode[] = [],
): LiteralNode {
  return { ...options, kind: 'literal', name, children }
}

/** An argument node; `type` stands among the options. */
export function argument(
  name: string,
  options: ArgumentOptions & { readonly type: ArgumentType },
  children: readonly CommandNode[] = [],
): ArgumentNode {
  return { ...options, kind: 'argument', name, children }
}

/** Whether the source sees the node. */
export const isVisible = (node: CommandNode, source: CommandSource): boolean =>
  node.requires?.(source) ?? true

/** The children that the source sees, in order. */
export const visibleChildren = (node: CommandNode, source: CommandSource): readonly CommandNode[] =>
  node.children.filter((child) => isVisible(child, source))

/** The id of the command that a line ending at the node runs, or undefined when it may not end there. */
export function commandAt(node: CommandNode, source: CommandSource): string | undefined {
  if (node.execute === undefined) return undefined
  return (node.execute.when?.(source) ?? true) ? node.execute.id : undefined
}
