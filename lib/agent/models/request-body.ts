import { isJsonObject, parseJson } from '../../core/json.js'
import type { Endpoint } from './endpoint.js'
import { PROVIDERS, type ProviderRow } from './provider.js'
import type { ChatRequest } from './transport.js'

/** Parameters that an endpoint has rejected; they are left out of its later calls. Lives as long as the transport. */
export type CapabilityMemo = Set<string>

/** The JSON body of a request. */
export type RequestBody = Readonly<Record<string, unknown>>

/** What `extra` may not touch: it decides whom we ask, what, how we read the reply and what it may cost. */
const PROTECTED = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'max_tokens',
  'max_completion_tokens',
])
/** Without these there is no request. */
const REQUIRED = new Set(['model', 'messages'])

function maxTokensKey(row: ProviderRow, memo: CapabilityMemo): string {
  return row.maxTokens.find((name) => !memo.has(name)) ?? row.maxTokens[0]
}

/** The body for this endpoint without what it has rejected before. Stable key order, for provider caches and tests. */
export function buildBody(endpoint: Endpoint, request: ChatRequest, memo: CapabilityMemo): RequestBody {
  const row = PROVIDERS[endpoint.provider]
  const optional = new Map<string, unknown>([
    ...Object.entries(row.json),
    ...Object.entries(row.thinking(endpoint.thinking)),
    ...Object.entries(row.endUser(request.endUser)),
  ])
  for (const [name, value] of Object.entries(endpoint.extra)) {
    if (!PROTECTED.has(name)) optional.set(name, value)
  }
  if (!memo.has('stream')) {
    optional.set('stream', true)
    optional.set('stream_options', { include_usage: true })
  }
  // Null prototype: the names come from a configuration file.
  const body = Object.create(null) as Record<string, unknown>
  body['model'] = endpoint.model
  body['messages'] = [
    { role: 'system', content: request.system },
    { role: 'user', content: request.user },
  ]
  body[maxTokensKey(row, memo)] = request.outputTokens
  for (const [name, value] of optional) if (!memo.has(name)) body[name] = value
  return body
}

const texts = (...values: unknown[]): string[] => values.filter((value) => typeof value === 'string')

/** `param` as OpenAI writes it, and the last place in `loc` as pydantic servers (vLLM, FastAPI) write it. */
function pointedAt(body: unknown): string[] {
  if (!isJsonObject(body)) return []
  const error = isJsonObject(body['error']) ? body['error'] : body
  const details: unknown[] = Array.isArray(body['detail']) ? body['detail'] : []
  const places = details.flatMap((detail) => {
    const loc: unknown[] = isJsonObject(detail) && Array.isArray(detail['loc']) ? detail['loc'] : []
    return texts(loc[0] === 'body' ? loc[1] : loc[0])
  })
  return [...texts(error['param']), ...places].map((name) => name.split(/[.[]/)[0] ?? '')
}

function messagesOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (!isJsonObject(body)) return ''
  const error = body['error']
  const nested = isJsonObject(error) ? texts(error['message']) : texts(error)
  return [...nested, ...texts(body['message'], body['detail'], body['msg'])].join('\n')
}

const escaped = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, '\\$&')

/** Whether a sentence speaks of the parameter. Plain words (`thinking`, `stream`) must look like a name in it. */
function mentions(sentence: string, name: string): boolean {
  const word = escaped(name)
  if (name.includes('_')) return new RegExp(`(?<![\\w])${word}(?![\\w])`).test(sentence)
  return [
    `['"\`]${word}(\\.\\w+)*['"\`]`,
    `(parameter|argument|field|option|property|key|input)s?( supplied)?:?\\s+${word}(?![\\w])`,
    `(?<![\\w])${word}(\\.\\w+)*\\s+(is|are)\\s+(not|un)`,
  ].some((pattern) => new RegExp(pattern, 'i').test(sentence))
}

/**
 * The one parameter that a refusal (400, 422) names and that we can do without; null when it names none. The output
 * limit is given up only for another name of it that the refusal itself proposes: an unbounded reply is no option.
 */
export function findRejected(errorText: string, sent: RequestBody, row: ProviderRow): string | null {
  // not JSON: the text itself is the message
  const body = parseJson(errorText) ?? errorText
  const sentence = messagesOf(body)
  const limit = row.maxTokens.find((name) => Object.hasOwn(sent, name))
  if (limit !== undefined) {
    const next = row.maxTokens[row.maxTokens.indexOf(limit) + 1]
    if (next !== undefined && mentions(sentence, next)) return limit
  }
  const droppable = Object.keys(sent)
    .filter((name) => !REQUIRED.has(name) && name !== limit)
    // `stream` comes last: sentences about other parameters like to mention it.
    .sort((a, b) => Number(a === 'stream') - Number(b === 'stream'))
  const pointed = pointedAt(body)
  return (
    droppable.find((name) => pointed.includes(name)) ??
    droppable.find((name) => mentions(sentence, name)) ??
    null
  )
}
