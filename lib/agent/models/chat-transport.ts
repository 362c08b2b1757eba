import type { OpenAI } from 'openai'
import { systemClock, type Clock } from '../../core/clock.js'
import { createCallGuard, type CallGuard } from './call-guard.js'
import type { Endpoint } from './endpoint.js'
import { createHttpClient, FetchProblem, type ProblemDetail } from './http-client.js'
import { failed, judgeProblem, judgeReply, stopCode } from './judge.js'
import { PROVIDERS, type ProviderRow } from './provider.js'
import { readReply } from './read-reply.js'
import { buildBody, findRejected, type CapabilityMemo } from './request-body.js'
import { parseRetryAfter } from './retry-after.js'
import type { ChatOutcome, ChatRequest, ChatTransport } from './transport.js'

/** A refused connection is tried again after this, or after a quarter of the time left: a restart needs a moment. */
const REFUSED_PAUSE_MS = 250
/** Statuses that name a parameter instead of doing work. */
const PARAMETER_STATUSES = new Set([400, 422])

interface Call {
  readonly client: OpenAI
  readonly endpoint: Endpoint
  readonly row: ProviderRow
  readonly memo: CapabilityMemo
  readonly clock: Clock
  readonly request: ChatRequest
  readonly guard: CallGuard
}

interface Attempt {
  readonly outcome: ChatOutcome
  /** Milliseconds to wait before a repeat that cannot be billed twice; null: this outcome stands. */
  readonly repeatAfterMs: number | null
  /** The parameter that the provider rejected. */
  readonly rejected: string | null
}

const final = (outcome: ChatOutcome): Attempt => ({ outcome, repeatAfterMs: null, rejected: null })

/** What our side ended while no body was being read. Only before a request is `unbilled` true. */
function stoppedOutcome(guard: CallGuard, unbilled: boolean): ChatOutcome {
  return failed(stopCode(guard.stopped() ?? 'timeout'), { unbilled })
}

/** What a failed request allows: nothing, or one repeat after a wait. */
function judgeFailedRequest(
  call: Call,
  problem: ProblemDetail,
  sent: Readonly<Record<string, unknown>>,
): Attempt {
  const { row, clock, guard } = call
  const asked = problem.kind === 'status' ? parseRetryAfter(problem.retryAfter, clock.now()) : null
  const outcome = judgeProblem(problem, row, asked)
  const fits = (waitMs: number): number | null => (waitMs < guard.remainingMs() ? waitMs : null)
  if (problem.kind === 'network') {
    const pauseMs = Math.min(REFUSED_PAUSE_MS, guard.remainingMs() / 4)
    const wait = problem.code === 'ECONNREFUSED' ? fits(pauseMs) : null
    return { outcome, repeatAfterMs: wait, rejected: null }
  }
  if (outcome.code === 'system:model_balance') return final(outcome)
  if (PARAMETER_STATUSES.has(problem.status)) {
    const rejected = findRejected(problem.body, sent, row)
    return { outcome, repeatAfterMs: rejected === null ? null : 0, rejected }
  }
  const isTurnedAway = problem.status === 429 || problem.status === 503
  return { outcome, repeatAfterMs: isTurnedAway && asked !== null ? fits(asked) : null, rejected: null }
}

/** One request on the wire. */
async function attempt(call: Call): Promise<Attempt> {
  const { client, endpoint, row, memo, clock, request, guard } = call
  const body = buildBody(endpoint, request, memo)
  let response: Response
  try {
    response = await client.post('/chat/completions', { body, signal: guard.signal }).asResponse()
  } catch (thrown) {
    const problem =
      thrown instanceof Error && thrown.cause instanceof FetchProblem ? thrown.cause.detail : null
    // A status that had arrived tells more than the deadline that ran out while its body was read.
    const isKnown = problem?.kind === 'status' && guard.stopped() !== 'cancelled'
    if (guard.stopped() !== null && !isKnown) return final(stoppedOutcome(guard, false))
    if (problem === null) return final(failed('system:internal'))
    return judgeFailedRequest(call, problem, body)
  }
  const read = await readReply(response, guard, clock)
  return final(
    judgeReply(read, {
      row,
      outputTokens: request.outputTokens,
      httpStatus: response.status,
      stopped: guard.stopped(),
    }),
  )
}

/** At most two requests on the wire, and a second one only after a first that did no work. */
async function run(call: Call): Promise<ChatOutcome> {
  const { guard, memo } = call
  if (guard.stopped() !== null) return stoppedOutcome(guard, true)
  const first = await attempt(call)
  if (first.rejected !== null) memo.add(first.rejected)
  if (first.repeatAfterMs === null) return first.outcome
  const mayRepeat =
    first.repeatAfterMs === 0 ? guard.stopped() === null : await guard.pause(first.repeatAfterMs)
  if (!mayRepeat) return stoppedOutcome(guard, true)
  const second = await attempt(call)
  if (second.rejected !== null) memo.add(second.rejected)
  else if (first.rejected !== null && !second.outcome.ok && second.outcome.code === 'system:model_refused') {
    // Leaving it out did not help: it was not the trouble.
    memo.delete(first.rejected)
  }
  return second.outcome
}

/** Parts that tests replace. */
export interface ChatTransportDeps {
  readonly clock?: Clock
}

/**
 * Speaks Chat Completions with one endpoint, for the lifetime of that endpoint's configuration: it keeps the
 * connections and remembers which parameters the endpoint rejected. `send` never throws; it answers within
 * `timeoutMs` (codes `system:model_*`, `system:cancelled`, `system:internal` for an unusable address) and repeats a
 * request at most once, in the same deadline, only after a refused connection, a 429 or 503 whose Retry-After fits,
 * or a 400 or 422 that names a parameter we can leave out.
 */
export function createChatTransport(endpoint: Endpoint, deps: ChatTransportDeps = {}): ChatTransport {
  const clock = deps.clock ?? systemClock
  const client = createHttpClient(endpoint, clock)
  const row = PROVIDERS[endpoint.provider]
  const memo: CapabilityMemo = new Set()
  return {
    async send(request, signal) {
      const guard = createCallGuard(request.timeoutMs, signal, clock)
      try {
        return await run({ client, endpoint, row, memo, clock, request, guard })
      } catch {
        return failed('system:internal')
      } finally {
        guard.dispose()
      }
    },
  }
}
