export type { Binding, PlayerRecord, PlayerStore } from './store.js'
export { MemoryPlayerStore } from './drivers/memory.js'
export { FILE_JOBS, type ReadFileJob, type WriteFileJob } from './drivers/file-jobs.js'
