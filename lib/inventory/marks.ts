import type { MarkedOp, Marks } from './port.js'

/** Operations that left `ops` and are remembered. */
const RECENT = 256

/** One more operation in the player's file. */
export const markOp = (marks: Marks, op: MarkedOp): Marks => ({
  ...marks,
  seq: op.seq,
  ops: [...marks.ops.filter(({ id }) => id !== op.id), op],
})

/** The store has the operation durably: later saves no longer name it as open. */
export const markSettled = (marks: Marks, op: Pick<MarkedOp, 'id' | 'rest'>): Marks => ({
  ...marks,
  ops: marks.ops.filter(({ id }) => id !== op.id),
  recent: [...marks.recent.filter(({ id }) => id !== op.id), { id: op.id, rest: op.rest }].slice(-RECENT),
})

export const isMarked = (marks: Marks, id: string): boolean =>
  marks.ops.some((op) => op.id === id) || marks.recent.some((op) => op.id === id)
