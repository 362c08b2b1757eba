import { failure, FailureError, isAuthorization, isFailureCode, type Failure } from '../../core/failure.js'
import { ok, type Result } from '../../core/result.js'
import type { AgentHandlers, AgentJob, AnswerAnswer, JobEnd } from '../../pool/index.js'
import type { Budget } from '../budget.js'
import type { Kernel } from '../kernel.js'
import type { LiveRequest } from '../live-request.js'
import { ModelCalls } from './model-calls.js'
import type { ToolContext } from './tool-context.js'

/** What the kernel thinks of a proposed answer: taken, to be corrected (English, for the model), or refused. */
export type Verdict<A> = { readonly accepted: A } | { readonly fix: string } | { readonly refused: Failure }

/** One conversation with a model in the agent group, seen from the main thread. */
export interface Conversation<A> {
  readonly job: AgentJob
  readonly budget: Budget
  readonly tools: ToolContext | null
  judge(answerText: string): Verdict<A>
}

/**
 * Posts the job, serves its messages, and resolves with the accepted answer or why there is none. Throws a
 * FailureError when the request ended meanwhile; every reservation is settled or charged in each case.
 */
export async function converse<A>(
  kernel: Kernel,
  request: LiveRequest,
  conversation: Conversation<A>,
): Promise<Result<A>> {
  const calls = new ModelCalls(kernel, request, conversation.budget)
  const answered: { value?: A; refused?: Failure } = {}
  const run = kernel.runAgent(conversation.job, handlers(request, conversation, { calls, answered }))
  const onEnd = (): void => run.cancel(request.ended?.code ?? 'system:cancelled')
  if (request.signal.aborted) onEnd()
  else request.signal.addEventListener('abort', onEnd, { once: true })
  const done = await run.done
  request.signal.removeEventListener('abort', onEnd)
  // a settlement under way is still heard for a moment; what is open after that is charged in full
  void run.released.then(() => calls.chargeOpen())
  request.check()
  // an accepted answer is paid for: it counts even when its thread dies right behind it
  if ('value' in answered) return ok(answered.value)
  const reason = done.ok ? (answered.refused ?? endFailure(done.value)) : done.failure
  // a right lost in the middle ends the request, not just the conversation
  if (isAuthorization(reason.code)) throw new FailureError(reason)
  return { ok: false, failure: reason }
}

function handlers<A>(
  request: LiveRequest,
  conversation: Conversation<A>,
  state: { calls: ModelCalls; answered: { value?: A; refused?: Failure } },
): AgentHandlers {
  const { calls, answered } = state
  return {
    reserve: (message) => calls.reserve(message),
    async settle(message) {
      calls.settle(message)
    },
    async tool(message) {
      const stopped = request.stopReason()
      if (stopped !== null) return { code: stopped.code, recoverable: false }
      if (conversation.tools === null) return { code: 'system:protocol', recoverable: false }
      request.onProgress({
        key: 'system.request.tool',
        params: { tool: conversation.tools.label(message.tool) },
      })
      return conversation.tools.use(message.tool, message.inputText)
    },
    async answer(message): Promise<AnswerAnswer> {
      const stopped = request.stopReason()
      if (stopped !== null) return { code: stopped.code }
      const verdict = conversation.judge(message.text)
      if ('accepted' in verdict) {
        answered.value = verdict.accepted
        return { ok: true }
      }
      if ('fix' in verdict) return { fix: verdict.fix.slice(0, 2_000) }
      answered.refused = verdict.refused
      return { code: verdict.refused.code }
    },
    progress({ phase, round }) {
      // of tools and answers this side hears by themselves: workers don't announce them
      if (phase !== 'model') return
      request.onProgress(
        round === 1
          ? { key: 'system.request.thinking' }
          : { key: 'system.request.step', params: { step: round } },
      )
    },
  }
}

function endFailure(end: JobEnd): Failure {
  if (end.code !== undefined && isFailureCode(end.code)) return failure(end.code)
  return failure(
    end.end === 'rounds'
      ? 'system:incomplete'
      : end.end === 'cancelled'
        ? 'system:cancelled'
        : 'system:internal',
  )
}
