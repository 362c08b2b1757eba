import { createRouteJobs } from '../lib/agent/routing/index.js'

type Handler = (job: unknown) => unknown

/** Handlers by job kind; indexes that they keep live as long as the thread. */
const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>(createRouteJobs())

/** Entry point of the compute group: one job, one answer, both plain data. */
export default async function compute(job: unknown): Promise<unknown> {
  const kind = typeof job === 'object' && job !== null && 'kind' in job ? job.kind : undefined
  const handler = typeof kind === 'string' ? handlers.get(kind) : undefined
  return handler === undefined ? { code: 'system:protocol' } : handler(job)
}
