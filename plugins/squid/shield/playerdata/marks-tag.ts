import type { NbtCompound, NbtTree } from '../../../../lib/codec/nbt/index.js'
import { marksSchema, type ItemLine, type Marks } from '../../../../lib/inventory/index.js'
import { compounds, compoundsOf, int, integerOf, long, string, text, textOf } from './nbt-values.js'

/** The members that marks take in our compound. */
export const marksMembers = ({ seq, ops, recent }: Marks): NbtCompound => ({
  seq: long(seq),
  ops: compounds(
    ops.map(({ id, seq: at, kind, moved, xp, rest }) => ({
      id: string(id),
      seq: long(at),
      kind: string(kind),
      moved: lines(moved),
      xp: long(xp),
      rest: lines(rest),
    })),
  ),
  recent: compounds(recent.map(({ id, rest }) => ({ id: string(id), rest: lines(rest) }))),
})

/** The marks in our compound, or null when they are damaged. */
export function marksOf(members: NbtCompound): Marks | null {
  const decoded = marksSchema.safeParse({
    seq: integerOf(members['seq']),
    ops: compoundsOf(members['ops'])?.map(({ id, seq, kind, moved, xp, rest }) => ({
      id: textOf(id),
      seq: integerOf(seq),
      kind: textOf(kind),
      moved: linesOf(moved),
      xp: integerOf(xp),
      rest: linesOf(rest),
    })),
    recent: compoundsOf(members['recent'])?.map(({ id, rest }) => ({ id: textOf(id), rest: linesOf(rest) })),
  })
  return decoded.success ? decoded.data : null
}

const lines = (value: readonly ItemLine[]): NbtTree =>
  compounds(
    value.map(({ item, count, data }) => ({ item: string(item), count: int(count), data: text(data) })),
  )

const linesOf = (tree: NbtTree | undefined) =>
  compoundsOf(tree)?.map(({ item, count, data }) => ({
    item: textOf(item),
    count: integerOf(count),
    data: textOf(data),
  }))
