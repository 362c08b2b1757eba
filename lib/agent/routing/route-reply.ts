import { z } from 'zod'
import { failure } from '../../core/failure.js'
import { parseJson } from '../../core/json.js'
import { plainText } from '../../text/index.js'
import type { Verdict } from '../dialogue/conversation.js'
import { recitesPrompt } from '../dialogue/withhold.js'
import type { RegisteredModule } from '../module.js'
import { QUESTION_CHARACTERS } from './clarify-card.js'

const id = z.string().max(256)
const choiceSchema = z.object({
  module: id,
  input: z.unknown().optional(),
  clarify: z.undefined().optional(),
})
const questionSchema = z.object({
  clarify: z.string().max(4_000),
  modules: z.array(id).min(1).max(8),
  module: z.undefined().optional(),
})

/** What a model made of a sentence: a module with its decoded action, or a question about which of several is meant. */
export type RouteReply =
  | { readonly module: RegisteredModule; readonly action: unknown }
  | { readonly question: string; readonly modules: readonly RegisteredModule[] }

/**
 * Decodes a route's reply by the catalogue that was sent. Unknown ids, modules that are not open to the player and arguments
 * that don't decode are all the same: not understood.
 */
export function judgeRoute(
  reply: string,
  offered: ReadonlyMap<string, RegisteredModule>,
  prompt: string,
): Verdict<RouteReply> {
  const value = parseJson(reply)
  const choice = choiceSchema.safeParse(value)
  if (choice.success) return judgeChoice(choice.data, offered)
  const asked = questionSchema.safeParse(value)
  return asked.success ? judgeQuestion(asked.data, offered, prompt) : notUnderstood()
}

function judgeChoice(
  { module: chosen, input }: z.infer<typeof choiceSchema>,
  offered: ReadonlyMap<string, RegisteredModule>,
): Verdict<RouteReply> {
  const module = offered.get(chosen)
  const action = module?.decode(input ?? {})
  if (module === undefined || action?.ok !== true) return notUnderstood()
  return { accepted: { module, action: action.value } }
}

function judgeQuestion(
  { clarify, modules: ids }: z.infer<typeof questionSchema>,
  offered: ReadonlyMap<string, RegisteredModule>,
  prompt: string,
): Verdict<RouteReply> {
  const modules = [...new Set(ids)].map((named) => offered.get(named)).filter((found) => found !== undefined)
  const question = plainText(clarify, { limit: QUESTION_CHARACTERS }).trim()
  if (modules.length < new Set(ids).size || question === '') return notUnderstood()
  if (recitesPrompt(clarify, prompt)) return { refused: failure('system:model_withheld') }
  return { accepted: { question, modules } }
}

const notUnderstood = (): Verdict<never> => ({ refused: failure('system:not_understood') })
