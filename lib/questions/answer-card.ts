import { z } from 'zod'
import type { CardType } from '../cards/index.js'
import { identifier } from '../core/ids.js'

/** A model's answer: at least one character of it can be seen. */
export const answerText = z.string().regex(/[\p{L}\p{N}\p{P}\p{S}]/u, 'must say something')

/** What an answer card holds: the text as the model wrote it, and the look-ups it rests on. */
export const answerCardSchema = z.strictObject({
  text: z.string(),
  /** The tools whose observations the answer cites, each once. */
  sources: z.array(
    z.strictObject({
      tool: z.string(),
      /** Language key of what players read for it; null: its id. */
      label: z.string().nullable(),
    }),
  ),
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
              kind: 'row' as const,
              label: { key: 'system.answer.sources' },
              value: sources.map(({ tool, label }) => (label === null ? tool : { key: label })),
              tone: 'muted' as const,
            },
          ]),
    ],
    buttons: [],
  }),
  memoryFact: ({ text }) => text,
}
