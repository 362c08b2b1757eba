import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip, with what it may lie about. */
export interface ZipEntry {
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  readonly isStored?: boolean
  /** Size that the directory claims. */
  readonly claimedBytes?: number
  readonly packedBytes?: number
  readonly flags?: number
  readonly method?: number
  readonly crc?: number
  /** Unix mode, such as 0o120777 for a link. */
  readonly mode?: number
  /** Where its data is said to lie. */
  readonly offset?: number
}

/** How the end of the directory is written. */
export interface ZipOptions {
  /** Writes the 64-bit end, which alone can count more than 65,535 entries. */
  readonly isZip64?: boolean
  readonly comment?: string
}

const UTF8_NAMES = 0x800

/** A zip of one's choice: honest unless an entry says otherwise. */
export function zipOf(entries: readonly ZipEntry[], { isZip64, comment = '' }: ZipOptions = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '')
    const isStored = entry.isStored === true || content.length === 0
    const data = isStored ? content : deflateRawSync(content)
    const name = Buffer.from(entry.name)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(name.length, 26)
    parts.push(header, name, data)
    directory.push(central(entry, { content, data, name, method: isStored ? 0 : 8, at }), name)
    at += header.length + name.length + data.length
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const count = entries.length
  return Buffer.concat([
    ...parts,
    ...directory,
    ...(isZip64 === true ? [end64({ count, size, at })] : []),
    end({ count, size, at, comment }),
  ])
}

interface Written {
  readonly content: Buffer
  readonly data: Buffer
  readonly name: Buffer
  readonly method: number
  readonly at: number
}

function central(entry: ZipEntry, { content, data, name, method, at }: Written): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE((3 << 8) | 20, 4)
  header.writeUInt16LE(entry.flags ?? UTF8_NAMES, 8)
  header.writeUInt16LE(entry.method ?? method, 10)
  header.writeUInt32LE(entry.crc ?? crc32(content), 16)
  header.writeUInt32LE(entry.packedBytes ?? data.length, 20)
  header.writeUInt32LE(entry.claimedBytes ?? content.length, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38)
  header.writeUInt32LE(entry.offset ?? at, 42)
  return header
}

interface End {
  readonly count: number
  readonly size: number
  readonly at: number
}

function end({ count, size, at, comment }: End & { readonly comment: string }): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(count & 0xffff, 8)
  record.writeUInt16LE(count & 0xffff, 10)
  record.writeUInt32LE(size, 12)
  record.writeUInt32LE(at, 16)
  record.writeUInt16LE(Buffer.byteLength(comment), 20)
  return Buffer.concat([record, Buffer.from(comment)])
}

function end64({ count, size, at }: End): Buffer {
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(size), 40)
  record.writeBigUInt64LE(BigInt(at), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at + size), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([record, locator])
}
