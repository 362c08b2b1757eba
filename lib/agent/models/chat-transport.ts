import type { OpenAI } from 'openai'
import { systemClock, type Clock } from '../../core/clock.js'
import { createCallGuard, type CallGuard } from './call-guard.js'
import type { Endpoint } from './endpoint.js'
import { createHttpClient, FetchProblem, type ProblemDetail } from './http-client.js'
import { failed, judgeProblem, judgeReply, stopCode } from './judge.js'
import { PROVIDERS, type ProviderRow } from './provider.js'
import { readReply } from './read-reply.js'
import type { Reply } from './reply.js'
import { findRejected } from './rejected.js'
import { buildBody, CapabilityMemo, type BuiltBody } from './request-body.js'
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
  readonly onExchange: (exchange: Exchange) => void
}

interface Attempt {
  readonly outcome: ChatOutcome
  /** Milliseconds to wait before a repeat that cannot be billed twice; null: this outcome stands. */
  readonly repeatAfterMs: number | null
  /** The purpose of the parameter that the provider rejected. */
  readonly rejected: string | null
}

const NO_EXCHANGE: Omit<Exchange, 'purposes'> = {
  httpStatus: 0,
  cause: null,
  rejected: null,
  namesModel: false,
  reply: null,
  firstByteMs: null,
}

const final = (outcome: ChatOutcome): Attempt => ({ outcome, repeatAfterMs: null, rejected: null })

/** One request on the wire and what came back, for those who look at an endpoint rather than at an answer. */
export interface Exchange {
  /** What the body's optional parameters were for. */
  readonly purposes: readonly string[]
  /** 0 when no response came. */
  readonly httpStatus: number
  /** What the log may say of a request that brought no body; null: it brought one, or we ended it. */
  readonly cause: string | null
  /** The parameter's purpose that a refusal named. */
  readonly rejected: string | null
  /** Whether a refusal speaks of the model. */
  readonly namesModel: boolean
  /** The body as it was read; null when there was none. Its text is here too: not for logs. */
  readonly reply: Reply | null
  /** From the request to the first byte of the body, milliseconds. */
  readonly firstByteMs: number | null
}

/** Where the endpoint is, without the key, path or name that its address may carry. */
function hostOf(endpoint: Endpoint): string {
  try {
    return new URL(endpoint.baseUrl).host
  } catch {
    return 'an address that is none'
  }
}

/** What the log says of a request that brought no body. */
function causeOf(problem: ProblemDetail, endpoint: Endpoint): string {
  const what = problem.kind === 'status' ? `HTTP ${problem.status}` : problem.code || 'connection lost'
  return `${what} at ${hostOf(endpoint)}`
}

/** What our side ended while no body was being read. Only before a request is `unbilled` true. */
function stoppedOutcome(guard: CallGuard, unbilled: boolean): ChatOutcome {
  return failed(stopCode(guard.stopped() ?? 'timeout'), { unbilled })
}

/** What a failed request allows: nothing, or one repeat after a wait. */
function judgeFailedRequest(call: Call, problem: ProblemDetail, sent: BuiltBody): Attempt {
  const { row, clock, guard, endpoint } = call
  const asked = problem.kind === 'status' ? parseRetryAfter(problem.retryAfter, clock.now()) : null
  const outcome = { ...judgeProblem(problem, row, asked), cause: causeOf(problem, endpoint) }
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
  const sent = buildBody(endpoint, request, memo)
  const exchange: Exchange = { ...NO_EXCHANGE, purposes: [...new Set(sent.purposes.values())] }
  const startedAt = clock.monotonic()
  let response: Response
  try {
    const options = { body: sent.body, signal: guard.signal }
    response = await client.post('/chat/completions', options).asResponse()
  } catch (thrown) {
    const problem =
      thrown instanceof Error && thrown.cause instanceof FetchProblem ? thrown.cause.detail : null
    // A status that had arrived tells more than the deadline that ran out while its body was read.
    const isKnown = problem?.kind === 'status' && guard.stopped() !== 'cancelled'
    if (guard.stopped() !== null && !isKnown) return final(stoppedOutcome(guard, false))
    if (problem === null) return final(failed('system:internal'))
    const judged = judgeFailedRequest(call, problem, sent)
    const { outcome, rejected } = judged
    const cause = causeOf(problem, endpoint)
    const namesModel = problem.kind === 'status' && /\bmodel\b/i.test(problem.body)
    call.onExchange({ ...exchange, httpStatus: outcome.httpStatus, cause, rejected, namesModel })
    return judged
  }
  const read = await readReply(response, { guard, clock, reasoning: row.reasoning })
  const { reply, firstByteAt } = read
  const firstByteMs = firstByteAt === null ? null : firstByteAt - startedAt
  call.onExchange({ ...exchange, httpStatus: response.status, reply, firstByteMs })
  const outcome = judgeReply(read, {
    row,
    outputTokens: request.outputTokens,
    httpStatus: response.status,
    stopped: guard.stopped(),
  })
  if (outcome.ok || reply.broken !== 'page') return final(outcome)
  return final({ ...outcome, cause: `a page instead of a completion at ${hostOf(endpoint)}` })
}

/** At most two requests on the wire, and a second one only after a first that did no work. */
async function run(call: Call): Promise<ChatOutcome> {
  const { guard, memo } = call
  if (guard.stopped() !== null) return stoppedOutcome(guard, true)
  const first = await attempt(call)
  if (first.rejected !== null) memo.reject(first.rejected)
  if (first.repeatAfterMs === null) return first.outcome
  const mayRepeat =
    first.repeatAfterMs === 0 ? guard.stopped() === null : await guard.pause(first.repeatAfterMs)
  if (!mayRepeat) return stoppedOutcome(guard, true)
  const second = await attempt(call)
  if (second.rejected !== null) memo.reject(second.rejected)
  else if (first.rejected !== null && !second.outcome.ok && second.outcome.code === 'system:model_refused') {
    // Leaving it out did not help: it was not the trouble.
    memo.forgive(first.rejected)
  }
  return second.outcome
}

/** Parts that tests replace. */
export interface ChatTransportDeps {
  readonly clock?: Clock
  /** Told of each request when it is over. */
  readonly onExchange?: (exchange: Exchange) => void
  /** Purposes that are treated as rejected from the start. */
  readonly without?: readonly string[]
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
  const { onExchange = () => {} } = deps
  const memo = new CapabilityMemo()
  for (const purpose of deps.without ?? []) memo.reject(purpose)
  return {
    async send(request, signal) {
      const guard = createCallGuard(request.timeoutMs, signal, clock)
      try {
        return await run({ client, endpoint, row, memo, clock, request, guard, onExchange })
      } catch {
        return failed('system:internal')
      } finally {
        guard.dispose()
      }
    },
  }
}
