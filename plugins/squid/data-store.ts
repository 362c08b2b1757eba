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

/** The records of one server: there from the beginning, to be used once `open` has succeeded. */
export class DataStore implements StorageDriver {
  #driver: FileDriver | null = null

  /** Takes the folder; `system:storage_locked` when another server has it, `system:storage_failed`. */
  async open(parts: {
    readonly folder: string
    readonly group: ThreadGroup
    readonly clock: Clock
    readonly logger: Logger
  }): Promise<Result<void>> {
    const { folder, group, clock, logger } = parts
    const opened = await FileDriver.open({
      folder,
      run: inThreads(group),
      clock,
      onLockLost: () =>
        logger.error('another process has taken the data folder: nothing of the System is saved any more'),
    })
    if (!opened.ok) return opened
    this.#driver = opened.value
    return ok(undefined)
  }

  async read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>> {
    return this.#driver?.read(key, maxBytes) ?? NOT_OPEN
  }

  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    return this.#driver?.commit(writes) ?? NOT_OPEN
  }

  async remove(key: RecordKey): Promise<Result<void>> {
    return this.#driver?.remove(key) ?? NOT_OPEN
  }

  async list(collection: Collection): Promise<Result<readonly string[]>> {
    return this.#driver?.list(collection) ?? NOT_OPEN
  }

  async close(): Promise<void> {
    await this.#driver?.close()
  }
}

const NOT_OPEN = fail('system:storage_failed', {}, 'the data folder is not open')
