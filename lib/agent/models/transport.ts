import type { FailureCode } from '../../core/failure.js'
import type { Usage } from '../../pool/index.js'

/** The shape of a reply as a JSON Schema; a closed one allows no other members, which strict modes ask for. */
export interface ReplyShape {
  readonly schema: Readonly<Record<string, unknown>>
  readonly isClosed: boolean
}

/** One call of a model: two messages in, one text out. */
export interface ChatRequest {
  readonly system: string
  readonly user: string
  /** Upper bound of the reply, tokens. */
  readonly outputTokens: number
  /** Total time of the call, from now; the transport also has its own idle limit inside it. */
  readonly timeoutMs: number
  /** Salted hash that stands for the player, or empty. */
  readonly endUser: string
  /** What the reply looks like, for providers that hold their models to it; without it: any JSON object. */
  readonly shape?: ReplyShape
}

/** How a call ended. Never throws, never repeats a request that a provider may have billed. */
export type ChatOutcome =
  | {
      readonly ok: true
      readonly text: string
      /** The provider's own word: `stop`, … */
      readonly finish: string
      readonly usage: Usage | null
      readonly httpStatus: number
    }
  | {
      readonly ok: false
      readonly code: FailureCode
      /** Null: the provider said nothing; the kernel charges the reservation. */
      readonly usage: Usage | null
      /** 0 when no response came. */
      readonly httpStatus: number
      /** The provider certainly did no work (refused connection, 4xx, 429): nothing is charged. */
      readonly unbilled: boolean
      /** For the log: a code or status and the host, as `ECONNREFUSED at localhost:11434`. Absent: `code` says it. */
      readonly cause?: string
    }

/** The seam behind which a provider is spoken to. */
export interface ChatTransport {
  send(request: ChatRequest, signal: AbortSignal): Promise<ChatOutcome>
}
