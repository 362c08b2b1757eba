import type { FailureCode } from '../../core/failure.js'
import { isJsonObject, parseJson } from '../../core/json.js'
import type { Usage } from '../../pool/index.js'
import type { CallStop } from './call-guard.js'
import type { ProblemDetail } from './http-client.js'
import type { ProviderRow } from './provider.js'
import type { ReadReply } from './read-reply.js'
import type { Reply } from './reply.js'
import type { ChatOutcome } from './transport.js'
import { decodeUsage } from './usage.js'

type ChatFailure = Extract<ChatOutcome, { ok: false }>

/** A failed outcome; what the provider may have done is charged unless said otherwise. */
export function failed(code: FailureCode, rest: Partial<Omit<ChatFailure, 'ok' | 'code'>> = {}): ChatFailure {
  return { ok: false, code, usage: null, httpStatus: 0, unbilled: false, ...rest }
}

/** Finish reasons that are no success; `stop` is the only one that is. Unknown words count as a degraded provider. */
const FINISHES: ReadonlyMap<string, FailureCode> = new Map([
  ['length', 'system:model_truncated'],
  ['content_filter', 'system:model_filtered'],
  ['insufficient_system_resource', 'system:model_unavailable'],
  // We offer no vendor tools: a model that calls one did not answer.
  ['tool_calls', 'system:model_invalid'],
  ['function_call', 'system:model_invalid'],
])

const STOPS: Readonly<Record<CallStop, FailureCode>> = {
  cancelled: 'system:cancelled',
  timeout: 'system:model_timeout',
  too_large: 'system:model_too_large',
}

/** The code of a call that our side ended. */
export const stopCode = (stop: CallStop): FailureCode => STOPS[stop]

/** Fetch errors before a connection existed: nothing can have been worked on. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])
/** Statuses by which proxies report that they lost a request under way. */
const MAYBE_WORKED = new Set([408, 409, 499])

function statusCode(status: number): FailureCode {
  if (status === 401 || status === 403) return 'system:model_auth'
  if (status === 402) return 'system:model_balance'
  if (status === 429) return 'system:model_rate_limited'
  if (status === 408) return 'system:model_timeout'
  if (status >= 400 && status < 500) return 'system:model_refused'
  // 5xx, and a redirect, which is somebody else's page
  return 'system:model_unavailable'
}

/** The words by which an error object says what it is: `code`, `type`, or the object itself when it is a text. */
function errorWords(error: unknown): readonly (string | number)[] {
  const words: unknown[] =
    typeof error === 'object' && error !== null
      ? ['code' in error && error.code, 'type' in error && error.type]
      : [error]
  return words.filter((word) => typeof word === 'string' || typeof word === 'number')
}

const says = (error: unknown, codes: ReadonlySet<string>): boolean =>
  errorWords(error).some((word) => typeof word === 'string' && codes.has(word))

function parseErrorBody(text: string): unknown {
  const body = parseJson(text)
  return isJsonObject(body) && 'error' in body ? body['error'] : body
}

/** Judges a call that brought no body to read. `retryAfterMs`: the readable wait that the response asks for. */
export function judgeProblem(
  problem: ProblemDetail,
  row: ProviderRow,
  retryAfterMs: number | null,
): ChatFailure {
  if (problem.kind === 'network') {
    const code =
      problem.code === 'UND_ERR_CONNECT_TIMEOUT' ? 'system:model_timeout' : 'system:model_unavailable'
    return failed(code, { unbilled: UNCONNECTED.has(problem.code) })
  }
  const { status } = problem
  const error = parseErrorBody(problem.body)
  if (says(error, row.quotaCodes)) {
    return failed('system:model_balance', { httpStatus: status, unbilled: true })
  }
  if (status >= 400 && status < 500 && says(error, row.rateCodes)) {
    return failed('system:model_rate_limited', { httpStatus: status, unbilled: true })
  }
  // A 503 that names a time to come back was turned away at the door; other 5xx may have failed half-way.
  const turnedAway = status === 503 && (retryAfterMs !== null || says(error, row.idleCodes))
  const unbilled = turnedAway || (status < 500 && !MAYBE_WORKED.has(status))
  return failed(statusCode(status), { httpStatus: status, unbilled })
}

/** The code of an error object inside a 200. Gateways put the status of the provider behind them into `code`. */
function errorCode(error: unknown, row: ProviderRow): FailureCode {
  if (says(error, row.quotaCodes)) return 'system:model_balance'
  if (says(error, row.rateCodes)) return 'system:model_rate_limited'
  for (const word of errorWords(error)) {
    const status = Number(word)
    if (Number.isInteger(status) && status >= 400 && status < 600) return statusCode(status)
  }
  return 'system:model_unavailable'
}

/** Drops a leading `<think>` block: servers without a reasoning parser leave it in the content. */
function withoutThinking(text: string): string {
  if (!/^\s*<think>/.test(text)) return text
  const end = text.indexOf('</think>')
  return end === -1 ? '' : text.slice(end + '</think>'.length)
}

/** B09: a reply of exactly the asked length was cut, whatever its finish reason says. */
function isFull(usage: Usage | null, outputTokens: number): boolean {
  return usage !== null && (usage.output === outputTokens || usage.output - usage.reasoning === outputTokens)
}

/** Why a body without finish reason and without its own end is none. */
function cutCode(reply: Reply, ending: ReadReply['ending']): FailureCode {
  if (ending === 'idle') return 'system:model_timeout'
  if (ending === 'cut') return 'system:model_unavailable'
  if (reply.broken === 'page') return 'system:model_unavailable'
  if (reply.broken === 'shape') return 'system:model_invalid'
  if (!reply.spoke) return 'system:model_empty'
  return reply.text === '' ? 'system:model_unavailable' : 'system:model_truncated'
}

/** What a body has to be judged by, beside itself. */
export interface JudgeContext {
  readonly row: ProviderRow
  readonly outputTokens: number
  readonly httpStatus: number
  readonly stopped: CallStop | null
}

/** Judges a body that was read. Its usage is passed on in every case in which it arrived. */
export function judgeReply({ reply, ending }: ReadReply, context: JudgeContext): ChatOutcome {
  const { row, outputTokens, httpStatus, stopped } = context
  const usage = decodeUsage(reply.usage, row)
  const no = (code: FailureCode): ChatOutcome => failed(code, { usage, httpStatus })

  if (stopped === 'cancelled' || stopped === 'too_large') return no(stopCode(stopped))
  if (reply.error !== null) return no(errorCode(reply.error, row))
  const isComplete = reply.broken === null && (reply.done || reply.finish !== null)
  // A finish reason has come: that the rest (usage, end mark) never did is no reason to lose a paid answer.
  if (!isComplete) return no(stopped === null ? cutCode(reply, ending) : stopCode(stopped))

  // Some servers close properly without a reason; their end mark stands for it.
  const finish = reply.finish ?? 'stop'
  const finishCode = finish === 'stop' ? null : (FINISHES.get(finish) ?? 'system:model_unavailable')
  if (finishCode !== null) return no(finishCode)
  if (isFull(usage, outputTokens)) return no('system:model_truncated')
  const text = withoutThinking(reply.text)
  if (text.trim() === '') return no('system:model_empty')
  return { ok: true, text, finish, usage, httpStatus }
}
