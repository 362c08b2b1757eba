import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Feature } from '../agent/index.js'
import type { CardType } from '../cards/index.js'
import { identifier, type PlayerId } from '../core/ids.js'

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

const EXAMPLES = {
  en_us: [
    'what can you do',
    'help me',
    'help',
    'help please',
    'show help',
    'show me the help',
    'what can I ask',
    'what can I ask you',
    'what can I do here',
    'which commands are there',
    'what commands are there',
    'show me the commands',
    'show all commands',
    'list the commands',
    'list all commands',
    'how do I use the system',
    'how does the system work',
    'how does the assistant work',
    'what are you able to do',
    'list your commands',
    'show your commands',
    'what are your commands',
    'what are your features',
    'what is the system for',
    'I need help',
    'how do I ask something',
  ],
  zh_cn: [
    '你能做什么',
    '你可以做什么',
    '帮助',
    '帮帮我',
    '给我帮助',
    '显示帮助',
    '查看帮助',
    '我需要帮助',
    '有哪些命令',
    '有什么命令',
    '有什么指令',
    '有哪些功能',
    '有什么功能',
    '你有什么功能',
    '怎么用系统',
    '系统怎么用',
    '你会什么',
    '你会做什么',
    '显示命令列表',
    '命令列表',
    '列出所有命令',
    '我可以问你什么',
    '我能问什么',
    '怎么提问',
    '帮助列表',
    '怎么问问题',
  ],
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
    tools: [],
    policy: FAST_POLICY,
    routing: {
      selection: 'NORMAL',
      examples: EXAMPLES,
      extract: () => ({}),
      fromButton: () => ({}),
    },
    execute: (context) =>
      Promise.resolve(shown({ type: helpCard.id, data: { lines: lines(context.player) } })),
  }
}

/** Help as a module, so that sentences and models find it too. */
export function helpFeature(lines: (player: PlayerId) => readonly HelpLine[]): Feature {
  return (registration) => {
    registration.cardType(helpCard)
    registration.module(helpModule(lines))
  }
}
