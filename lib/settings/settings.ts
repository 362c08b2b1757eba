import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Feature } from '../agent/index.js'
import { cardOf, type CardButton, type CardData, type CardType } from '../cards/index.js'
import { AI_LEVELS, AI_SWITCHES, type AiSwitch } from '../core/ai-level.js'
import { identifier, type PlayerId } from '../core/ids.js'
import type { AiState } from '../preferences/index.js'

/** The module of `/system settings`; a press of its card's buttons is a change, which needs no request. */
export const SETTINGS_MODULE = identifier('system:settings')

const settingsSchema = z.strictObject({
  externalAi: z.boolean(),
  freeChat: z.boolean(),
  history: z.boolean(),
  /** What the player may have of a model. */
  level: z.enum(AI_LEVELS),
})

/** How the language files name each. */
const WORDS: Readonly<Record<AiSwitch, string>> = {
  externalAi: 'external_ai',
  freeChat: 'free_chat',
  history: 'history',
}

const button = (name: AiSwitch, isOn: boolean): CardButton => ({
  label: {
    key: `system.settings.turn_${isOn ? 'off' : 'on'}`,
    params: { name: { key: `system.settings.${WORDS[name]}` } },
  },
  hover: { key: `system.settings.about_${WORDS[name]}` },
  action: { kind: 'server', module: SETTINGS_MODULE, params: { name, to: isOn ? 'off' : 'on' } },
})

/** A player's own switches, each with a button that turns it. */
export const settingsCardType: CardType<z.infer<typeof settingsSchema>> = {
  id: identifier('system:settings'),
  schema: settingsSchema,
  build: ({ level, ...switches }) => ({
    title: { key: 'system.settings.title' },
    lines: [
      ...AI_SWITCHES.map((name) => ({
        kind: 'row' as const,
        label: { key: `system.settings.${WORDS[name]}` },
        value: { key: switches[name] ? 'system.settings.on' : 'system.settings.off' },
      })),
      {
        kind: 'row',
        label: { key: 'system.settings.level' },
        value: { key: `system.ai.level.${level}` },
        tone: 'muted',
      },
    ],
    buttons: AI_SWITCHES.map((name) => button(name, switches[name])),
  }),
}

/** The card that shows this. */
export const settingsCard = ({ own, level }: AiState): CardData => cardOf(settingsCardType, { ...own, level })

/** What a button of the card asks for; null: nothing that there is. */
export function settingsPress(
  params: Readonly<Record<string, string>>,
): { readonly name: AiSwitch; readonly isOn: boolean } | null {
  const name = AI_SWITCHES.find((known) => known === params['name'])
  return name === undefined ? null : { name, isOn: params['to'] === 'on' }
}

const settingsModule = (state: (player: PlayerId) => AiState): AgentModule<Record<string, never>> => ({
  id: SETTINGS_MODULE,
  version: 1,
  action: z.strictObject({}),
  description: "Shows the asking player's own settings of this assistant, with buttons that change them.",
  help: { key: 'system.command.help.settings' },
  tools: [],
  policy: FAST_POLICY,
  routing: { selection: 'NORMAL' },
  execute: (context) => Promise.resolve(shown(settingsCard(state(context.player)))),
})

/** A player's own settings: module and card. */
export function settingsFeature(state: (player: PlayerId) => AiState): Feature {
  return (registration) => {
    registration.cardType(settingsCardType)
    registration.module(settingsModule(state))
  }
}
