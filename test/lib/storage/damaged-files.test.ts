import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, createGzip, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { composeRoot } from '../../../lib/codec/nbt/index.js'
import type { StorageDriver } from '../../../lib/storage/index.js'
import { openFileDriver } from '../../support/file-driver.js'
import {
  int,
  noise,
  players,
  PLAYER,
  refused,
  ROOMY,
  shown,
  write,
} from '../../support/storage-driver-contract.js'

const OTHER = '99999999-2222-3333-4444-555555555555'
const UNREADABLE = 'system:storage_unreadable'
const TOO_LARGE = 'system:storage_too_large'
const MIB = 1_024 * 1_024

interface Rig {
  readonly driver: StorageDriver
  /** The file of PLAYER's record. */
  readonly path: string
}

async function rig(t: Test): Promise<Rig> {
  const folder = t.testdir()
  const driver = await openFileDriver(folder)
  t.teardown(() => driver.close())
  const path = join(folder, `system/players/${PLAYER}.dat`)
  mkdirSync(dirname(path), { recursive: true })
  return { driver, path }
}

const codeOf = (result: Awaited<ReturnType<StorageDriver['read']>>): string =>
  result.ok ? 'ok' : result.failure.code

/** A document with the members every record has, uncompressed. */
const documentOf = (parts: Record<string, Uint8Array>, version = 1): Uint8Array =>
  composeRoot([
    ['version', int(version)],
    ['revision', Uint8Array.of(4, 0, 0, 0, 0, 0, 0, 0, 1)],
    ...Object.entries(parts),
  ])

void t.test(
  'cut off at every length, and each byte changed: never something else than what was written',
  async (t) => {
    const { driver, path } = await rig(t)
    await driver.commit([write({ put: { 'system:sample': noise(150), 'system:other': int(7) } })])
    await driver.commit([write({ key: players(OTHER), put: { a: int(1) } })])
    const whole = await shown(driver)
    const sample = readFileSync(path)
    for (let length = 0; length < sample.length; length += 1) {
      writeFileSync(path, sample.subarray(0, length))
      const code = codeOf(await driver.read(players(), ROOMY))
      if (code !== UNREADABLE && code !== TOO_LARGE) t.fail(`cut off at ${length}: ${code}`)
      if ((await driver.commit([write({ base: 1 })])).ok) t.fail(`cut off at ${length}: overwritten`)
      if (!readFileSync(path).equals(sample.subarray(0, length))) t.fail(`cut off at ${length}: touched`)
    }
    for (let at = 0; at < sample.length; at += 1) {
      for (const bits of [0x01, 0x80, 0xff]) {
        const damaged = Buffer.from(sample)
        damaged[at] = (damaged[at] ?? 0) ^ bits
        writeFileSync(path, damaged)
        const result = await driver.read(players(), ROOMY)
        // bytes of the gzip header that say nothing about the content may be anything
        if (result.ok) t.strictSame(await shown(driver), whole, `byte ${at}`)
        if (!readFileSync(path).equals(damaged)) t.fail(`byte ${at}: touched`)
      }
    }
    t.strictSame(await shown(driver, players(OTHER)), { revision: 1, parts: { a: '0300000001' } })
    writeFileSync(path, sample)
    t.strictSame(await shown(driver), whole, 'restored')
  },
)

void t.test('files that are none of ours, and those of a later version', async (t) => {
  const { driver, path } = await rig(t)
  const good = documentOf({ a: int(1) })
  const zipped = gzipSync(good)
  const long = (value: bigint): Uint8Array => {
    const tag = new Uint8Array(9)
    tag[0] = 4
    new DataView(tag.buffer).setBigInt64(1, value)
    return tag
  }
  const cases: [string, Uint8Array, string][] = [
    ['empty', new Uint8Array(), UNREADABLE],
    ['zeros', new Uint8Array(1_000), UNREADABLE],
    ['text', Buffer.from('{"version":1}'), UNREADABLE],
    ['two gzip members', Buffer.concat([zipped, zipped]), UNREADABLE],
    ['something behind the member', Buffer.concat([zipped, Buffer.from([0])]), UNREADABLE],
    ['an empty member', gzipSync(''), UNREADABLE],
    ['only a gzip header', zipped.subarray(0, 10), UNREADABLE],
    ['something behind the document', gzipSync(Buffer.concat([good, Buffer.from([0])])), UNREADABLE],
    ['no version', gzipSync(composeRoot([['revision', long(1n)]])), UNREADABLE],
    ['version 0', gzipSync(documentOf({}, 0)), UNREADABLE],
    ['a version that is text', gzipSync(composeRoot([['version', Uint8Array.of(8, 0, 0)]])), UNREADABLE],
    ['no revision', gzipSync(composeRoot([['version', int(1)]])), UNREADABLE],
    [
      'revision 0',
      gzipSync(
        composeRoot([
          ['version', int(1)],
          ['revision', long(0n)],
        ]),
      ),
      UNREADABLE,
    ],
    [
      'a revision beyond 2^53',
      gzipSync(
        composeRoot([
          ['version', int(1)],
          ['revision', long(2n ** 53n)],
        ]),
      ),
      UNREADABLE,
    ],
    ['a later version', gzipSync(documentOf({ a: int(1) }, 2)), 'system:storage_newer'],
    ['a much later version', gzipSync(documentOf({}, 2_147_483_647)), 'system:storage_newer'],
  ]
  for (const [name, bytes, code] of cases) {
    writeFileSync(path, bytes)
    t.match(
      await driver.read(players(), ROOMY),
      { ok: false, failure: { code, cause: new RegExp(PLAYER) } },
      name,
    )
    for (const base of [0, 1])
      t.notOk((await driver.commit([write({ base })])).ok, `${name}: not overwritten`)
    t.ok(readFileSync(path).equals(bytes), `${name}: untouched`)
  }
  t.match(await driver.remove(players()), { ok: true }, 'it can still be forgotten')
  t.equal(await shown(driver), null)
})

void t.test(
  'NBT that others wrote is read: uncompressed, and with a gzip header of every kind',
  async (t) => {
    const { driver, path } = await rig(t)
    const document = documentOf({ a: int(1) })
    const nameless = Buffer.concat([document.subarray(0, 1), document.subarray(3)])
    const plain = gzipSync(document)
    const decorated = Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 4 + 8 + 16 + 2, 0, 0, 0, 0, 0, 3]),
      Buffer.from([3, 0, 1, 2, 3]),
      Buffer.from('name\0comment\0'),
      Buffer.from([0, 0]),
      plain.subarray(10),
    ])
    for (const bytes of [document, nameless, gzipSync(nameless, { level: 9 }), decorated]) {
      writeFileSync(path, bytes)
      t.strictSame(await shown(driver), { revision: 1, parts: { a: '0300000001' } })
    }
  },
)

/** Gzip of that many zeros, without holding them. */
async function bomb(sizeBytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_COMPRESSION })
  const out: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => out.push(chunk))
  const zeros = Buffer.alloc(MIB)
  for (let done = 0; done < sizeBytes; done += MIB) {
    if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve))
  }
  await new Promise<void>((resolve) => gzip.end(resolve))
  return Buffer.concat(out)
}

void t.test('bombs: refused within the memory of an ordinary record', async (t) => {
  const { driver, path } = await rig(t)
  const zeros = await bomb(256 * MIB)
  const lying = (claim: number): Buffer => {
    const bytes = Buffer.from(zeros)
    bytes.writeUInt32LE(claim, bytes.length - 4)
    return bytes
  }
  const deep = (depth: number): Uint8Array => {
    const tag = new Uint8Array(1 + depth * 5).fill(0)
    tag[0] = 9
    // lists of one list each
    for (let level = 0; level < depth; level += 1)
      tag.set([level < depth - 1 ? 9 : 0, 0, 0, 0, level < depth - 1 ? 1 : 0], 1 + level * 5)
    return tag
  }
  const huge = (type: number): Uint8Array => Uint8Array.of(9, type, 0x7f, 0xff, 0xff, 0xff)
  const cases: [string, Uint8Array][] = [
    ['256 MiB of zeros', zeros],
    ['that say they are few', lying(10)],
    ['that say they are nearly too many', lying(16 * MIB)],
    ['20,000 lists in each other', gzipSync(documentOf({ a: deep(20_000) }))],
    ['a list of 2^31 bytes', gzipSync(documentOf({ a: huge(1) }))],
    ['a list of 2^31 ends', gzipSync(documentOf({ a: huge(0) }))],
    ['a list of 2^31 compounds', gzipSync(documentOf({ a: huge(10) }))],
    ['an array of 2^31 longs', gzipSync(documentOf({ a: Uint8Array.of(12, 0x7f, 0xff, 0xff, 0xff) }))],
  ]
  for (const [name, bytes] of cases) {
    writeFileSync(path, bytes)
    const beforeKib = process.resourceUsage().maxRSS
    const code = codeOf(await driver.read(players(), ROOMY))
    const grownMib = (process.resourceUsage().maxRSS - beforeKib) / 1_024
    t.ok(code === UNREADABLE || code === TOO_LARGE, `${name}: ${code}`)
    t.ok(grownMib < 64, `${name}: ${grownMib.toFixed(1)} MiB more`)
    t.equal(statSync(path).size, bytes.length)
  }
})

void t.test('a record that could not be read again is not written', async (t) => {
  const { driver } = await rig(t)
  const repetitive = noise(17 * MIB).fill(0, 5)
  t.match(await driver.commit([write({ put: { a: repetitive } })]), refused('system:storage_full'))
  t.match(await driver.commit([write({ put: { a: Uint8Array.of(8, 0, 9, 1) } })]), refused('system:internal'))
  t.equal(await shown(driver), null)
})
