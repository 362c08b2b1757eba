import type { FailureCode } from '../../core/failure.js'
import { InOrder } from '../../core/in-order.js'
import { fail, ok, type Result } from '../../core/result.js'
import type {
  Collection,
  RecordKey,
  RecordWrite,
  StorageDriver,
  StoredRecord,
  WriteReport,
} from '../driver.js'
import { areDistinctIds } from './record-path.js'
import { areWritable, planWrite, unpackedBytes, type Measure } from './record-plan.js'

/** What a driver is about to do; `commit` once for each of its writes, in their order. */
export interface MemoryOperation {
  readonly kind: 'read' | 'commit' | 'remove' | 'list'
  readonly collection: Collection
  /** Empty for `list`. */
  readonly id: string
}

export interface MemoryDriverOptions {
  /**
   * Makes faults: the code that this operation fails with, or null. After `system:storage_unknown` a write or removal
   * is done all the same, as on a disk whose last step failed. May take its time: the operation waits.
   */
  fault?(operation: MemoryOperation): FailureCode | null | Promise<FailureCode | null>
}

/** Keeps records for as long as the process lives. Sizes are those of names and encoded parts, uncompressed. */
export class MemoryDriver implements StorageDriver {
  readonly #records = new Map<string, StoredRecord>()
  readonly #options: MemoryDriverOptions
  /** One commit after the other, whatever they are about: simpler than files, and nobody waits for a disk. */
  readonly #order = new InOrder<'all'>()
  #isClosed = false

  constructor(options: MemoryDriverOptions = {}) {
    this.#options = options
  }

  async read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>> {
    const refused = this.#refusal([key]) ?? (await this.#fault('read', key))
    if (refused !== null) return fail(refused)
    const record = this.#records.get(nameOf(key))
    if (record === undefined) return ok(null)
    return unpackedBytes(record.parts) > maxBytes ? fail('system:storage_too_large') : ok(copyOf(record))
  }

  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    const refused = areWritable(writes) ? this.#refusal([]) : 'system:internal'
    return refused === null ? this.#order.run('all', () => this.#commit(writes)) : fail(refused)
  }

  async remove(key: RecordKey): Promise<Result<void>> {
    const refused = this.#refusal([key])
    if (refused !== null) return fail(refused)
    return this.#order.run('all', async () => {
      const fault = await this.#fault('remove', key)
      if (fault === null || fault === 'system:storage_unknown') this.#records.delete(nameOf(key))
      return fault === null ? ok(undefined) : fail(fault)
    })
  }

  async list(collection: Collection): Promise<Result<readonly string[]>> {
    const refused = this.#refusal([]) ?? (await this.#fault('list', { collection, id: '' }))
    if (refused !== null) return fail(refused)
    const start = `${collection}/`
    const names = [...this.#records.keys()].filter((name) => name.startsWith(start))
    return ok(names.map((name) => name.slice(start.length)))
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#order.settled()
  }

  async #commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    const planned: { key: RecordKey; next: StoredRecord | null; report: WriteReport }[] = []
    for (const write of writes) {
      const one = this.#plan(write)
      if (!one.ok) return one
      planned.push({ key: write.key, ...one.value })
    }
    for (const { key, next } of planned) {
      if (next === null) continue
      const fault = await this.#fault('commit', key)
      if (fault === null || fault === 'system:storage_unknown') this.#records.set(nameOf(key), next)
      if (fault !== null) return fail(fault)
    }
    return ok(planned.map(({ report }) => report))
  }

  #plan(write: RecordWrite): Result<{ next: StoredRecord | null; report: WriteReport }> {
    const before = this.#records.get(nameOf(write.key))
    const base = before?.revision ?? 0
    if (base !== write.base) return fail('system:storage_conflict', {}, `revision ${base}`)
    const kept = before === undefined ? null : { ...before, sizeBytes: unpackedBytes(before.parts) }
    const plan = planWrite(kept, write, measure)
    if (!plan.ok) return plan
    if (plan.value === null) return ok({ next: null, report: { revision: base, spared: [], skipped: true } })
    const { parts, spared } = plan.value
    const revision = base + 1
    return ok({ next: copyOf({ revision, parts }), report: { revision, spared, skipped: false } })
  }

  #refusal(keys: readonly RecordKey[]): FailureCode | null {
    if (this.#isClosed) return 'system:stopping'
    return areDistinctIds(keys) ? null : 'system:internal'
  }

  async #fault(kind: MemoryOperation['kind'], { collection, id }: RecordKey): Promise<FailureCode | null> {
    return (await this.#options.fault?.({ kind, collection, id })) ?? null
  }
}

const nameOf = ({ collection, id }: RecordKey): string => `${collection}/${id}`

const measure: Measure<null> = (parts) => ok({ packed: null, sizeBytes: unpackedBytes(parts) })

/** Nobody outside holds the bytes that are kept. */
const copyOf = ({ revision, parts }: StoredRecord): StoredRecord => ({
  revision,
  parts: new Map([...parts].map(([name, part]) => [name, part.slice()])),
})
