export { EMPTY_RECORD, type Binding, type PlayerRecord, type PlayerStore } from './store.js'
export {
  COLLECTIONS,
  type Collection,
  type RecordKey,
  type RecordWrite,
  type StorageDriver,
  type StoredRecord,
  type WriteReport,
} from './driver.js'
export { MemoryPlayerStore } from './drivers/memory.js'
export { MemoryDriver, type MemoryDriverOptions, type MemoryOperation } from './drivers/memory-driver.js'
export { FileDriver, inThreads, type FileDriverOptions, type RecordJobRunner } from './drivers/file-driver.js'
export {
  createFileJobs,
  type ReadFileJob,
  type SweepFolderJob,
  type WriteFileJob,
} from './drivers/file-jobs.js'
export {
  CLAIM,
  MAX_PLAYER_DOCUMENT,
  previousGeneration,
  type ReadPlayerFileJob,
  type SavePlayerFileJob,
  type SetAsideJob,
} from './drivers/player-file.js'
export { writePlayerFileSync } from './drivers/player-file-sync.js'
