import type { NbtCompound, NbtTree } from '../../../../lib/codec/nbt/index.js'

/** A string of so many code units always fits a string tag. */
const SHORT_TEXT = 21_845

/** The members of a compound, or null for anything else. */
export const membersOf = (tree: NbtTree | undefined): NbtCompound | null =>
  tree?.type === 'compound' ? tree.value : null

/** The compounds of a list, an empty list's none; null for anything else. */
export function compoundsOf(tree: NbtTree | undefined): readonly NbtCompound[] | null {
  if (tree?.type !== 'list') return null
  if (tree.value.value.length === 0) return []
  return tree.value.type === 'compound' ? (tree.value.value as readonly NbtCompound[]) : null
}

/** A whole number of any width that a double holds exactly, or null. */
export function integerOf(tree: NbtTree | undefined): number | null {
  if (tree?.type === 'byte' || tree?.type === 'short' || tree?.type === 'int') return tree.value
  if (tree?.type !== 'long') return null
  const value = tree.value
  const exact = typeof value === 'bigint' ? Number(value) : value[0] * 2 ** 32 + (value[1] >>> 0)
  return Number.isSafeInteger(exact) ? exact : null
}

/** A finite number of any kind, or null. */
export function numberOf(tree: NbtTree | undefined): number | null {
  if (tree?.type !== 'float' && tree?.type !== 'double') return integerOf(tree)
  return Number.isFinite(tree.value) ? tree.value : null
}

/** The elements of a list of numbers, or null. */
export function numbersOf(tree: NbtTree | undefined): readonly number[] | null {
  if (tree?.type !== 'list' || (tree.value.type !== 'double' && tree.value.type !== 'float')) return null
  const values = tree.value.value as readonly number[]
  return values.every((value) => Number.isFinite(value)) ? values : null
}

/** A text as `text` writes it, or null. */
export function textOf(tree: NbtTree | undefined): string | null {
  if (tree?.type === 'string') return tree.value
  return tree?.type === 'byteArray' ? Buffer.from(tree.value).toString('utf8') : null
}

export const byte = (value: number): NbtTree => ({ type: 'byte', value })
export const int = (value: number): NbtTree => ({ type: 'int', value })
export const long = (value: number): NbtTree => ({ type: 'long', value: BigInt(value) })
export const string = (value: string): NbtTree => ({ type: 'string', value })
export const compound = (value: NbtCompound): NbtTree => ({ type: 'compound', value })
export const compounds = (value: readonly NbtCompound[]): NbtTree => ({
  type: 'list',
  value: { type: 'compound', value },
})
/** A string, or its UTF-8 bytes where a string tag might be too short for it. */
export const text = (value: string): NbtTree =>
  value.length <= SHORT_TEXT
    ? string(value)
    : { type: 'byteArray', value: [...new Int8Array(Buffer.from(value))] }
