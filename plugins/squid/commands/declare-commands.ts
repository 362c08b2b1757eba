import type { GraphNode } from '../../../lib/command/index.js'
import type { SquidCommands } from '../types.js'

/** One node of the `declare_commands` packet as minecraft-protocol 1.68 takes it. */
export interface WireNode {
  readonly flags: {
    readonly unused: 0
    readonly has_custom_suggestions: 0 | 1
    readonly has_redirect_node: 0
    readonly has_command: 0 | 1
    /** 0 root, 1 literal, 2 argument. */
    readonly command_node_type: 0 | 1 | 2
  }
  readonly children: number[]
  readonly extraNodeData?: {
    readonly name: string
    readonly parser?: string
    readonly properties?: unknown
    readonly suggestionType?: 'minecraft:ask_server'
  }
}

/** The fields of `declare_commands`; the same object serialises on 1.16.5 to 1.21.4. */
export interface DeclareCommands {
  readonly nodes: readonly WireNode[]
  readonly rootIndex: 0
}

type GraphArgument = Extract<GraphNode, { kind: 'argument' }>

/** Any text, completed by the server: what is known of a command that flying-squid or another plugin owns. */
const ANYTHING: GraphArgument = {
  kind: 'argument',
  name: 'args',
  executable: true,
  parser: { kind: 'text' },
  askServer: true,
  children: [],
}

/** Lays our trees and the other commands' words out as the packet's flat array, the root first. */
export function encodeCommands(trees: readonly GraphNode[], others: readonly string[]): DeclareCommands {
  const nodes: WireNode[] = [{ flags: flags(0, {}), children: [] }]
  const add = (node: GraphNode): number => {
    const index = nodes.length
    const wire = node.kind === 'literal' ? literalNode(node) : argumentNode(node)
    nodes.push(wire)
    for (const child of node.children) wire.children.push(add(child))
    return index
  }
  const top = [
    ...trees,
    ...others.map((name): GraphNode => ({ kind: 'literal', name, executable: true, children: [ANYTHING] })),
  ]
  for (const node of top) nodes[0]?.children.push(add(node))
  return { nodes, rootIndex: 0 }
}

/**
 * The words that flying-squid looks up for this asker, aliases included, ours left out. It looks up single words only,
 * so an entry with a space in it could never run.
 */
export function otherCommands(commands: SquidCommands, asker: { op: boolean; except: string }): string[] {
  const words: string[] = []
  for (const [word, { params }] of Object.entries(commands.hash)) {
    if (word === '' || /\s/.test(word) || params.base === asker.except) continue
    // by truthiness, as flying-squid decides it
    if (params.onlyConsole || (params.op && !asker.op)) continue
    words.push(word)
  }
  return words
}

function flags(type: 0 | 1 | 2, set: { executable?: boolean; askServer?: boolean }): WireNode['flags'] {
  return {
    unused: 0,
    has_custom_suggestions: set.askServer === true ? 1 : 0,
    has_redirect_node: 0,
    has_command: set.executable === true ? 1 : 0,
    command_node_type: type,
  }
}

function literalNode({ name, executable }: GraphNode): WireNode {
  return { flags: flags(1, { executable }), children: [], extraNodeData: { name } }
}

function argumentNode(node: GraphArgument): WireNode {
  const { name, executable, askServer } = node
  const extra = { name, ...parserOf(node.parser) }
  return {
    flags: flags(2, { executable, askServer }),
    children: [],
    extraNodeData: askServer ? { ...extra, suggestionType: 'minecraft:ask_server' } : extra,
  }
}

/**
 * The client's parser of the same meaning. Never `minecraft:message`: from 1.20.5 on a client signs such commands and
 * sends them in a packet that flying-squid ignores.
 */
function parserOf(type: GraphArgument['parser']): { parser: string; properties?: unknown } {
  switch (type.kind) {
    case 'text':
      return { parser: 'brigadier:string', properties: 'GREEDY_PHRASE' }
    case 'word':
    case 'token':
      return { parser: 'brigadier:string', properties: 'SINGLE_WORD' }
    case 'integer':
      return numberParser(type)
    case 'identifier':
    case 'item':
      return { parser: 'minecraft:resource_location' }
    case 'player':
      return { parser: 'minecraft:game_profile' }
    default:
      return type satisfies never
  }
}

/** Bounds beyond 32 bits are written as 64: others would make the whole packet unwritable. */
function numberParser({ min, max }: { readonly min: number; readonly max: number }): {
  parser: string
  properties: unknown
} {
  const flags = { unused: 0, max_present: 1, min_present: 1 }
  const isInt = [min, max].every((bound) => bound === Math.trunc(bound) && Math.abs(bound) < 2 ** 31)
  return isInt
    ? { parser: 'brigadier:integer', properties: { flags, min, max } }
    : { parser: 'brigadier:long', properties: { flags, min: BigInt(min), max: BigInt(max) } }
}
