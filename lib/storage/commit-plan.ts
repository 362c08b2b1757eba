import type { PlayerId } from '../core/ids.js'
import { CHAT_BOUNDS, chatSequence } from './chat-bounds.js'
import type { RecordWrite, WriteReport } from './driver.js'
import type { StoreLimits } from './limits.js'
import type { Change, Changes, RecordState } from './record-state.js'
import type { KnownType } from './storage-types.js'
import type { PlayerState } from './transaction.js'

/** What a commit is planned from. */
export interface CommitInput {
  readonly player: PlayerId
  readonly state: PlayerState
  readonly changes: Changes
  readonly limits: StoreLimits
}

/**
 * The writes of one commit: the chat record first, because the business record says how much of it counts. A record that
 * didn't change isn't written, and only its changed parts are in the write.
 */
export function planCommit(input: CommitInput): readonly RecordWrite[] {
  const chat = planChat(input)
  const business = planBusiness(input)
  return [chat, business].filter((write) => write !== null)
}

/** Makes committed what a commit wrote; `reports` belong to the writes of `planCommit`. */
export function publish(
  { state, changes }: Pick<CommitInput, 'state' | 'changes'>,
  writes: readonly RecordWrite[],
  reports: readonly WriteReport[],
): void {
  writes.forEach((write, at) => {
    const report = reports[at]
    const record = write.key.collection === 'chats' ? state.chat : state.business
    if (report === undefined || record === null) return
    record.revision = report.revision
    if (report.skipped) return
    for (const name of write.put.keys()) apply(record, changes.get(name))
    for (const name of [...write.drop, ...report.spared]) record.forget(name)
  })
}

function planBusiness({ player, state, changes, limits }: CommitInput): RecordWrite | null {
  const { put, drop } = split(state.business, changes, 'players')
  if (put.size === 0 && drop.length === 0) return null
  const key = { collection: 'players', id: player } as const
  return { key, base: state.business.revision, put, drop, maxBytes: limits.businessBytes }
}

function planChat({ player, state, changes, limits }: CommitInput): RecordWrite | null {
  const { chat } = state
  if (chat === null) return null
  const { put, drop } = split(chat, changes, 'chats')
  const bounds = changes.get(CHAT_BOUNDS.id)?.held?.value as typeof CHAT_BOUNDS.empty | undefined
  const gone = new Set([...drop, ...chat.broken])
  if (bounds !== undefined) {
    const isForgotten = (name: string): boolean => (chatSequence(name) ?? bounds.first) < bounds.first
    for (const name of chat.names()) if (isForgotten(name)) gone.add(name)
    for (const name of put.keys()) if (isForgotten(name)) put.delete(name)
  }
  if (put.size === 0 && (gone.size === 0 || (drop.length === 0 && bounds === undefined))) return null
  const key = { collection: 'chats', id: player } as const
  const spare = [...spareNames(chat)].filter((name) => !gone.has(name) && !put.has(name))
  return { key, base: chat.revision, put, drop: [...gone], maxBytes: limits.chatBytes, spare }
}

/** Entries that may go, rounds of conversations before other entries, the oldest first. */
export function spareNames(chat: RecordState): readonly string[] {
  const names = [...chat.names()].filter((name) => chatSequence(name) !== null)
  const order = (name: string): number =>
    (chatSequence(name) ?? 0) + (chat.isHistory(name) ? 0 : Number.MAX_SAFE_INTEGER / 2)
  return names.sort((a, b) => order(a) - order(b))
}

function split(record: RecordState, changes: Changes, collection: KnownType['record']) {
  const put = new Map<string, Uint8Array>()
  const drop: string[] = []
  for (const [name, { type, key, held }] of changes) {
    if (type.record !== collection) continue
    if (held !== null) put.set(name, held.tag)
    else if (record.find(type, key) !== undefined) drop.push(name)
  }
  return { put, drop }
}

function apply(record: RecordState, change: Change | undefined): void {
  // the tag belongs to the driver now
  if (change?.held)
    record.set(change.type, change.key, { value: change.held.value, bytes: change.held.bytes })
}

/** Names of all parts of a record except these. */
export const otherNames = (record: RecordState, kept: ReadonlyMap<string, unknown>): readonly string[] =>
  [...record.names()].filter((name) => !kept.has(name))
