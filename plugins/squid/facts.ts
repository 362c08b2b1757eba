import { identifier, isIdentifier, type PlayerId } from '../../lib/core/ids.js'
import type { HeldItem, Host, PlayerFacts } from '../../lib/host/index.js'
import type { SquidItem, SquidPlayer, SquidServer } from './types.js'

const MODES = ['survival', 'creative', 'adventure', 'spectator'] as const
/** Slots of the own inventory: main 9–35, hotbar 36–44, off hand 45. */
const FIRST_SLOT = 9
const LAST_SLOT = 45
const HOTBAR = 36

/** Reads players' own state from flying-squid. `find` gives an online player by id. */
export function squidHost(
  serv: SquidServer,
  version: string,
  find: (id: PlayerId) => SquidPlayer | undefined,
): Host {
  return {
    version,
    dayTime: () => dayTicks(serv.time),
    facts(id) {
      const player = find(id)
      return player === undefined || player.disconnected === true ? undefined : factsOf(serv, player)
    },
  }
}

function factsOf(serv: SquidServer, player: SquidPlayer): PlayerFacts {
  const slots = player.inventory?.slots ?? []
  // the client chooses its slot and flying-squid stores it unchecked
  const slot = Number.isInteger(player.heldItemSlot) ? Math.min(8, Math.max(0, player.heldItemSlot)) : 0
  return {
    name: player.username ?? player._client.username,
    position: { x: finite(player.position.x), y: finite(player.position.y), z: finite(player.position.z) },
    dimension: identifier(player.world === serv.netherworld ? 'minecraft:the_nether' : 'minecraft:overworld'),
    health: finite(player.health),
    food: finite(player.food),
    level: finite(player.level ?? 0),
    gameMode: MODES[player.gameMode] ?? 'survival',
    held: stack(slots[HOTBAR + slot]),
    inventory: summary(slots.slice(FIRST_SLOT, LAST_SLOT + 1)),
  }
}

const DAY_TICKS = 24_000
const dayTicks = (time: number | undefined): number =>
  Number.isFinite(time) ? (((time ?? 0) % DAY_TICKS) + DAY_TICKS) % DAY_TICKS : 0

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)

function stack(item: SquidItem | null | undefined): HeldItem | null {
  if (item === null || item === undefined || item.count <= 0) return null
  const id = `minecraft:${item.name}`
  return isIdentifier(id) ? { id, name: item.displayName, count: item.count } : null
}

/** Equal ids added up, most first, then by id. */
function summary(slots: readonly (SquidItem | null | undefined)[]): readonly HeldItem[] {
  const byId = new Map<string, HeldItem>()
  for (const slot of slots) {
    const item = stack(slot)
    if (item === null) continue
    byId.set(item.id, { ...item, count: item.count + (byId.get(item.id)?.count ?? 0) })
  }
  return [...byId.values()].sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
}
