/** A storage driver in memory that fails as it is told. */
import { failure, type FailureCode } from '../../lib/core/failure.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import type {
  RecordKey,
  RecordWrite,
  StorageDriver,
  StoredRecord,
  WriteReport,
} from '../../lib/storage/driver.js'

const nameOf = ({ collection, id }: RecordKey): string => `${collection}/${id}`
const bytesOf = (parts: ReadonlyMap<string, Uint8Array>): number =>
  [...parts.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)

export class FaultyDriver implements StorageDriver {
  readonly records = new Map<string, StoredRecord>()
  /** Codes with which the next reads and commits fail, first one first. */
  readonly readFaults: FailureCode[] = []
  readonly commitFaults: FailureCode[] = []
  /** Held commits wait for it. */
  gate: Promise<void> = Promise.resolve()
  /** Size limit below the one of the write. */
  maxBytes = Infinity
  commits = 0
  /** Commits under way of one record: more than one breaks the contract. */
  #running = 0

  async read(key: RecordKey): Promise<Result<StoredRecord | null>> {
    await Promise.resolve()
    const code = this.readFaults.shift()
    return code === undefined ? ok(this.records.get(nameOf(key)) ?? null) : fail(code)
  }

  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    this.#running++
    if (this.#running > 1) throw new Error('two commits of one record at once')
    await this.gate
    this.#running--
    const code = this.commitFaults.shift()
    if (code !== undefined && code !== 'system:storage_unknown') return fail(code)
    const reports: WriteReport[] = []
    for (const write of writes) {
      const report = this.#write(write)
      if (!report.ok) return report
      reports.push(report.value)
    }
    this.commits++
    return code === undefined ? ok(reports) : { ok: false, failure: failure(code) }
  }

  remove(key: RecordKey): Promise<Result<void>> {
    this.records.delete(nameOf(key))
    return Promise.resolve(ok(undefined))
  }

  list(): Promise<Result<readonly string[]>> {
    return Promise.resolve(ok([...this.records.keys()]))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #write({ key, base, put, drop, maxBytes, spare }: RecordWrite): Result<WriteReport> {
    const before = this.records.get(nameOf(key))
    if ((before?.revision ?? 0) !== base) return fail('system:storage_conflict')
    const parts = new Map([...(before?.parts ?? []), ...put])
    for (const name of drop) parts.delete(name)
    const limit = Math.min(maxBytes, this.maxBytes)
    const spared: string[] = []
    for (const name of spare ?? []) {
      if (bytesOf(parts) <= limit) break
      parts.delete(name)
      spared.push(name)
    }
    if (bytesOf(parts) > limit)
      return spare === undefined
        ? fail('system:storage_full')
        : ok({ revision: base, spared: [], skipped: true })
    this.records.set(nameOf(key), { revision: base + 1, parts })
    return ok({ revision: base + 1, spared, skipped: false })
  }
}
