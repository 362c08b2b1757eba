import type { Clock } from '../core/clock.js'
import { failure, toFailure, type Failure, type FailureCode } from '../core/failure.js'
import { ok, type Result } from '../core/result.js'
import { planCommit, publish } from './commit-plan.js'
import type { RecordWrite, WriteReport } from './driver.js'
import { discardRecords, isLasting, loadState, tombstoneWrite, type LoadParts } from './load-state.js'
import type { Changes } from './record-state.js'
import type { PlayerState, Reading, Transaction } from './transaction.js'
import { WaitingChange } from './waiting-change.js'

/** Largest number of changes of one player that wait. */
const MAX_WAITING = 1_024
/** How often changes are run again on records that somebody else changed. */
const MAX_CONFLICTS = 3

/** What a revoke has deleted. */
export interface Deleted {
  /** Why a record among it could not be used; null: all could be read. */
  readonly discarded: FailureCode | null
}

export interface BoxParts extends LoadParts {
  readonly clock: Clock
  /** Told how each attempt to load ended. */
  readonly onLoad: (failure: Failure | null) => void
  /** Told about a commit: how many changes it merged, and how it ended. */
  readonly onCommit: (changes: number, failure: Failure | null) => void
  /** Called when nothing is left to do. */
  readonly onIdle: () => void
}

type Job =
  | { readonly kind: 'change'; readonly waiting: WaitingChange<unknown> }
  | { readonly kind: 'load'; readonly resolve: (result: Result<void>) => void }
  | {
      readonly kind: 'revoke'
      /** Also what can't be read. */
      readonly isReset: boolean
      readonly waiting: WaitingChange<unknown>
      readonly resolve: (result: Result<Deleted>) => void
    }

/** The records of one player in memory, and all that is to be done with them, in order. */
export class PlayerBox {
  readonly #parts: BoxParts
  readonly #jobs: Job[] = []
  /** Null while it isn't known: the records are read (again) before anything rests on them. */
  #state: PlayerState | null = null
  /** Why the records can't be used: not tried again before the next login. */
  #unusable: Failure | null = null
  /** What is read may not survive a power cut: something of before ended unknown. */
  #isUnsure = false
  #isWorking = false
  #conflicts = 0
  /** So many changes are committed one by one, because together they were too large. */
  #alone = 0

  constructor(parts: BoxParts) {
    this.#parts = parts
  }

  /**
   * What is committed. Null before the first load, and after a commit whose end isn't known until the records were read
   * again: what was committed before may be so no longer.
   */
  get state(): PlayerState | null {
    return this.#state
  }

  get isIdle(): boolean {
    return !this.#isWorking && this.#jobs.length === 0
  }

  /** Resolves when the change is durable; see `PlayerStore.update`. */
  update<R>(change: (tx: Transaction) => R, guard: () => Failure | null): Promise<Result<R>> {
    return new Promise((resolve) => {
      const waiting = new WaitingChange({ change, guard, resolve })
      // the changes of a queue differ in what they give; each resolves its own promise with it
      this.#add({ kind: 'change', waiting: waiting as unknown as WaitingChange<unknown> })
    })
  }

  /** Resolves when the records are in memory. `again`: also if they were found unusable before. */
  load(options: { readonly again: boolean }): Promise<Result<void>> {
    if (options.again) this.#unusable = null
    return new Promise((resolve) => this.#add({ kind: 'load', resolve }))
  }

  /**
   * Deletes what is kept, unless `check` throws. A reset deletes also what can't be read, about which `check` isn't asked.
   * A failure after the tombstone is durable leaves the rest to the next load.
   */
  revoke(
    check: (kept: Reading) => void,
    { isReset }: { readonly isReset: boolean },
  ): Promise<Result<Deleted>> {
    // what the host has put right meanwhile is read
    if (isReset) this.#unusable = null
    return new Promise((resolve) => {
      const change = (kept: Reading): Deleted => (check(kept), { discarded: null })
      const waiting = new WaitingChange({ change, guard: () => null, resolve })
      this.#add({ kind: 'revoke', isReset, waiting: waiting as unknown as WaitingChange<unknown>, resolve })
    })
  }

  #add(job: Job): void {
    if (this.#jobs.length >= MAX_WAITING) return refuse(job, failure('system:busy'))
    this.#jobs.push(job)
    if (this.#isWorking) return
    this.#isWorking = true
    void this.#work()
  }

  /** Never rejects: a mistake in a step costs what is under way there, never the player or the close. */
  async #work(): Promise<void> {
    try {
      // what else comes in this turn belongs to the same commit
      await Promise.resolve()
      while (this.#jobs.length > 0) {
        const state = await this.#guarded(() => this.#ensureState())
        const batch = state.ok ? this.#takeBatch() : this.#takeUnread()
        const done = state.ok
          ? await this.#guarded(() => this.#do(state.value, batch))
          : await this.#doUnread(batch, state.failure)
        if (!done.ok) for (const job of batch) refuse(job, done.failure)
      }
    } finally {
      this.#isWorking = false
      this.#parts.onIdle()
    }
  }

  /** All changes at the head of the queue, or the one job there. */
  #takeBatch(): readonly Job[] {
    const end = this.#jobs.findIndex(({ kind }) => kind !== 'change')
    const count = Math.min(end < 0 ? this.#jobs.length : end, this.#alone > 0 ? 1 : MAX_WAITING)
    if (this.#alone > 0 && count > 0) this.#alone--
    return this.#jobs.splice(0, Math.max(1, count))
  }

  /** Without records: the reset at the head of the queue, or all jobs before one. */
  #takeUnread(): readonly Job[] {
    const reset = this.#jobs.findIndex((job) => job.kind === 'revoke' && job.isReset)
    return this.#jobs.splice(0, reset < 0 ? this.#jobs.length : Math.max(1, reset))
  }

  async #doUnread([job]: readonly Job[], reason: Failure): Promise<Result<void>> {
    if (job?.kind !== 'revoke' || !job.isReset || !isDiscardable(reason))
      return { ok: false, failure: reason }
    this.#unusable = null
    const discarded = await this.#guarded(() => discardRecords(this.#parts))
    if (!discarded.ok) {
      // perhaps it is gone all the same
      await this.#ensureState()
      return discarded
    }
    this.#isUnsure = false
    job.resolve(await this.#reload({ discarded: reason.code }))
    return ok(undefined)
  }

  async #do(state: PlayerState, batch: readonly Job[]): Promise<Result<void>> {
    const [job] = batch
    if (job?.kind === 'revoke') await this.#revoke(state, job)
    else if (job?.kind === 'load') job.resolve(ok(undefined))
    else
      await this.#commitChanges(
        state,
        batch.flatMap((one) => (one.kind === 'change' ? [one.waiting] : [])),
      )
    return ok(undefined)
  }

  async #commitChanges(state: PlayerState, batch: readonly WaitingChange<unknown>[]): Promise<void> {
    const { types, player, limits } = this.#parts
    const changes: Changes = new Map()
    for (const waiting of batch) waiting.attempt(types, state, changes)
    const writes = planCommit({ player, state, changes, limits: limits() })
    const committed = await this.#commit(writes)
    if (committed.ok) {
      publish({ state, changes }, writes, committed.value)
      if (writes.length > 0) this.#parts.onCommit(batch.length, null)
      for (const waiting of batch) waiting.settle()
      return
    }
    if (this.#runsAgain(committed.failure, batch)) return
    this.#parts.onCommit(batch.length, committed.failure)
    for (const waiting of batch) waiting.settleFailed(committed.failure)
  }

  /** Puts the changes back at the head of the queue where running them again may help. */
  #runsAgain({ code }: Failure, batch: readonly WaitingChange<unknown>[]): boolean {
    const isConflict = code === 'system:storage_conflict' && ++this.#conflicts <= MAX_CONFLICTS
    const isTogetherTooLarge = code === 'system:storage_full' && batch.length > 1
    if (!isConflict && !isTogetherTooLarge) {
      this.#conflicts = 0
      return false
    }
    if (isTogetherTooLarge) this.#alone = batch.length
    this.#jobs.unshift(...batch.map((waiting): Job => ({ kind: 'change', waiting })))
    return true
  }

  /** Commits, and lets go of what is in memory when that is no longer sure to be what is kept. */
  async #commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    if (writes.length === 0) return { ok: true, value: [] }
    const committed = await this.#guarded(() => this.#parts.driver.commit(writes))
    if (committed.ok) this.#conflicts = 0
    else if (isUncertain(committed.failure, writes)) {
      this.#state = null
      // who is told that it failed and looks again sees what is kept
      await this.#ensureState()
    }
    return committed
  }

  async #revoke(state: PlayerState, job: Extract<Job, { kind: 'revoke' }>): Promise<void> {
    const { types, clock } = this.#parts
    const changes: Changes = new Map()
    job.waiting.attempt(types, state, changes)
    // `survive` is an extension's
    const write = await this.#guarded(async () => tombstoneWrite(this.#parts, state.business, clock.now()))
    if (!write.ok) return job.resolve(write)
    if (!job.waiting.hasSucceeded) return job.waiting.settle()
    const committed = await this.#commit([write.value])
    if (!committed.ok) return job.resolve(committed)
    // nobody could read the conversations that go with it
    const discarded = job.isReset && state.chat === null ? 'system:storage_unreadable' : null
    job.resolve(await this.#reload({ discarded }))
  }

  /** From here on nothing of before may be seen; reading ends the revoke on disk too, now or at the next use. */
  async #reload(deleted: Deleted): Promise<Result<Deleted>> {
    this.#state = null
    const loaded = await this.#ensureState()
    return loaded.ok ? ok(deleted) : loaded
  }

  async #ensureState(): Promise<Result<PlayerState>> {
    if (this.#unusable !== null) return { ok: false, failure: this.#unusable }
    if (this.#state !== null) return { ok: true, value: this.#state }
    const loaded = await this.#guarded(() => this.#load())
    this.#parts.onLoad(loaded.ok ? null : loaded.failure)
    if (loaded.ok) this.#state = loaded.value
    else if (isLasting(loaded.failure)) this.#unusable = loaded.failure
    return loaded
  }

  async #load(): Promise<Result<PlayerState>> {
    const loaded = await loadState(this.#parts, { isUnsure: this.#isUnsure })
    if (loaded.ok) this.#isUnsure = false
    return loaded
  }

  /** Failures come as values; what throws all the same costs this operation only. */
  async #guarded<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    let done: Result<T>
    try {
      done = await work()
    } catch (thrown) {
      done = { ok: false, failure: toFailure(thrown) }
    }
    // of a commit or a removal, a load's too
    if (!done.ok && done.failure.code === 'system:storage_unknown') this.#isUnsure = true
    return done
  }
}

/** After these codes what was written must be read again; a lone write that failed left its record as it was. */
const isUncertain = ({ code }: Failure, writes: readonly RecordWrite[]): boolean =>
  code === 'system:storage_unknown' ||
  code === 'system:storage_conflict' ||
  code === 'system:internal' ||
  (code === 'system:storage_failed' && writes.length > 1)

/** A reset goes on where a record can't be read, now or for good. */
const isDiscardable = (reason: Failure): boolean =>
  isLasting(reason) || reason.code === 'system:storage_failed'

function refuse(job: Job, reason: Failure): void {
  if (job.kind === 'change') job.waiting.settleFailed(reason)
  else job.resolve({ ok: false, failure: reason })
}
