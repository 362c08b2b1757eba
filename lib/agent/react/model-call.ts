import { isFailureCode, type FailureCode } from '../../core/failure.js'
import { utf8Bytes } from '../../core/json.js'
import { NO_USAGE, type Usage } from '../../pool/index.js'
import type { ChatOutcome } from '../models/transport.js'
import type { Conversation } from './conversation.js'
import { systemMessage } from './messages.js'
import { replyShape } from './shape.js'

/** Bounds of texts in a message. */
const FINISH_CHARS = 64
const CAUSE_CHARS = 300
/** Finish reasons under which a reply isn't whole, with what they mean to the loop. */
const BROKEN_FINISHES: ReadonlyMap<string, FailureCode> = new Map([
  ['length', 'system:model_truncated'],
  ['content_filter', 'system:model_filtered'],
  ['insufficient_system_resource', 'system:model_unavailable'],
])

/** One decision that is asked of the model. */
export interface ModelQuestion {
  readonly round: number
  readonly finalOnly: boolean
  /** What was wrong with the reply before, or null. */
  readonly correction: string | null
  /** The user message; asked again with true when the kernel allows nothing but a final answer. */
  write(finalOnly: boolean): string
}

/** What came of it. */
export type ModelReply =
  | {
      readonly ok: true
      readonly text: string
      /** Only a final answer is accepted. */
      readonly finalOnly: boolean
      /** All tokens were used, whatever the finish reason says: a tool call in it may be cut off. */
      readonly isSuspect: boolean
    }
  | {
      readonly ok: false
      readonly code: FailureCode
      /** A model was called: the round counts. */
      readonly wasSent: boolean
    }

/** A code from the kernel as one of the closed set. */
export const knownCode = (code: string): FailureCode => (isFailureCode(code) ? code : 'system:protocol')

/**
 * Reserves, calls the model and settles. Rejects only with the reason of a cancelled request, after having settled.
 * The reservation is exact, except that a finalOnly from the kernel adds a few bytes to the message.
 */
export async function callModel(conversation: Conversation, question: ModelQuestion): Promise<ModelReply> {
  const { job, link } = conversation
  const { outputTokens } = job.perCall
  link.progress('model', question.round)
  const user = question.write(question.finalOnly)
  const system = systemMessage(job.prompt, question.correction)
  const inputBytes = utf8Bytes(system) + utf8Bytes(user)
  const grant = await link.reserve({ round: question.round, inputBytes, outputTokens })
  if ('code' in grant) return { ok: false, code: knownCode(grant.code), wasSent: false }
  const finalOnly = question.finalOnly || grant.finalOnly
  const text = finalOnly === question.finalOnly ? user : question.write(finalOnly)
  const outcome = await send(conversation, { system, user: text, timeoutMs: grant.timeoutMs })
  await link.settle({ reservationId: grant.reservationId, ...settlement(outcome) })
  link.cancelled.throwIfAborted()
  if (!outcome.ok) return { ok: false, code: outcome.code, wasSent: true }
  const broken =
    BROKEN_FINISHES.get(outcome.finish) ?? (outcome.text.trim() === '' ? 'system:model_empty' : undefined)
  if (broken !== undefined) return { ok: false, code: broken, wasSent: true }
  const isSuspect = outcome.usage !== null && outcome.usage.output >= outputTokens
  return { ok: true, text: outcome.text, finalOnly, isSuspect }
}

async function send(
  conversation: Conversation,
  call: { readonly system: string; readonly user: string; readonly timeoutMs: number },
): Promise<ChatOutcome> {
  const { job, link, transport } = conversation
  const { outputTokens } = job.perCall
  try {
    const request = { ...call, outputTokens, endUser: job.endUser, shape: replyShape(job) }
    return await transport.send(request, link.cancelled)
  } catch {
    // a transport never throws; if it does, nobody knows what was billed
    return { ok: false, code: 'system:internal', usage: null, httpStatus: 0, unbilled: false }
  }
}

/** What the kernel is told of a call. */
interface Settlement {
  readonly usage: Usage | null
  readonly finish: string
  readonly httpStatus: number
  readonly cause?: string
}

function settlement(outcome: ChatOutcome): Settlement {
  const { httpStatus } = outcome
  if (outcome.ok) return { usage: outcome.usage, finish: outcome.finish.slice(0, FINISH_CHARS), httpStatus }
  const { unbilled, usage, code, cause } = outcome
  const told = { usage: unbilled ? NO_USAGE : usage, finish: code, httpStatus }
  return cause === undefined ? told : { ...told, cause: cause.slice(0, CAUSE_CHARS) }
}
