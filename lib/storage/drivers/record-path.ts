import { isUuid } from '../../core/ids.js'
import type { Collection, RecordKey } from '../driver.js'

/** Where each kind of record lies below the data folder, and whether its ids are players'. */
const PLACES: Readonly<Record<Collection, { folder: string; byPlayer: boolean }>> = {
  players: { folder: 'system/players', byPlayer: true },
  chats: { folder: 'system/chat', byPlayer: true },
  databases: { folder: 'system/database/players', byPlayer: true },
  shared: { folder: 'system/database', byPlayer: false },
  quests: { folder: 'system/quests', byPlayer: false },
  world: { folder: 'data/system', byPlayer: false },
}
const WORD = /^[a-z0-9_]{1,64}$/
const FILE = /^(.+)\.dat$/

/** Whether the id may become the name of a file: a player's uuid, or a word where no player is meant. */
const isRecordId = (collection: Collection, id: string): boolean =>
  PLACES[collection].byPlayer ? isUuid(id) : WORD.test(id) || isUuid(id)

/** The folder of a collection below the data folder, with `/` between names. */
export const recordFolder = (collection: Collection): string => PLACES[collection].folder

/** The record's file below the data folder; null for an id that must not meet a path. */
export const recordPath = ({ collection, id }: RecordKey): string | null =>
  isRecordId(collection, id) ? `${recordFolder(collection)}/${id}.dat` : null

/** The id of a file's record; null for a file that is none of ours. */
export function recordIdOf(collection: Collection, fileName: string): string | null {
  const id = FILE.exec(fileName)?.[1]
  return id !== undefined && isRecordId(collection, id) ? id : null
}

/** Whether each key may become a file, and each another one. */
export const areDistinctIds = (keys: readonly RecordKey[]): boolean =>
  keys.every(({ collection, id }) => isRecordId(collection, id)) &&
  new Set(keys.map(recordPath)).size === keys.length
