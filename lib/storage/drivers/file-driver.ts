import { dirname, join } from 'node:path'
import type { FailureCode } from '../../core/failure.js'
import type { Clock } from '../../core/clock.js'
import { fail, ok, type Result } from '../../core/result.js'
import { runJob, type ThreadGroup } from '../../pool/index.js'
import type {
  Collection,
  RecordKey,
  RecordWrite,
  StorageDriver,
  StoredRecord,
  WriteReport,
} from '../driver.js'
import type { RecordJob } from './file-jobs.js'
import { asyncFileSystem, type FileSystem } from './file-system.js'
import { FolderSync } from './folder-sync.js'
import { systemProbe, type ProcessProbe } from './process-identity.js'
import { RecordOrder } from './record-order.js'
import { areDistinctIds } from './record-path.js'
import { areWritable } from './record-plan.js'
import { lockHolder, StoreLock } from './store-lock.js'

/** Where the lock lies below the data folder. */
const LOCK = 'system/store.lock'

/** Who uses a data folder now, as one look at its lock shows; nothing is changed. See `lockHolder`. */
export const dataHolder = (folder: string, clock: Clock): ReturnType<typeof lockHolder> =>
  lockHolder({ path: join(folder, LOCK), fs: asyncFileSystem, clock, probe: systemProbe })

/** Runs a record job. `wasStarted` tells whether a failure that isn't the job's own came before or after its start. */
export type RecordJobRunner = (
  job: RecordJob,
  transferList: readonly ArrayBuffer[],
) => Promise<{ readonly result: Result<unknown>; readonly wasStarted: boolean }>

/** Runs record jobs in the threads of the storage group. */
export const inThreads =
  (group: ThreadGroup): RecordJobRunner =>
  async (job, transferList) => {
    let wasStarted = false
    const onStart = (): void => {
      wasStarted = true
    }
    const result = await runJob(group, job, { transferList, onStart })
    return { result, wasStarted }
  }

export interface FileDriverOptions {
  /** The data folder; absolute. Made when it isn't there. */
  readonly folder: string
  readonly run: RecordJobRunner
  readonly clock: Clock
  /** Told once when another process has taken the folder over: nothing is written any more. */
  onLockLost(): void
  /** For the lock; the machine's own when absent. */
  readonly fs?: FileSystem
  readonly probe?: ProcessProbe
}

/**
 * Keeps each record in a file below the data folder, see docs/ARCHITECTURE.md. One process at a time: everything that
 * writes is `system:storage_locked` once the lock is lost. The files are the work of the storage group; here are only
 * the lock and the order of what is asked.
 */
export class FileDriver implements StorageDriver {
  readonly #folder: string
  readonly #run: RecordJobRunner
  readonly #lock: StoreLock
  /** Also across threads, commits of one record must not meet. */
  readonly #order = new RecordOrder()
  readonly #begun = new Set<Promise<unknown>>()
  #closed: Promise<void> | null = null

  private constructor({ folder, run }: FileDriverOptions, lock: StoreLock) {
    this.#folder = folder
    this.#run = run
    this.#lock = lock
  }

  /**
   * Takes the folder's lock, up to 16 s long, and removes what interrupted writes left. `system:storage_locked`: another
   * process has it; `system:storage_failed`.
   */
  static async open(options: FileDriverOptions): Promise<Result<FileDriver>> {
    const { folder, clock, fs = asyncFileSystem, probe = systemProbe } = options
    const path = join(folder, LOCK)
    try {
      await new FolderSync(fs).make(dirname(path))
    } catch (cause) {
      return fail('system:storage_failed', {}, cause)
    }
    const lock = await StoreLock.acquire({ path, fs, clock, probe, onLost: () => options.onLockLost() })
    if (!lock.ok) return lock
    const swept = await options.run({ kind: 'sweep-records', root: folder }, [])
    if (swept.result.ok) return ok(new FileDriver(options, lock.value))
    await lock.value.release()
    return swept.result
  }

  async read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>> {
    if (!areDistinctIds([key])) return fail('system:internal')
    return this.#begin(async () => {
      const { result } = await this.#run({ kind: 'read-record', root: this.#folder, key, maxBytes }, [])
      return answered<StoredRecord | null>(result, 'system:storage_failed')
    })
  }

  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    if (!areWritable(writes)) return fail('system:internal', {}, 'not a commit')
    const keys = writes.map(({ key }) => key)
    return this.#change(keys, (root) => {
      const [copies, transferList] = handOver(writes)
      return [{ kind: 'commit-records', root, writes: copies }, transferList]
    })
  }

  async remove(key: RecordKey): Promise<Result<void>> {
    if (!areDistinctIds([key])) return fail('system:internal')
    return this.#change([key], (root) => [{ kind: 'remove-record', root, key }, []])
  }

  list(collection: Collection): Promise<Result<readonly string[]>> {
    return this.#begin(async () => {
      const { result } = await this.#run({ kind: 'list-records', root: this.#folder, collection }, [])
      return answered<readonly string[]>(result, 'system:storage_failed')
    })
  }

  /** Whether the folder is still this process's own; asks the disk when the last heartbeat is long ago. */
  isHeld(): Promise<boolean> {
    return this.#lock.isHeld()
  }

  /** The same without asking: false in doubt. */
  isSurelyHeld(): boolean {
    return this.#lock.isSurelyHeld()
  }

  close(): Promise<void> {
    this.#closed ??= Promise.allSettled(this.#begun).then(() => this.#lock.release())
    return this.#closed
  }

  #change<T>(
    keys: readonly RecordKey[],
    jobFor: (root: string) => [RecordJob, readonly ArrayBuffer[]],
  ): Promise<Result<T>> {
    return this.#begin(() =>
      this.#order.run(keys, async () => {
        if (!(await this.#lock.isHeld())) return fail('system:storage_locked')
        const { result, wasStarted } = await this.#run(...jobFor(this.#folder))
        return answered<T>(result, wasStarted ? 'system:storage_unknown' : 'system:storage_failed')
      }),
    )
  }

  #begin<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    if (this.#closed !== null) return Promise.resolve(fail('system:stopping'))
    const begun = work()
    this.#begun.add(begun)
    return begun.finally(() => this.#begun.delete(begun))
  }
}

/** What the job said, or what it means that it could say nothing: its thread was lost, or had no place. */
function answered<T>(result: Result<unknown>, otherwise: FailureCode): Result<T> {
  // the jobs are our own code: the shape of their answers is not in doubt
  if (result.ok) return ok(result.value as T)
  const { code, cause } = result.failure
  const isOwn = code.startsWith('system:storage_') || code === 'system:internal'
  return isOwn ? result : fail(otherwise, {}, cause ?? code)
}

/** Writes whose bytes can leave this thread without a copy. What shares its buffer with others is copied first. */
function handOver(writes: readonly RecordWrite[]): [RecordWrite[], ArrayBuffer[]] {
  const buffers = new Set<ArrayBuffer>()
  const own = (part: Uint8Array): Uint8Array => {
    const { buffer } = part
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === part.byteLength
    const whole = isWhole && !buffers.has(buffer) ? part : new Uint8Array(part)
    buffers.add(whole.buffer as ArrayBuffer)
    return whole
  }
  const copies = writes.map(({ put, ...write }) => ({
    ...write,
    put: new Map([...put].map(([name, part]) => [name, own(part)])),
  }))
  return [copies, [...buffers]]
}
