export type { RecordKey, StorageDriver, StoredRecord } from './driver.js'
export { EMPTY_RECORD, type Binding, type PlayerRecord, type PlayerStore } from './store.js'
export { MemoryPlayerStore } from './drivers/memory.js'
export { FILE_JOBS, type ReadFileJob, type WriteFileJob } from './drivers/file-jobs.js'
