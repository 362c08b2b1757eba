import { type Order } from './book.js'
import { findEntry, findOrder, type ItemBook } from './records.js'

/** What ended, by how. */
export interface ItemCounts {
  readonly completed: number
  readonly failed: number
  readonly voided: number
  readonly flagged: number
}
export const NO_COUNTS: ItemCounts = Object.freeze({ completed: 0, failed: 0, voided: 0, flagged: 0 })

/** The login's unfinished result, handed from rule to rule. */
export interface Draft {
  book: ItemBook
  counts: Record<keyof ItemCounts, number>
  readonly audit: string[]
}

export function note(draft: Draft, outcome: keyof ItemCounts, text: string): void {
  draft.counts[outcome]++
  draft.audit.push(`${outcome}: ${text}`)
}

const ENDED: Readonly<Partial<Record<Order['state'] | 'DONE' | 'WITHDRAWN', keyof ItemCounts>>> = {
  COMPLETED: 'completed',
  DONE: 'completed',
  FAILED: 'failed',
  WITHDRAWN: 'voided',
  VOIDED: 'voided',
}

/** Counts and names what became of an entry or order, if anything did. */
export function noteOutcome(draft: Draft, before: ItemBook, id: string): void {
  const [was, is] = [before, draft.book].map((book) => findOrder(book, id) ?? findEntry(book, id))
  if (is === undefined || was?.state === is.state) return
  const outcome =
    is.state === 'LOCKED' || is.state === 'AVAILABLE' ? undefined : ENDED[is.state as Order['state']]
  if (outcome !== undefined) note(draft, outcome, `${'costs' in is ? 'order' : 'entry'} ${id}`)
}
