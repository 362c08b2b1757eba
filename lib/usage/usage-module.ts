import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Feature } from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { identifier } from '../core/ids.js'
import type { UsageLedger } from './ledger.js'
import { usageCardType } from './usage-card.js'
import { USAGE_EXAMPLES } from './usage-examples.js'
import { playerReport } from './usage-report.js'

/** The module of `/system usage`; the grammar names it, for the command has a part that is not a player's. */
export const USAGE_MODULE = identifier('system:usage')

/** What a feature of usage reads. */
export interface UsageFeatureParts {
  readonly ledger: UsageLedger
  readonly callLimit: () => number
}

/** `/system usage`: the player's own usage. */
export const usageModule = ({
  ledger,
  callLimit,
}: UsageFeatureParts): AgentModule<Record<string, never>> => ({
  id: USAGE_MODULE,
  version: 1,
  action: z.strictObject({}),
  description:
    'Shows how much of the AI the asking player has used today and on the last days: calls, tokens, cost, what is left.',
  help: { key: 'system.command.help.usage' },
  workbench: { icon: identifier('minecraft:clock'), title: { key: 'system.workbench.usage' } },
  tools: [],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    fromCommand: () => ({}),
    examples: USAGE_EXAMPLES,
    // a sentence that names an item asks about that item
    extract: ({ item }) => (item === null ? {} : undefined),
    fromButton: () => ({}),
  },
  execute: (context) =>
    Promise.resolve(shown(cardOf(usageCardType, playerReport(ledger, context.player, callLimit())))),
})

/** A player's own usage: module and card. */
export function usageFeature(parts: UsageFeatureParts): Feature {
  return (registration) => {
    registration.cardType(usageCardType)
    registration.module(usageModule(parts))
  }
}
