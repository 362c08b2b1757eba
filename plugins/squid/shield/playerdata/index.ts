import { failure, type Failure } from '../../../../lib/core/failure.js'
import type { Result } from '../../../../lib/core/result.js'
import type { FoundFile, Marks } from '../../../../lib/inventory/index.js'
import { failureMessage } from '../../../../lib/text/index.js'
import type { PlayerId } from '../../../../lib/core/ids.js'
import type { SquidPlayer } from '../../types.js'
import { playerInternals, serverInternals, settingOf, type PlayerInternals } from '../internals.js'
import type { InstallRepair, RepairContext } from '../repair.js'
import type { PlayerFile } from './document.js'
import { putStack } from './live-player.js'
import { PlayerSaver, type Opened } from './saver.js'
import type { PlayerSession } from './session.js'
import { placeStacks } from './stacks.js'

export { LiveInventories } from './live-inventories.js'
export type { RunStorageJob } from './session.js'

/**
 * Asked with what a player's file says, before the host reads it: the marks that the session goes on with. A failure
 * refuses the login with its text.
 */
export type BeforeLogin = (player: PlayerId, found: FoundFile) => Promise<Result<Marks>>

/** A new player's, as the host has them. */
const DEFAULTS = { health: 20, food: 20, heldItemSlot: 0 } as const

/**
 * Players are saved by us: atomically, never on the main thread, never half loaded, and what can't be read is never
 * replaced by nothing.
 */
export const installPlayerdata: InstallRepair = (context) => {
  const saver = openSaver(context)
  const hosts = new Hosts(context, saver)
  context.tap.onPlayer((host) => hosts.adopt(host))
  context.last.onStop((timeoutMs) => saver.settle(timeoutMs))
  context.last.onExit((untilMs) => saver.flushSync(untilMs))
  context.provide({
    players: saver,
    stopSaving: () => {
      saver.stopSaving()
      hosts.sendAway()
    },
  })
  return () => {
    saver.close()
    if (serverInternals(context.serv).isClosed !== true) hosts.release()
  }
}

function openSaver(context: RepairContext): PlayerSaver {
  const { serv, storage, clock, log } = context
  return new PlayerSaver({
    serv,
    worldFolder: String(settingOf(serv, 'worldFolder')),
    run: storage.run,
    mayWrite: storage.mayWrite,
    mayWriteNow: storage.mayWriteNow,
    clock,
    keepsComponents: context.isEnabled('item-persistence'),
    settings: storage.settings,
    beforeLogin: storage.beforeLogin,
    report: (key, sentence, cause) => log.write(key, sentence, cause),
  })
}

/** Stands between the host's player objects and their sessions. */
class Hosts {
  readonly #sessions = new WeakMap<SquidPlayer, PlayerSession>()
  /** Who was here before us and has no session yet: saved by the host until then. */
  readonly #resuming = new WeakSet<SquidPlayer>()
  /** What gives the stock methods back. */
  readonly #release = new Map<SquidPlayer, () => void>()

  constructor(
    private readonly context: RepairContext,
    private readonly saver: PlayerSaver,
  ) {}

  adopt(host: SquidPlayer): void {
    const inside = playerInternals(host)
    const stock = { login: inside.login, save: inside.save }
    this.saver.rules.data.learn(host)
    const isHere = this.context.serv.players.includes(host)
    inside.save = () =>
      this.#resuming.has(host) && !this.saver.isStopped
        ? Reflect.apply(stock.save, host, [])
        : this.#save(host)
    inside.login = () => this.#login(host, stock.login)
    this.#release.set(host, () => Object.assign(inside, stock))
    host.once('disconnected', () => {
      this.#release.delete(host)
      // after the listeners of others, which may still take or give
      queueMicrotask(() => void this.#save(host))
    })
    if (isHere) void this.#resume(host)
  }

  release(): void {
    for (const run of this.#release.values()) run()
    this.#release.clear()
  }

  /** Ends the connections of all who are here or about to come in. */
  sendAway(): void {
    for (const host of this.#release.keys()) this.#kick(host, failure('system:storage_locked'))
  }

  async #save(host: SquidPlayer): Promise<void> {
    const session = this.#sessions.get(host)
    if (session === undefined) return
    await (host.disconnected === true ? this.saver.leave(session) : session.save())
  }

  async #login(host: SquidPlayer, stock: () => Promise<unknown>): Promise<unknown> {
    const opened = await this.#open(host)
    if (opened === null) return undefined
    fillFrom(host, opened.file, () => this.#fill(host, opened))
    return Reflect.apply(stock, host, [])
  }

  /** Somebody who was here before us: the host has filled its object already. */
  async #resume(host: SquidPlayer): Promise<void> {
    this.#resuming.add(host)
    const opened = await this.#open(host)
    if (opened !== null) this.saver.begin(opened.session, opened.file?.parked ?? [])
  }

  /** Null: the player was sent away, or has gone. */
  async #open(host: SquidPlayer): Promise<Opened | null> {
    const opened = await this.saver.open(host)
    this.#resuming.delete(host)
    if (!opened.ok) {
      this.#kick(host, opened.failure)
      return null
    }
    this.#sessions.set(host, opened.value.session)
    if (!isGone(host)) return opened.value
    await this.saver.leave(opened.value.session)
    return null
  }

  #kick(host: SquidPlayer, reason: Failure): void {
    if (isGone(host)) return
    const message =
      reason.code === 'system:request_active' ? { key: 'system.shield.already_here' } : failureMessage(reason)
    playerInternals(host).kick(this.context.text(host, message))
  }

  /** The moment in which the host would fill the inventory from its own reading of the file. */
  #fill(host: SquidPlayer, { session, file }: Opened): void {
    if (session.phase !== 'loading') return
    const { slots, parked } = placeStacks(
      file ?? { entries: [], details: new Map(), parked: [] },
      host,
      this.saver.rules.data,
    )
    for (const [slot, item] of slots) putStack(host, slot, item)
    this.saver.begin(session, parked)
    if (parked.length > 0)
      this.context.log.write(
        `parked ${session.player}`,
        `playerdata: ${session.player}: ${parked.length} stacks wait in the file, for room or for a version that has them`,
      )
  }
}

const isGone = (host: SquidPlayer): boolean => host.disconnected === true || host._client.ended === true

/**
 * The host copies what its own reader gave, in the turn in which it sets `_playerData`: what we read is put in its place.
 * Later in the login it walks over the inventory, which is when ours is filled.
 */
function fillFrom(host: SquidPlayer, file: PlayerFile | null, fill: () => void): void {
  const inside = playerInternals(host)
  Object.defineProperty(inside, '_playerData', {
    configurable: true,
    enumerable: true,
    set(given: NonNullable<PlayerInternals['_playerData']>) {
      Object.defineProperty(inside, '_playerData', { value: given, writable: true, enumerable: true })
      given.player = playerMembers(inside, file)
      given.inventory = { forEach: fill }
    },
  })
}

function playerMembers(inside: PlayerInternals, file: PlayerFile | null): Record<string, unknown> {
  const position = inside.spawnPoint?.clone()
  const { position: saved, ...stats } = file?.stats ?? {}
  if (position !== undefined && saved !== undefined) [position.x, position.y, position.z] = saved
  return { ...DEFAULTS, ...stats, ...(position === undefined ? {} : { position }) }
}
