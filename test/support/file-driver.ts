import type { Test } from 'tap'
import { systemClock, type Clock } from '../../lib/core/clock.js'
import { silentLogger } from '../../lib/core/logger.js'
import { isFailureCode } from '../../lib/core/failure.js'
import { fail, ok } from '../../lib/core/result.js'
import { openThreadGroups, serveJob, type ThreadGroup } from '../../lib/pool/index.js'
import {
  createFileJobs,
  FileDriver,
  type FileDriverOptions,
  type RecordJobRunner,
} from '../../lib/storage/index.js'
import type { FileSystem } from '../../lib/storage/drivers/file-system.js'
import { ManualClock } from './manual-clock.js'
import { valueOf } from './storage-driver-contract.js'

/** Runs the jobs of the storage group in this thread, as its worker would. */
export function inThisThread(fs?: FileSystem, clock: Clock = systemClock): RecordJobRunner {
  const jobs = createFileJobs(fs, clock)
  return async (job) => {
    const answer = await serveJob(jobs, job)
    if (answer.ok) return { result: ok(answer.value), wasStarted: true }
    const { code, params, cause } = answer
    return {
      result: fail(isFailureCode(code) ? code : 'system:protocol', params, cause),
      wasStarted: true,
    }
  }
}

/** Real threads with the worker of the storage group; they end with the test. */
export function storageThreads(t: Test, threads: number): ThreadGroup {
  const clock = new ManualClock()
  const groups = openThreadGroups({
    threads: { agent: 1, storage: threads, compute: 1 },
    agentData: null,
    clock,
    logger: silentLogger,
  })
  t.teardown(() => groups.close())
  return groups.storage
}

/** A file driver in that folder, with its jobs in this thread unless told otherwise. */
export async function openFileDriver(
  folder: string,
  options: Partial<FileDriverOptions> = {},
): Promise<FileDriver> {
  const opened = await FileDriver.open({
    folder,
    run: inThisThread(),
    clock: new ManualClock(),
    onLockLost() {},
    ...options,
  })
  return valueOf(opened)
}
