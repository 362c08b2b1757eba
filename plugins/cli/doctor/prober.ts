import {
  createChatTransport,
  type ChatOutcome,
  type ChatRequest,
  type ChatTransport,
  type Endpoint,
  type Exchange,
  type ReplyShape,
} from '../../../lib/agent/models/index.js'
import { systemClock } from '../../../lib/core/clock.js'

/** Most requests on the wire, repeats without a rejected parameter among them. */
export const MOST_REQUESTS = 8
/** A call may need a second request. */
const MOST_A_CALL = 2

/** One call and what was seen of it on the wire. */
export interface Probe {
  readonly outcome: ChatOutcome
  readonly exchanges: readonly Exchange[]
  /** The last of them. */
  readonly last: Exchange | undefined
}

/** How a call differs from a usual one. */
export interface ProbeRequest extends Pick<ChatRequest, 'system' | 'user' | 'outputTokens'> {
  readonly shape?: ReplyShape
  /** A transport of its own for an endpoint that differs, or without a purpose. */
  readonly endpoint?: Endpoint
  readonly without?: readonly string[]
  readonly signal?: AbortSignal
}

/** Asks an endpoint as the server does, through the same gateway. */
export class Prober {
  readonly #endpoint: Endpoint
  readonly #timeoutMs: number
  readonly #usual: ChatTransport
  #exchanges: Exchange[] = []
  #requests = 0

  constructor(endpoint: Endpoint, timeoutMs: number) {
    this.#endpoint = endpoint
    this.#timeoutMs = timeoutMs
    this.#usual = this.#transport(endpoint)
  }

  /** Requests that went out. */
  get requests(): number {
    return this.#requests
  }

  /** Null: the requests are used up. */
  async ask(request: ProbeRequest): Promise<Probe | null> {
    if (this.#requests + MOST_A_CALL > MOST_REQUESTS) return null
    const { endpoint, without, signal, ...rest } = request
    const isUsual = endpoint === undefined && without === undefined
    const transport = isUsual ? this.#usual : this.#transport(endpoint ?? this.#endpoint, without)
    this.#exchanges = []
    const asked = { ...rest, timeoutMs: this.#timeoutMs, endUser: 'doctor' }
    const outcome = await transport.send(asked, signal ?? new AbortController().signal)
    const exchanges = this.#exchanges
    // one that we ended ourselves has no exchange
    this.#requests += Math.max(1, exchanges.length)
    return { outcome, exchanges, last: exchanges.at(-1) }
  }

  #transport(endpoint: Endpoint, without: readonly string[] = []): ChatTransport {
    const onExchange = (exchange: Exchange): void => void this.#exchanges.push(exchange)
    return createChatTransport(endpoint, { clock: systemClock, onExchange, without })
  }
}
