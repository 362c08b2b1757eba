import { z } from 'zod'
import { failedResult, shown, type AgentModule } from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { identifier } from '../core/ids.js'
import { answerCard, answerText } from './answer-card.js'
import { playerText } from './player-text.js'

const actionSchema = z.strictObject({
  text: playerText.describe("The player's question, in the player's own words."),
})

const answerSchema = z.object({ text: answerText })

/** `system:question`: one answer of the model, without tools. Later features look into their databases first. */
export const questionModule: AgentModule<z.infer<typeof actionSchema>> = {
  id: identifier('system:question'),
  version: 1,
  action: actionSchema,
  description: 'Answers a general question in words. Choose it when no other module looks the answer up.',
  help: { key: 'system.command.help.ask' },
  workbench: { icon: identifier('minecraft:writable_book'), title: { key: 'system.workbench.ask' } },
  tools: [],
  policy: {
    modelCalls: 2,
    toolCalls: 0,
    steps: 2,
    writeSteps: 0,
    inputBytes: 65_536,
    outputTokens: 1_536,
    totalTokens: 262_144,
    ttlMillis: 30_000,
    modelTimeoutMillis: 20_000,
    reactIterations: 0,
  },
  needs: 'route',
  routing: {
    selection: 'NORMAL',
    command: { name: 'ask', argument: { name: 'question' } },
    fromCommand: (text) => ({ text }),
    fromButton: ({ text }) => ({ text }),
  },
  async execute(context, { text }) {
    const answer = await context.complete({
      question: text,
      prompt: 'question',
      answer: answerSchema,
    })
    if (!answer.ok) return failedResult(answer.failure)
    return shown(cardOf(answerCard, { text: answer.value.text, sources: [] }))
  },
}
