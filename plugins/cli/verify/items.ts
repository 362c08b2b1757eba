import { randomIds, type PlayerId } from '../../../lib/core/ids.js'
import {
  INBOX,
  INVENTORY_LOG,
  ORDERS,
  reconcile,
  type FoundFile,
  type ItemStorageType,
  type Marks,
} from '../../../lib/inventory/index.js'
import { recordPath } from '../../../lib/storage/index.js'
import { PLAYER_FOLDER } from '../tool.js'
import type { Check } from './records.js'

/** What the items of a player are checked by. */
interface ItemFiles {
  readonly player: PlayerId
  /** Of the business record, by type. */
  readonly values: ReadonlyMap<string, unknown>
  readonly found: FoundFile
}

/** What the audit log calls things that can't be decided. */
const FLAGGED = 'flagged: '

/** Whether the player's file and the store fit together: what the next login would decide, without doing it. */
export function checkItems({ report }: Check, { player, values, found }: ItemFiles): void {
  const get = <T>({ id, empty }: ItemStorageType<T>): T => (values.get(id) ?? empty) as T
  const book = { entries: get(INBOX), orders: get(ORDERS), inv: get(INVENTORY_LOG) }
  const file = recordPath({ collection: 'players', id: player }) ?? player
  for (const message of contradictions(book)) report.finding('orders', { file, message })
  const playerFile = `${PLAYER_FOLDER}/${player}.dat`
  if (found.marks !== null)
    for (const message of markContradictions(found.marks))
      report.finding('items', { file: playerFile, message })
  const decided = reconcile(book, found, { ids: randomIds, onUnreadable: 'refuse' })
  if (!decided.ok) return
  for (const line of decided.value.audit) {
    if (line.startsWith(FLAGGED))
      report.finding('items', { file: playerFile, message: line.slice(FLAGGED.length) })
    else report.note('next_login', { file: playerFile, message: line })
  }
}

type Book = Parameters<typeof reconcile>[0]

/** States of the store alone that no course of events leads to. */
function contradictions({ entries, orders }: Book): readonly string[] {
  const orderOf = new Map(orders.map((order) => [order.id, order]))
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]))
  const isOpen = (id: string | null): boolean => {
    const state = id === null ? undefined : orderOf.get(id)?.state
    return state === 'RESERVED' || state === 'PAYMENT_UNKNOWN'
  }
  return [
    ...repeated(entries).map((id) => `entry ${id} is there twice`),
    ...repeated(orders).map((id) => `order ${id} is there twice`),
    ...entries
      .filter(({ state, order }) => state === 'LOCKED' && !isOpen(order))
      .map(({ id }) => `entry ${id} waits for an order that is not open`),
    ...orders
      .filter(({ id, entry }) => isOpen(id) && entry !== null && entryOf.get(entry)?.state !== 'LOCKED')
      .map(({ id, entry }) => `order ${id} is open, but its entry ${entry} is not locked`),
  ]
}

function markContradictions({ seq, ops }: Marks): readonly string[] {
  return [
    ...repeated(ops).map((id) => `operation ${id} is there twice`),
    ...ops.filter((op) => op.seq > seq).map(({ id }) => `operation ${id} is newer than its file`),
  ]
}

function repeated(all: readonly { readonly id: string }[]): readonly string[] {
  const seen = new Set<string>()
  return all.flatMap(({ id }) => {
    if (seen.has(id)) return [id]
    seen.add(id)
    return []
  })
}
