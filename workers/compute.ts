import type { Result } from '../lib/core/result.js'
import { createRouteJobs } from '../lib/agent/routing/index.js'
import { packJobs } from '../lib/packs/index.js'
import { serveJob, type JobAnswer, type JobTable } from '../lib/pool/index.js'

/** The pure functions of the compute group, by the kind of their jobs. Indexes live as long as the thread. */
const JOBS: JobTable = new Map<string, (job: unknown) => Result<unknown> | Promise<Result<unknown>>>([
  ...createRouteJobs(),
  ...packJobs,
])

/** A job of the compute group. */
export default (job: unknown): Promise<JobAnswer> => serveJob(JOBS, job)
