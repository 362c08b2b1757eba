/** A storage driver in memory that fails as it is told, and looks at what it is asked. */
import type { FailureCode } from '../../lib/core/failure.js'
import type { Result } from '../../lib/core/result.js'
import {
  MemoryDriver,
  type RecordKey,
  type RecordWrite,
  type StorageDriver,
  type StoredRecord,
  type WriteReport,
} from '../../lib/storage/index.js'

export class FaultyDriver implements StorageDriver {
  /** Codes with which the next reads and commits fail, first one first. */
  readonly readFaults: FailureCode[] = []
  readonly commitFaults: FailureCode[] = []
  /** Commits wait for it. */
  gate: Promise<void> = Promise.resolve()
  /** Size limit below the one of the write. */
  maxBytes = Infinity
  /** Commits that succeeded. */
  commits = 0
  #running = 0
  readonly #driver = new MemoryDriver({
    fault: ({ kind }) =>
      (kind === 'read' ? this.readFaults : kind === 'commit' ? this.commitFaults : []).shift() ?? null,
  })

  read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>> {
    return this.#driver.read(key, maxBytes)
  }

  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    this.#running++
    if (this.#running > 1) throw new Error('two commits at once')
    await this.gate
    const { maxBytes } = this
    const bounded = writes.map((write) => ({ ...write, maxBytes: Math.min(maxBytes, write.maxBytes) }))
    const result = await this.#driver.commit(bounded)
    if (result.ok) this.commits++
    this.#running--
    return result
  }

  remove(key: RecordKey): Promise<Result<void>> {
    return this.#driver.remove(key)
  }

  list(collection: RecordKey['collection']): Promise<Result<readonly string[]>> {
    return this.#driver.list(collection)
  }

  close(): Promise<void> {
    return this.#driver.close()
  }
}
