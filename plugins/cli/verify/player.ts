import { join } from 'node:path'
import type { NbtRoot } from '../../../lib/codec/nbt/index.js'
import type { PlayerId } from '../../../lib/core/ids.js'
import type { Result } from '../../../lib/core/result.js'
import type { FoundFile } from '../../../lib/inventory/index.js'
import {
  CHAT_BOUNDS,
  previousGeneration,
  recordPath,
  staleEntries,
  TOMBSTONE,
  type ReadPlayerFileJob,
} from '../../../lib/storage/index.js'
import { readPlayerFile, type PlayerFile } from '../../squid/shield/playerdata/document.js'
import { PLAYER_FOLDER } from '../tool.js'
import { checkItems } from './items.js'
import { checkRecord, NO_RECORD, reportUnreadable, type Check, type CheckedRecord } from './records.js'

/** Which files of a player there are. */
export interface PlayerFiles {
  readonly business: boolean
  readonly chat: boolean
  /** Of the world, below its folder. */
  readonly playerFiles: ReadonlySet<string>
}

/** Checks everything of one player, and that it fits together. */
export async function checkPlayer(check: Check, id: PlayerId, files: PlayerFiles): Promise<void> {
  check.report.count('players')
  const business = files.business ? await checkRecord(check, { collection: 'players', id }) : NO_RECORD
  const chat = files.chat ? await checkRecord(check, { collection: 'chats', id }) : NO_RECORD
  const found = await findPlayerFile(check, id, files.playerFiles)
  if (business?.isWhole !== true) return
  if (business.values.has(TOMBSTONE.id)) {
    const file = pathOf('players', id)
    check.report.note('revoke_unfinished', { file, message: 'the next login deletes what is left' })
  } else if (chat !== null) checkChat(check, id, { business, chat })
  if (found !== null) checkItems(check, { values: business.values, found, player: id })
}

const pathOf = (collection: 'players' | 'chats', id: PlayerId): string => recordPath({ collection, id }) ?? id

/** Conversations against what the business record says of them, as they are loaded. */
function checkChat(
  { report }: Check,
  id: PlayerId,
  { business, chat }: { readonly business: CheckedRecord; readonly chat: CheckedRecord },
): void {
  const bounds = (business.values.get(CHAT_BOUNDS.id) ?? CHAT_BOUNDS.empty) as typeof CHAT_BOUNDS.empty
  if (bounds.first > bounds.last + 1)
    report.finding('chat_bounds', {
      file: pathOf('players', id),
      part: CHAT_BOUNDS.id,
      message: `entries from ${bounds.first} on count, but there are only ${bounds.last}`,
    })
  const stale = staleEntries(chat.names, bounds).length
  if (stale > 0)
    report.note('chat_left_over', {
      file: pathOf('chats', id),
      message: `${stale} entries are of an interrupted write or forgotten; the next login drops them`,
    })
}

const NONE: Result<PlayerFile | null> = { ok: true, value: null }
const NO_FILE: FoundFile = { exists: false, isReadable: true, marks: null }

/** The player file that a login would use; null when a login would be refused or can't be foreseen. */
async function findPlayerFile(
  check: Check,
  id: PlayerId,
  names: ReadonlySet<string>,
): Promise<FoundFile | null> {
  const name = `${PLAYER_FOLDER}/${id}.dat`
  const [current, previous] = [
    names.has(name) ? await readOne(check, name) : NONE,
    names.has(previousGeneration(name)) ? await readOne(check, previousGeneration(name)) : NONE,
  ]
  if (current.ok && current.value !== null) return found(current.value)
  if (!current.ok && current.failure.code === 'system:storage_newer') return null
  if (!previous.ok || previous.value === null) return current.ok && previous.ok ? NO_FILE : null
  if (current.ok) {
    const message = 'there is no newer file: the next login uses this one'
    check.report.note('previous_only', { file: previousGeneration(name), message })
  }
  return found(previous.value)
}

const found = ({ marks }: PlayerFile): FoundFile => ({ exists: true, isReadable: true, marks })

async function readOne({ places, run, report }: Check, file: string): Promise<Result<PlayerFile | null>> {
  const job: ReadPlayerFileJob = { kind: 'read-player-file', path: join(places.world, file) }
  const read = await run(job)
  // our own job's answer
  const root = read.ok ? (read.value as NbtRoot | null) : null
  if (read.ok && root === null) return { ok: true, value: null }
  report.count('files')
  const decoded = root === null ? (read as Result<never>) : readPlayerFile(root)
  if (!decoded.ok) reportUnreadable(report, { file }, decoded.failure)
  return decoded
}
