import { z } from 'zod'
import { cardOf, type CardData, type CardType } from '../../cards/index.js'
import { identifier } from '../../core/ids.js'
import type { RegisteredModule } from '../module.js'
import { commandButton, commandSchema, NEAREST_COMMANDS, nearestCommand } from './nearest-card.js'

/** Longest question to a player, in code points. */
export const QUESTION_CHARACTERS = 200

const clarifySchema = z.strictObject({
  question: z.string().max(2 * QUESTION_CHARACTERS),
  commands: z.array(commandSchema).min(1).max(NEAREST_COMMANDS),
})

/** A model's question about what was meant, literally, with the commands that it is about. */
export const clarifyCard: CardType<z.infer<typeof clarifySchema>> = {
  id: identifier('system:clarify'),
  schema: clarifySchema,
  build: ({ question, commands }) => ({
    title: null,
    lines: [{ kind: 'text', text: question }],
    buttons: commands.map(commandButton),
  }),
  memoryFact: ({ commands }) =>
    `Asked the player which of these was meant: ${commands.map(({ usage }) => usage).join(', ')}.`,
}

/** The card for a question; null when none of the modules has a command to suggest. */
export function clarification(question: string, modules: readonly RegisteredModule[]): CardData | null {
  const commands = modules
    .map(nearestCommand)
    .filter((command) => command !== undefined)
    .slice(0, NEAREST_COMMANDS)
  return commands.length === 0 ? null : cardOf(clarifyCard, { question, commands })
}
