import { link, mkdir, readFile, readdir, readlink, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { silentLogger } from '../../../lib/core/logger.js'
import { ok, type Result } from '../../../lib/core/result.js'
import { openThreadGroups, runJob, type ThreadGroup } from '../../../lib/pool/index.js'
import {
  publishFile,
  readFileBounded,
  stageFile,
  type FileParts,
} from '../../../lib/storage/drivers/atomic-file.js'
import { threadFileSystem } from '../../../lib/storage/drivers/file-system.js'
import { FolderSync } from '../../../lib/storage/drivers/folder-sync.js'
import type { SweepFolderJob, WriteFileJob } from '../../../lib/storage/index.js'
import { FaultyFileSystem, hastyClock } from '../../support/faulty-file-system.js'
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
async function read(path: string, maxBytes: number): Promise<Result<unknown>> {
  const file = await readFileBounded(threadFileSystem, path, maxBytes)
  return file.ok ? ok(file.value?.bytes ?? null) : file
}
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

void t.test('what was replaced is let go of', { skip: process.platform !== 'linux' }, async (t) => {
  const path = join(t.testdir(), 'a.dat')
  for (let turn = 0; turn < 50; turn += 1) t.match(await write(path, bytes(`${turn}`)), { ok: true })
  const held = async (): Promise<string[]> => {
    const files = await readdir('/proc/self/fd')
    const targets = await Promise.all(files.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')))
    return targets.filter((target) => target.startsWith(path))
  }
  // libuv's pool closes them behind the answer
  while ((await held()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
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
    { kind: 'sweep-folder', path: '' },
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

const replacing =
  (parts: FileParts, path: string, keepPrevious: string) =>
  async (text: string): Promise<Result<void>> => {
    const staged = await stageFile(parts, { path, bytes: bytes(text) })
    return staged.ok ? publishFile(parts, staged.value, keepPrevious) : staged
  }

void t.test('the generation before is kept, and at no moment is the file absent', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'a.dat')
  const keepPrevious = join(folder, 'a.dat_old')
  const parts = { fs: threadFileSystem, folders: new FolderSync(threadFileSystem), clock: hastyClock }
  const replace = replacing(parts, path, keepPrevious)
  t.match(await replace('one'), { ok: true })
  t.strictSame(await readdir(folder), ['a.dat'], 'there was nothing before')
  let absent = 0
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) await readFile(path).catch(() => (absent += 1))
  })()
  for (const text of ['two', 'three', 'four']) t.match(await replace(text), { ok: true })
  over.abort()
  await watching
  t.equal(absent, 0)
  t.equal(await readFile(path, 'utf8'), 'four')
  t.equal(await readFile(keepPrevious, 'utf8'), 'three')

  // interrupted between its two renames: both names are of one file
  await rm(keepPrevious)
  await link(path, keepPrevious)
  t.match(await replace('five'), { ok: true })
  t.equal(await readFile(keepPrevious, 'utf8'), 'four')
  t.strictSame((await readdir(folder)).sort(), ['a.dat', 'a.dat_old'])
})

void t.test(
  'the generation before, where files have one name only, and when it cannot be kept',
  async (t) => {
    const folder = t.testdir({ 'a.dat': 'one' })
    const path = join(folder, 'a.dat')
    const fs = new FaultyFileSystem()
    const parts = { fs, folders: new FolderSync(fs), clock: hastyClock }
    const keepPrevious = join(folder, 'a.dat_old')
    const replace = replacing(parts, path, keepPrevious)
    fs.arm({ call: 'link', nth: 0, code: 'EPERM', times: 1 })
    t.match(await replace('two'), { ok: true })
    t.equal(await readFile(keepPrevious, 'utf8'), 'one')
    for (const [call, nth] of [
      ['link', 0],
      ['rename', 0],
      ['rename', 1],
    ] as const) {
      fs.arm({ call, nth, code: 'ENOSPC', times: 1 })
      const written = await replace('three')
      t.match(written, { ok: false, failure: { code: 'system:storage_failed' } }, `${call} ${nth}`)
      t.equal(await readFile(path, 'utf8'), 'two')
      t.match(await readFile(keepPrevious, 'utf8'), /one|two/)
      t.strictSame((await readdir(folder)).sort(), ['a.dat', 'a.dat_old'])
    }
  },
)

void t.test('what interrupted writes left in a folder is swept', async (t) => {
  const folder = t.testdir({ 'a.dat.0123456789abcdef.tmp': '', 'a.dat': '', 'b.tmp': '' })
  const sweep = (path: string): Promise<Result<unknown>> =>
    runJob(storage, { kind: 'sweep-folder', path } satisfies SweepFolderJob)
  t.strictSame(await sweep(folder), { ok: true, value: 1 })
  t.strictSame((await readdir(folder)).sort(), ['a.dat', 'b.tmp'])
  t.strictSame(await sweep(join(folder, 'missing')), { ok: true, value: 0 })
})

void t.test(
  'those who sync a folder at the same time share a sync that began after they asked',
  async (t) => {
    const fs = new FaultyFileSystem()
    const folders = new FolderSync(fs)
    const folder = t.testdir()
    const first = folders.sync(folder)
    const others = Array.from({ length: 10 }, () => folders.sync(folder))
    await Promise.all([first, ...others])
    t.equal(fs.calls.filter((call) => call === 'sync').length, 2)
    fs.arm({ call: 'sync', nth: 0, code: 'EIO', times: 1 })
    const failed = folders.sync(folder)
    const next = folders.sync(folder)
    await t.rejects(failed, { code: 'EIO' })
    await t.resolves(next, 'the failure of one is not that of the next')
  },
)
