import type { Transferable, Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'

/** How a job left its thread. */
export type Dispatched =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** The job's function threw, or the job itself cannot be cloned; the thread lives. */
  | { readonly kind: 'threw'; readonly cause: unknown }
  /** The thread ended under it. */
  | { readonly kind: 'lost'; readonly cause: unknown }

/** What the threads of one set have in common. */
export interface ThreadSetOptions {
  /** Path of the worker file, whose default export takes the job. */
  readonly file: string
  readonly threads: number
  /** Jobs that run in one thread at the same time. */
  readonly concurrency: number
  /** Heap limit of each thread, MiB: a job that runs away ends its thread, not the server. */
  readonly heapMb: number
  readonly workerData: unknown
}

/**
 * A fixed number of threads that are started together and end together. Nothing is ever replaced: after a crash
 * the set takes no more jobs, its other threads finish theirs, and whoever needs more opens another set. So no job
 * can wait for a thread that fails to start, which piscina (5.3) would leave pending for good.
 */
export class ThreadSet {
  /** Jobs inside; never above `capacity`, so none waits in piscina's own queue. */
  running = 0
  readonly capacity: number
  readonly #pool: Piscina<unknown, unknown>
  readonly #exits: Promise<void>[] = []
  readonly #onCrash: (set: ThreadSet, cause: unknown) => void
  /** Threads that haven't exited, with what reports the end of each. */
  readonly #threads = new Map<Worker, (cause: unknown) => void>()
  /** Above zero in the turn in which a thread's end is reported: what rejects in it was lost with the thread. */
  #ending = 0
  #closed: Promise<void> | null = null
  #isExpired = false

  constructor(options: ThreadSetOptions, onCrash: (set: ThreadSet, cause: unknown) => void) {
    this.#onCrash = onCrash
    this.capacity = options.threads * options.concurrency
    this.#pool = new Piscina<unknown, unknown>({
      filename: options.file,
      minThreads: options.threads,
      maxThreads: options.threads,
      idleTimeout: Infinity,
      concurrentTasksPerWorker: options.concurrency,
      atomics: 'disabled',
      recordTiming: false,
      // a forced close waits this long for running jobs; the callers have had their grace already
      closeTimeout: 0,
      resourceLimits: { maxOldGenerationSizeMb: options.heapMb },
      env: {},
      execArgv: [],
      workerData: options.workerData,
    })
    // piscina would start a replacement from inside its exit handler, even while the group is closing
    this.#pool.options.minThreads = 0
    // reports of idle threads; each thread is watched below
    this.#pool.on('error', () => {})
    for (const thread of this.#pool.threads) this.#watch(thread)
  }

  /** Threads that haven't exited. */
  get threads(): number {
    return this.#threads.size
  }

  /** Hands a job to a thread. Never rejects. */
  async dispatch(job: unknown, transferList: readonly Transferable[]): Promise<Dispatched> {
    this.running += 1
    try {
      return { kind: 'returned', value: await this.#pool.run(job, { transferList: [...transferList] }) }
    } catch (cause) {
      return { kind: this.#ending > 0 || this.#closed !== null ? 'lost' : 'threw', cause }
    } finally {
      this.running -= 1
    }
  }

  /** Ends the thread with this id as if it had crashed. */
  terminate(threadId: number): void {
    const thread = [...this.#threads.keys()].find((candidate) => candidate.threadId === threadId)
    if (thread !== undefined) this.#end(thread)
  }

  /** Ends every thread as if each had crashed. */
  terminateAll(): void {
    for (const thread of this.#threads.keys()) this.#end(thread)
  }

  /** Ends every thread over one job that doesn't come to an end, which is one crash: nobody knows which thread has it. */
  expire(): void {
    const [first, ...others] = this.#threads.keys()
    if (first !== undefined) this.#end(first)
    this.#isExpired = true
    for (const thread of others) void thread.terminate()
  }

  /** Ends the threads, whatever they do; resolves when all have exited. */
  close(): Promise<void> {
    this.#closed ??= this.#pool
      .close({ force: true })
      .then(() => Promise.all(this.#exits))
      .then(() => {})
    return this.#closed
  }

  #end(thread: Worker): void {
    // reported at once: until the exit is seen, a new job could still be given to the thread
    this.#threads.get(thread)?.(new Error('does not react'))
    void thread.terminate()
  }

  #watch(thread: Worker): void {
    let reported = false
    const report = (cause: unknown): void => {
      if (reported || this.#isExpired || this.#closed !== null) return
      reported = true
      this.#onCrash(this, cause)
    }
    this.#threads.set(thread, report)
    thread.on('error', (error) => {
      this.#markEnding()
      report(error)
    })
    const exited = new Promise<void>((resolve) => {
      thread.on('exit', (exitCode) => {
        this.#markEnding()
        this.#threads.delete(thread)
        report(new Error(`a thread ended with code ${exitCode}`))
        resolve()
      })
    })
    this.#exits.push(exited)
  }

  #markEnding(): void {
    // piscina's listener came first: it has rejected the thread's jobs, whose reactions run before this one
    this.#ending += 1
    queueMicrotask(() => {
      this.#ending -= 1
    })
  }
}
