import {
  mergeLines,
  ownStacks,
  type Goods,
  type ItemLine,
  type ResourceLine,
  type Slots,
} from '../inventory/index.js'
import type { CostPart } from './cost-type.js'

/** What a player has to pay with, read once. */
export interface Means {
  readonly slots: Slots
  /** Total experience points. */
  readonly xp: number
  /** Of a named currency. */
  balance(resource: string): number
}

/** Exactly what is taken: from the player's file, and in the store. */
export interface Assignment {
  readonly costs: Goods
  readonly reserved: ResourceLine[]
}

/**
 * What pays for all parts together, by one look at the inventory: parts that can draw on the same stacks share them, so 3 and
 * 3 of an item need 6. Or the indices of parts that can't be met; then nothing is to be taken. Pure.
 */
export function assignCosts(
  parts: readonly CostPart[],
  means: Means,
): { readonly assignment: Assignment } | { readonly missing: readonly number[] } {
  const xp = sumOf(parts, (part) => (part.kind === 'xp' ? part.points : 0))
  const reserved = resourcesOf(parts)
  const poor = new Set(
    reserved.filter((line) => means.balance(line.resource) < line.amount).map((line) => line.resource),
  )
  const items = assignItems(parts, means.slots)
  const missing = parts.flatMap((part, at) => {
    if (part.kind === 'items') return items.missing.has(at) ? [at] : []
    return (part.kind === 'xp' ? xp > means.xp : poor.has(part.resource)) ? [at] : []
  })
  if (missing.length > 0) return { missing }
  return { assignment: { costs: { lines: items.lines, xp }, reserved } }
}

const sumOf = (parts: readonly CostPart[], amount: (part: CostPart) => number): number =>
  parts.reduce((total, part) => total + amount(part), 0)

function resourcesOf(parts: readonly CostPart[]): ResourceLine[] {
  const sums = new Map<string, number>()
  for (const part of parts)
    if (part.kind === 'resource') sums.set(part.resource, (sums.get(part.resource) ?? 0) + part.amount)
  return [...sums].map(([resource, amount]) => ({ resource, amount }))
}

/** Flow from parts to stacks: `given[part][stack]`. A part that finds nothing free may send another to other stacks. */
function assignItems(
  parts: readonly CostPart[],
  slots: Slots,
): { readonly lines: ItemLine[]; readonly missing: ReadonlySet<number> } {
  const stacks = mergeLines(ownStacks(slots).map(({ item, count, data }) => ({ item, count, data })))
  const free = stacks.map(({ count }) => count)
  const given = parts.map(() => stacks.map(() => 0))
  const mayPay = (part: CostPart | undefined, stack: ItemLine): boolean =>
    part?.kind === 'items' && part.items.has(stack.item) && (part.isAnyData || stack.data === '')

  /** Frees or finds up to `wanted` for a part; what it got. */
  const draw = (at: number, wanted: number, seen: Set<number>): number => {
    for (const [index, stack] of stacks.entries()) {
      if (seen.has(index) || !mayPay(parts[at], stack)) continue
      seen.add(index)
      const row = given[at] as number[]
      const open = free[index] as number
      if (open > 0) {
        const got = Math.min(open, wanted)
        free[index] = open - got
        row[index] = (row[index] as number) + got
        return got
      }
      for (const [other, taken] of given.entries()) {
        const held = taken[index] as number
        if (other === at || held === 0) continue
        const moved = draw(other, Math.min(held, wanted), seen)
        if (moved === 0) continue
        taken[index] = held - moved
        row[index] = (row[index] as number) + moved
        return moved
      }
    }
    return 0
  }

  const missing = new Set<number>()
  for (const [at, part] of parts.entries()) {
    if (part.kind !== 'items') continue
    for (let left = part.count; left > 0;) {
      const got = draw(at, left, new Set())
      if (got === 0) missing.add(at)
      if (got === 0) break
      left -= got
    }
  }
  const lines = stacks.flatMap((stack, index) => {
    const count = given.reduce((total, row) => total + (row[index] as number), 0)
    return count === 0 ? [] : [{ ...stack, count }]
  })
  return { lines, missing }
}
