import { inspect } from 'node:util'
import { failure, isFailureCode, toFailure, type Failure } from '../core/failure.js'
import { fail, ok, type Result } from '../core/result.js'
import { jobAnswerSchema, type JobAnswer } from './protocol.js'
import { isCloneable } from './cloneable.js'
import type { RunOptions, ThreadGroup } from './thread-group.js'

/**
 * What the compute and storage groups can do, by the job's `kind`. The functions are pure but for the files of the
 * storage group; each decodes its own job. Values must be such that threads can exchange them.
 */
export type JobTable = ReadonlyMap<string, (job: unknown) => Result<unknown> | Promise<Result<unknown>>>

/** Runs a job in the worker by the table; an unknown kind is `system:protocol`. Never rejects. */
export async function serveJob(table: JobTable, job: unknown): Promise<JobAnswer> {
  const kind = typeof job === 'object' && job !== null && 'kind' in job ? job.kind : undefined
  const run = typeof kind === 'string' ? table.get(kind) : undefined
  if (typeof kind !== 'string' || run === undefined)
    return refusal(failure('system:protocol', {}, 'no such job'))
  try {
    const result = await run(job)
    if (!result.ok) return refusal(result.failure)
    // a value that cannot be cloned would end the thread with all its jobs
    return isCloneable(result.value)
      ? { ok: true, value: result.value }
      : refusal(failure('system:internal', {}, `what ${kind} gives could not be cloned`))
  } catch (thrown) {
    return refusal(toFailure(thrown))
  }
}

/** Runs a job of the compute or storage group from the kernel. Never rejects. */
export async function runJob(
  group: ThreadGroup,
  job: object,
  options: RunOptions = {},
): Promise<Result<unknown>> {
  const result = await group.run(job, options)
  if (!result.ok) return result
  const answer = jobAnswerSchema.safeParse(result.value)
  if (!answer.success) return fail('system:protocol')
  if (answer.data.ok) return ok(answer.data.value)
  const { code, params, cause } = answer.data
  return isFailureCode(code) ? fail(code, params, cause) : fail('system:protocol', {}, cause)
}

const refusal = ({ code, params, cause }: Failure): JobAnswer => ({
  ok: false,
  code,
  params,
  cause: cause === undefined ? '' : typeof cause === 'string' ? cause : inspect(cause),
})
