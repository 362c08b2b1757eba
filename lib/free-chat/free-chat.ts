import { z } from 'zod'
import {
  CHAT,
  confirmationCardType,
  failedResult,
  shown,
  type AgentModule,
  type AgentResult,
  type ExecutionContext,
  type ExecutionPolicy,
  type Feature,
  type Observation,
} from '../agent/index.js'
import { cardOf, type CardData } from '../cards/index.js'
import { failure, type Failure } from '../core/failure.js'
import { identifier } from '../core/ids.js'
import { answerCard, answerText, playerText } from '../questions/index.js'

const actionSchema = z.strictObject({
  text: playerText.describe("What the player says, in the player's own words."),
})
const chatSchema = z.object({ text: answerText })
const loopSchema = z.object({
  text: answerText.describe('What to say to the player, in the language of the context.'),
  sources: z.array(z.int()).max(32).default([]).describe('Ids of the observations that the answer rests on.'),
})

/** Cards of what was looked up, beside the answer. */
const SHOWN_CARDS = 3

const FREE_CHAT_POLICY: ExecutionPolicy = {
  modelCalls: 6,
  toolCalls: 16,
  steps: 32,
  writeSteps: 0,
  inputBytes: 65_536,
  outputTokens: 1_536,
  totalTokens: 262_144,
  ttlMillis: 90_000,
  modelTimeoutMillis: 30_000,
  reactIterations: 6,
}

/**
 * `system:free_chat`: one answer of the model at level `chat`; at level `free` a loop with the player's own workflows as
 * tools, of which those that change something only put a button before the player.
 */
const freeChatModule: AgentModule<z.infer<typeof actionSchema>> = {
  id: identifier('system:free_chat'),
  version: 1,
  action: actionSchema,
  description:
    'Talks freely with the player: small talk, stories, opinions, advice. Only for a player who plainly wants to talk; ' +
    'questions and look-ups belong to their own modules.',
  help: { key: 'system.command.help.free_chat' },
  tools: [],
  policy: FREE_CHAT_POLICY,
  needs: 'chat',
  routing: { selection: 'EXPLICIT_ONLY', fromButton: ({ text }) => ({ text }) },
  async execute(context, { text }) {
    // an extension may speak in the place of the model, once
    const provided = await context.service(CHAT).answer(context, text)
    if (provided?.ok === false) return failedResult(provided.failure)
    if (provided !== null) return shown(cardOf(answerCard, { text: provided.value.text, sources: [] }))
    return context.aiLevel === 'free' ? withWorkflows(context, text) : once(context, text)
  },
}

async function once(context: ExecutionContext, text: string): Promise<AgentResult> {
  const answer = await context.complete({ question: text, prompt: 'chat', answer: chatSchema })
  if (!answer.ok) return failedResult(answer.failure)
  return shown(cardOf(answerCard, { text: answer.value.text, sources: [] }))
}

async function withWorkflows(context: ExecutionContext, text: string): Promise<AgentResult> {
  const outcome = await context.react({
    question: text,
    prompt: 'free_chat',
    tools: [],
    workflows: true,
    answer: loopSchema,
  })
  const { observations } = outcome
  if (outcome.end === 'failed') return degraded(outcome.failure, observations)
  const { answer } = outcome
  const cited = observations.filter(({ id }) => answer.sources.includes(id))
  const sources = new Map(cited.map(({ tool, label }) => [tool, { tool, label: label?.key ?? null }]))
  const said = cardOf(answerCard, { text: answer.text, sources: [...sources.values()] })
  return withCards('succeeded', [said, ...lookedUp(cited), ...confirmations(observations)])
}

/** Without a final answer the player gets what was found, and what there is to confirm. */
function degraded(reason: Failure, observations: readonly Observation[]): AgentResult {
  const cards = [...lookedUp(observations), ...confirmations(observations)]
  if (cards.length === 0) return failedResult(reason)
  return {
    ...withCards('partially_succeeded', cards),
    failure: failure('system:incomplete', {}, reason),
  }
}

const withCards = (status: AgentResult['status'], cards: readonly CardData[]): AgentResult => ({
  status,
  message: null,
  cards: cards.map((card) => ({ mode: 'SHOW', card })),
})

const isConfirmation = (card: CardData): boolean => card.type === confirmationCardType.id

const cardsOf = (observations: readonly Observation[]): readonly CardData[] =>
  observations.flatMap(({ card }) => (card === null ? [] : [card]))

const lookedUp = (observations: readonly Observation[]): readonly CardData[] =>
  cardsOf(observations)
    .filter((card) => !isConfirmation(card))
    .slice(-SHOWN_CARDS)

const confirmations = (observations: readonly Observation[]): readonly CardData[] =>
  cardsOf(observations).filter(isConfirmation)

/** Free chat, and the cards that ask to confirm what it proposes. */
export const freeChatFeature: Feature = (registration) => {
  registration.cardType(confirmationCardType)
  registration.module(freeChatModule)
}
