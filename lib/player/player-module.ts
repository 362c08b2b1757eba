import { z } from 'zod'
import { failedResult, FAST_POLICY, shown, type AgentModule } from '../agent/index.js'
import type { CardItem, CardLine, CardType } from '../cards/index.js'
import { identifier } from '../core/ids.js'
import type { Message } from '../text/index.js'
import { PLAYER_EXAMPLES } from './player-examples.js'
import {
  PLAYER_CARD,
  plainName,
  playerInfoCard,
  playerInfoSchema,
  playerInfoType,
  type NoInput,
  type PlayerInfo,
  type PlayerRow,
} from './player-info.js'

/** Kinds of items of the inventory that the card lists. */
const SHOWN_ITEMS = 10

const titled = (text: string): string => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

/** Dimensions that have a name in the language files. */
const DIMENSIONS: ReadonlySet<string> = new Set(['overworld', 'the_nether', 'the_end'])

const line = (row: PlayerRow): CardLine => ({
  kind: 'row',
  label: { key: `system.player.${row.label}` },
  value: itemOf(row) ?? shownValue(row),
})

/** The item of a row, so that the client names it in its own language. */
const itemOf = ({ item, count }: PlayerRow): CardItem | undefined =>
  item === undefined
    ? undefined
    : { item, name: titled(plainName(item)), ...(count === undefined ? {} : { count }) }

function shownValue({ label, value }: PlayerRow): string | Message {
  const path = value.replace(/^minecraft:/, '')
  if (label === 'game_mode') return { key: `system.player.mode_${value}` }
  if (label === 'dimension' && DIMENSIONS.has(path)) return { key: `system.player.dimension_${path}` }
  return label === 'held_item' && value === 'nothing' ? { key: 'system.player.nothing' } : value
}

function inventoryLine(stacks: readonly PlayerRow[]): CardLine {
  const items = stacks.slice(0, SHOWN_ITEMS).flatMap((row) => itemOf(row) ?? [])
  if (items.length === 0) return { kind: 'message', message: { key: 'system.player.inventory_empty' } }
  return { kind: 'row', label: { key: 'system.player.inventory' }, value: items }
}

/** The player's own state. */
export const playerInfoCardType: CardType<PlayerInfo> = {
  id: PLAYER_CARD,
  schema: playerInfoSchema,
  build: ({ rows }) => {
    const stacks = rows.filter(({ label }) => label === 'inventory')
    const uncounted = Number(rows.find(({ label }) => label === 'inventory_more')?.value ?? 0)
    const left = Math.max(0, stacks.length - SHOWN_ITEMS) + (Number.isSafeInteger(uncounted) ? uncounted : 0)
    const own = rows.filter(({ label }) => label !== 'inventory' && label !== 'inventory_more')
    return {
      title: { key: 'system.player.title' },
      lines: [...own.map(line), inventoryLine(stacks), ...moreLine(left)],
      buttons: [],
    }
  },
  memoryFact: () => "Showed the player's own state.",
}

const moreLine = (left: number): CardLine[] =>
  left > 0
    ? [
        {
          kind: 'message',
          tone: 'muted',
          message: { key: 'system.player.inventory_more', params: { count: left } },
        },
      ]
    : []

/** `/system me`: the player's own state. */
export const playerInfoModule: AgentModule<NoInput> = {
  id: identifier('system:player_info'),
  version: 1,
  action: z.strictObject({}),
  description:
    "Shows the asking player's own state: position, dimension, health, food, level, game mode, held item, inventory.",
  help: { key: 'system.command.help.me' },
  workbench: { icon: identifier('minecraft:armor_stand'), title: { key: 'system.workbench.me' } },
  tools: [playerInfoType.id],
  policy: FAST_POLICY,
  routing: {
    selection: 'NORMAL',
    command: { name: 'me' },
    fromCommand: () => ({}),
    examples: PLAYER_EXAMPLES,
    // a sentence that names an item asks about that item
    extract: ({ item }) => (item === null ? {} : undefined),
    fromButton: () => ({}),
  },
  execute: async (context) => {
    const info = await context.tool(playerInfoType, {})
    if (!info.ok) return failedResult(info.failure)
    return shown(playerInfoCard(info.value))
  },
}
