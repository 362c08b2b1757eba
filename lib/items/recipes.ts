import { z } from 'zod'
import { identifierSchema } from '../codec/index.js'
import type { Identifier } from '../core/ids.js'
import { compareText } from '../lexical/index.js'

/** One place in a recipe's pattern: any one of the items, `count` times. */
const ingredientSchema = z.strictObject({
  /** Its letter in the pattern, A to I. */
  letter: z.string().length(1),
  /** Any of them will do; the commonest first, as vanilla numbers them: oak before acacia, coal before charcoal. */
  anyOf: z.array(identifierSchema).min(1),
  count: z.int().min(1),
})
export type Ingredient = z.infer<typeof ingredientSchema>

/** A crafting recipe. Variants that differ in one ingredient only are one recipe with alternatives. */
export const recipeSchema = z.strictObject({
  result: z.strictObject({ id: identifierSchema, count: z.int().min(1) }),
  kind: z.enum(['shaped', 'shapeless']),
  ingredients: z.array(ingredientSchema).min(1).max(9),
  /** Rows of letters, a space for an empty place, all rows of one length; empty when shapeless. */
  pattern: z.array(z.string().max(3)).max(3),
})
export type Recipe = z.infer<typeof recipeSchema>

/** A recipe before grouping: item ids row by row; a single row when shapeless. */
export interface RawRecipe {
  readonly kind: Recipe['kind']
  readonly rows: readonly (readonly (Identifier | null)[])[]
  readonly count: number
}

const LETTERS = 'ABCDEFGHI'

interface Draft {
  readonly kind: Recipe['kind']
  readonly count: number
  readonly pattern: readonly string[]
  /** The alternatives of letter A, B, …, each in order. */
  readonly slots: readonly (readonly Identifier[])[]
}

/** Gives each different item the next letter, in reading order. */
function toDraft(raw: RawRecipe): Draft {
  const slots: Identifier[] = []
  const letterOf = (item: Identifier | null): string => {
    if (item === null) return ' '
    if (!slots.includes(item)) slots.push(item)
    return LETTERS.charAt(slots.indexOf(item))
  }
  const pattern = raw.rows.map((row) => row.map(letterOf).join(''))
  const width = Math.max(...pattern.map((row) => row.length))
  return {
    kind: raw.kind,
    count: raw.count,
    pattern: pattern.map((row) => row.padEnd(width)),
    slots: slots.map((item) => [item]),
  }
}

type Order = (a: Identifier, b: Identifier) => number

/** Unites drafts that are equal but for the alternatives of letter number `slot`. */
function uniteAt(drafts: readonly Draft[], slot: number, order: Order): Draft[] {
  const united = new Map<string, Draft>()
  for (const draft of drafts) {
    const rest = draft.slots.map((items, place) => (place === slot ? '*' : items.join(',')))
    const key = [draft.kind, draft.count, ...draft.pattern, ...rest].join('|')
    const same = united.get(key)
    const items = new Set([...(same?.slots[slot] ?? []), ...(draft.slots[slot] ?? [])])
    const slots = draft.slots.map((own, place) => (place === slot ? [...items].sort(order) : own))
    united.set(key, { ...draft, slots })
  }
  return [...united.values()]
}

function compareSlots(a: Draft, b: Draft, order: Order): number {
  for (const [place, items] of a.slots.entries()) {
    const [mine, other] = [items[0], b.slots[place]?.[0]]
    const difference = mine === undefined || other === undefined ? 0 : order(mine, other)
    if (difference !== 0) return difference
  }
  return a.slots.length - b.slots.length
}

/**
 * Groups the recipes of one item: minecraft-data lists each choice of a tag as a recipe of its own. Alternatives come in
 * the given order, and so do the groups, by their first ingredients.
 */
export function groupRecipes(
  result: Identifier,
  raw: readonly RawRecipe[],
  order: Order = compareText,
): Recipe[] {
  let drafts = raw.map(toDraft).filter((draft) => draft.slots.length > 0)
  for (let slot = 0; slot < LETTERS.length; slot += 1) drafts = uniteAt(drafts, slot, order)
  return drafts
    .toSorted((a, b) => compareSlots(a, b, order))
    .map((draft) => ({
      result: { id: result, count: draft.count },
      kind: draft.kind,
      ingredients: draft.slots.map((items, place) => {
        const letter = LETTERS.charAt(place)
        return { letter, anyOf: [...items], count: draft.pattern.join('').split(letter).length - 1 }
      }),
      pattern: draft.kind === 'shaped' ? [...draft.pattern] : [],
    }))
}
