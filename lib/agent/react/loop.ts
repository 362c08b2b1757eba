import { isRecoverable, type FailureCode } from '../../core/failure.js'
import type { JobEnd } from '../../pool/index.js'
import type { Conversation } from './conversation.js'
import { createMessageHead, isEvidence, loopMessage } from './messages.js'
import { callModel, knownCode } from './model-call.js'
import { answerFieldsOf, readReply, type Decision } from './reply.js'

/** What happens next in a loop. */
type Step =
  | { readonly kind: 'ask-model'; readonly finalOnly: boolean; readonly correction: string | null }
  | { readonly kind: 'call-tool'; readonly tool: string; readonly inputText: string }
  | { readonly kind: 'give-answer'; readonly text: string }
  /** Something failed: once, with evidence, a final answer may still come of it. */
  | { readonly kind: 'recover'; readonly code: FailureCode; readonly isRecoverable: boolean }
  | { readonly kind: 'end'; readonly end: JobEnd }

/** The state of one loop. */
interface Loop extends Conversation {
  readonly head: string
  readonly answerFields: ReadonlySet<string>
  readonly toolIds: ReadonlySet<string>
  /** As the kernel sent them. */
  readonly observations: string[]
  hasEvidence: boolean
  /** The round under way, from 1. */
  round: number
  /** It accepts nothing but an answer. */
  isFinal: boolean
  /** Model decisions so far. */
  decisions: number
}

/** What a model is told about a reply that came to nothing, by the code. */
const CORRECTIONS: ReadonlyMap<FailureCode, string> = new Map([
  ['system:model_truncated', 'The last reply was cut off at the token limit. Answer in fewer words.'],
  ['system:model_invalid', 'The last reply was not one valid JSON object. Reply with exactly one.'],
  ['system:model_empty', 'The last reply was empty. Reply with exactly one JSON object.'],
  ['system:model_too_large', 'The last reply was too large. Answer in fewer words.'],
])

/**
 * Runs a loop of model decisions, tools and observations to its end: at most `job.rounds` decisions, the last of
 * which must be the answer. Rejects only with the reason of a cancelled request.
 */
export async function runReActLoop(conversation: Conversation): Promise<JobEnd> {
  const { job } = conversation
  const head = createMessageHead(job)
  if (!head.ok) return { end: 'failed', code: head.failure.code, rounds: 0 }
  const loop: Loop = {
    ...conversation,
    head: head.value,
    answerFields: answerFieldsOf(job.answerSchemaText),
    toolIds: new Set(job.catalogue.map((entry) => entry.id)),
    observations: [],
    hasEvidence: false,
    round: 0,
    isFinal: false,
    decisions: 0,
  }
  let step: Step = { kind: 'ask-model', finalOnly: false, correction: null }
  while (step.kind !== 'end') step = await nextStep(loop, step)
  return step.end
}

function nextStep(loop: Loop, step: Exclude<Step, { kind: 'end' }>): Promise<Step> | Step {
  switch (step.kind) {
    case 'ask-model':
      return askModel(loop, step)
    case 'call-tool':
      return callTool(loop, step)
    case 'give-answer':
      return giveAnswer(loop, step)
    case 'recover':
      break
  }
  return recover(loop, step)
}

async function askModel(loop: Loop, step: Extract<Step, { kind: 'ask-model' }>): Promise<Step> {
  const { rounds } = loop.job
  loop.round += 1
  loop.isFinal = step.finalOnly || loop.round >= rounds
  const reply = await callModel(loop, {
    round: loop.round,
    finalOnly: loop.isFinal,
    correction: step.correction,
    write: (finalOnly) =>
      loopMessage(loop.head, loop.observations, {
        roundsLeft: finalOnly ? 1 : rounds - loop.round + 1,
        finalOnly,
      }),
  })
  if (reply.ok || reply.wasSent) loop.decisions += 1
  if (!reply.ok) return recoverable(reply.code)
  loop.isFinal = reply.finalOnly
  const decision = readReply(reply.text, { ...loop, finalOnly: loop.isFinal })
  if (decision.kind === 'tool' && reply.isSuspect && !loop.isFinal)
    return recoverable('system:model_truncated')
  return afterDecision(loop, decision)
}

function afterDecision(loop: Loop, decision: Decision): Step {
  switch (decision.kind) {
    case 'answer':
      return { kind: 'give-answer', text: decision.text }
    case 'invalid':
      return recoverable(decision.code)
    case 'tool':
      break
  }
  if (loop.isFinal) return { kind: 'end', end: { end: 'rounds', rounds: loop.decisions } }
  return { kind: 'call-tool', tool: decision.tool, inputText: decision.inputText }
}

async function callTool(loop: Loop, step: Extract<Step, { kind: 'call-tool' }>): Promise<Step> {
  const { tool, inputText } = step
  const answer = await loop.link.tool({ round: loop.round, tool, inputText })
  if ('repeat' in answer) return { kind: 'ask-model', finalOnly: true, correction: null }
  if ('code' in answer) {
    return { kind: 'recover', code: knownCode(answer.code), isRecoverable: answer.recoverable }
  }
  loop.observations.push(answer.text)
  loop.hasEvidence ||= isEvidence(answer.text)
  return { kind: 'ask-model', finalOnly: false, correction: null }
}

async function giveAnswer(loop: Loop, step: Extract<Step, { kind: 'give-answer' }>): Promise<Step> {
  const answer = await loop.link.answer(step.text)
  if ('ok' in answer) return { kind: 'end', end: { end: 'answer', rounds: loop.decisions } }
  if ('code' in answer) return failed(loop, knownCode(answer.code))
  if (loop.round >= loop.job.rounds) return failed(loop, 'system:model_invalid')
  return { kind: 'ask-model', finalOnly: true, correction: refusedAnswer(answer.fix) }
}

function recover(loop: Loop, step: Extract<Step, { kind: 'recover' }>): Step {
  if (!step.isRecoverable || !loop.hasEvidence || loop.isFinal) return failed(loop, step.code)
  return { kind: 'ask-model', finalOnly: true, correction: CORRECTIONS.get(step.code) ?? null }
}

/** Quoted: the reason may name what the model wrote. */
const refusedAnswer = (reason: string): string =>
  `The last answer was not accepted: ${JSON.stringify(reason)}`

const recoverable = (code: FailureCode): Step => ({
  kind: 'recover',
  code,
  isRecoverable: isRecoverable(code),
})

const failed = (loop: Loop, code: FailureCode): Step => ({
  kind: 'end',
  end: { end: 'failed', code, rounds: loop.decisions },
})
