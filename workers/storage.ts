import { serveJob, type JobAnswer } from '../lib/pool/index.js'
import { createFileJobs } from '../lib/storage/index.js'

/** Lives as long as the thread: it remembers the records that were written lately. */
const JOBS = createFileJobs()

/** A job of the storage group. */
export default (job: unknown): Promise<JobAnswer> => serveJob(JOBS, job)
