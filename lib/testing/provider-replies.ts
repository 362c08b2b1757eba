import { reply, type ReplyPlan, type SimulatedReply } from './reply-plan.js'

const LONG_TEXT = 'The diamond lies deep, below the sixteenth layer, close to lava.'

/** Content of a reply: a text, or an object that is sent as its JSON text. */
export type Content = string | Readonly<Record<string, unknown>>

const textOf = (content: Content): string => (typeof content === 'string' ? content : JSON.stringify(content))
const json = (body: unknown): Pick<ReplyPlan, 'raw' | 'headers'> => ({
  raw: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

/** Good replies. */
export const replies = {
  /** A completion with this content. */
  text: (content: Content): SimulatedReply => reply({ content: textOf(content) }),
  /** A completion that thought first. */
  reasoned: (reasoning: string, content: Content): SimulatedReply =>
    reply({ reasoning, content: textOf(content) }),
  /** One plain completion, also to a request for a stream. */
  plain: (content: Content): SimulatedReply => reply({ content: textOf(content), plain: true }),
  /** A completion with this `usage`, as it is. */
  withUsage: (content: Content, usage: unknown): SimulatedReply => reply({ content: textOf(content), usage }),
} as const

/** What an error response may say beside its status. */
export interface ErrorDetail {
  /** The `Retry-After` header, as it is: seconds, an HTTP date, nonsense. */
  readonly retryAfter?: string
  readonly code?: string
  readonly message?: string
  /** The parameter that the error names. */
  readonly param?: string
}

/** An OpenAI-shaped error response. */
function status(code: number, detail: ErrorDetail = {}): SimulatedReply {
  const error = {
    message: detail.message ?? `simulated status ${code}`,
    type: 'simulated_error',
    param: detail.param ?? null,
    code: detail.code ?? null,
  }
  const { raw, headers } = json({ error })
  const retry: Record<string, string> =
    detail.retryAfter === undefined ? {} : { 'retry-after': detail.retryAfter }
  return reply({ status: code, raw, headers: { ...headers, ...retry } })
}

/**
 * Faulty replies, each one thing that real providers and proxies did. A refused connection is no reply:
 * see `refuse()` of the simulator.
 */
export const faults = {
  status,
  /** Out of credit, under the status that a provider chose for it (OpenAI: 429). */
  insufficientQuota: (code = 429): SimulatedReply =>
    status(code, {
      code: 'insufficient_quota',
      message: 'You exceeded your current quota.',
      retryAfter: '1',
    }),
  /** No byte until `release()`. */
  slowHeaders: (content: Content = LONG_TEXT): SimulatedReply =>
    reply({ content: textOf(content), hold: 'headers' }),
  /** Headers, then silence until `release()`. */
  stalledBody: (content: Content = LONG_TEXT): SimulatedReply =>
    reply({ content: textOf(content), hold: 'body' }),
  /** Headers and content, then silence until `release()`. */
  stalledTail: (content: Content = LONG_TEXT): SimulatedReply =>
    reply({ content: textOf(content), hold: 'tail' }),
  /** The connection breaks after some content. */
  cut: (content: Content = LONG_TEXT): SimulatedReply => reply({ content: textOf(content), cut: true }),
  /** The stream ends in good order, without finish reason and `[DONE]`. */
  noEnd: (content: Content = LONG_TEXT): SimulatedReply =>
    reply({ content: textOf(content), finish: null, usage: null, done: false }),
  /** The stream has a finish reason but no `[DONE]`. */
  noDone: (content: Content = LONG_TEXT): SimulatedReply => reply({ content: textOf(content), done: false }),
  /** A page of a proxy or captive portal under status 200. */
  htmlPage: (): SimulatedReply =>
    reply({
      raw: '<!doctype html><html><body>Log in</body></html>',
      headers: { 'content-type': 'text/html' },
    }),
  /** Status 200 and nothing. */
  zeroBytes: (): SimulatedReply => reply({ raw: '' }),
  /** Status 200 and JSON that stops in the middle. */
  brokenJson: (): SimulatedReply =>
    reply({ raw: '{"id":"x","choices":[{"mess', headers: { 'content-type': 'application/json' } }),
  /** Status 200 and JSON that is no completion. */
  otherJson: (body: unknown = 'ok'): SimulatedReply => reply(json(body)),
  emptyContent: (): SimulatedReply => reply({ content: '' }),
  /** The whole answer ended up in the reasoning. */
  reasoningOnly: (reasoning = LONG_TEXT): SimulatedReply => reply({ reasoning }),
  fenced: (object: Content): SimulatedReply => reply({ content: `\`\`\`json\n${textOf(object)}\n\`\`\`` }),
  prose: (object: Content): SimulatedReply =>
    reply({ content: `Sure, here you go: ${textOf(object)} Anything else?` }),
  twoObjects: (first: Content, second: Content): SimulatedReply =>
    reply({ content: `${textOf(first)}\n${textOf(second)}` }),
  /**
   * Output that filled its limit. `length` says so; `stop` hides it, and only `completion_tokens`, equal to the limit
   * that was asked for, tells.
   */
  truncated: (content: string, finish: 'length' | 'stop' = 'length'): SimulatedReply =>
    reply({ content, finish, usage: 'full' }),
  missingUsage: (content: Content): SimulatedReply => reply({ content: textOf(content), usage: null }),
  unknownFinish: (content: Content, finish = 'tired'): SimulatedReply =>
    reply({ content: textOf(content), finish }),
  /** An error object inside a stream that began well. */
  errorInStream: (error: Readonly<Record<string, unknown>>, content: Content = ''): SimulatedReply =>
    reply({ content: textOf(content), error }),
  /** Comment lines before and between the events. */
  keepAlive: (content: Content, times = 3): SimulatedReply =>
    reply({ content: textOf(content), padding: { text: ': keep-alive\n\n', times } }),
  /** Empty lines before and between the events, or before a plain body. */
  blankLines: (content: Content, times = 3): SimulatedReply =>
    reply({ content: textOf(content), padding: { text: '\n', times } }),
  /** Padding without end: only a total deadline helps. */
  paddingForever: (text: ': keep-alive\n\n' | '\n' = '\n'): SimulatedReply =>
    reply({ padding: { text, times: 1 }, padsForever: true }),
  /** One byte per write, CRLF line ends, comments between, no line end after the last line. */
  byteByByte: (content: Content): SimulatedReply =>
    reply({
      content: textOf(content),
      bytewise: true,
      lineEnd: '\r\n',
      endsLastLine: false,
      padding: { text: ': keep-alive\n\n', times: 1 },
    }),
  /** A body far beyond any limit. */
  hugeBody: (fillBytes = 30 * 1024 * 1024): SimulatedReply => reply({ content: 'x', fillBytes }),
} as const
