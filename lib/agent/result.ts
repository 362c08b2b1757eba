import { z } from 'zod'
import type { CardData } from '../cards/index.js'
import { isFailureCode, type Failure } from '../core/failure.js'
import type { AgentResult } from './module.js'

const cardSchema = z.object({ type: z.string(), data: z.unknown() })
const refSchema = z.object({ id: z.string(), revision: z.int() })
const resultSchema = z.object({
  status: z.enum(['succeeded', 'failed', 'partially_succeeded']),
  message: z.object({ key: z.string() }).nullable(),
  cards: z.array(
    z.discriminatedUnion('mode', [
      z.object({ mode: z.literal('SHOW'), card: cardSchema }),
      z.object({ mode: z.literal('REPLACE'), ref: refSchema, card: cardSchema }),
      z.object({ mode: z.literal('REMOVE'), ref: refSchema }),
    ]),
  ),
  failure: z
    .object({ code: z.string().refine(isFailureCode), params: z.record(z.string(), z.unknown()) })
    .optional(),
  silent: z.literal(true).optional(),
})

/** Whether what a workflow gave is a result at all: workflows of extensions may be plain JavaScript. */
export const isResult = (value: unknown): value is AgentResult => resultSchema.safeParse(value).success

/** A success that is one new card. */
export function shown(card: CardData): AgentResult {
  return { status: 'succeeded', message: null, cards: [{ mode: 'SHOW', card }] }
}

/** A result that says why there is none. */
export function failedResult(reason: Failure): AgentResult {
  return { status: 'failed', message: null, cards: [], failure: reason }
}
