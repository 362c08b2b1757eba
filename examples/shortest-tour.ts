/**
 * What the plugin of examples/plugin-tour.ts computes, in a file of its own: it is imported by a thread, so it imports no
 * server and keeps no state. JSON in, JSON out.
 */
export interface Place {
  readonly x: number
  readonly z: number
}

/** The shortest way that begins at the first place and comes by all others: exact, for up to nine places. */
export function shortestTour({ places }: { readonly places: readonly Place[] }): {
  readonly order: readonly number[]
  readonly blocks: number
} {
  let best: { order: readonly number[]; blocks: number } = { order: [], blocks: Infinity }
  const visit = (order: readonly number[], blocks: number): void => {
    if (blocks >= best.blocks) return
    if (order.length === places.length) best = { order, blocks }
    for (const next of places.keys())
      if (!order.includes(next)) visit([...order, next], blocks + distance(places, order.at(-1), next))
  }
  visit([0], 0)
  return { order: best.order, blocks: Math.round(best.blocks) }
}

function distance(places: readonly Place[], from = 0, to = 0): number {
  const [a, b] = [places[from], places[to]]
  return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.z - b.z)
}
