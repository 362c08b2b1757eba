/** An NBT value in the form that minecraft-protocol writes. */
export type NbtTag =
  | { readonly type: 'byte' | 'int' | 'double'; readonly value: number }
  /** High and low 32 bits. */
  | { readonly type: 'long'; readonly value: readonly [number, number] }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'list'; readonly value: NbtList }
  | NbtCompound
export interface NbtCompound {
  readonly type: 'compound'
  readonly value: Readonly<Record<string, NbtTag>>
}
interface NbtList {
  readonly type: NbtTag['type'] | 'end'
  readonly value: readonly unknown[]
}

/** What a component consists of: JSON's values, bigints for longs, absent members. */
export type NbtSource =
  | string
  | number
  | boolean
  | bigint
  | null
  | undefined
  | readonly NbtSource[]
  | { readonly [key: string]: NbtSource }

/**
 * Plain data as NBT, as clients from 1.20.3 on read components: booleans are bytes, whole numbers ints, others
 * doubles; null and undefined are left out. Lists have one element type, so the members of a mixed one are boxed in
 * compounds: strings as `{ text }`, other primitives under the empty name.
 */
export function toNbt(value: Exclude<NbtSource, null | undefined>): NbtTag {
  if (typeof value === 'string') return { type: 'string', value }
  if (typeof value === 'boolean') return { type: 'byte', value: value ? 1 : 0 }
  if (typeof value === 'number') return { type: isInt(value) ? 'int' : 'double', value }
  if (typeof value === 'bigint') return { type: 'long', value: [int32(value >> 32n), int32(value)] }
  return isList(value) ? listTag(value) : compoundTag(value)
}

const isInt = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 31
const int32 = (value: bigint): number => Number(BigInt.asIntN(32, value))
// Array.isArray alone does not narrow a readonly array out of a union
const isList = (value: object): value is readonly NbtSource[] => Array.isArray(value)

function compoundTag(value: { readonly [key: string]: NbtSource }): NbtCompound {
  const members = Object.entries(value).flatMap(([key, member]): [string, NbtTag][] =>
    member === null || member === undefined ? [] : [[key, toNbt(member)]],
  )
  return { type: 'compound', value: Object.fromEntries(members) }
}

function listTag(list: readonly NbtSource[]): NbtTag {
  const tags = list.flatMap((member) => (member === null || member === undefined ? [] : [toNbt(member)]))
  const [first] = tags
  if (first === undefined) return { type: 'list', value: { type: 'end', value: [] } }
  const type = tags.every((tag) => tag.type === first.type) ? first.type : 'compound'
  const value = tags.map((tag) => (type === tag.type ? tag.value : boxed(tag)))
  return { type: 'list', value: { type, value } }
}

const boxed = (tag: NbtTag): Record<string, NbtTag> => (tag.type === 'string' ? { text: tag } : { '': tag })

/** The size of a string in NBT: Java's modified UTF-8, in which a character outside the BMP takes six bytes. */
export function modifiedUtf8Bytes(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    bytes += unit === 0 ? 2 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
  }
  return bytes
}
