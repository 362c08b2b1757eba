import { toFailure, type Failure } from '../core/failure.js'
import { isJsonObject } from '../core/json.js'
import type { ExecutionContext } from './context.js'
import type { Kernel } from './kernel.js'
import type { LiveRequest } from './live-request.js'
import type { AgentResult, RegisteredModule } from './module.js'
import { isResult } from './result.js'

/** A context that a workflow runs in. */
export interface RunContext extends ExecutionContext {
  /** Starts the workflow, with its own computing measured. */
  measured(work: () => unknown): Promise<unknown>
}

/** Runs a workflow to its result. Throws a FailureError when it may not go on, and a TypeError for what is no result. */
export async function runModule(
  context: RunContext,
  module: RegisteredModule,
  action: unknown,
): Promise<AgentResult> {
  context.check()
  const given: unknown = await context.measured(() => module.execute(context, action))
  // read once: a member of an author's may be a getter, and say something else the next time
  const result: unknown = isJsonObject(given) ? { ...given } : given
  // a right that was lost behind the last call shows nothing either
  context.check()
  if (!isResult(result)) throw new TypeError('a workflow gave no result')
  return result
}

/** What a run of a module threw, as a failure. What broke is logged in `line`, and listeners are told. */
export function brokenRun(
  { logger, trace }: Pick<Kernel, 'logger' | 'trace'>,
  { id }: LiveRequest,
  { thrown, module, line }: { readonly thrown: unknown; readonly module: string; readonly line: string },
): Failure {
  const reason = toFailure(thrown)
  if (reason.code !== 'system:internal') return reason
  logger.error(line, reason.cause)
  trace({ kind: 'failure-raised', request: id, subject: `module ${module}`, code: reason.code })
  return reason
}
