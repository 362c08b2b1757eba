import type { Identifier } from '../core/ids.js'
import type { PackEntry } from '../packs/index.js'

type Entry = readonly [Identifier, PackEntry]

/** So many entries are compared between two rests: about a millisecond. */
const RUN = 1_024

/** Entries in order of packs, then of ids. Sorting 100,000 at once would cost a tick. */
export async function inRegistryOrder(
  entries: ReadonlyMap<Identifier, PackEntry>,
  ranks: ReadonlyMap<string, number>,
  rest: () => Promise<void> | null,
): Promise<readonly Entry[]> {
  const rankOf = (entry: Entry): number => ranks.get(entry[1].pack) ?? ranks.size
  const compare = (a: Entry, b: Entry): number => rankOf(a) - rankOf(b) || (a[0] < b[0] ? -1 : 1)
  const all = [...entries]
  let runs: Entry[][] = []
  for (let at = 0; at < all.length; at += RUN) {
    runs.push(all.slice(at, at + RUN).sort(compare))
    await rest()
  }
  while (runs.length > 1) {
    const merged: Entry[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], { compare, rest }))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge(
  left: readonly Entry[],
  right: readonly Entry[],
  how: { compare(a: Entry, b: Entry): number; rest(): Promise<void> | null },
): Promise<Entry[]> {
  const merged: Entry[] = []
  let [l, r] = [0, 0]
  for (;;) {
    const [a, b] = [left[l], right[r]]
    if (a === undefined && b === undefined) return merged
    if (b === undefined || (a !== undefined && how.compare(a, b) < 0)) {
      if (a !== undefined) merged.push(a)
      l += 1
    } else {
      merged.push(b)
      r += 1
    }
    if (merged.length % RUN === 0) await how.rest()
  }
}
