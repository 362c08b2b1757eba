import { z } from 'zod'
import type { ExecutionContext } from '../agent/index.js'
import type { SoldCard } from '../commerce/index.js'
import { canonicalJson } from '../core/json.js'

/** Longest sentence of a model about its choice, characters. */
const MAX_TEXT = 400

/** What a model decides: one of the candidates, and a sentence of its own. */
const decisionSchema = <T extends readonly [string, ...string[]]>(ids: T) =>
  z.strictObject({ candidate: z.enum(ids), text: z.string().trim().min(1).max(MAX_TEXT) })

export interface SigninDecision {
  readonly candidate: string
  /** Null: the model said nothing that can be shown, and the first candidate was taken. */
  readonly text: string | null
}

/**
 * Lets the model choose one of the candidates, by one call. What is invalid, late or refused is the first candidate: a sign-in
 * doesn't hang on a model.
 */
export async function decide(
  context: Pick<ExecutionContext, 'complete' | 'check'>,
  question: string,
  candidates: readonly [SoldCard, ...SoldCard[]],
): Promise<SigninDecision> {
  const [first] = candidates
  const [id, ...others] = candidates.map((candidate) => candidate.id as string)
  if (id === undefined || others.length === 0) return { candidate: first.id, text: null }
  const told = candidates.map(({ id, title, things }) => ({ id, title, gives: things }))
  const answer = await context.complete({
    question,
    prompt: 'signin',
    values: { candidates: canonicalJson(told) },
    answer: decisionSchema([id, ...others]),
  })
  // lost rights and cancellation end the request, not only the call
  context.check()
  if (!answer.ok) return { candidate: first.id, text: null }
  // one sentence is one line
  return { candidate: answer.value.candidate, text: answer.value.text.replace(/\s+/g, ' ') }
}
