/** Everything about one simulated response that can be right or wrong. */
export interface ReplyPlan {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A body that is sent as it is, in place of a completion. */
  readonly raw: string | null
  readonly content: string
  /** Answers with one plain completion even when a stream was asked for. */
  readonly plain: boolean
  /** Sent as `reasoning_content` before the content; empty: none. */
  readonly reasoning: string
  /** Null: the completion never says why it ended. */
  readonly finish: string | null
  /**
   * `'estimated'`: about a token for four bytes, never the whole output limit. `'full'`: exactly the output limit that
   * the request sets. Null: left out. Anything else is sent as it is.
   */
  readonly usage: unknown
  /** Whether a stream ends with `[DONE]`. */
  readonly done: boolean
  /** An error object that follows the content and ends the reply. */
  readonly error: Readonly<Record<string, unknown>> | null
  /** Waits for `release()`: before the headers, after them, or after the content. */
  readonly hold: 'headers' | 'body' | 'tail' | null
  /** Breaks the connection after the content. */
  readonly cut: boolean
  /** Written before the first and between all parts of the body. */
  readonly padding: { readonly text: string; readonly times: number } | null
  /** Writes `padding` for ever instead of a completion, one piece each 10 ms. */
  readonly padsForever: boolean
  /** One byte per write: characters of several bytes arrive in pieces. */
  readonly bytewise: boolean
  readonly lineEnd: '\n' | '\r\n'
  /** Whether the last line of a stream ends. */
  readonly endsLastLine: boolean
  /** Characters in one chunk of a stream. */
  readonly chunkLength: number
  /** Milliseconds between the parts of a body, as a model that thinks while it writes. */
  readonly pauseMs: number
  /** Content is followed by this many filling bytes. */
  readonly fillBytes: number
}

const DEFAULTS: ReplyPlan = {
  status: 200,
  headers: {},
  raw: null,
  content: '',
  plain: false,
  reasoning: '',
  finish: 'stop',
  usage: 'estimated',
  done: true,
  error: null,
  hold: null,
  cut: false,
  padding: null,
  padsForever: false,
  bytewise: false,
  lineEnd: '\n',
  endsLastLine: true,
  chunkLength: 16,
  pauseMs: 0,
  fillBytes: 0,
}

/** A response that a script holds. Made by `reply` and by the functions of `replies` and `faults`. */
export class SimulatedReply {
  readonly plan: ReplyPlan
  constructor(plan: Partial<ReplyPlan>) {
    this.plan = { ...DEFAULTS, ...plan }
  }
  /** The same response with some properties changed: faults can be combined. */
  with(change: Partial<ReplyPlan>): SimulatedReply {
    return new SimulatedReply({ ...this.plan, ...change })
  }
}

/** A response from its differences to a good, empty one. */
export const reply = (plan: Partial<ReplyPlan>): SimulatedReply => new SimulatedReply(plan)
