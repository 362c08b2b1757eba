import { isJsonObject, parseJson } from '../../core/json.js'
import { fail, ok, type Result } from '../../core/result.js'
import type { AgentJob, CatalogueEntry } from '../../pool/index.js'

/**
 * The user message is one JSON object with the fields of the contract and no other, built as text: the kernel's texts
 * (context, schemas, observations) go in byte for byte, and what is stable or only appended to comes first. So two
 * requests share the catalogue, and two rounds of a loop everything up to the end of the earlier observations, which
 * providers can serve from their prefix caches.
 */

/** What the volatile end of a loop's message says. */
export interface LoopTail {
  /** Decisions left, this one included. */
  readonly roundsLeft: number
  readonly finalOnly: boolean
}

/** The part of a job's user message that never changes, up to where observations or the end follow. */
export function createMessageHead(job: AgentJob): Result<string> {
  const texts = [job.contextText, ...job.catalogue.map((entry) => entry.schemaText)]
  if (job.answerSchemaText !== '') texts.push(job.answerSchemaText)
  // a broken text would spoil the message around it, so it is found before anything is paid for
  if (!texts.every(isJson)) return fail('system:protocol')
  const asked = `"question":${JSON.stringify(job.question)},"context":${job.contextText}`
  const answer = job.answerSchemaText === '' ? '' : `"answer":${job.answerSchemaText},`
  const catalogue = job.catalogue.map(entryText).join(',')
  switch (job.kind) {
    case 'react':
      return ok(`{"tools":[${catalogue}],${answer}${asked},"observations":[`)
    case 'route':
      return ok(`{"modules":[${catalogue}],${asked}`)
    case 'complete':
      break
  }
  return ok(`{${answer}${asked}`)
}

/** The user message of one round of a loop. */
export function loopMessage(head: string, observations: readonly string[], tail: LoopTail): string {
  const finalOnly = tail.finalOnly ? ',"finalOnly":true' : ''
  return `${head}${observations.join(',')}],"roundsLeft":${tail.roundsLeft}${finalOnly}}`
}

/** The system message: the prompt, and behind it what was wrong with the reply before. */
export const systemMessage = (prompt: string, correction: string | null): string =>
  correction === null ? prompt : `${prompt.trimEnd()}\n\n${correction}`

/** The user message of a single call. */
export const singleMessage = (head: string): string => `${head}}`

/** Whether an observation that the kernel sent shows output; a failed call is an observation, but no evidence. */
export function isEvidence(observation: string): boolean {
  const value = parseJson(observation)
  return isJsonObject(value) && Object.hasOwn(value, 'output')
}

const isJson = (text: string): boolean => parseJson(text) !== undefined

function entryText(entry: CatalogueEntry): string {
  const explicitOnly = entry.explicitOnly === true ? ',"explicitOnly":true' : ''
  const description = JSON.stringify(entry.description)
  return `{"id":${JSON.stringify(entry.id)},"description":${description},"input":${entry.schemaText}${explicitOnly}}`
}
