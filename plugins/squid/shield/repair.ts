import type { RateLimits } from '../../../lib/agent/index.js'
import type { Clock } from '../../../lib/core/clock.js'
import type { OnUnreadable, PlayerInventories } from '../../../lib/inventory/index.js'
import type { Message } from '../../../lib/text/index.js'
import type { SquidPlayer, SquidServer } from '../types.js'
import type { ClientTap } from './client-tap.js'
import type { InventorySync } from './inventory-sync.js'
import type { LastSaves } from './last-saves.js'
import type { LogLimit } from './log-limit.js'
import type { BeforeLogin, RunStorageJob } from './playerdata/index.js'

/** The repairs by the names that configuration and status use. */
export const REPAIR_NAMES = [
  'safe-write',
  'packet-guard',
  'command-shield',
  'tab-complete',
  'view-distance',
  'join-cost',
  'leaks',
  'window-guard',
  'creative-guard',
  'sounds',
  'mob-registry',
  'give',
  'respawn',
  'playerdata',
  'item-persistence',
  'pickup-saves',
  'sessions',
  'limits',
  'shutdown',
] as const
export type RepairName = (typeof REPAIR_NAMES)[number]

/** `upstream`: flying-squid or minecraft-protocol has made the repair itself, so ours stays off. */
export type RepairStatus = 'on' | 'off' | 'upstream'

/** One thing a player may type next. `tooltip` is shown beside it as plain text. */
export interface CompletionMatch {
  readonly match: string
  readonly tooltip?: string
}

/** What replaces `length` characters of the text from `start`; both count from its beginning, the slash included. */
export interface Completion {
  readonly start: number
  readonly length: number
  readonly matches: readonly CompletionMatch[]
}

/** What the repairs that keep players' files stand on. */
export interface ShieldStorage {
  readonly run: RunStorageJob
  /** Whether the world's files are still this process's own; asked before each save. */
  readonly mayWrite: () => Promise<boolean>
  /** The same at the process's last moment, without a look at the disk: false in doubt. */
  readonly mayWriteNow: () => boolean
  readonly beforeLogin: BeforeLogin
  /** Asked at each use. */
  readonly settings: () => { readonly onUnreadable: OnUnreadable; readonly playerSaveSeconds: number }
}

/** Players whose files we save. */
export interface SavedPlayers extends PlayerInventories {
  /** Saves everybody who is here and waits for all who have gone; true when all was saved in time. */
  settle(timeoutMs: number): Promise<boolean>
}

/** What keeps players' files hands out. */
export interface Saving {
  readonly players: SavedPlayers
  /** Writes nothing more, sends everybody away and lets nobody in. */
  readonly stopSaving: () => void
}

/** What a repair works with. */
export interface RepairContext {
  readonly serv: SquidServer
  readonly tap: ClientTap
  readonly log: LogLimit
  readonly sync: InventorySync
  readonly clock: Clock
  readonly limits: Pick<RateLimits, 'take' | 'forget'>
  readonly complete: (player: SquidPlayer, text: string) => Completion | null
  /** A sentence for a player, or for the console. */
  readonly text: (player: SquidPlayer | undefined, message: Message) => string
  readonly isEnabled: (name: RepairName) => boolean
  readonly storage: ShieldStorage
  /** Hands out the players' inventories. */
  readonly provide: (saving: Saving) => void
  /** What is done when the server closes and when the process ends; runs while `shutdown` is on. */
  readonly last: LastSaves
  /** Tells that the fault is not there (any more). */
  readonly upstream: (name: RepairName) => void
}

/** Puts one repair in place and gives back what takes it out again. */
export type InstallRepair = (context: RepairContext) => () => void
