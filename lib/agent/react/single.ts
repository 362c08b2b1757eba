import type { FailureCode } from '../../core/failure.js'
import type { JobEnd } from '../../pool/index.js'
import type { Conversation } from './conversation.js'
import { createMessageHead, singleMessage } from './messages.js'
import { callModel, knownCode } from './model-call.js'
import { answerFieldsOf, readChoice, readReply, type Decision } from './reply.js'

const ROUND = 1

/**
 * Asks the model once: `complete` for an answer, `route` for a choice from the catalogue. What it says goes to the
 * kernel; there is no second request. Rejects only with the reason of a cancelled request.
 */
export async function runSingleCall(conversation: Conversation): Promise<JobEnd> {
  const { job, link } = conversation
  const head = createMessageHead(job)
  if (!head.ok) return failed(head.failure.code, 0)
  const message = singleMessage(head.value)
  const reply = await callModel(conversation, {
    round: ROUND,
    finalOnly: true,
    correction: null,
    write: () => message,
  })
  if (!reply.ok) return failed(reply.code, reply.wasSent ? 1 : 0)
  const decision = job.kind === 'route' ? readChoice(reply.text) : readAnswer(conversation, reply.text)
  if (decision.kind === 'invalid') return failed(decision.code, 1)
  if (decision.kind === 'tool') return failed('system:model_invalid', 1)
  const answer = await link.answer(decision.text)
  if ('ok' in answer) return { end: 'answer', rounds: 1 }
  return failed('code' in answer ? knownCode(answer.code) : 'system:model_invalid', 1)
}

function readAnswer({ job }: Conversation, text: string): Decision {
  const answerFields = answerFieldsOf(job.answerSchemaText)
  return readReply(text, { finalOnly: true, answerFields, toolIds: new Set() })
}

const failed = (code: FailureCode, rounds: number): JobEnd => ({ end: 'failed', code, rounds })
