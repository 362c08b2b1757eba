import { openSync, readSync } from 'node:fs'

/** What the scheduler says of a thread, milliseconds since its start. */
export interface ThreadTimes {
  readonly cpuMs: number
  /** Ready to run, but not running: other threads had the cores. */
  readonly waitMs: number
}

const NANOSECONDS_PER_MS = 1_000_000

/** The schedstat file of the main thread, whose id is that of the process. */
export const MAIN_THREAD = `/proc/self/task/${process.pid}/schedstat`
/** That of the thread that opens it. */
export const THIS_THREAD = '/proc/thread-self/schedstat'

/**
 * Reads a thread's times from its schedstat file (Linux; nanoseconds on a core, nanoseconds on the run queue, time
 * slices). Elsewhere the CPU time is that of the whole process, and nothing is known of waiting: then `isExact` is
 * false and nothing can be corrected.
 */
export class ThreadStat {
  readonly isExact: boolean
  readonly #file: number | null
  readonly #buffer = Buffer.alloc(128)

  constructor(path: string) {
    this.#file = openStat(path)
    this.isExact = this.#file !== null
  }

  read(): ThreadTimes {
    if (this.#file === null) {
      const { user, system } = process.cpuUsage()
      return { cpuMs: (user + system) / 1_000, waitMs: 0 }
    }
    const bytes = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0)
    const [cpu = '0', wait = '0'] = this.#buffer.toString('latin1', 0, bytes).split(' ')
    return { cpuMs: Number(cpu) / NANOSECONDS_PER_MS, waitMs: Number(wait) / NANOSECONDS_PER_MS }
  }
}

function openStat(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}
