import { mkdir, readFile, readdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { silentLogger } from '../../../lib/core/logger.js'
import type { Result } from '../../../lib/core/result.js'
import { openThreadGroups, runJob, type ThreadGroup } from '../../../lib/pool/index.js'
import type { ReadFileJob, WriteFileJob } from '../../../lib/storage/index.js'
import { ManualClock } from '../../support/manual-clock.js'

const groups = openThreadGroups({
  threads: { agent: 1, storage: 1, compute: 1 },
  agentData: null,
  clock: new ManualClock(),
  logger: silentLogger,
})
t.teardown(() => groups.close())

const storage: ThreadGroup = groups.storage
const write = (path: string, bytes: Uint8Array): Promise<Result<unknown>> =>
  runJob(storage, { kind: 'write-file', path, bytes } satisfies WriteFileJob)
const read = (path: string, maxBytes: number): Promise<Result<unknown>> =>
  runJob(storage, { kind: 'read-file', path, maxBytes } satisfies ReadFileJob)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const STORAGE_FAILED = { ok: false, failure: { code: 'system:storage_failed' } }

void t.test('a file is written, replaced and read back; nothing else is left in the folder', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'a.dat')
  t.strictSame(await read(path, 10), { ok: true, value: null })
  t.match(await write(path, bytes('one')), { ok: true })
  t.match(await write(path, bytes('twenty')), { ok: true })
  t.match(await write(path, bytes('')), { ok: true })
  t.strictSame(await read(path, 0), { ok: true, value: new Uint8Array() })
  t.match(await write(path, bytes('twenty')), { ok: true })
  t.strictSame(await read(path, 6), { ok: true, value: bytes('twenty') })
  t.strictSame(await readdir(folder), ['a.dat'])
})

void t.test('writes of one file at the same time: one of them wins whole', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'a.dat')
  const contents = Array.from({ length: 16 }, (_, index) => `${index}`.repeat(10_000))
  const results = await Promise.all(contents.map((content) => write(path, bytes(content))))
  t.ok(results.every((result) => result.ok))
  t.ok(contents.includes(await readFile(path, 'utf8')))
  t.strictSame(await readdir(folder), ['a.dat'])
})

void t.test('the folder is missing', async (t) => {
  const path = join(t.testdir(), 'missing', 'a.dat')
  t.match(await write(path, bytes('x')), { ...STORAGE_FAILED, failure: { cause: /ENOENT/ } })
  t.strictSame(await read(path, 10), { ok: true, value: null })
})

void t.test('the target is a folder: refused, untouched, no leavings', async (t) => {
  const folder = t.testdir({ 'a.dat': { inside: 'kept' } })
  const path = join(folder, 'a.dat')
  t.match(await write(path, bytes('x')), STORAGE_FAILED)
  t.match(await read(path, 1_000_000), STORAGE_FAILED)
  t.strictSame(await readdir(folder), ['a.dat'])
  t.equal(await readFile(join(path, 'inside'), 'utf8'), 'kept')
})

void t.test('the limit of reading is exact, and holds for files that claim to be huge', async (t) => {
  const path = join(t.testdir(), 'a.dat')
  await writeFile(path, 'x'.repeat(100))
  t.match(await read(path, 100), { ok: true })
  const tooLarge = { ok: false, failure: { code: 'system:storage_too_large' } }
  t.match(await read(path, 99), tooLarge)
  await truncate(path, 1024 ** 4).catch(() => truncate(path, 1024 ** 3))
  t.match(await read(path, 1_000), tooLarge)
})

void t.test(
  'a file whose size says nothing is read to its end',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const path = join(t.testdir(), 'link')
    await symlink('/proc/self/limits', path)
    t.match(await read(path, 100_000), { ok: true })
    t.match(await read(path, 100), { ok: false, failure: { code: 'system:storage_too_large' } })
  },
)

void t.test('a malformed job fails alone', async (t) => {
  const folder = t.testdir()
  await mkdir(join(folder, 'x'))
  for (const job of [
    { kind: 'write-file', path: join(folder, 'a') },
    { kind: 'write-file', path: join(folder, 'a'), bytes: 'text' },
    { kind: 'read-file', path: join(folder, 'a'), maxBytes: -1 },
  ]) {
    t.match(await runJob(storage, job), { ok: false, failure: { code: 'system:internal' } })
  }
  t.match(await runJob(storage, { kind: 'constructor' }), { ok: false, failure: { code: 'system:protocol' } })
  t.strictSame(await readdir(folder), ['x'])
})

void t.test('closing the groups waits for the last writes', async (t) => {
  const folder = t.testdir()
  const own = openThreadGroups({
    threads: { agent: 1, storage: 1, compute: 1 },
    agentData: null,
    clock: new ManualClock(),
    logger: silentLogger,
  })
  const writes = Array.from({ length: 40 }, (_, index) =>
    runJob(own.storage, { kind: 'write-file', path: join(folder, `${index}`), bytes: bytes(`${index}`) }),
  )
  await own.close()
  t.ok((await Promise.all(writes)).every((result) => result.ok))
  t.equal((await readdir(folder)).length, 40)
})
