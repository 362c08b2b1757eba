import { serveJob, type JobAnswer } from '../lib/pool/index.js'
import { FILE_JOBS } from '../lib/storage/index.js'

/** A job of the storage group. */
export default (job: unknown): Promise<JobAnswer> => serveJob(FILE_JOBS, job)
