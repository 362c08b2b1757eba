import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { CONFIG_SCHEMAS } from '../../../lib/config/index.js'
import { inThreads, MemoryDriver, recordPath } from '../../../lib/storage/index.js'
import { openFileDriver, storageThreads } from '../../support/file-driver.js'
import {
  int,
  players,
  refused,
  shown,
  storageDriverContract,
  valueOf,
  write,
} from '../../support/storage-driver-contract.js'

storageDriverContract('memory', async () => new MemoryDriver())
storageDriverContract('files', async (t) => openFileDriver(t.testdir()))
const threads = storageThreads(t, 2)
storageDriverContract('files in threads', async (t) =>
  openFileDriver(t.testdir(), { run: inThreads(threads) }),
)

/** Tag bytes of the longest text there is, of characters that hardly compress. */
function longText(): Uint8Array {
  const tag = new Uint8Array(3 + 65_535)
  tag.set([8, 255, 255])
  tag.set(
    randomBytes(65_535).map((byte) => byte & 127 || 1),
    3,
  )
  return tag
}

void t.test('a record of the largest limit, more than a thread remembers, can be gone on with', async (t) => {
  const maxBytes = 64 * 1_048_576
  t.ok(CONFIG_SCHEMAS['system-storage'].safeParse({ businessBytes: maxBytes }).success)
  t.notOk(CONFIG_SCHEMAS['system-storage'].safeParse({ businessBytes: maxBytes + 1 }).success)
  const folder = t.testdir()
  const driver = await openFileDriver(folder)
  // texts, because there may not be that many elements of arrays
  const large = Object.fromEntries(Array.from({ length: 620 }, (_, index) => [`text ${index}`, longText()]))
  t.match(await driver.commit([write({ put: { ...large, c: int(1) }, maxBytes })]), { ok: true })
  const { size } = await stat(join(folder, recordPath(players()) ?? ''))
  t.ok(size > 32 * 1_048_576, `${size}`)
  t.match(await driver.commit([write({ base: 1, put: { c: int(2) }, maxBytes })]), { ok: true })
  await driver.close()
  const again = await openFileDriver(folder)
  t.match(await again.commit([write({ base: 2, put: { c: int(3) }, maxBytes })]), { ok: true })
  const record = valueOf(await again.read(players(), maxBytes))
  t.equal(record?.revision, 3)
  t.strictSame(Buffer.from(record?.parts.get('c') ?? []), Buffer.from(int(3)))
  t.equal(record?.parts.size, 621)
  await again.close()
})

void t.test('the memory driver makes faults where it is told to', async (t) => {
  const codes = ['system:storage_failed', null, 'system:storage_unknown', null] as const
  let count = 0
  const driver = new MemoryDriver({
    fault: ({ kind }) => (kind === 'commit' ? (codes[count++] ?? null) : null),
  })
  const commit = (base: number) => driver.commit([write({ base, put: { a: int(base) } })])
  t.match(await commit(0), refused('system:storage_failed'))
  t.equal(await shown(driver), null)
  t.match(await commit(0), { ok: true })
  t.match(await commit(1), refused('system:storage_unknown'))
  t.match(await shown(driver), { revision: 2 }, 'an unknown end is one that may have been a success')
  t.match(await commit(2), { ok: true })
})

void t.test('what a reader does with its bytes changes nothing that is kept', async (t) => {
  const driver = new MemoryDriver()
  await driver.commit([write({ put: { a: int(1) } })])
  const record = await driver.read(players(), 100)
  if (record.ok) record.value?.parts.get('a')?.fill(0)
  t.strictSame(await shown(driver), { revision: 1, parts: { a: '0300000001' } })
})
