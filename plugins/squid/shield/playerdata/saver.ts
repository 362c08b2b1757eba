import { resolve } from 'node:path'
import { encodeTree, type NbtRoot } from '../../../../lib/codec/nbt/index.js'
import type { CancelTimer, Clock } from '../../../../lib/core/clock.js'
import type { Failure, FailureCode } from '../../../../lib/core/failure.js'
import { isUuid, type PlayerId } from '../../../../lib/core/ids.js'
import { fail, ok, type Result } from '../../../../lib/core/result.js'
import { within } from '../../../../lib/core/within.js'
import {
  type FoundFile,
  type Marks,
  type OnUnreadable,
  type PlayerInventories,
  type PlayerInventory,
} from '../../../../lib/inventory/index.js'
import { writePlayerFileSync, type SweepFolderJob } from '../../../../lib/storage/index.js'
import type { SquidPlayer, SquidServer } from '../../types.js'
import { StackData } from '../item-persistence.js'
import { loadPlayerFile, type Loaded } from './load.js'
import type { Parked, PlayerFile } from './document.js'
import { newPlayerMembers } from './new-player.js'
import { PlayerSession, type RunStorageJob } from './session.js'
import type { StackRules } from './stacks.js'

/** What the saver works with. */
export interface SaverParts {
  readonly serv: SquidServer
  readonly worldFolder: string
  readonly run: RunStorageJob
  readonly mayWrite: () => Promise<boolean>
  /** The same without a look at the disk: false in doubt. */
  readonly mayWriteNow: () => boolean
  readonly clock: Clock
  readonly keepsComponents: boolean
  /** Asked at each use; a player who is here is saved so often, when anything changed. */
  readonly settings: () => { readonly onUnreadable: OnUnreadable; readonly playerSaveSeconds: number }
  /** Asked with what the file says, before the host may read it; a failure refuses the login. */
  readonly beforeLogin: (player: PlayerId, found: FoundFile) => Promise<Result<Marks>>
  /** One line for the host: at most one a minute for each key. */
  readonly report: (key: string, sentence: string, cause: unknown) => void
}

/** A session with the file that it begins with. */
export interface Opened {
  readonly session: PlayerSession
  /** Null: nothing is known of the player. */
  readonly file: PlayerFile | null
}

/** A save follows a hold so soon. */
const AFTER_HOLD_MS = 1_000

/** Owns the players' files of a world: who is here, and who has gone and isn't saved yet. */
export class PlayerSaver implements PlayerInventories {
  readonly rules: StackRules
  readonly #parts: SaverParts
  readonly #folder: string
  readonly #sessions = new Map<PlayerId, PlayerSession>()
  /** Logins whose file is being read. */
  readonly #opening = new Set<PlayerId>()
  readonly #timers = new Map<PlayerSession, { readonly dueMs: number; readonly cancel: CancelTimer }>()
  /** Why nobody may come in any more. */
  #refusal: FailureCode | null = null
  /** What a killed process left is removed before anything is written. */
  #swept: Promise<Result<unknown>> | null = null

  constructor(parts: SaverParts) {
    this.#parts = parts
    // the process may change its folder later
    this.#folder = resolve(parts.worldFolder, 'playerdata')
    this.rules = {
      data: new StackData(parts.serv),
      keepsComponents: parts.keepsComponents,
      hasMetadata: !parts.serv.supportFeature('theFlattening'),
    }
  }

  find(player: PlayerId): PlayerInventory | null {
    const session = this.#sessions.get(player)
    return session?.phase === 'live' || session?.phase === 'detached' ? session : null
  }

  maxStack(item: string): number | null {
    return this.rules.data.maxStack(item)
  }

  /**
   * Reads the file of a player who logs in, after the last save of an earlier stay. Nothing is saved before the session
   * begins. `system:request_active`: the player is here already; other failures are those of the file and of the hook.
   */
  async open(host: SquidPlayer): Promise<Result<Opened>> {
    const player = host._client.uuid.toLowerCase()
    if (!isUuid(player)) return fail('system:unknown_player', { player: host._client.username })
    if (this.#opening.has(player)) return fail('system:request_active')
    this.#opening.add(player)
    try {
      return await this.#open(host, player)
    } catch (thrown) {
      return fail('system:internal', {}, thrown)
    } finally {
      this.#opening.delete(player)
    }
  }

  async #open(host: SquidPlayer, player: PlayerId): Promise<Result<Opened>> {
    const before = this.#sessions.get(player)
    if (before?.phase === 'live' || before?.phase === 'loading') return fail('system:request_active')
    if (before !== undefined && !(await this.leave(before))) return fail('system:storage_failed')
    const early = this.#refused()
    if (early !== null) return early
    const swept = await this.#sweep()
    if (!swept.ok) return swept
    const path = resolve(this.#folder, `${player}.dat`)
    const loaded = await loadPlayerFile(path, {
      run: this.#run,
      clock: this.#parts.clock,
      onUnreadable: this.#parts.settings().onUnreadable,
      report: (sentence, reason) => this.#report(player, sentence, reason),
    })
    if (!loaded.ok) {
      this.#report(player, `a login was refused: ${loaded.failure.code}`, loaded.failure)
      return loaded
    }
    const decided = await this.#parts.beforeLogin(player, foundIn(loaded.value))
    if (!decided.ok) return decided
    const late = this.#refused()
    if (late !== null) return late
    const session = this.#session(host, { player, path, file: loaded.value.file, marks: decided.value })
    this.#sessions.set(player, session)
    return ok({ session, file: loaded.value.file })
  }

  /** Only while nobody is here: what it removes could be somebody's save. A failed one lets nobody in. */
  async #sweep(): Promise<Result<unknown>> {
    const job: SweepFolderJob = { kind: 'sweep-folder', path: this.#folder }
    const sweeping = (this.#swept ??= this.#run(job))
    const swept = await sweeping
    if (!swept.ok && this.#swept === sweeping) this.#swept = null
    return swept
  }

  readonly #run: RunStorageJob = (job, options) =>
    this.isStopped ? Promise.resolve(fail('system:storage_locked')) : this.#parts.run(job, options)

  #session(
    host: SquidPlayer,
    { player, path, file, marks }: { player: PlayerId; path: string; file: PlayerFile | null; marks: Marks },
  ): PlayerSession {
    return new PlayerSession({
      player,
      host,
      path,
      root: file?.root ?? newRoot(player, this.#parts.serv.supportFeature('attributeSnakeCase')),
      marks,
      rules: this.rules,
      run: this.#run,
      mayWrite: this.#parts.mayWrite,
      clock: this.#parts.clock,
      onFailure: (reason) => this.#report(player, `a save failed: ${reason.code}`, reason),
      onRelease: (session) => this.#saveSoon(session),
    })
  }

  /** The host's object is filled: from now on it is saved. */
  begin(session: PlayerSession, parked: readonly Parked[]): void {
    session.begin(parked)
    // each player at moments of their own, also when all came at once
    if (session.phase === 'live')
      this.#saveAfter(session, parseInt(session.player.slice(0, 8), 16) % this.#saveEveryMs())
  }

  /** The player has gone; true when all is saved. */
  async leave(session: PlayerSession): Promise<boolean> {
    const isSaved = await session.leave()
    if (!isSaved) return false
    this.#timers.get(session)?.cancel()
    this.#timers.delete(session)
    if (this.#sessions.get(session.player) === session) this.#sessions.delete(session.player)
    return true
  }

  /** Saves everybody who is here and waits for all who have gone, but not longer than that; whether all was saved. */
  async settle(timeoutMs: number): Promise<boolean> {
    if (this.isStopped) return false
    const saves = [...this.#sessions.values()].map(async (session) => {
      // who is still logging in has nothing to save
      if (session.phase === 'loading') return true
      return session.phase === 'live' ? (await session.save()).saved : this.leave(session)
    })
    const saved = await within(Promise.all(saves), {
      clock: this.#parts.clock,
      ms: timeoutMs,
      late: [false],
    })
    return saved.every(Boolean)
  }

  /**
   * Writes on this thread what isn't on disk, at the end of the server, until that moment of the monotonic clock. Nothing
   * is written after it.
   */
  flushSync(untilMs: number): void {
    const sessions = [...this.#sessions.values()]
    if (sessions.length > 0 && !this.#parts.mayWriteNow())
      this.#reportExit('the files may be another server’s')
    else
      for (const session of sessions) {
        if (this.#parts.clock.monotonic() > untilMs) {
          this.#reportExit('the time was too short for all players')
          break
        }
        this.#flushOne(session)
      }
    this.#abandonAll()
  }

  #flushOne(session: PlayerSession): void {
    try {
      const document = session.takeOver()
      if (document !== null) writePlayerFileSync(session.path, document)
    } catch (thrown) {
      const sentence = `playerdata: ${session.player}: not saved at the exit`
      this.#parts.report(`file ${session.player}`, sentence, thrown)
    }
  }

  #reportExit(why: string): void {
    this.#parts.report('exit', `playerdata: not saved at the exit: ${why}`, undefined)
  }

  /** Ends the timers; whoever isn't saved yet can still be flushed. */
  close(): void {
    this.#refusal ??= 'system:stopping'
    for (const { cancel } of this.#timers.values()) cancel()
    this.#timers.clear()
  }

  /** The files are another server's now: nothing of what is here is written any more, and nobody may come in. */
  stopSaving(): void {
    this.#refusal = 'system:storage_locked'
    this.close()
    this.#abandonAll()
  }

  #refused(): Result<never> | null {
    return this.#refusal === null ? null : fail(this.#refusal)
  }

  get isStopped(): boolean {
    return this.#refusal === 'system:storage_locked'
  }

  #abandonAll(): void {
    for (const session of this.#sessions.values()) session.abandon()
    this.#sessions.clear()
  }

  #saveEveryMs(): number {
    return this.#parts.settings().playerSaveSeconds * 1_000
  }

  #saveAfter(session: PlayerSession, delayMs: number): void {
    const { clock } = this.#parts
    const cancel = clock.after(delayMs, () => {
      void (session.phase === 'detached' ? this.leave(session) : session.save())
      this.#saveAfter(session, this.#saveEveryMs())
    })
    this.#timers.set(session, { dueMs: clock.monotonic() + delayMs, cancel })
  }

  #saveSoon(session: PlayerSession): void {
    const timer = this.#timers.get(session)
    if (timer === undefined || timer.dueMs <= this.#parts.clock.monotonic() + AFTER_HOLD_MS) return
    timer.cancel()
    this.#saveAfter(session, AFTER_HOLD_MS)
  }

  #report(player: PlayerId, sentence: string, { cause }: Failure): void {
    this.#parts.report(`file ${player}`, `playerdata: ${player}: ${sentence}`, cause)
  }
}

function foundIn({ file, isReadable }: Loaded): FoundFile {
  return { exists: file !== null || !isReadable, isReadable, marks: file?.marks ?? null }
}

function newRoot(player: PlayerId, hasSnakeCase: boolean): NbtRoot {
  const parts = new Map<string, Uint8Array>()
  for (const [name, tree] of Object.entries(newPlayerMembers(player, hasSnakeCase))) {
    const tag = encodeTree(tree)
    if (tag.ok) parts.set(name, tag.value)
  }
  return { name: '', parts }
}
