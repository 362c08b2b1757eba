import type { ArgumentType } from './argument.js'
import { commandAt, isVisible, visibleChildren, type CommandNode } from './node.js'
import type { CommandSource } from './source.js'

/** The part of the grammar that one source sees, as plain data for the client. */
export type GraphNode = GraphLiteral | GraphArgument

interface GraphLiteral {
  readonly kind: 'literal'
  readonly name: string
  /** The line may end here. */
  readonly executable: boolean
  readonly children: readonly GraphNode[]
}

interface GraphArgument {
  readonly kind: 'argument'
  readonly name: string
  readonly executable: boolean
  /** What the client checks; the host knows its parser of the same meaning. */
  readonly parser: ArgumentType
  /** Completion is asked of the server. */
  readonly askServer: boolean
  readonly children: readonly GraphNode[]
}

/** The tree that the source sees, its top being the root's literal; null when it sees none of it. */
export function graph(root: CommandNode, source: CommandSource): GraphNode | null {
  return isVisible(root, source) ? graphOf(root, source) : null
}

function graphOf(node: CommandNode, source: CommandSource): GraphNode {
  const children = visibleChildren(node, source).map((child) => graphOf(child, source))
  const executable = commandAt(node, source) !== undefined
  if (node.kind === 'literal') return { kind: 'literal', name: node.name, executable, children }
  const askServer = node.suggest !== undefined || node.type.kind === 'player' || node.type.kind === 'item'
  return { kind: 'argument', name: node.name, executable, parser: node.type, askServer, children }
}
