import type { TimeSlice } from '../core/time-slice.js'

/**
 * The nodes of a graph in groups, each behind those that it leads to: nodes that lead to each other are one group
 * (Tarjan's algorithm without recursion, linear in nodes and edges).
 */
export async function inOrderOfUse<K>(edges: ReadonlyMap<K, readonly K[]>, slice: TimeSlice): Promise<K[][]> {
  const search = new Search(edges)
  for (const node of edges.keys()) {
    search.begin(node)
    while (search.step()) if (slice.isOver()) await slice.next()
  }
  return search.groups
}

interface Visit<K> {
  readonly node: K
  /** The next edge to follow. */
  next: number
}

class Search<K> {
  readonly groups: K[][] = []
  readonly #edges: ReadonlyMap<K, readonly K[]>
  /** The lowest number that is known to be reached from a node; infinite once its group is complete. */
  readonly #low = new Map<K, number>()
  readonly #number = new Map<K, number>()
  readonly #way: Visit<K>[] = []
  readonly #incomplete: K[] = []

  constructor(edges: ReadonlyMap<K, readonly K[]>) {
    this.#edges = edges
  }

  begin(node: K): void {
    if (this.#number.has(node)) return
    this.#number.set(node, this.#number.size)
    this.#low.set(node, this.#number.size - 1)
    this.#incomplete.push(node)
    this.#way.push({ node, next: 0 })
  }

  /** Follows one edge, or goes one back; false: all from the beginning is done. */
  step(): boolean {
    const visit = this.#way.at(-1)
    if (visit === undefined) return false
    const target = this.#edges.get(visit.node)?.[visit.next]
    visit.next += 1
    if (target === undefined) this.#goBack(visit.node)
    else if (!this.#number.has(target)) this.begin(target)
    else this.#lower(visit.node, this.#low.get(target) ?? Infinity)
    return true
  }

  #goBack(node: K): void {
    this.#way.pop()
    const low = this.#low.get(node) ?? Infinity
    const above = this.#way.at(-1)
    if (above !== undefined) this.#lower(above.node, low)
    if (low !== this.#number.get(node)) return
    const group = this.#incomplete.splice(this.#incomplete.lastIndexOf(node))
    for (const member of group) this.#low.set(member, Infinity)
    this.groups.push(group)
  }

  #lower(node: K, low: number): void {
    this.#low.set(node, Math.min(this.#low.get(node) ?? Infinity, low))
  }
}
