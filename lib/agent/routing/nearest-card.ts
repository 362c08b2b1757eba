import { z } from 'zod'
import type { CardButton, CardType } from '../../cards/index.js'
import { identifier } from '../../core/ids.js'
import { failure } from '../../core/failure.js'
import { failureMessage } from '../../text/index.js'
import type { RegisteredModule } from '../module.js'

/** Commands that are offered. */
export const NEAREST_COMMANDS = 3

export const commandSchema = z.strictObject({
  /** As it is written in help, such as `/system item <query>`. */
  usage: z.string().max(100),
  /** What a click puts into the chat box. */
  typed: z.string().max(100),
  /** Language key of what it does. */
  helpKey: z.string().max(256),
})
const nearestSchema = z.strictObject({ commands: z.array(commandSchema).min(1).max(NEAREST_COMMANDS) })
type NearestCommand = z.infer<typeof commandSchema>

/** Says that a sentence wasn't understood, and which commands may have been meant. */
export const nearestCard: CardType<z.infer<typeof nearestSchema>> = {
  id: identifier('system:not_understood'),
  schema: nearestSchema,
  build: ({ commands }) => ({
    title: null,
    lines: [
      { kind: 'message', tone: 'bad', message: failureMessage(failure('system:not_understood')) },
      { kind: 'message', tone: 'muted', message: { key: 'system.request.nearest' } },
    ],
    buttons: commands.map(commandButton),
  }),
}

/** Puts the command into the chat box. */
export const commandButton = ({ usage, typed, helpKey }: NearestCommand): CardButton => ({
  label: { key: 'system.help.usage', params: { usage } },
  hover: { key: helpKey },
  action: { kind: 'suggest', command: typed },
})

/** A module's command as the card holds it; undefined for a module without one. */
export function nearestCommand({ routing, help }: RegisteredModule): NearestCommand | undefined {
  const { command } = routing
  if (command === undefined) return undefined
  const typed = `/system ${command.name}`
  if (command.argument === undefined) return { usage: typed, typed, helpKey: help.key }
  return { usage: `${typed} <${command.argument.name}>`, typed: `${typed} `, helpKey: help.key }
}
