/** What a client does with the command graph it was sent: a small Brigadier over the decoded packet. */
import { nextEvent, type RawClient } from './squid.js'

/** A decoded node, as far as a client reads it. */
export interface ReceivedNode {
  readonly flags: {
    readonly has_command: number
    readonly has_custom_suggestions: number
    readonly command_node_type: number
  }
  readonly children: readonly number[]
  readonly extraNodeData?: {
    readonly name: string
    readonly parser?: string
    readonly properties?: unknown
    readonly suggestionType?: string
  }
}

export interface ReceivedGraph {
  readonly nodes: readonly ReceivedNode[]
  readonly rootIndex: number
}

/** The graphs that the client has received so far. */
export const graphsOf = (client: RawClient): ReceivedGraph[] =>
  client.received
    .filter(({ name }) => name === 'declare_commands')
    .map(({ data }) => data as unknown as ReceivedGraph)

/** The next graph that arrives. */
export const nextGraph = (client: RawClient): Promise<ReceivedGraph> =>
  nextEvent<ReceivedGraph>(client, 'declare_commands')

/** The graph of the login: flying-squid says 'spawned' just after the packet that `joinRaw` waits for. */
export async function firstGraph(client: RawClient): Promise<ReceivedGraph> {
  return graphsOf(client)[0] ?? nextGraph(client)
}

/** The words that the client offers after the slash. */
export function rootWords({ nodes, rootIndex }: ReceivedGraph): string[] {
  return (nodes[rootIndex]?.children ?? []).map((child) => nodes[child]?.extraNodeData?.name ?? '')
}

/** The words that the client offers behind `/system`. */
export function systemWords({ nodes, rootIndex }: ReceivedGraph): string[] {
  const root = nodes[rootIndex]?.children.find((child) => nodes[child]?.extraNodeData?.name === 'system')
  const words = root === undefined ? [] : (nodes[root]?.children ?? [])
  return words.map((child) => nodes[child]?.extraNodeData?.name ?? '')
}

/** Whether the client offers the word behind `/system`, by the latest graph. */
export function offersWord(client: RawClient, word: string): boolean {
  const graph = graphsOf(client).at(-1)
  return graph !== undefined && systemWords(graph).includes(word)
}

/** What the client offers behind the line, by asking the server. */
export async function completions(client: RawClient, text: string): Promise<string[]> {
  const answer = nextEvent<{ readonly matches: readonly { readonly match: string }[] }>(
    client,
    'tab_complete',
  )
  client.write('tab_complete', { transactionId: 9, text })
  return (await answer).matches.map(({ match }) => match)
}

/** Whether the client would show the line (without slash) as complete and right, not in red. */
export function acceptsLine(graph: ReceivedGraph, line: string): boolean {
  return accepts(graph, graph.rootIndex, line)
}

function accepts(graph: ReceivedGraph, index: number, rest: string): boolean {
  const node = graph.nodes[index]
  if (node === undefined) throw new Error(`no node ${index}`)
  return node.children.some((child) => {
    const end = readNode(graph.nodes[child], rest)
    if (end === undefined) return false
    if (end === rest.length) return graph.nodes[child]?.flags.has_command === 1
    // exactly one space separates nodes; an argument's own reading may not stop elsewhere
    return rest[end] === ' ' && end + 1 < rest.length && accepts(graph, child, rest.slice(end + 1))
  })
}

/** Where the node's own text ends, or undefined when the text doesn't fit it. */
function readNode(node: ReceivedNode | undefined, text: string): number | undefined {
  const data = node?.extraNodeData
  if (node === undefined || data === undefined) throw new Error('a child without a name')
  if (node.flags.command_node_type === 1) {
    const end = data.name.length
    return text.startsWith(data.name) && (text.length === end || text[end] === ' ') ? end : undefined
  }
  const pattern = patternOf(data)
  const length = pattern.exec(text)?.[0].length ?? 0
  return length > 0 ? length : undefined
}

function patternOf({ parser, properties }: NonNullable<ReceivedNode['extraNodeData']>): RegExp {
  switch (parser) {
    case 'brigadier:string':
      return properties === 'GREEDY_PHRASE' ? /^.+$/s : /^[0-9A-Za-z_.+-]+/
    case 'brigadier:integer':
      return /^-?\d+/
    case 'minecraft:game_profile':
      return /^[^ ]+/
    case 'minecraft:resource_location':
      return /^[0-9a-z_:/.-]+/
    case undefined:
    default:
      throw new Error(`an unexpected parser: ${parser}`)
  }
}
