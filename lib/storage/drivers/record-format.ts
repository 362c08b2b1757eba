import { composeRoot, DEFAULT_NBT_LIMITS, splitRoot, type NbtLimits } from '../../codec/nbt/index.js'
import { fail, ok, type Result } from '../../core/result.js'
import type { StoredRecord } from '../driver.js'
import { pack, unpack } from './gzip.js'

const INT = 3
const LONG = 4

/** Takes the parts of one version of the format to the next; it may throw on parts it can't make sense of. */
export type FormatMigration = (parts: ReadonlyMap<string, Uint8Array>) => ReadonlyMap<string, Uint8Array>

/** A version of the form of a record file, and the way to it: the migration of version n leads to n + 1. */
export interface RecordFormat {
  readonly version: number
  readonly migrations: ReadonlyMap<number, FormatMigration>
}

/** The form that is written: the root compound holds `version` (int), `revision` (long) and the parts by name. */
export const RECORD_FORMAT: RecordFormat = { version: 1, migrations: new Map() }

/**
 * The most that a record may unpack to, bytes, from the limit of its file: what is written above it could not be read
 * again. 4: text and NBT compress to a third or a quarter; records that compress better have the 16 MiB.
 */
const unpackedLimit = (maxBytes: number): number => Math.max(16 * 1_024 * 1_024, 4 * maxBytes)

const limitsFor = (maxBytes: number): NbtLimits => ({
  ...DEFAULT_NBT_LIMITS,
  maxBytes: unpackedLimit(maxBytes),
})

/** A record as it is kept: one gzip member around an NBT document. */
export interface EncodedRecord {
  readonly bytes: Uint8Array
  /** Infinity when it would unpack to more than a reader allows. */
  readonly sizeBytes: number
}

const UNREADABLY_LARGE: EncodedRecord = { bytes: new Uint8Array(), sizeBytes: Infinity }

/** Encodes a record. `system:internal`: a part isn't an encoded tag, or is one that no reader would take. */
export function encodeRecord(
  { revision, parts }: StoredRecord,
  maxBytes: number,
  format: RecordFormat = RECORD_FORMAT,
): Result<EncodedRecord> {
  let document: Uint8Array
  try {
    document = composeRoot([
      ['version', intTag(format.version)],
      ['revision', longTag(BigInt(revision))],
      ...parts,
    ])
  } catch (cause) {
    return fail('system:internal', {}, cause)
  }
  if (document.length > unpackedLimit(maxBytes)) return ok(UNREADABLY_LARGE)
  // read once before it takes the place of what is readable
  const again = splitRoot(document, limitsFor(maxBytes))
  if (!again.ok) return fail('system:internal', {}, again.failure.cause)
  const bytes = pack(document)
  return ok({ bytes, sizeBytes: bytes.length })
}

/**
 * Decodes a record file, from the version it was written in. `system:storage_unreadable`, `system:storage_too_large`,
 * `system:storage_newer`.
 */
export function decodeRecord(
  file: Uint8Array,
  maxBytes: number,
  format: RecordFormat = RECORD_FORMAT,
): Result<StoredRecord> {
  const document = unpack(file, unpackedLimit(maxBytes))
  if (!document.ok) return document
  const split = splitRoot(document.value, limitsFor(maxBytes))
  if (!split.ok) return unreadable(split.failure)
  const parts = new Map(split.value.parts)
  const version = readTag(parts.get('version'), INT)
  if (version === null || version < 1n) return unreadable('no version')
  if (version > BigInt(format.version)) return fail('system:storage_newer', {}, `version ${version}`)
  const revision = readTag(parts.get('revision'), LONG)
  if (revision === null || revision < 1n || revision > BigInt(Number.MAX_SAFE_INTEGER)) {
    return unreadable('no revision')
  }
  parts.delete('version')
  parts.delete('revision')
  const migrated = migrate(parts, Number(version), format)
  return migrated.ok ? ok({ revision: Number(revision), parts: migrated.value }) : migrated
}

function migrate(
  parts: ReadonlyMap<string, Uint8Array>,
  from: number,
  { version, migrations }: RecordFormat,
): Result<ReadonlyMap<string, Uint8Array>> {
  try {
    let migrated = parts
    for (let step = from; step < version; step += 1) {
      const migration = migrations.get(step)
      if (migration === undefined) return unreadable(`no way from version ${step}`)
      migrated = migration(migrated)
    }
    return ok(migrated)
  } catch (cause) {
    return unreadable(cause)
  }
}

const unreadable = (cause: unknown): Result<never> => fail('system:storage_unreadable', {}, cause)

function intTag(value: number): Uint8Array {
  const tag = new Uint8Array(5)
  tag[0] = INT
  new DataView(tag.buffer).setInt32(1, value)
  return tag
}

function longTag(value: bigint): Uint8Array {
  const tag = new Uint8Array(9)
  tag[0] = LONG
  new DataView(tag.buffer).setBigInt64(1, value)
  return tag
}

/** The value of an int or long tag; null for any other. */
function readTag(tag: Uint8Array | undefined, type: typeof INT | typeof LONG): bigint | null {
  if (tag === undefined || tag[0] !== type) return null
  const view = new DataView(tag.buffer, tag.byteOffset, tag.byteLength)
  return type === INT ? BigInt(view.getInt32(1)) : view.getBigInt64(1)
}
