/** Repairs of flying-squid 1.12 without which a player could stop the server or double items. */
import { RateLimits } from '../../../lib/agent/index.js'
import type { Clock } from '../../../lib/core/clock.js'
import type { Logger } from '../../../lib/core/logger.js'
import { fail, ok } from '../../../lib/core/result.js'
import { NO_MARKS, type PlayerInventories } from '../../../lib/inventory/index.js'
import type { Message } from '../../../lib/text/index.js'
import type { SquidPlayer, SquidServer } from '../types.js'
import { ClientTap } from './client-tap.js'
import { installCommandShield } from './command-shield.js'
import { installCreativeGuard } from './creative-guard.js'
import { installGive } from './give.js'
import { installLeaks } from './leaks.js'
import { settingOf } from './internals.js'
import { InventorySync } from './inventory-sync.js'
import { installJoinCost } from './join-cost.js'
import { LastSaves } from './last-saves.js'
import { installLimits } from './limits.js'
import { LogLimit } from './log-limit.js'
import { installMobRegistry } from './mob-registry.js'
import { installPacketGuard } from './packet-guard.js'
import { installPickupSaves } from './pickup-saves.js'
import { installPlayerdata, LiveInventories } from './playerdata/index.js'
import {
  REPAIR_NAMES,
  type Completion,
  type InstallRepair,
  type RepairContext,
  type RepairName,
  type RepairStatus,
  type Saving,
  type ShieldStorage,
} from './repair.js'
import { installRespawn } from './respawn.js'
import { installSafeWrite } from './safe-write.js'
import { installSessions } from './sessions.js'
import { installShutdown } from './shutdown.js'
import { installSounds } from './sounds.js'
import { installTabComplete } from './tab-complete.js'
import { installViewDistance } from './view-distance.js'
import { WindowGate } from './window-gate.js'
import { installWindowGuard } from './window-guard.js'

export {
  HOTBAR,
  FIRST_MAIN,
  OFF_HAND,
  isWithinDrag,
  statesBetween,
  type InventorySync,
} from './inventory-sync.js'
export { toPlain } from './plain-data.js'
export { playerInternals } from './internals.js'
export { LogLimit } from './log-limit.js'
export { safeWrite, type WriteOutcome } from './safe-write.js'
export { SOUND_CATEGORIES, soundWriter } from './sound-packet.js'
export { OWN_WINDOWS, type WindowGate, type WindowOwner } from './window-gate.js'
export {
  REPAIR_NAMES,
  type Completion,
  type RepairName,
  type RepairStatus,
  type ShieldStorage,
} from './repair.js'

export interface ShieldOptions {
  readonly logger: Logger
  readonly clock: Clock
  /** Whether the host wants the repair; read once, at installation. */
  readonly enabled: (name: RepairName) => boolean
  /** What may follow in a command of ours, or null when the text is none. Must be quick. */
  complete(player: SquidPlayer, text: string): Completion | null
  /** A sentence in the language of the player, or of the console. */
  text(player: SquidPlayer | undefined, message: Message): string
  /** Without it, or without a world folder, nothing of players is kept by us. */
  readonly storage?: ShieldStorage
}

export interface Shield {
  /** All repairs in their order. `upstream` may show only after the first player came. */
  status(): ReadonlyMap<RepairName, RepairStatus>
  /** The limits per player; everything is `ok` while the repair `limits` is off. */
  readonly limits: Pick<RateLimits, 'take'>
  /** Players' inventories: saved by us while `playerdata` is on. */
  readonly inventories: PlayerInventories
  /** Shows clients their things as they are. */
  readonly sync: InventorySync
  /** The door to windows of our own, there whatever repairs are on. */
  readonly windows: Pick<WindowGate, 'own'>
  /** Saves the files of all players: true when all was saved in time; null while the host does that itself. */
  savePlayers(timeoutMs: number): Promise<boolean | null>
  /** The files are another server's now: writes nothing of players any more, sends them away and lets nobody in. */
  stopSaving(): void
  /** Takes out all that can be taken out; safe to call twice. */
  close(): void
}

/** In this order filters see a packet: first whether it may be at all. */
const INSTALLERS: Readonly<Record<RepairName, InstallRepair>> = {
  'safe-write': installSafeWrite,
  'packet-guard': installPacketGuard,
  'command-shield': installCommandShield,
  'tab-complete': installTabComplete,
  'view-distance': installViewDistance,
  'join-cost': installJoinCost,
  leaks: installLeaks,
  'window-guard': installWindowGuard,
  'creative-guard': installCreativeGuard,
  sounds: installSounds,
  'mob-registry': installMobRegistry,
  // before pickup-saves, which looks at what it left on the ground
  give: installGive,
  respawn: installRespawn,
  playerdata: installPlayerdata,
  // done by the writer of players' files, which asks whether it should
  'item-persistence': () => () => {},
  'pickup-saves': installPickupSaves,
  sessions: installSessions,
  // after all others that look at logins: who may not come in ends nobody's session
  limits: installLimits,
  shutdown: installShutdown,
}

/** They keep what a world without a folder doesn't keep. */
const NEED_WORLD: ReadonlySet<RepairName> = new Set([
  'playerdata',
  'item-persistence',
  'pickup-saves',
  'shutdown',
])

/** They are about files that we save. */
const NEED_PLAYERDATA: ReadonlySet<RepairName> = new Set(['item-persistence', 'pickup-saves'])

const NO_STORAGE: ShieldStorage = {
  run: () => Promise.resolve(fail('system:no_world')),
  mayWrite: () => Promise.resolve(false),
  mayWriteNow: () => false,
  beforeLogin: (_player, { marks }) => Promise.resolve(ok(marks ?? NO_MARKS)),
  settings: () => ({ onUnreadable: 'refuse', playerSaveSeconds: 30 }),
}

/** Puts the enabled repairs in place, at any time after the server object exists: players already there are covered. */
export function installShield(serv: SquidServer, options: ShieldOptions): Shield {
  const log = new LogLimit(options.logger, options.clock)
  const tap = new ClientTap(serv, log)
  const last = new LastSaves(log)
  const sync = new InventorySync(serv, options.clock)
  const status = new Map<RepairName, RepairStatus>(REPAIR_NAMES.map((name) => [name, 'off']))
  const isEnabled = switches(serv, options)
  const unsaved = new LiveInventories(serv)
  let saving: Saving | null = null
  const context: RepairContext = {
    serv,
    tap,
    log,
    sync,
    last,
    isEnabled,
    clock: options.clock,
    limits: playerLimits(options),
    complete: (player, text) => options.complete(player, text),
    text: (player, message) => options.text(player, message),
    storage: options.storage ?? NO_STORAGE,
    provide: (given) => {
      saving = given
    },
    upstream: (name) => status.set(name, 'upstream'),
  }
  // before the repairs: what is ours is none of theirs
  const windows = new WindowGate(context)
  const undo = REPAIR_NAMES.filter(isEnabled).map((name) => {
    status.set(name, 'on')
    return INSTALLERS[name](context)
  })
  tap.open()
  const close = (): void => {
    tap.close()
    sync.close()
    for (const run of undo.splice(0).reverse()) run()
  }
  return {
    status: () => status,
    limits: context.limits,
    sync,
    windows,
    get inventories() {
      return saving?.players ?? unsaved
    },
    savePlayers: async (timeoutMs) => (await saving?.players.settle(timeoutMs)) ?? null,
    stopSaving: () => saving?.stopSaving(),
    close,
  }
}

function playerLimits({ clock, logger, enabled }: ShieldOptions): RepairContext['limits'] {
  const isLimiting = enabled('limits')
  const buckets = new RateLimits(clock, logger)
  return {
    take: (player, kind, cost) => (isLimiting ? buckets.take(player, kind, cost) : 'ok'),
    forget: (player) => buckets.forget(player),
  }
}

/** What the host wants, as far as it can be had. */
function switches(serv: SquidServer, { enabled, storage }: ShieldOptions): (name: RepairName) => boolean {
  const hasWorld = typeof settingOf(serv, 'worldFolder') === 'string' && storage !== undefined
  return (name) => {
    if (NEED_WORLD.has(name) && !hasWorld) return false
    if (NEED_PLAYERDATA.has(name) && !enabled('playerdata')) return false
    return enabled(name)
  }
}
