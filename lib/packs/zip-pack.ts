import { open, type FileHandle } from 'node:fs/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import {
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type Entry,
  type ZipFile,
} from 'yauzl'
import type { TimeSlice } from '../core/time-slice.js'
import { PACK_LIMITS } from './limits.js'
import { mebibytes, systemReason, type FileRead, type OpenedPack, type PackSource } from './pack-source.js'
import { count, quoted } from './problems.js'

/** Bytes that are read ahead: directories and small files lie side by side. */
const WINDOW_BYTES = 262_144
/** A zip of this size is read at once: its files needn't lie in the order in which they are read. */
const WHOLE_BYTES = 16_777_216
/** Deflate makes a text that can't be packed no longer than this. */
const mostPacked = (sizeBytes: number): number => sizeBytes + Math.ceil(sizeBytes / 1_000) + 64
const [STORED, DEFLATED] = [0, 8]
const CENTRAL_HEADER = 0x02014b50
const [LOCAL_HEADER, LOCAL_HEADER_BYTES] = [0x04034b50, 30]
const UNIX = 3
const [UNIX_TYPE, UNIX_LINK] = [0o170000, 0o120000]

/** Reads a file by place, a window at a time. */
class WindowReader extends RandomAccessReader {
  readonly #handle: FileHandle
  readonly #sizeBytes: number
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(handle: FileHandle, sizeBytes: number) {
    super()
    this.#handle = handle
    this.#sizeBytes = sizeBytes
  }

  /** Fewer bytes than asked for: the file ends there. */
  async bytes(position: number, length: number): Promise<Buffer> {
    const from = position - this.#start
    if (from >= 0 && from + length <= this.#window.length) return this.#window.subarray(from, from + length)
    const isWhole = this.#sizeBytes <= WHOLE_BYTES
    const start = isWhole ? 0 : position
    const buffer = Buffer.alloc(isWhole ? this.#sizeBytes : Math.max(length, WINDOW_BYTES))
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, start)
    this.#window = buffer.subarray(0, bytesRead)
    this.#start = start
    return this.#window.subarray(position - start, position - start + length)
  }

  override read(...call: Parameters<RandomAccessReader['read']>): void {
    void this.#answer(call)
  }

  async #answer([buffer, offset, length, position, callback]: Parameters<
    RandomAccessReader['read']
  >): Promise<void> {
    // the types leave out that the number of bytes is told
    const done: (error: Error | null, bytesRead?: number) => void = callback
    let bytes: Buffer
    try {
      bytes = await this.bytes(position, length)
    } catch (error) {
      return done(error instanceof Error ? error : new Error('unreadable'))
    }
    bytes.copy(buffer, offset)
    done(null, bytes.length)
  }
}

/** What is kept of an entry. */
type Kept = Pick<
  Entry,
  'compressedSize' | 'uncompressedSize' | 'compressionMethod' | 'crc32' | 'relativeOffsetOfLocalHeader'
> & {
  /** Why its content isn't taken, whatever it is. */
  readonly refused: string | null
}

/**
 * Lists a zip file. It is refused as a whole for a name that leads out of it or doesn't say where it leads (`..`,
 * absolute, with a drive or a backslash), for one name twice and for too many entries: nobody packs such a file by
 * accident, and what another program would make of it isn't what we would.
 */
export async function openZipPack(path: string, slice: TimeSlice): Promise<OpenedPack> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, 'r')
    const opened = await openZip(handle, slice)
    if (opened.ok) handle = undefined
    return opened
  } catch (error) {
    return { ok: false, reason: zipReason(error) }
  } finally {
    await handle?.close().catch(() => {})
  }
}

async function openZip(handle: FileHandle, slice: TimeSlice): Promise<OpenedPack> {
  const { size } = await handle.stat()
  if (size > PACK_LIMITS.zipBytes)
    return { ok: false, reason: `is larger than ${mebibytes(PACK_LIMITS.zipBytes)}` }
  const reader = new WindowReader(handle, size)
  // names and sizes are looked at here: yauzl would end the whole reading over an entry that nobody needs
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false, lazyEntries: true }
  const zip = await fromRandomAccessReaderPromise(reader, size, options)
  // without a listener an error that comes late would end the thread
  zip.on('error', () => {})
  const listed = await listEntries(zip, reader, slice)
  if (typeof listed === 'string') return { ok: false, reason: listed }
  return { ok: true, source: new ZipPack({ handle, reader, entries: listed }) }
}

/** The files by name; a string says why the pack is refused. */
async function listEntries(
  zip: ZipFile,
  reader: WindowReader,
  slice: TimeSlice,
): Promise<Map<string, Kept> | string> {
  const tooMany = `has more than ${count(PACK_LIMITS.files)} files and folders`
  if (zip.entryCount > PACK_LIMITS.files) return tooMany
  const names = new Set<string>()
  const entries = new Map<string, Kept>()
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry)
    if (!isInside(name)) return `holds an entry with the name "${quoted(name)}"`
    if (names.has(name)) return `holds "${quoted(name)}" twice`
    names.add(name)
    if (!name.endsWith('/') && name.length <= PACK_LIMITS.pathUnits) entries.set(name, keep(entry))
    await slice.pause()
  }
  // the number of entries has 16 bits: whoever counts on it alone would silently see a part
  const behind = await reader.bytes(directoryEnd(zip), 4)
  if (behind.length === 4 && behind.readUInt32LE(0) === CENTRAL_HEADER) return tooMany
  return entries
}

const directoryEnd = (zip: ZipFile): number =>
  'readEntryCursor' in zip && typeof zip.readEntryCursor === 'number' ? zip.readEntryCursor : 0

/** Backslashes stay. Strings are not decoded by yauzl, so the raw bytes are at hand. */
const nameOf = (entry: Entry): string =>
  getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true)

function isInside(name: string): boolean {
  if (/[\\\0]|^\/|^[A-Za-z]:/.test(name)) return false
  const parts = name.endsWith('/') ? name.slice(0, -1).split('/') : name.split('/')
  return parts.every((part) => part !== '' && part !== '.' && part !== '..')
}

function keep(entry: Entry): Kept {
  const { compressedSize, uncompressedSize, compressionMethod, crc32, relativeOffsetOfLocalHeader } = entry
  return {
    compressedSize,
    uncompressedSize,
    compressionMethod,
    crc32,
    relativeOffsetOfLocalHeader,
    refused: refusalOf(entry),
  }
}

function refusalOf(entry: Entry): string | null {
  const isUnix = entry.versionMadeBy >>> 8 === UNIX
  if ((entry.generalPurposeBitFlag & 1) !== 0) return 'is encrypted'
  if (isUnix && ((entry.externalFileAttributes >>> 16) & UNIX_TYPE) === UNIX_LINK)
    return 'is a link; links in packs are not followed'
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    return `is packed by method ${entry.compressionMethod}, not by deflate`
  return null
}

class ZipPack implements PackSource {
  readonly kind = 'zip'
  readonly readsAhead = 1
  readonly files: readonly string[]
  readonly leftOut = []
  readonly #handle: FileHandle
  readonly #reader: WindowReader
  readonly #entries: ReadonlyMap<string, Kept>
  #unpackedBytes = 0

  constructor(parts: { handle: FileHandle; reader: WindowReader; entries: ReadonlyMap<string, Kept> }) {
    this.#handle = parts.handle
    this.#reader = parts.reader
    this.#entries = parts.entries
    this.files = [...parts.entries.keys()].sort()
  }

  async read(file: string, maxBytes: number): Promise<FileRead> {
    const entry = this.#entries.get(file)
    if (entry === undefined) return { ok: false, reason: 'is not there' }
    const { uncompressedSize, compressedSize, refused } = entry
    if (refused !== null) return { ok: false, reason: refused }
    if (uncompressedSize > maxBytes) return { ok: false, reason: `is larger than ${mebibytes(maxBytes)}` }
    if (compressedSize > mostPacked(uncompressedSize))
      return { ok: false, reason: 'is damaged: it is larger packed than unpacked' }
    if (this.#unpackedBytes + uncompressedSize > PACK_LIMITS.unpackedBytes) {
      const reason = `the zip unpacks to more than ${mebibytes(PACK_LIMITS.unpackedBytes)}`
      return { ok: false, reason, isLast: true }
    }
    try {
      // before it is unpacked: several may be at the same time
      this.#unpackedBytes += uncompressedSize
      return await this.#unpack(entry)
    } catch (error) {
      return { ok: false, reason: zipReason(error) }
    }
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => {})
  }

  async #unpack(entry: Kept): Promise<FileRead> {
    const { uncompressedSize, compressedSize } = entry
    const header = await this.#reader.bytes(entry.relativeOffsetOfLocalHeader, LOCAL_HEADER_BYTES)
    if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER)
      return { ok: false, reason: 'is damaged: it is not where the zip says' }
    // a name and extra fields of their own, which may differ from the directory's
    const skipped = LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
    const packed = await this.#reader.bytes(entry.relativeOffsetOfLocalHeader + skipped, compressedSize)
    if (packed.length < compressedSize) return { ok: false, reason: 'is damaged: it is cut off' }
    const bytes =
      entry.compressionMethod === STORED
        ? Uint8Array.from(packed)
        : inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) })
    if (bytes.length !== uncompressedSize)
      return { ok: false, reason: 'is damaged: it has another size than it claims' }
    if (crc32(bytes) !== entry.crc32) return { ok: false, reason: 'is damaged: its check sum is wrong' }
    return { ok: true, bytes }
  }
}

function zipReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_BUFFER_TOO_LARGE') return 'is damaged: it unpacks to more than it claims'
  if (typeof code === 'string' && code.startsWith('Z_')) return 'is damaged: it cannot be unpacked'
  if (typeof code === 'string') return systemReason(error)
  // yauzl's own: one line about the format
  return error instanceof Error ? `is not a zip file: ${quoted(error.message)}` : 'is not a zip file'
}
