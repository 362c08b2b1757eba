export { FILE_JOBS, type ReadFileJob, type WriteFileJob } from './drivers/file-jobs.js'
export * from './store.js'
