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
  readonly #driver: Promise<FileDriver | null>
  #resolve: (driver: FileDriver | null) => void = () => {}
  #opened: FileDriver | null = null
  readonly #beforeClose: () => void
  #opening: Promise<unknown> | null = null
  #isGivenUp = false

  /** `beforeClose` is called while the folder is still ours, after all who use records: for what else is written there. */
  constructor(beforeClose: () => void) {
    this.#beforeClose = beforeClose
    this.#driver = new Promise((resolve) => (this.#resolve = resolve))
  }

  /** Takes the folder; `system:storage_locked` when another server has it, `system:storage_failed`. */
  async open(parts: {
    readonly folder: string
    readonly group: ThreadGroup
    readonly clock: Clock
    readonly logger: Logger
    /** Another process has the folder now. */
    readonly onLockLost: () => void
  }): Promise<Result<void>> {
    const { folder, group, clock, logger, onLockLost } = parts
    const opening = FileDriver.open({
      folder,
      run: inThreads(group),
      clock,
      onLockLost: () => {
        logger.error('another process has taken the data folder: nothing of the System is saved any more')
        onLockLost()
      },
    })
    this.#opening = opening
    const opened = await opening
    this.#opened = opened.ok ? opened.value : null
    this.#resolve(this.#opened)
    return opened.ok ? ok(undefined) : opened
  }

  /** The server ends before the folder was asked for: nobody waits for it any more. */
  giveUp(): void {
    if (this.#opening !== null) return
    this.#isGivenUp = true
    this.#resolve(null)
  }

  #notOpen(): Result<never> {
    return this.#isGivenUp ? fail('system:stopping') : NOT_OPEN
  }

  async read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>> {
    return (await this.#driver)?.read(key, maxBytes) ?? this.#notOpen()
  }

  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    return (await this.#driver)?.commit(writes) ?? this.#notOpen()
  }

  async remove(key: RecordKey): Promise<Result<void>> {
    return (await this.#driver)?.remove(key) ?? this.#notOpen()
  }

  async list(collection: Collection): Promise<Result<readonly string[]>> {
    return (await this.#driver)?.list(collection) ?? this.#notOpen()
  }

  /** Whether the folder is still this process's own; before `open` has ended nobody knows. */
  async isHeld(): Promise<boolean> {
    return (await this.#driver)?.isHeld() ?? false
  }

  /** The same as far as it is known without a look at the disk. */
  isSurelyHeld(): boolean {
    return this.#opened?.isSurelyHeld() ?? false
  }

  /** Before `open` there is nothing to close: what was asked until then gets its answer. */
  async close(): Promise<void> {
    await this.#opening
    this.#resolve(null)
    this.#beforeClose()
    await (await this.#driver)?.close()
  }
}

const NOT_OPEN = fail('system:storage_failed', {}, 'the data folder is not open')
