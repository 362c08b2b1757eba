import { z } from 'zod'
import { clipCodePoints } from '../../core/code-points.js'
import { failure } from '../../core/failure.js'
import { synchronous } from '../../core/synchronous.js'
import { isJsonObject, parseJson } from '../../core/json.js'
import type { Observation } from '../context.js'
import { problemText, schemaText } from '../tool.js'
import type { Verdict } from './conversation.js'
import { recitesPrompt } from './withhold.js'

/** Longest answer shown to a player, in code points; the rest is cut with an ellipsis. */
export const ANSWER_CHARACTERS = 4_000

/** An answer of these fields is described by the prompt already. */
const USUAL_FIELDS: ReadonlySet<string> = new Set(['text', 'sources'])

/** What a model is told of the answer's shape: its JSON Schema, or nothing when it is the usual one. */
export function answerSchemaText(schema: z.ZodType): string {
  const isUsual =
    schema instanceof z.ZodObject && Object.keys(schema.shape).every((name) => USUAL_FIELDS.has(name))
  return isUsual ? '' : schemaText(schema)
}

/** What an answer is judged by. */
export interface Bench<A> {
  readonly schema: z.ZodType<A>
  readonly prompt: string
  readonly observations: readonly Observation[]
  readonly keep?: (answer: A, observations: readonly Observation[]) => { answer: A } | string
}

/**
 * Decodes a proposed answer. Sources that name no observation with an output are removed, not passed on; a text that
 * recites the prompt is withheld; an answer of the wrong shape goes back to the model with the problem named.
 */
export function judgeAnswer<A>(text: string, bench: Bench<A>): Verdict<A> {
  const value = parseJson(text)
  if (!isJsonObject(value)) return { fix: 'The answer must be one JSON object.' }
  if (recitesPrompt(wordsOf(value), bench.prompt)) return { refused: failure('system:model_withheld') }
  // the envelope's discriminator is not part of the answer's own schema
  const { type: _, ...fields } = value
  const parsed = bench.schema.safeParse(tidy(fields, bench.observations))
  if (!parsed.success) return { fix: problemText(parsed.error) }
  const kept = synchronous(bench.keep?.(parsed.data, bench.observations)) ?? { answer: parsed.data }
  return typeof kept === 'string' ? { fix: kept } : { accepted: kept.answer }
}

/** All strings of the value, keys too, as they would be read: JSON's escapes would hide what they repeat. */
function wordsOf(value: unknown): string {
  const words: string[] = []
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') words.push(next)
    else if (typeof next === 'object' && next !== null) open.push(...Object.entries(next).flat().reverse())
  }
  return words.join('\n')
}

function tidy(
  fields: Record<string, unknown>,
  observations: readonly Observation[],
): Record<string, unknown> {
  const tidied = { ...fields }
  if (typeof fields['text'] === 'string') tidied['text'] = clipCodePoints(fields['text'], ANSWER_CHARACTERS)
  if (Array.isArray(fields['sources'])) {
    const known = new Set(observations.filter(({ outcome }) => outcome.ok).map(({ id }) => id))
    const cited = fields['sources'].filter((id): id is number => typeof id === 'number' && known.has(id))
    tidied['sources'] = [...new Set(cited)]
  }
  return tidied
}
