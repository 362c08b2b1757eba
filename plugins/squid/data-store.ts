import { join, resolve } from 'node:path'
import type { Clock } from '../../lib/core/clock.js'
import type { Logger } from '../../lib/core/logger.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import type { ThreadGroup } from '../../lib/pool/index.js'
import {
  FileDriver,
  inThreads,
  type Collection,
  type RecordKey,
  type RecordWrite,
  type StorageDriver,
  type StoredRecord,
  type WriteReport,
} from '../../lib/storage/index.js'

/** The data folder, absolute: what the host names, else the world's, else one beside the configuration. */
export function dataFolderOf(
  { dataFolder, configFolder }: { readonly dataFolder?: string | undefined; readonly configFolder: string },
  worldFolder: string | null,
): string {
  return resolve(dataFolder ?? worldFolder ?? join(configFolder, 'data'))
}

/** The records of one server: may be asked from the beginning, and answers once `open` has ended. */
export class DataStore implements StorageDriver {
  readonly #driver: Promise<StorageDriver | null>
  #resolve: (driver: StorageDriver | null) => void = () => {}
  #opening: Promise<unknown> = Promise.resolve()

  constructor() {
    this.#driver = new Promise((resolve) => (this.#resolve = resolve))
  }

  /** Takes the folder; `system:storage_locked` when another server has it, `system:storage_failed`. */
  async open(parts: {
    readonly folder: string
    readonly group: ThreadGroup
    readonly clock: Clock
    readonly logger: Logger
  }): Promise<Result<void>> {
    const { folder, group, clock, logger } = parts
    const opening = FileDriver.open({
      folder,
      run: inThreads(group),
      clock,
      onLockLost: () =>
        logger.error('another process has taken the data folder: nothing of the System is saved any more'),
    })
    this.#opening = opening
    const opened = await opening
    this.#resolve(opened.ok ? opened.value : null)
    return opened.ok ? ok(undefined) : opened
  }

  async read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>> {
    return (await this.#driver)?.read(key, maxBytes) ?? NOT_OPEN
  }

  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    return (await this.#driver)?.commit(writes) ?? NOT_OPEN
  }

  async remove(key: RecordKey): Promise<Result<void>> {
    return (await this.#driver)?.remove(key) ?? NOT_OPEN
  }

  async list(collection: Collection): Promise<Result<readonly string[]>> {
    return (await this.#driver)?.list(collection) ?? NOT_OPEN
  }

  /** Before `open` there is nothing to close: what was asked until then gets its answer. */
  async close(): Promise<void> {
    await this.#opening
    this.#resolve(null)
    await (await this.#driver)?.close()
  }
}

const NOT_OPEN = fail('system:storage_failed', {}, 'the data folder is not open')
