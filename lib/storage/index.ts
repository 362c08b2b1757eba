export { EMPTY_RECORD, type Binding, type PlayerRecord, type PlayerStore } from './store.js'
export { MemoryPlayerStore } from './drivers/memory.js'
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
