import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Feature } from '../agent/index.js'
import { identifier } from '../core/ids.js'
import type { Preferences } from '../preferences/index.js'
import { choiceCardType, settingsCard, settingsCardType, SETTINGS_MODULE } from './settings-card.js'

const settingsModule = (preferences: () => Preferences): AgentModule<Record<string, never>> => ({
  id: SETTINGS_MODULE,
  version: 1,
  action: z.strictObject({}),
  description: "Shows the asking player's own settings of this assistant, with buttons that change them.",
  help: { key: 'system.command.help.settings' },
  workbench: { icon: identifier('minecraft:comparator'), title: { key: 'system.workbench.settings' } },
  tools: [],
  policy: FAST_POLICY,
  routing: { selection: 'NORMAL' },
  execute: ({ player }) => {
    const kept = preferences()
    return Promise.resolve(shown(settingsCard(kept.state(player), kept)))
  },
})

/** A player's own settings: module and cards. */
export function settingsFeature(preferences: () => Preferences): Feature {
  return (registration) => {
    registration.cardType(settingsCardType)
    registration.cardType(choiceCardType)
    registration.module(settingsModule(preferences))
  }
}
