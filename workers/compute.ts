import { serveJob, type JobAnswer, type JobTable } from '../lib/pool/index.js'

/** The pure functions of the compute group, by the kind of their jobs. */
const JOBS: JobTable = new Map()

/** A job of the compute group. */
export default (job: unknown): Promise<JobAnswer> => serveJob(JOBS, job)
