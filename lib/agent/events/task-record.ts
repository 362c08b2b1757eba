import { z } from 'zod'
import { failure, type Failure } from '../../core/failure.js'
import { fail, ok, type Result } from '../../core/result.js'
import { synchronous } from '../../core/synchronous.js'
import type { EventTask } from '../../storage/index.js'
import { NOTHING_SPENT, type Spent } from '../budget.js'
import type { RegisteredModule } from '../module.js'
import { executionPolicySchema, type ExecutionPolicy } from '../policy.js'
import type { Registry } from '../registry.js'

const spentSchema = z.strictObject({
  modelCalls: z.int().min(0),
  toolCalls: z.int().min(0),
  writeSteps: z.int().min(0),
  steps: z.int().min(0),
  tokens: z.int().min(0),
})

/** A task that is to run, made of what is kept of it. */
export interface RunnableTask {
  readonly module: RegisteredModule
  readonly action: unknown
  readonly policy: ExecutionPolicy
  readonly spent: Spent
}

/** Whether tasks of the module can be submitted: it is in no catalogue and has no command. */
export const isForEvents = ({ routing }: RegisteredModule): boolean =>
  routing.selection === 'STRUCTURED_ONLY' && routing.command === undefined

/** A new task as it is kept; `now` in epoch milliseconds. */
export function newTask(parts: {
  module: RegisteredModule
  action: unknown
  rule: string
  policy: ExecutionPolicy
  now: number
}): EventTask {
  const { module, action, rule, policy, now } = parts
  return {
    module: module.id,
    moduleVersion: module.version,
    rule,
    input: action,
    policy: { ...policy },
    spent: { ...NOTHING_SPENT },
    state: 'QUEUED',
    attempts: 0,
    deadline: now + policy.ttlMillis,
    createdAt: now,
    over: 0,
  }
}

/** What of a task can run with the modules of this run, or why it can't. */
export function toRunnable(task: EventTask, registry: Registry): Result<RunnableTask> {
  const module = registry.findModule(task.module)
  if (module === undefined || !isForEvents(module))
    return fail('system:unknown_module', { module: task.module })
  const policy = executionPolicySchema.safeParse(task.policy)
  const spent = spentSchema.safeParse(task.spent)
  if (!policy.success || !spent.success)
    return unusable(policy.error ?? spent.error, 'its policy can not be read')
  const input = resumedInput(task, module)
  if (!input.ok) return input
  try {
    const action = module.decode(input.value)
    return action.ok ? ok({ module, action: action.value, policy: policy.data, spent: spent.data }) : action
  } catch (thrown) {
    return unusable(thrown, 'its input could not be decoded')
  }
}

/** The input as the module of this version takes it. */
function resumedInput({ input, moduleVersion }: EventTask, { resumes, version }: RegisteredModule) {
  if (moduleVersion === version) return ok(input)
  const isKnown = typeof resumes === 'function' || resumes?.includes(moduleVersion) === true
  if (!isKnown) return unusable(null, `version ${version} resumes no task of version ${moduleVersion}`)
  if (typeof resumes !== 'function') return ok(input)
  try {
    return ok(synchronous(resumes(input, moduleVersion)))
  } catch (thrown) {
    return unusable(thrown, `version ${version} could not take over a task of version ${moduleVersion}`)
  }
}

function unusable(cause: unknown, why: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: failure('system:internal', {}, new Error(why, { cause })) }
}
