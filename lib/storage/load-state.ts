import type { Failure } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import { fail, ok, type Result } from '../core/result.js'
import { CHAT_BOUNDS, staleEntries } from './chat-bounds.js'
import { otherNames, spareNames } from './commit-plan.js'
import type { RecordWrite, StorageDriver } from './driver.js'
import { CEILING_BYTES, type StoreLimits } from './limits.js'
import { decodeRecord, toChange, type RecordState } from './record-state.js'
import type { StorageTypes } from './storage-types.js'
import { TOMBSTONE } from './tombstone.js'
import type { PlayerState } from './transaction.js'

const LASTING: ReadonlySet<string> = new Set([
  'system:storage_unreadable',
  'system:storage_newer',
  'system:storage_too_large',
])
/** Reading again won't help. */
export const isLasting = ({ code }: Failure): boolean => LASTING.has(code)

export interface LoadParts {
  readonly driver: StorageDriver
  readonly types: StorageTypes
  readonly limits: () => StoreLimits
  readonly player: PlayerId
  /** Forgets the player's private database, on disk and in memory; see `Databases.remove`. */
  readonly removeDatabase: (player: PlayerId) => Promise<Result<void>>
  /** Told when conversations can't be used; business goes on. */
  readonly onChatFailure: (failure: Failure) => void
  /** Told how many chat entries were dropped because they can't be read. */
  readonly onBrokenEntries: (count: number) => void
}

/**
 * Reads a player's records, and ends what an interruption left half done: a revoke, and chat entries that no business
 * record counts. `isUnsure`: what is read may be lost in a power cut, so it is made durable first. Fails as
 * `StorageDriver.read` does, and for a part that can't be decoded.
 */
export async function loadState(
  parts: LoadParts,
  { isUnsure }: { readonly isUnsure: boolean },
): Promise<Result<PlayerState>> {
  const business = await readRecord(parts, 'players')
  if (!business.ok) return business
  const confirmed = isUnsure ? await confirm(parts, business.value) : ok(undefined)
  if (!confirmed.ok) return confirmed
  const { types } = parts
  if (business.value.find(types.of(TOMBSTONE), null) !== undefined) {
    const finished = await finishRevoke(parts, business.value)
    return finished.ok ? loadState(parts, { isUnsure: false }) : finished
  }
  const chat = await loadChat(parts, business.value)
  // what may be over in a moment costs no conversation
  if (!chat.ok && !isLasting(chat.failure)) return chat
  if (!chat.ok) parts.onChatFailure(chat.failure)
  return ok({ business: business.value, chat: chat.ok ? chat.value : null })
}

async function readRecord(
  { driver, types, player }: LoadParts,
  collection: 'players' | 'chats',
): Promise<Result<RecordState>> {
  const record = await driver.read({ collection, id: player }, CEILING_BYTES)
  return record.ok ? decodeRecord(types, collection, record.value) : record
}

async function loadChat(parts: LoadParts, business: RecordState): Promise<Result<RecordState>> {
  const read = await readRecord(parts, 'chats')
  if (!read.ok) return read
  const chat = read.value
  const bounds = business.find(parts.types.of(CHAT_BOUNDS), null)?.value ?? CHAT_BOUNDS.empty
  if (chat.broken.size > 0) parts.onBrokenEntries(chat.broken.size)
  const stale = staleEntries(chat.names(), bounds as typeof CHAT_BOUNDS.empty)
  if (stale.length === 0) return ok(chat)
  // at once: a later commit could count them before its own entries of these numbers are written
  const cleaned = await parts.driver.commit([cleaning(parts, chat, stale)])
  if (!cleaned.ok) return cleaned
  const report = cleaned.value[0]
  if (report === undefined || report.skipped) return fail('system:storage_too_large')
  chat.revision = report.revision
  for (const name of [...stale, ...report.spared]) chat.forget(name)
  return ok(chat)
}

function cleaning({ player, limits }: LoadParts, chat: RecordState, drop: readonly string[]): RecordWrite {
  const spare = spareNames(chat).filter((name) => !drop.includes(name))
  const key = { collection: 'chats', id: player } as const
  return { key, base: chat.revision, put: new Map(), drop, maxBytes: limits().chatBytes, spare }
}

/**
 * Writes the record as it is, or removes it once more: nobody may be told "done already" about what may yet be lost, and
 * no revoke goes on before its tombstone is sure to stay.
 */
async function confirm(
  { driver, player }: Pick<LoadParts, 'driver' | 'player'>,
  business: RecordState,
): Promise<Result<void>> {
  const key = { collection: 'players', id: player } as const
  if (business.revision === 0) return driver.remove(key)
  const base = business.revision
  const confirmed = await driver.commit([{ key, base, put: new Map(), drop: [], maxBytes: CEILING_BYTES }])
  if (!confirmed.ok) return confirmed
  business.revision = confirmed.value[0]?.revision ?? base
  return ok(undefined)
}

/**
 * The first step of a revoke: one write that leaves of the record only the tombstone and what survives. From here on the
 * revoke is a fact, and each load goes on with it.
 */
export function tombstoneWrite(
  { types, player, limits }: Pick<LoadParts, 'types' | 'player' | 'limits'>,
  business: RecordState,
  at: number,
): Result<RecordWrite> {
  const put = new Map<string, Uint8Array>()
  const tombstone = toChange(types.of(TOMBSTONE), null, { at })
  if (!tombstone.ok) return tombstone
  if (tombstone.value.held) put.set(TOMBSTONE.id, tombstone.value.held.tag)
  for (const [type, { value }] of business.values()) {
    const left = type.survive(value)
    if (left === null) continue
    const change = toChange(type, null, left)
    if (!change.ok) return change
    if (change.value.held) put.set(type.id, change.value.held.tag)
  }
  const key = { collection: 'players', id: player } as const
  const drop = otherNames(business, put)
  return ok({ key, base: business.revision, put, drop, maxBytes: limits().businessBytes })
}

/** Conversations and private tables go before the tombstone does. */
async function finishRevoke(parts: LoadParts, business: RecordState): Promise<Result<unknown>> {
  const { driver, player, limits } = parts
  const removed = await removeRest(parts)
  if (!removed.ok) return removed
  const key = { collection: 'players', id: player } as const
  const survivors = otherNames(business, new Map([[TOMBSTONE.id, null]]))
  if (survivors.length === 0) return driver.remove(key)
  const maxBytes = limits().businessBytes
  return driver.commit([{ key, base: business.revision, put: new Map(), drop: [TOMBSTONE.id], maxBytes }])
}

/**
 * Deletes everything without reading it. The business record goes last: while it is there and can't be used, nothing of the
 * rest can be seen, and whoever repeats an interrupted reset begins again here.
 */
export async function discardRecords(parts: LoadParts): Promise<Result<void>> {
  const removed = await removeRest(parts)
  return removed.ok ? parts.driver.remove({ collection: 'players', id: parts.player }) : removed
}

async function removeRest({
  driver,
  player,
  removeDatabase,
}: Pick<LoadParts, 'driver' | 'player' | 'removeDatabase'>): Promise<Result<void>> {
  const chats = await driver.remove({ collection: 'chats', id: player })
  return chats.ok ? removeDatabase(player) : chats
}
