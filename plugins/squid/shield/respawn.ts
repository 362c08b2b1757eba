import type { SquidPlayer, SquidServer } from '../types.js'
import { playerInternals } from './internals.js'
import type { InstallRepair, RepairContext } from './repair.js'
import { safeWrite } from './safe-write.js'

const MODES = ['survival', 'creative', 'adventure', 'spectator']
/** As vanilla says that there was no game mode before. */
const NO_MODE = 255
const HEALTHY = { health: 20, food: 20, foodSaturation: 5 } as const

interface Position {
  clone(): Position & { x: number; y: number; z: number }
}

/** What the host's players have for coming into a world. */
interface Reborn {
  _sendRespawn: (difficulty?: number, gameMode?: number, dimension?: number) => void
  nearbyEntities: readonly unknown[]
  despawnEntities(entities: readonly unknown[]): void
  updateAndSpawn(): void
  updateHealth(health: number): void
  sendSelfPosition(): void
  sendSpawnPosition(): void
  worldSendRestOfChunks(): Promise<unknown>
  changeWorld(world: unknown, options: { dimension: number }): Promise<unknown>
  /** What others were told last; undefined: where the player is. */
  knownPosition?: unknown
  readonly spawnPoint: Position
}
const reborn = (player: SquidPlayer): Reborn => player as unknown as Reborn

interface NbtTree {
  readonly type: string
  readonly value: unknown
}
interface LoginPacket {
  readonly dimension?: unknown
  readonly worldType?: string
  readonly isFlat?: boolean
  readonly worldState?: Readonly<Record<string, unknown>>
  readonly dimensionCodec?: unknown
}

/** The respawn button works, and a change of worlds reaches the client: stock knows neither packet as it is today. */
export const installRespawn: InstallRepair = (context) => {
  let isActive = true
  const undo = new Map<SquidPlayer, () => void>()
  context.tap.filter('client_command', ({ player, isSpawned, data }) => {
    const action = data['actionId'] ?? data['payload']
    if (!isActive || (action !== 'perform_respawn' && action !== 0)) return 'pass'
    if (player !== undefined && isSpawned) press(context, player)
    return 'swallow'
  })
  context.tap.onPlayer((player) => {
    const inside = reborn(player)
    const stock = inside._sendRespawn
    const ours: Reborn['_sendRespawn'] = (_difficulty, gameMode = player.gameMode) => {
      safeWrite(player._client, 'respawn', respawnPacket(context.serv, player, gameMode))
      showSelf(context, player)
    }
    inside._sendRespawn = ours
    undo.set(player, () => {
      if (inside._sendRespawn === ours) inside._sendRespawn = stock
    })
    player.once('disconnected', () => undo.delete(player))
  })
  return () => {
    isActive = false
    for (const run of undo.values()) run()
  }
}

function press({ serv, log }: RepairContext, player: SquidPlayer): void {
  if (player.health > 0) return
  // others may forbid it
  const done = playerInternals(player).behavior('requestRespawn', {}, () => {
    // pressed twice while it was asked for
    if (player.health > 0 || player.disconnected === true) return
    live(serv, player).catch((cause: unknown) => log.write('respawn', 'respawn: a respawn broke', cause))
  })
  done.catch((cause: unknown) => log.write('respawn', 'respawn: a respawn broke', cause))
}

/** Lives again at the spawn of the world, or of the overworld for who died elsewhere. */
async function live(serv: SquidServer, player: SquidPlayer): Promise<void> {
  const inside = reborn(player)
  const { overworld } = serv as unknown as { readonly overworld: unknown }
  Object.assign(player, HEALTHY)
  for (const other of serv.players) {
    const theirs = reborn(other)
    if (other === player || !theirs.nearbyEntities.includes(player)) continue
    // who died lies there for good
    theirs.despawnEntities([player])
    theirs.nearbyEntities = theirs.nearbyEntities.filter((entity) => entity !== player)
  }
  inside.despawnEntities(inside.nearbyEntities)
  inside.nearbyEntities = []
  inside.knownPosition = undefined
  if (player.world !== overworld) {
    await inside.changeWorld(overworld, { dimension: 0 })
    return
  }
  player.position = inside.spawnPoint.clone()
  inside._sendRespawn()
  inside.sendSpawnPosition()
  inside.sendSelfPosition()
  inside.updateAndSpawn()
  // in the world where it was, the client keeps what it has
  await inside.worldSendRestOfChunks()
}

/** The client begins anew, with nothing. */
function showSelf({ sync }: RepairContext, player: SquidPlayer): void {
  const inside = playerInternals(player)
  safeWrite(player._client, 'held_item_slot', { slot: player.heldItemSlot })
  inside.setXp(player.xp ?? 0)
  sync.resync(player)
  reborn(player).updateHealth(player.health)
}

/** In the form of the version, which `login` has too. */
function respawnPacket(serv: SquidServer, player: SquidPlayer, gameMode: number): Record<string, unknown> {
  const { loginPacket = {} } = serv.registry as unknown as { readonly loginPacket?: LoginPacket }
  const { hashedSeed } = serv as unknown as { readonly hashedSeed: unknown }
  const name = player.world === serv.netherworld ? 'minecraft:the_nether' : 'minecraft:overworld'
  const { worldState } = loginPacket
  const mode = { previousGamemode: NO_MODE, hashedSeed }
  if (worldState !== undefined) {
    // from 1.18 on the host's nether is as high as its overworld: with the type of the nether its blocks would be shown 64 too high
    return {
      worldState: { ...worldState, ...mode, name, gamemode: MODES[gameMode] ?? MODES[0] },
      copyMetadata: 0,
    }
  }
  const copyMetadata = serv.supportFeature('hasConfigurationState') ? 0 : false
  return {
    ...mode,
    dimension: loginPacket.worldType ?? dimensionTree(loginPacket, name),
    worldName: name,
    gamemode: gameMode,
    isDebug: false,
    isFlat: loginPacket.isFlat ?? false,
    copyMetadata,
    portalCooldown: 0,
  }
}

/** What 1.16.2 to 1.18 are told of a dimension: its whole entry. */
function dimensionTree({ dimension, dimensionCodec }: LoginPacket, name: string): unknown {
  const entries = ['minecraft:dimension_type', 'value', 'value', 'value', 'value']
  const list = entries.reduce<unknown>(
    (tree, member) => (tree as Record<string, unknown> | undefined)?.[member],
    (dimensionCodec as NbtTree | undefined)?.value,
  )
  if (!Array.isArray(list)) return dimension
  const found = (list as { name?: NbtTree; element?: NbtTree }[]).find((entry) => entry.name?.value === name)
  return found?.element === undefined ? dimension : { ...found.element, name: '' }
}
