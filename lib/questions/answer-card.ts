import { z } from 'zod'
import type { CardType } from '../cards/index.js'
import { identifier } from '../core/ids.js'

/** What an answer card holds: the text as the model wrote it, and the look-ups it rests on. */
export const answerCardSchema = z.strictObject({
  text: z.string(),
  /** Ids of the tools whose observations the answer cites, each once. */
  sources: z.array(z.string()),
})
export type AnswerCard = z.infer<typeof answerCardSchema>

/** An answer of a model, shown literally. */
export const answerCard: CardType<AnswerCard> = {
  id: identifier('system:answer'),
  schema: answerCardSchema,
  build: ({ text, sources }) => ({
    title: null,
    lines: [
      { kind: 'text', text },
      ...(sources.length === 0
        ? []
        : [
            {
              kind: 'message' as const,
              message: { key: 'system.answer.sources', params: { sources: sources.join(', ') } },
              tone: 'muted' as const,
            },
          ]),
    ],
    buttons: [],
  }),
  memoryFact: ({ text }) => text.slice(0, 500),
}
