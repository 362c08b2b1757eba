import type { Transferable } from 'node:worker_threads'
import type { Clock } from '../core/clock.js'
import { failure, type Failure } from '../core/failure.js'
import type { Logger } from '../core/logger.js'
import { fail, ok, type Result } from '../core/result.js'
import { ThreadSet } from './thread-set.js'

/** So many crashes within CRASH_WINDOW_MS open the breaker. */
const CRASH_LIMIT = 3
const CRASH_WINDOW_MS = 60_000
/** While open, every job is refused and no thread is started. */
const BREAKER_MS = 60_000
/** Longest wait for the last jobs of a group that is closed gently. */
const DRAIN_MS = 10_000

/** What distinguishes a group. */
export interface ThreadGroupOptions {
  /** For the log. */
  readonly name: string
  /** Path of the worker file. */
  readonly file: string
  readonly threads: number
  /** Jobs that run in one thread at the same time. */
  readonly concurrency: number
  /** Jobs that may wait; one more is refused `system:busy`. */
  readonly maxWaiting: number
  /** Heap limit of each thread, MiB. */
  readonly heapMb: number
  /** Cloned into each thread; no other group sees it. */
  readonly workerData: unknown
  readonly clock: Clock
  readonly logger: Logger
}

/** What a job may say beside its data. Never an AbortSignal: piscina would give it a thread of its own. */
export interface RunOptions {
  readonly transferList?: readonly Transferable[]
  /**
   * Longest time until the answer, waiting included. After it the job answers `system:worker_lost` and the group's threads
   * end, with what else runs in them: one of them, or the one that all wait for, doesn't react any more.
   */
  readonly limitMs?: number
  /** Asked before the job is started; true: it isn't, and answers `system:cancelled`. */
  isAbandoned?(): boolean
  /** Told when the job is handed to a thread. */
  onStart?(): void
}

/** A group as `/system status` shows it. */
export interface GroupState {
  readonly threads: number
  readonly running: number
  readonly waiting: number
  /** Threads that ended by themselves or didn't react, since the start. */
  readonly crashes: number
  readonly breaker: { readonly open: boolean; readonly remainingMs: number }
}

interface Waiting {
  readonly job: unknown
  readonly options: RunOptions
  readonly resolve: (result: Result<unknown>) => void
}

/** One thread group: lazy threads, a bounded queue of its own, a breaker against crash loops. */
export class ThreadGroup {
  readonly #options: ThreadGroupOptions
  #workerData: unknown
  /** The set that takes new jobs; null before the first one, and after a crash. */
  #set: ThreadSet | null = null
  /** Every set with a thread in it, retired ones included, with its end. */
  readonly #sets = new Map<ThreadSet, Promise<void> | null>()
  readonly #waiting: Waiting[] = []
  #crashTimes: number[] = []
  #crashes = 0
  #openUntil = -Infinity
  #isClosing = false
  #closed: Promise<void> | null = null
  #whenDrained: (() => void) | null = null

  constructor(options: ThreadGroupOptions) {
    this.#options = options
    this.#workerData = options.workerData
  }

  /** Whether `close` was called. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  state(): GroupState {
    let threads = 0
    for (const set of this.#sets.keys()) threads += set.threads
    const remainingMs = Math.max(0, this.#openUntil - this.#options.clock.monotonic())
    return {
      threads,
      running: this.#running(),
      waiting: this.#waiting.length,
      crashes: this.#crashes,
      breaker: { open: remainingMs > 0, remainingMs },
    }
  }

  /**
   * Resolves with what the worker's function returned; never rejects. `system:busy`: the queue is full;
   * `system:worker_lost`: the thread ended under it, its time was over, or the breaker is open; `system:internal`: the function threw;
   * `system:stopping`: the group is closing.
   */
  run(job: unknown, options: RunOptions = {}): Promise<Result<unknown>> {
    this.#dropAbandoned()
    const refusal = this.#refusal()
    if (refusal !== null) return Promise.resolve({ ok: false, failure: refusal })
    return new Promise((resolve) => {
      this.#waiting.push(this.#limited({ job, options, resolve }))
      this.#pump()
    })
  }

  /** Ends a thread that doesn't react, or all for null; every job in it answers `system:worker_lost`. */
  terminate(threadId: number | null): void {
    for (const set of this.#sets.keys()) {
      if (threadId === null) set.terminateAll()
      else set.terminate(threadId)
    }
  }

  /** New jobs get threads with this data; the old threads end after their last job. */
  reconfigure(workerData: unknown): void {
    this.#workerData = workerData
    const old = this.#set
    this.#set = null
    if (old !== null) this.#settleSet(old)
  }

  /** Gives the memory of the threads back: they end after their last job, and the next one starts others. */
  retire(): void {
    this.reconfigure(this.#workerData)
  }

  /**
   * Admits nothing more and resolves when all threads have exited; idempotent. Forced: waiting and running jobs
   * answer `system:stopping`. Gentle: they are done first, for up to DRAIN_MS.
   */
  close(mode: 'forced' | 'gentle'): Promise<void> {
    this.#isClosing = true
    this.#closed ??= this.#end(mode)
    return this.#closed
  }

  async #end(mode: 'forced' | 'gentle'): Promise<void> {
    if (mode === 'gentle' && this.#running() + this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        const cancelTimer = this.#options.clock.after(DRAIN_MS, resolve)
        this.#whenDrained = () => {
          cancelTimer()
          resolve()
        }
      })
    }
    this.#refuseWaiting(failure('system:stopping'))
    this.#set = null
    await Promise.all([...this.#sets.keys()].map((set) => this.#closeSet(set)))
  }

  #running(): number {
    let running = 0
    for (const set of this.#sets.keys()) running += set.running
    return running
  }

  #refusal(): Failure | null {
    if (this.#isClosing) return failure('system:stopping')
    if (this.#openUntil > this.#options.clock.monotonic()) return failure('system:worker_lost')
    return this.#waiting.length >= this.#options.maxWaiting ? failure('system:busy') : null
  }

  #limited(given: Waiting): Waiting {
    const { limitMs } = given.options
    if (limitMs === undefined) return given
    const cancelTimer = this.#options.clock.after(limitMs, () => {
      const at = this.#waiting.indexOf(limited)
      if (at !== -1) this.#waiting.splice(at, 1)
      limited.resolve(fail('system:worker_lost', {}, new Error(`no answer within ${limitMs} ms`)))
      for (const set of this.#sets.keys()) set.expire()
    })
    const limited: Waiting = {
      ...given,
      resolve(result) {
        cancelTimer()
        given.resolve(result)
      },
    }
    return limited
  }

  /** Starts waiting jobs, first come first served, while there is room. */
  #pump(): void {
    this.#dropAbandoned()
    for (;;) {
      const next = this.#waiting[0]
      if (next === undefined) break
      const set = this.#openSet()
      // a group that is closing starts no thread: nobody can do the jobs that a lost one has left
      if (set === null) this.#refuseWaiting(failure('system:stopping'))
      if (set === null || set.running >= set.capacity) break
      this.#waiting.shift()
      next.options.onStart?.()
      void this.#start(set, next)
    }
    if (this.#running() + this.#waiting.length === 0) this.#whenDrained?.()
  }

  #dropAbandoned(): void {
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.options.isAbandoned?.() === true) waiting.resolve(fail('system:cancelled'))
      else this.#waiting.push(waiting)
    }
  }

  async #start(set: ThreadSet, { job, options, resolve }: Waiting): Promise<void> {
    const outcome = await set.dispatch(job, options.transferList ?? [])
    if (outcome.kind === 'returned') resolve(ok(outcome.value))
    else if (outcome.kind === 'threw') resolve(fail('system:internal', {}, outcome.cause))
    else if (this.#isClosing) resolve(fail('system:stopping', {}, outcome.cause))
    else resolve(fail('system:worker_lost', {}, outcome.cause))
    this.#settleSet(set)
    this.#pump()
  }

  /** The set for new jobs, opened when there is none; null while closing: then nothing is started any more. */
  #openSet(): ThreadSet | null {
    if (this.#set === null && !this.#isClosing) {
      const options = { ...this.#options, workerData: this.#workerData }
      this.#set = new ThreadSet(options, (set, cause) => this.#onCrash(set, cause))
      this.#sets.set(this.#set, null)
    }
    return this.#set
  }

  #onCrash(set: ThreadSet, cause: unknown): void {
    const { clock, logger, name } = this.#options
    const now = clock.monotonic()
    this.#crashes += 1
    this.#crashTimes = [...this.#crashTimes.filter((time) => now - time < CRASH_WINDOW_MS), now]
    logger.error(`thread group ${name}: a thread was lost`, cause)
    if (this.#set === set) this.#set = null
    if (this.#crashTimes.length >= CRASH_LIMIT) {
      this.#crashTimes = []
      this.#openUntil = now + BREAKER_MS
      logger.error(`thread group ${name}: ${CRASH_LIMIT} crashes in a minute, off for ${BREAKER_MS / 1000} s`)
      this.#refuseWaiting(failure('system:worker_lost'))
    }
    // after this turn, in which the jobs of the lost thread settle
    queueMicrotask(() => {
      this.#settleSet(set)
      this.#pump()
    })
  }

  /** Closes a set that takes no new jobs once its last one is done. */
  #settleSet(set: ThreadSet): void {
    if (this.#set !== set && set.running === 0) void this.#closeSet(set)
  }

  #closeSet(set: ThreadSet): Promise<void> {
    const closing = this.#sets.get(set) ?? set.close().then(() => void this.#sets.delete(set))
    this.#sets.set(set, closing)
    return closing
  }

  #refuseWaiting(reason: Failure): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve({ ok: false, failure: reason })
  }
}
