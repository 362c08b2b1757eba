import type { Clock } from '../core/clock.js'
import { failure, type Failure } from '../core/failure.js'
import type { PlayerId } from '../core/ids.js'
import type { Logger } from '../core/logger.js'
import { fail, ok, type Result } from '../core/result.js'
import type { StorageDriver } from './driver.js'
import type { StoreLimits } from './limits.js'
import { isLasting } from './load-state.js'
import { PlayerBox, type Deleted } from './player-box.js'
import { GuardedView, type PlayerView } from './player-view.js'
import { ReadRetries } from './read-retries.js'
import { countForeign } from './record-state.js'
import type { StorageTypes } from './storage-types.js'
import type { Reading, Transaction } from './transaction.js'

/** Players without a stay whose records are kept in memory, for whoever asks next. */
const OFFLINE_PLAYERS = 64

/** Why a player's data isn't used. The failure names no place; its cause, for the log, does. */
export interface StoreProblem {
  readonly player: PlayerId
  readonly failure: Failure
}

/** One player that the store knows at the moment. */
interface Entry {
  readonly box: PlayerBox
  isAttached: boolean
  /** Moves at login, logout and revoke: views of before have ended. */
  generation: number
  /** Why the last generation ended. */
  endedBy: Failure
}

/**
 * What is kept of each player. Changes run one at a time per player on the committed state; those that wait while a commit
 * is under way become one commit together. Readers see committed state only, and nothing while that isn't known: after a
 * commit whose end isn't known and a failed reading. The next use, the next login, or a later attempt for a player who is here,
 * reads again. Nothing here throws or rejects.
 */
export class PlayerStore {
  readonly #driver: StorageDriver
  readonly #types: StorageTypes
  readonly #limits: () => StoreLimits
  readonly #removeDatabase: (player: PlayerId) => Promise<Result<void>>
  readonly #clock: Clock
  readonly #logger: Logger
  /** In the order of their last use. */
  readonly #entries = new Map<PlayerId, Entry>()
  readonly #problems = new Map<PlayerId, Failure>()
  readonly #settled: (() => void)[] = []
  readonly #retries: ReadRetries
  #isClosing = false
  #changes = 0
  #commits = 0
  #failed = 0

  /**
   * Ends the registration of types. `limits` is asked at each use. `removeDatabase` is `Databases.remove`: rows of a
   * database that is open are in memory too.
   */
  constructor(parts: {
    driver: StorageDriver
    types: StorageTypes
    limits: () => StoreLimits
    removeDatabase: (player: PlayerId) => Promise<Result<void>>
    clock: Clock
    logger: Logger
  }) {
    this.#driver = parts.driver
    this.#types = parts.types
    this.#limits = parts.limits
    this.#removeDatabase = parts.removeDatabase
    this.#clock = parts.clock
    this.#logger = parts.logger
    this.#types.freeze()
    this.#retries = new ReadRetries(parts.clock, (player) => {
      void this.#entries.get(player)?.box.load({ again: false })
    })
  }

  /** Login: views of an earlier stay end, and the records are read, after what was begun before. */
  attach(player: PlayerId): Promise<Result<void>> {
    if (this.#isClosing) return Promise.resolve(fail('system:stopping'))
    const entry = this.#entry(player)
    endGeneration(entry, failure('system:disconnected'))
    entry.isAttached = true
    return entry.box.load({ again: true })
  }

  /** Logout: views end. What was begun is still committed. */
  detach(player: PlayerId): void {
    const entry = this.#entries.get(player)
    if (entry === undefined) return
    endGeneration(entry, failure('system:disconnected'))
    entry.isAttached = false
    this.#retries.end(player)
    this.#evict()
  }

  /**
   * Runs `change` on what is committed and resolves with what it gave once that is durable. The change is synchronous,
   * has no effect but through `tx`, and may be run again (after a conflict, or when several were too large together).
   * It fails with the carried failure of a `FailureError` that it throws, and `system:internal` for anything else: then
   * nothing has changed. Otherwise `system:storage_failed`, `storage_full`, `storage_conflict` (nothing has changed),
   * `storage_unknown` (what is kept is read again), `storage_unreadable` and `storage_newer` (left as it is),
   * `system:busy` (1,024 wait) and `system:stopping`.
   */
  update<R>(player: PlayerId, change: (tx: Transaction) => R): Promise<Result<R>> {
    if (this.#isClosing) return Promise.resolve(fail('system:stopping'))
    return this.#entry(player).box.update(change, () => null)
  }

  /** A view of what is committed; reads the records first if need be. Fails as `update` does. */
  async read(player: PlayerId): Promise<Result<PlayerView>> {
    if (this.#isClosing) return fail('system:stopping')
    const entry = this.#entry(player)
    const view = this.#view(player, entry)
    const loaded = entry.box.state === null ? await entry.box.load({ again: false }) : ok(undefined)
    return loaded.ok ? ok(view) : loaded
  }

  /** Reads the records again if they were found unusable before, and else not. Views stay. Fails as `update` does. */
  readAgain(player: PlayerId): Promise<Result<void>> {
    if (this.#isClosing) return Promise.resolve(fail('system:stopping'))
    return this.#entry(player).box.load({ again: true })
  }

  /** A view of a player who is here and of whom it is known what is committed, at once; else null. */
  online(player: PlayerId): PlayerView | null {
    const entry = this.#entries.get(player)
    if (entry === undefined || !entry.isAttached || entry.box.state === null) return null
    return this.#view(player, entry)
  }

  /**
   * Deletes all that is kept of the player but what survives by its type: first a tombstone in place of the business
   * record, then conversations, the private database and the record. What an interruption or a failure behind the tombstone
   * leaves of that is deleted before the records are used again; until then nothing of the player can be seen. Views end at
   * once. `check` refuses by throwing.
   */
  revoke(player: PlayerId, check: (kept: Reading) => void = () => {}): Promise<Result<Deleted>> {
    return this.#revoke(player, check, { isReset: false })
  }

  /**
   * The same, also where the business record can't be read or is newer than this version: then all goes, nothing survives,
   * `check` isn't asked, and the record goes last, so that an interruption leaves the player as unusable as before.
   */
  reset(player: PlayerId, check: (kept: Reading) => void = () => {}): Promise<Result<Deleted>> {
    return this.#revoke(player, check, { isReset: true })
  }

  #revoke(
    player: PlayerId,
    check: (kept: Reading) => void,
    options: { readonly isReset: boolean },
  ): Promise<Result<Deleted>> {
    if (this.#isClosing) return Promise.resolve(fail('system:stopping'))
    this.endViews(player)
    return this.#entry(player).box.revoke(check, options)
  }

  /** Ends all views of the player, for work of before must change nothing any more: the first step of a revoke. */
  endViews(player: PlayerId): void {
    const entry = this.#entries.get(player)
    if (entry !== undefined) endGeneration(entry, failure('system:revoked'))
  }

  /** Players whose data can't be used now. */
  problems(): readonly StoreProblem[] {
    return [...this.#problems].map(([player, reason]) => ({ player, failure: reason }))
  }

  /** Parts of types that this run doesn't know, by type, of the players in memory. */
  absentTypes(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { box } of this.#entries.values()) {
      if (box.state === null) continue
      countForeign(box.state.business, counts)
      if (box.state.chat !== null) countForeign(box.state.chat, counts)
    }
    return counts
  }

  /** Since the start: changes that were committed, commits that held them, commits that failed. */
  counts(): { readonly changes: number; readonly commits: number; readonly failed: number } {
    return { changes: this.#changes, commits: this.#commits, failed: this.#failed }
  }

  /** Resolves when all that was asked for until now is committed or has failed. */
  settled(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve()
    return new Promise((resolve) => this.#settled.push(resolve))
  }

  /** Refuses what comes from now on, and waits for what was begun. The driver stays open: it is its opener's. */
  close(): Promise<void> {
    this.#isClosing = true
    this.#retries.close()
    return this.settled()
  }

  #view(player: PlayerId, entry: Entry): PlayerView {
    const { generation } = entry
    const check = (): Failure | null => {
      if (entry.generation !== generation) return entry.endedBy
      // made room for others: what it shows would grow old
      return this.#entries.get(player) === entry ? null : failure('system:disconnected')
    }
    return new GuardedView({
      types: this.#types,
      state: () => entry.box.state,
      check,
      update: (change) => {
        const ended = this.#isClosing ? failure('system:stopping') : check()
        if (ended !== null) return Promise.resolve({ ok: false, failure: ended })
        return entry.box.update(change, check)
      },
    })
  }

  #entry(player: PlayerId): Entry {
    const entry = this.#entries.get(player) ?? this.#open(player)
    this.#entries.delete(player)
    this.#entries.set(player, entry)
    return entry
  }

  #open(player: PlayerId): Entry {
    const box = new PlayerBox({
      driver: this.#driver,
      types: this.#types,
      limits: this.#limits,
      removeDatabase: this.#removeDatabase,
      clock: this.#clock,
      player,
      onLoad: (reason) => this.#onLoad(player, reason),
      onChatFailure: (reason) => this.#log(`conversations of ${player} are not used`, reason),
      onBrokenEntries: (count) =>
        this.#logger.warn(`${count} entries of the conversations of ${player} can't be read and are dropped`),
      onCommit: (changes, reason) => this.#onCommit(player, changes, reason),
      onIdle: () => this.#onIdle(),
    })
    return { box, isAttached: false, generation: 0, endedBy: failure('system:disconnected') }
  }

  #onLoad(player: PlayerId, reason: Failure | null): void {
    if (reason === null) {
      this.#retries.end(player)
      this.#problems.delete(player)
      return
    }
    const isNew = this.#problems.get(player)?.code !== reason.code
    this.#problems.set(player, reason)
    if (isNew) this.#log(`the data of ${player} is not used`, reason)
    const isAwaited = this.#entries.get(player)?.isAttached === true && !this.#isClosing
    if (isAwaited && !isLasting(reason)) this.#retries.plan(player)
    else this.#retries.end(player)
  }

  #onCommit(player: PlayerId, changes: number, reason: Failure | null): void {
    this.#commits++
    if (reason === null) {
      this.#changes += changes
      return
    }
    this.#failed++
    this.#log(`${changes} changes of ${player} failed`, reason)
  }

  #log(what: string, { code, cause }: Failure): void {
    this.#logger.error(`${what}: ${code}`, cause)
  }

  #onIdle(): void {
    this.#evict()
    if (this.#isIdle()) for (const resolve of this.#settled.splice(0)) resolve()
  }

  #isIdle(): boolean {
    return [...this.#entries.values()].every(({ box }) => box.isIdle)
  }

  /** Lets go of players who left and have nothing to do, the longest unused first. */
  #evict(): void {
    const idle = [...this.#entries].filter(([, { isAttached, box }]) => !isAttached && box.isIdle)
    for (const [player] of idle.slice(0, Math.max(0, idle.length - OFFLINE_PLAYERS))) {
      this.#entries.delete(player)
    }
  }
}

function endGeneration(entry: Entry, reason: Failure): void {
  entry.generation++
  entry.endedBy = reason
}
