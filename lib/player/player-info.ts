import { z } from 'zod'
import type { Tool, ToolType } from '../agent/index.js'
import type { CardData } from '../cards/index.js'
import { identifierSchema } from '../codec/index.js'
import { FailureError, failure } from '../core/failure.js'
import { identifier, isIdentifier, type Identifier } from '../core/ids.js'
import type { HeldItem, Host, PlayerFacts } from '../host/index.js'

/** The labels that rows may have, in the order they come. */
export const PLAYER_LABELS = [
  'position',
  'dimension',
  'health',
  'food',
  'level',
  'game_mode',
  'held_item',
  'inventory',
  'inventory_more',
] as const
export type PlayerLabel = (typeof PLAYER_LABELS)[number]

const MAX_ROWS = 32
const MAX_VALUE = 256
/** Rows of labels other than `inventory`, at most. */
const FIXED_ROWS = 8

const rowSchema = z.strictObject({
  label: z.enum(PLAYER_LABELS),
  /** Numbers and vanilla ids in plain words: never a name that a player gave. */
  value: z.string().max(MAX_VALUE),
  /** The vanilla item of `held_item` and `inventory`. */
  item: identifierSchema.optional(),
  count: z.int().min(0).optional(),
})
export type PlayerRow = z.infer<typeof rowSchema>

export const playerInfoSchema = z.strictObject({ rows: z.array(rowSchema).max(MAX_ROWS) })
export type PlayerInfo = z.infer<typeof playerInfoSchema>

/** The id of the card that shows them. */
export const PLAYER_CARD = identifier('system:player_info')

/** The card that shows these rows. */
export const playerInfoCard = (info: PlayerInfo): CardData => ({ type: PLAYER_CARD, data: info })

/** The module type that opens the player's own state; its tool belongs to it. */
export const PLAYER_TYPE = identifier('system:player')

const noInput = z.strictObject({})
export type NoInput = z.infer<typeof noInput>

/** The asking player's own state, read on the game thread. */
export const playerInfoType: ToolType<NoInput, PlayerInfo> = {
  id: 'player.info',
  label: { key: 'system.player.tool' },
  input: noInput,
  output: playerInfoSchema,
  kind: 'game',
  write: false,
  private: true,
  reasoning:
    "Reads the asking player's own state now: position, dimension, health, food, experience level, game mode, held " +
    'item and inventory as label and value. Names given on an anvil are not included. Takes no input.',
  card: (info) => playerInfoCard(info),
  project: ({ rows }) => ({ rows: rows.map(({ label, value }) => ({ label, value })) }),
}

/** The tool over the host. Fails with `system:disconnected` when the player is not online. */
export function playerInfoTool(host: Host): Tool<NoInput, PlayerInfo> {
  return {
    type: playerInfoType,
    owner: PLAYER_TYPE,
    handler: (_input, call) => {
      const facts = host.facts(call.player)
      if (facts === undefined) throw new FailureError(failure('system:disconnected'))
      return playerInfo(facts)
    },
  }
}

/** Rows of the allow-list out of a player's facts; what a host gives in a wrong form is left out. */
export function playerInfo(facts: PlayerFacts): PlayerInfo {
  const { x, y, z } = facts.position
  const { held } = facts
  const fixed: (PlayerRow | undefined)[] = [
    row('position', [x, y, z].every(Number.isFinite) ? [x, y, z].map(oneDecimal).join(' ') : undefined),
    row('dimension', isIdentifier(facts.dimension) ? facts.dimension : undefined),
    row('health', Number.isFinite(facts.health) ? `${oneDecimal(facts.health)} / 20` : undefined),
    row('food', Number.isFinite(facts.food) ? `${oneDecimal(facts.food)} / 20` : undefined),
    row('level', Number.isFinite(facts.level) ? String(Math.trunc(facts.level)) : undefined),
    row('game_mode', facts.gameMode),
    held === null ? row('held_item', 'nothing') : itemRow('held_item', held),
  ]
  const stacks = facts.inventory
    .map((stack) => itemRow('inventory', stack))
    .filter((own) => own !== undefined)
  const room = MAX_ROWS - FIXED_ROWS
  const left = stacks.length - room
  const rows = [
    ...fixed,
    ...stacks.slice(0, room),
    left > 0 ? row('inventory_more', String(left)) : undefined,
  ]
  return { rows: rows.filter((own) => own !== undefined) }
}

const oneDecimal = (value: number): string => String(Math.round(value * 10) / 10)

const row = (label: PlayerLabel, value: string | undefined): PlayerRow | undefined =>
  value === undefined ? undefined : { label, value: value.slice(0, MAX_VALUE) }

/** Only id and count of a stack are used: its name could be one that a player wrote on it. */
function itemRow(label: PlayerLabel, { id, count }: HeldItem): PlayerRow | undefined {
  if (!isIdentifier(id) || !Number.isSafeInteger(count) || count < 0) return undefined
  return { label, value: `${plainName(id)} x ${count}`.slice(0, MAX_VALUE), item: id, count }
}

/** An id in plain words: `minecraft:oak_log` is `oak log`. */
export const plainName = (id: Identifier): string => id.slice(id.indexOf(':') + 1).replaceAll('_', ' ')
