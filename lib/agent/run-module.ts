import type { Execution } from './execution.js'
import type { AgentResult, RegisteredModule } from './module.js'
import { isResult } from './result.js'

/** Runs a workflow to its result. Throws a FailureError when it may not go on, and a TypeError for what is no result. */
export async function runModule(
  context: Execution,
  module: RegisteredModule,
  action: unknown,
): Promise<AgentResult> {
  context.check()
  const result: unknown = await context.measured(() => module.execute(context, action))
  // a right that was lost behind the last call shows nothing either
  context.check()
  if (!isResult(result)) throw new TypeError('a workflow gave no result')
  return result
}
