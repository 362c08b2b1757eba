import { z } from 'zod'
import { FAST_POLICY, shown, type AgentModule, type Feature } from '../agent/index.js'
import { cardOf } from '../cards/index.js'
import { identifier } from '../core/ids.js'
import { historyCard, HISTORY_MODULE, historyPage } from './history-card.js'
import type { PlayerMemory } from './player-memory.js'

const actionSchema = z.strictObject({ page: z.int().min(1).max(10_000).optional() })
type HistoryAction = z.infer<typeof actionSchema>

/** Digits as a page; anything else is left for the schema to refuse. */
const fromText = (text: string | undefined): unknown =>
  text === undefined || text === '' ? {} : { page: /^\d{1,5}$/.test(text) ? Number(text) : text }

/** `/system history`: earlier rounds of the asking player. Turning a page replaces the card that was turned. */
const historyModule = (
  memory: () => Pick<PlayerMemory, 'rounds' | 'keepsHistory'>,
): AgentModule<HistoryAction> => ({
  id: HISTORY_MODULE,
  version: 1,
  action: actionSchema,
  description:
    'Shows what the asking player has asked earlier and what was answered, page by page, newest first.',
  help: { key: 'system.command.help.history' },
  workbench: { icon: identifier('minecraft:bookshelf'), title: { key: 'system.workbench.history' } },
  tools: [],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    fromCommand: fromText,
    fromButton: ({ page }) => fromText(page),
  },
  execute(context, { page }) {
    const rounds = memory().rounds(context.player)
    const shownPage = historyPage(
      rounds.map(({ body }) => body),
      (page ?? 1) - 1,
    )
    const card = cardOf(historyCard, { ...shownPage, isOff: !memory().keepsHistory(context.player) })
    const result = shown(card)
    if (context.card === null || page === undefined) return Promise.resolve(result)
    return Promise.resolve({ ...result, cards: [{ mode: 'REPLACE', ref: context.card, card }] })
  },
})

/** A player's own history: module and card. */
export function historyFeature(memory: () => Pick<PlayerMemory, 'rounds' | 'keepsHistory'>): Feature {
  return (registration) => {
    registration.cardType(historyCard)
    registration.module(historyModule(memory))
  }
}
