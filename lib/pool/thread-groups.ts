import { fileURLToPath } from 'node:url'
import type { Clock } from '../core/clock.js'
import type { Logger } from '../core/logger.js'
import type { AuthorFunctions } from './author-functions.js'
import { ThreadGroup, type ThreadGroupOptions } from './thread-group.js'

/** What the three groups of one System instance are opened with. */
export interface ThreadGroupsOptions {
  /** Threads of each group; they start with its first job. */
  readonly threads: { readonly agent: number; readonly storage: number; readonly compute: number }
  /** Goes to the threads of the agent group only: addresses and keys of the model endpoints. */
  readonly agentData: unknown
  /** Functions of plugins that compute tools run; none unless given. */
  readonly functions?: AuthorFunctions
  /** Folder of the worker files, with a slash at the end; default: `workers/` beside `lib/`. */
  readonly workersUrl?: URL
  readonly clock: Clock
  readonly logger: Logger
}

/** The thread groups of one System instance. */
export interface ThreadGroups {
  /** Model calls and loops: waits nearly all the time, so many jobs share a thread. */
  readonly agent: ThreadGroup
  /** Reading and durable writing of files; up to 16 at once. */
  readonly storage: ThreadGroup
  /** Local routing: short jobs, so a few share a thread. */
  readonly compute: ThreadGroup
  /** Functions of plugins, one at a time: one that never ends holds up nobody else's jobs. */
  readonly functions: ThreadGroup
  /** Ends agent and compute at once, storage after its last job; resolves when all threads have exited. */
  close(): Promise<void>
}

/** Opens the groups. No thread starts before a group's first job. */
export function openThreadGroups(options: ThreadGroupsOptions): ThreadGroups {
  const { threads, agentData, clock, logger } = options
  const workersUrl = options.workersUrl ?? new URL('../../workers/', import.meta.url)
  const place = (name: string) => ({
    name,
    file: fileURLToPath(new URL(`${name}.js`, workersUrl)),
    clock,
    logger,
  })
  const agent = new ThreadGroup({
    ...place('agent'),
    threads: threads.agent,
    concurrency: 64,
    // the lanes admit far less: this bound only catches a kernel that lost count
    maxWaiting: 64,
    heapMb: 256,
    workerData: agentData,
  })
  const storage = new ThreadGroup({
    ...place('storage'),
    threads: threads.storage,
    concurrency: 16,
    // one open write a player
    maxWaiting: 512,
    heapMb: 512,
    workerData: null,
  })
  const compute = new ThreadGroup({
    ...place('compute'),
    threads: threads.compute,
    concurrency: 4,
    maxWaiting: 128,
    heapMb: 1_024,
    workerData: null,
  })
  const functions = openFunctions(place('compute'), options)
  return {
    agent,
    storage,
    compute,
    functions,
    async close() {
      const forced = [agent, compute, functions].map((group) => group.close('forced'))
      await Promise.all([...forced, storage.close('gentle')])
    },
  }
}

/** The thread for functions of plugins: one, so that whatever runs in it is the one that doesn't end. */
function openFunctions(
  place: Pick<ThreadGroupOptions, 'file' | 'clock' | 'logger'>,
  { functions = { functions: [] } }: ThreadGroupsOptions,
): ThreadGroup {
  return new ThreadGroup({
    ...place,
    name: 'compute tools',
    threads: 1,
    concurrency: 1,
    maxWaiting: 64,
    heapMb: 256,
    workerData: functions,
  })
}
