import { decodeTree, type NbtTree } from '../../../lib/codec/nbt/index.js'
import type { Failure } from '../../../lib/core/failure.js'
import {
  CEILING_BYTES,
  recordPath,
  typeIdOf,
  type RecordKey,
  type StorageTypes,
  type StoredRecord,
} from '../../../lib/storage/index.js'
import { causeText, type Places, type RunJob } from '../tool.js'
import type { Report } from './report.js'

/** What a check works with. */
export interface Check {
  readonly places: Places
  readonly types: StorageTypes
  readonly run: RunJob
  readonly report: Report
}

/** A record as far as it could be decoded. */
export interface CheckedRecord {
  /** Names of all parts. */
  readonly names: readonly string[]
  /** Values of known types that are no tables, by id. */
  readonly values: ReadonlyMap<string, unknown>
  /** Whether all parts of known types could be decoded. */
  readonly isWhole: boolean
}

export const NO_RECORD: CheckedRecord = { names: [], values: new Map(), isWhole: true }

/** Reads a record's file. Null: there is none, or none that can be read, which is reported. */
export async function readRecord(check: Check, key: RecordKey): Promise<StoredRecord | null> {
  const { places, run, report } = check
  report.count('files')
  const job = { kind: 'read-record', root: places.data, key, maxBytes: CEILING_BYTES }
  const read = await run(job)
  // our own job's answer
  if (read.ok) return read.value as StoredRecord | null
  reportUnreadable(report, { file: recordPath(key) ?? key.id }, read.failure)
  return null
}

/** Decodes a player's record, part by part. Null: see `readRecord`. */
export async function checkRecord(
  check: Check,
  key: RecordKey & { readonly collection: 'players' | 'chats' },
): Promise<CheckedRecord | null> {
  const record = await readRecord(check, key)
  if (record === null) return null
  const file = recordPath(key) ?? key.id
  const values = new Map<string, unknown>()
  const unknown = new UnknownTypes(check.report, file)
  let isWhole = true
  for (const [name, tag] of record.parts) {
    check.report.count('parts')
    const part = check.types.parse(key.collection, name)
    if (part === null) {
      unknown.check(name, tag)
      continue
    }
    const decoded = part.type.codec.decode(tag)
    if (decoded.ok) {
      if (part.key === null) values.set(name, decoded.value)
    } else {
      isWhole = false
      reportUnreadable(check.report, { file, part: name }, decoded.failure)
    }
  }
  unknown.end()
  return { names: [...record.parts.keys()], values, isWhole }
}

/** Decodes a record of rows that only their plugins know, as NBT. */
export async function checkRows(check: Check, key: RecordKey): Promise<void> {
  const record = await readRecord(check, key)
  if (record === null) return
  const unknown = new UnknownTypes(check.report, recordPath(key) ?? key.id)
  for (const [name, tag] of record.parts) {
    check.report.count('parts')
    unknown.check(name, tag)
  }
  unknown.end()
}

/** Parts of types that the System itself doesn't have: readable as NBT, with a version, is all that can be said. */
class UnknownTypes {
  readonly #report: Report
  readonly #file: string
  readonly #parts = new Map<string, number>()

  constructor(report: Report, file: string) {
    this.#report = report
    this.#file = file
  }

  check(name: string, tag: Uint8Array): void {
    const type = typeIdOf(name)
    this.#parts.set(type, (this.#parts.get(type) ?? 0) + 1)
    const about = { file: this.#file, part: name }
    const tree = decodeTree(tag)
    if (!tree.ok) reportUnreadable(this.#report, about, tree.failure)
    else if (!isVersioned(tree.value))
      this.#report.finding('unreadable', { ...about, message: 'has no version and value' })
  }

  end(): void {
    for (const [type, parts] of this.#parts)
      this.#report.note('unknown_type', {
        file: this.#file,
        part: type,
        message: `${parts} of a type that the System itself doesn't have; read as NBT only`,
      })
  }
}

const isVersioned = ({ type, value }: NbtTree): boolean =>
  type === 'compound' && value['v']?.type === 'int' && value['d'] !== undefined

/** Reports what a failure to read means. */
export function reportUnreadable(
  report: Report,
  about: { readonly file: string; readonly part?: string },
  { code, cause }: Failure,
): void {
  if (code === 'system:storage_newer')
    report.finding('newer', { ...about, message: 'was written by a later version of the System' })
  else if (code === 'system:storage_too_large')
    report.finding('too_large', {
      ...about,
      message: 'is larger than anything that is read, or its end is missing',
    })
  else report.finding('unreadable', { ...about, message: causeText(cause ?? code) })
}
