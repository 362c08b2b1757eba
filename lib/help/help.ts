import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Feature } from '../agent/index.js'
import { cardOf, type CardType } from '../cards/index.js'
import { identifier, type PlayerId } from '../core/ids.js'
import { HELP_EXAMPLES } from './help-examples.js'

const lineSchema = z.strictObject({
  /** The command as it is typed, such as `/system item <query>`. */
  usage: z.string(),
  /** What a click puts into the chat box. */
  typed: z.string(),
  /** Language key of what it does. */
  helpKey: z.string(),
})
export type HelpLine = z.infer<typeof lineSchema>

const helpCardSchema = z.strictObject({ lines: z.array(lineSchema) })

/** The commands open to the reader; each line puts its command into the chat box. */
export const helpCard: CardType<z.infer<typeof helpCardSchema>> = {
  id: identifier('system:help'),
  schema: helpCardSchema,
  build: ({ lines }) => ({
    title: { key: 'system.help.title' },
    lines: lines.map(({ usage, typed, helpKey }) => ({
      kind: 'row',
      suggest: typed,
      label: { key: 'system.help.usage', params: { usage } },
      value: { key: helpKey },
    })),
    buttons: [],
  }),
}

/** The module `system:help`: what can I do here. `lines` gives the commands open to the player now. */
export function helpModule(
  lines: (player: PlayerId) => readonly HelpLine[],
): AgentModule<Record<string, never>> {
  return {
    id: identifier('system:help'),
    version: 1,
    action: z.strictObject({}),
    description: 'Lists what the player can ask of this assistant and its commands.',
    help: { key: 'system.command.help.help' },
    workbench: { icon: identifier('minecraft:knowledge_book'), title: { key: 'system.workbench.help' } },
    tools: [],
    policy: FAST_POLICY,
    routing: {
      selection: 'NORMAL',
      examples: HELP_EXAMPLES,
      extract: () => ({}),
      fromButton: () => ({}),
    },
    execute: (context) => Promise.resolve(shown(cardOf(helpCard, { lines: [...lines(context.player)] }))),
  }
}

/** Help as a module, so that sentences and models find it too. */
export function helpFeature(lines: (player: PlayerId) => readonly HelpLine[]): Feature {
  return (registration) => {
    registration.cardType(helpCard)
    registration.module(helpModule(lines))
  }
}
