export { CHAT_BOUNDS, staleEntries } from './chat-bounds.js'
export { appendRound, forgetChat } from './chat.js'
export {
  COLLECTIONS,
  type Collection,
  type RecordKey,
  type RecordWrite,
  type StorageDriver,
  type StoredRecord,
  type WriteReport,
} from './driver.js'
export { Databases } from './databases.js'
export { MemoryDriver, type MemoryOperation } from './drivers/memory-driver.js'
export {
  dataHolder,
  FileDriver,
  inThreads,
  type FileDriverOptions,
  type RecordJobRunner,
} from './drivers/file-driver.js'
export { createFileJobs, type SweepFolderJob, type WriteFileJob } from './drivers/file-jobs.js'
export type { AppendLinesJob } from './drivers/line-file.js'
export { isLasting } from './load-state.js'
export type { TableType } from './record-tables.js'
export { AgentJournal, EVENT_TASKS, STEP_RECEIPTS, type EventTask } from './journal.js'
export { CEILING_BYTES, type StoreLimits } from './limits.js'
export { Outbox, RECEIVED, receiveOnce } from './outbox.js'
export { PlayerStore } from './player-store.js'
export type { PlayerView } from './player-view.js'
export { findReplay, findRequest, recordReplay, recordRequest, replayTable, REQUESTS } from './requests.js'
export type { ChatEntry, ChatTable, StorageTable, StorageType } from './storage-type.js'
export { StorageTypes, typeIdOf, type AnyStorage } from './storage-types.js'
export type { Reading, Transaction } from './transaction.js'
export {
  CLAIM,
  MAX_PLAYER_DOCUMENT,
  previousGeneration,
  type ReadPlayerFileJob,
  type SavePlayerFileJob,
  type SetAsideJob,
} from './drivers/player-file.js'
export { writePlayerFileSync } from './drivers/player-file-sync.js'
export { LEFT_OVER } from './drivers/atomic-file.js'
export { recordFolder, recordIdOf, recordPath } from './drivers/record-path.js'
export { TOMBSTONE } from './tombstone.js'
