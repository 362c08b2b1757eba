import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { fail, ok, type Result } from '../../core/result.js'
import {
  COLLECTIONS,
  type Collection,
  type RecordKey,
  type RecordWrite,
  type StoredRecord,
  type WriteReport,
} from '../driver.js'
import { CEILING_BYTES } from '../limits.js'
import {
  discardFile,
  publishFile,
  readFileBounded,
  stageFile,
  sweepFolder,
  type FileParts,
  type StagedFile,
} from './atomic-file.js'
import { errorCode, type FileFacts } from './file-system.js'
import { decodeRecord, encodeRecord, RECORD_FORMAT, type RecordFormat } from './record-format.js'
import { RecordOrder } from './record-order.js'
import { recordFolder, recordIdOf, recordPath } from './record-path.js'
import { areWritable, planWrite } from './record-plan.js'

/** Encoded parts of recent records that are kept to be written again, bytes a thread. A larger one is read each time. */
const CACHE_BYTES = 32 * 1_024 * 1_024

/** A record in memory with the identity of the file that holds the same. */
interface Kept extends StoredRecord {
  readonly identity: string
  /** Of the file. */
  readonly sizeBytes: number
}

/** One write of a commit, ready to be done. */
interface Prepared {
  readonly path: string
  readonly report: WriteReport
  /** Null: skipped. */
  readonly next: { readonly bytes: Uint8Array; readonly record: StoredRecord } | null
}

/**
 * Record files below one data folder, as one thread reads and writes them. It remembers the encoded parts of records
 * it had to do with lately, so that a commit brings only what changes; a file that isn't the remembered one any more
 * (another thread's commit, a restored backup) is read again.
 */
export class RecordFiles {
  readonly #root: string
  readonly #parts: FileParts
  readonly #format: RecordFormat
  readonly #kept: LRUCache<string, Kept>
  readonly #order = new RecordOrder()

  constructor(root: string, parts: FileParts, format: RecordFormat = RECORD_FORMAT) {
    this.#root = root
    this.#parts = parts
    this.#format = format
    this.#kept = new LRUCache({ maxSize: CACHE_BYTES, sizeCalculation: sizeOf })
  }

  async read(key: RecordKey, maxBytes: number): Promise<Result<StoredRecord | null>> {
    const path = this.#path(key)
    if (path === null) return badId()
    const read = await this.#load(path, maxBytes)
    return read.ok && read.value !== null
      ? ok({ revision: read.value.revision, parts: read.value.parts })
      : read
  }

  /** As the port says; in addition `full` and `conflict` leave all records as they were, not only the later ones. */
  async commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    if (!areWritable(writes)) return fail('system:internal', {}, 'not a commit')
    const keys = writes.map(({ key }) => key)
    return this.#order.run(keys, () => this.#commit(writes))
  }

  async remove(key: RecordKey): Promise<Result<void>> {
    const path = this.#path(key)
    if (path === null) return badId()
    return this.#order.run([key], () => this.#remove(path))
  }

  async list(collection: Collection): Promise<Result<readonly string[]>> {
    try {
      const names = await this.#parts.fs.names(join(this.#root, recordFolder(collection)))
      return ok(names.map((name) => recordIdOf(collection, name)).filter((id) => id !== null))
    } catch (cause) {
      return errorCode(cause) === 'ENOENT' ? ok([]) : fail('system:storage_failed', {}, cause)
    }
  }

  /** Removes what interrupted writes left. Only for the owner of the store's lock, before the first commit. */
  async sweep(): Promise<Result<number>> {
    let removed = 0
    for (const collection of COLLECTIONS) {
      const swept = await sweepFolder(this.#parts, join(this.#root, recordFolder(collection)))
      if (!swept.ok) return swept
      removed += swept.value
    }
    return ok(removed)
  }

  async #commit(writes: readonly RecordWrite[]): Promise<Result<readonly WriteReport[]>> {
    const prepared: Prepared[] = []
    for (const write of writes) {
      const one = await this.#prepare(write)
      if (!one.ok) return one
      prepared.push(one.value)
    }
    // the long wait, for the disk to take the bytes, is one for all
    const staged = await Promise.all(prepared.map((one) => this.#stage(one)))
    const failed = staged.find((one) => !one.ok)
    const files = staged.flatMap((one) => (one.ok && one.value !== null ? [one.value] : []))
    if (failed !== undefined) {
      await this.#discard(files)
      return failed
    }
    for (const [index, file] of files.entries()) {
      const published = await publishFile(this.#parts, file)
      if (published.ok) continue
      await this.#discard(files.slice(index + 1))
      return published
    }
    this.#remember(prepared, files)
    return ok(prepared.map(({ report }) => report))
  }

  async #prepare(write: RecordWrite): Promise<Result<Prepared>> {
    const path = this.#path(write.key)
    if (path === null) return badId()
    const before = await this.#current(path)
    if (!before.ok) return before
    const revision = before.value?.revision ?? 0
    if (revision !== write.base) return fail('system:storage_conflict', {}, `revision ${revision}`)
    const next = revision + 1
    const plan = planWrite(before.value, write, (parts, maxBytes) => {
      const encoded = encodeRecord({ revision: next, parts }, maxBytes, this.#format)
      return encoded.ok ? ok({ packed: encoded.value.bytes, sizeBytes: encoded.value.sizeBytes }) : encoded
    })
    if (!plan.ok) return plan
    if (plan.value === null) return ok({ path, report: { revision, spared: [], skipped: true }, next: null })
    const { parts, spared, packed } = plan.value
    const record = { revision: next, parts }
    return ok({ path, report: { revision: next, spared, skipped: false }, next: { bytes: packed, record } })
  }

  async #stage({ path, next }: Prepared): Promise<Result<StagedFile | null>> {
    if (next === null) return ok(null)
    const content = { path, bytes: next.bytes, mode: 0o600 }
    const staged = await stageFile(this.#parts, content)
    if (staged.ok || errorCode(staged.failure.cause) !== 'ENOENT') return staged
    try {
      await this.#parts.folders.make(dirname(path))
    } catch (cause) {
      return fail('system:storage_failed', {}, cause)
    }
    return stageFile(this.#parts, content)
  }

  async #discard(files: readonly StagedFile[]): Promise<void> {
    for (const { temporary } of files) await discardFile(this.#parts.fs, temporary)
  }

  #remember(prepared: readonly Prepared[], files: readonly StagedFile[]): void {
    for (const { path, facts } of files) {
      const record = prepared.find((one) => one.path === path)?.next?.record
      if (record !== undefined) this.#kept.set(path, keptAs(record, facts))
    }
  }

  async #remove(path: string): Promise<Result<void>> {
    this.#kept.delete(path)
    try {
      await this.#parts.fs.unlink(path)
    } catch (cause) {
      if (errorCode(cause) !== 'ENOENT') return fail('system:storage_failed', {}, cause)
    }
    try {
      // also when it was gone: an earlier removal may not have come as far as this
      await this.#parts.folders.sync(dirname(path))
    } catch (cause) {
      if (errorCode(cause) !== 'ENOENT') return fail('system:storage_unknown', {}, cause)
    }
    return ok(undefined)
  }

  /** The record as it is on disk now, from memory when that is the same. */
  async #current(path: string): Promise<Result<Kept | null>> {
    const kept = this.#kept.get(path)
    if (kept === undefined) return this.#load(path, CEILING_BYTES)
    try {
      const { identity } = await this.#parts.fs.facts(path)
      if (identity === kept.identity) return ok(kept)
    } catch (cause) {
      if (errorCode(cause) !== 'ENOENT') return fail('system:storage_failed', {}, cause)
    }
    return this.#load(path, CEILING_BYTES)
  }

  async #load(path: string, maxBytes: number): Promise<Result<Kept | null>> {
    const file = await readFileBounded(this.#parts.fs, path, maxBytes)
    if (!file.ok) return located(file, path)
    if (file.value === null) return ok(null)
    const record = decodeRecord(file.value.bytes, maxBytes, this.#format)
    if (!record.ok) return located(record, path)
    const kept = keptAs(record.value, file.value.facts)
    this.#kept.set(path, kept)
    return ok(kept)
  }

  #path(key: RecordKey): string | null {
    const path = recordPath(key)
    return path === null ? null : join(this.#root, path)
  }
}

const badId = (): Result<never> => fail('system:internal', {}, 'not the id of a record')

const keptAs = (record: StoredRecord, { identity, size }: FileFacts): Kept => ({
  ...record,
  identity,
  sizeBytes: size,
})

/** Whoever reads the log must find the file. */
function located(result: Result<never>, path: string): Result<never> {
  if (result.ok) return result
  const { code, params, cause } = result.failure
  return fail(code, params, new Error(path, { cause }))
}

/** More than 0, as the cache wants it. */
function sizeOf({ parts }: Kept): number {
  let bytes = 64
  for (const [name, part] of parts) bytes += name.length * 2 + part.length + 64
  return bytes
}
