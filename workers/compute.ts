import { workerData } from 'node:worker_threads'
import { createRouteJobs } from '../lib/agent/routing/index.js'
import { createNamesJobs } from '../lib/names/index.js'
import { createPackJobs } from '../lib/packs/index.js'
import { createFunctionJobs, serveJob, type JobAnswer, type JobTable } from '../lib/pool/index.js'

/** The functions of the compute group, by the kind of their jobs. Indexes live as long as the thread. */
const JOBS: JobTable = new Map([
  ...createRouteJobs(),
  ...createPackJobs(),
  ...createNamesJobs(),
  ...createFunctionJobs(workerData),
])

/** A job of the compute group. */
export default (job: unknown): Promise<JobAnswer> => serveJob(JOBS, job)
