import { z } from 'zod'
import {
  failedResult,
  REASONING_POLICY,
  shown,
  type AgentModule,
  type AgentResult,
  type Observation,
} from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { failure, type Failure } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { answerCard, answerText } from './answer-card.js'
import { playerText } from './player-text.js'

const actionSchema = z.strictObject({
  text: playerText.describe("The player's request, in the player's own words."),
})

const answerSchema = z.object({
  text: answerText.describe('The answer for the player, in the language of the context.'),
  sources: z.array(z.int()).max(32).default([]).describe('Ids of the observations that the answer rests on.'),
})

/** Cards of what was found, where an analysis could not be completed. */
const DEGRADED_CARDS = 3

/** `system:reasoning`: a bounded loop over the read-only tools that declare themselves for reasoning. */
export const reasoningModule: AgentModule<z.infer<typeof actionSchema>> = {
  id: identifier('system:reasoning'),
  version: 1,
  action: actionSchema,
  description:
    'Combines several look-ups (own state, items, recipes) to answer one request. Only for requests that need more ' +
    'than one look-up; a single look-up or a question of knowledge belongs to its own module.',
  help: { key: 'system.command.help.reason' },
  workbench: { icon: identifier('minecraft:enchanting_table'), title: { key: 'system.workbench.reason' } },
  tools: 'reasoning',
  policy: REASONING_POLICY,
  needs: 'route',
  routing: {
    selection: 'NORMAL',
    command: { name: 'reason', argument: { name: 'request' } },
    fromCommand: (text) => ({ text }),
    fromButton: ({ text }) => ({ text }),
  },
  async execute(context, { text }) {
    const outcome = await context.react({ question: text, prompt: 'react', answer: answerSchema })
    if (outcome.end === 'failed') return degraded(outcome.failure, outcome.observations)
    const { answer } = outcome
    const cited = outcome.observations.filter(({ id }) => answer.sources.includes(id))
    const sources = new Map(cited.map(({ tool, label }) => [tool, { tool, label: label?.key ?? null }]))
    return shown(cardOf(answerCard, { text: answer.text, sources: [...sources.values()] }))
  },
}

/** Without a final answer the player gets what was found, and the sentence that the analysis wasn't completed. */
function degraded(reason: Failure, observations: readonly Observation[]): AgentResult {
  const cards = observations.map(({ card }) => card).filter((card) => card !== null)
  if (cards.length === 0) return failedResult(reason)
  return {
    status: 'partially_succeeded',
    message: null,
    cards: cards.slice(-DEGRADED_CARDS).map((card) => ({ mode: 'SHOW', card })),
    failure: failure('system:incomplete', {}, reason),
  }
}
