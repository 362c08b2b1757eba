import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { RecordWrite, StorageDriver } from '../../../lib/storage/index.js'
import { inThisThread, openFileDriver } from '../../support/file-driver.js'
import { faultsAt, FaultyFileSystem, hastyClock } from '../../support/faulty-file-system.js'
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

const CHAT = { collection: 'chats', id: PLAYER } as const

interface Rig {
  readonly folder: string
  readonly fs: FaultyFileSystem
  readonly driver: StorageDriver
}

let rigs = 0
async function rig(t: Test): Promise<Rig> {
  const fs = new FaultyFileSystem()
  const folder = join(t.testdirName, `${(rigs += 1)}`)
  const driver = await openFileDriver(folder, { run: inThisThread(fs, hastyClock) })
  return { folder, fs, driver }
}

/** The records as somebody finds them who opens the folder anew. */
async function reopened({ folder, driver }: Rig): Promise<{ business: object | null; chat: object | null }> {
  await driver.close()
  const again = await openFileDriver(folder)
  const found = { business: await shown(again), chat: await shown(again, CHAT) }
  await again.close()
  return found
}

const second = (): RecordWrite[] => [
  write({ key: CHAT, base: 1, put: { round: int(2) } }),
  write({ base: 1, put: { b: int(2) } }),
]
const revisionOf = (shown: object | null): unknown => (shown === null ? 0 : Reflect.get(shown, 'revision'))

void t.test(
  'every call of a commit fails in every way: nothing is lost, nothing is promised falsely',
  async (t) => {
    t.testdir()
    const first = async (driver: StorageDriver): Promise<void> => {
      const made = await driver.commit([
        write({ key: CHAT, put: { round: int(1) } }),
        write({ put: { a: noise(50), b: int(1) } }),
      ])
      if (!made.ok) throw new Error('the record to be changed was not made')
    }
    const quiet = await rig(t)
    await first(quiet.driver)
    quiet.fs.arm(null)
    await quiet.driver.commit(second())
    const faults = faultsAt(quiet.fs.calls)
    t.ok(faults.length > 200, `${faults.length} faults at ${quiet.fs.calls.join(', ')}`)
    await quiet.driver.close()

    const seen = new Map<string, number>()
    for (const fault of faults) {
      const label = `${fault.call} ${fault.nth}, ${fault.code}, ${fault.times} times`
      const it = await rig(t)
      await first(it.driver)
      const old = { business: await shown(it.driver), chat: await shown(it.driver, CHAT) }
      it.fs.arm(fault)
      const result = await it.driver.commit(second())
      it.fs.arm(null)
      const end = result.ok ? 'ok' : result.failure.code
      seen.set(end, (seen.get(end) ?? 0) + 1)

      // the same driver goes on, on what it finds
      const bases = { business: await shown(it.driver), chat: await shown(it.driver, CHAT) }
      if (end === 'ok') t.strictSame([revisionOf(bases.business), revisionOf(bases.chat)], [2, 2], label)
      else if (end === 'system:storage_failed') t.strictSame(bases.business, old.business, label)
      else if (end !== 'system:storage_unknown') t.fail(`${label}: ${end}`)
      const next = await it.driver.commit([
        write({ key: CHAT, base: Number(revisionOf(bases.chat)), put: { round: int(3) } }),
        write({ base: Number(revisionOf(bases.business)), put: { b: int(3) } }),
      ])
      if (!next.ok) t.fail(`${label}: the next write fails, ${next.failure.code}`)
      const after = await reopened(it)
      const expected = { parts: { b: '0300000003' } }
      t.match(after, { business: expected, chat: { parts: { round: '0300000003' } } }, label)
      t.notOk(
        readdirSync(it.folder, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.tmp')),
        `${label}: nothing is left lying`,
      )
    }
    t.strictSame([...seen.keys()].sort(), ['ok', 'system:storage_failed', 'system:storage_unknown'])
  },
)

void t.test(
  'a commit is durable step by step: bytes before the name, the name before the promise',
  async (t) => {
    t.testdir()
    const it = await rig(t)
    await it.driver.commit([write({ put: { a: int(1) } })])
    it.fs.arm(null)
    await it.driver.commit([write({ base: 1, put: { a: int(2) } })])
    const ofFile = ['open wx', 'write', 'sync', 'fstat', 'close']
    t.strictSame(it.fs.calls, ['stat', ...ofFile, 'rename', 'open r', 'sync', 'close'])
    await it.driver.commit([write({ key: CHAT, put: { a: int(1) } })])
    it.fs.arm(null)
    await it.driver.commit(second().map((one) => ({ ...one, base: one.key === CHAT ? 1 : 2 })))
    const names = it.fs.calls.filter((call) => !['stat', 'write', 'fstat', 'close'].includes(call))
    const expected = [
      'open wx',
      'open wx',
      'sync',
      'sync',
      'rename',
      'open r',
      'sync',
      'rename',
      'open r',
      'sync',
    ]
    t.strictSame(
      names,
      expected,
      'the first record is durable before the last one, the commit point, is renamed',
    )
    await it.driver.close()
  },
)

void t.test('the first commit of a record, in folders that are not there yet', async (t) => {
  t.testdir()
  const quiet = await rig(t)
  quiet.fs.arm(null)
  await quiet.driver.commit([write({ put: { a: int(1) } })])
  t.ok(quiet.fs.calls.includes('mkdir'))
  await quiet.driver.close()
  for (const fault of faultsAt(quiet.fs.calls).filter(({ times }) => times !== 2)) {
    const label = `${fault.call} ${fault.nth}, ${fault.code}, ${fault.times} times`
    const it = await rig(t)
    it.fs.arm(fault)
    const result = await it.driver.commit([write({ put: { a: int(1) } })])
    it.fs.arm(null)
    if (result.ok) t.match(await shown(it.driver), { revision: 1 }, label)
    else if (result.failure.code === 'system:storage_failed') t.equal(await shown(it.driver), null, label)
    const base = Number(revisionOf(await shown(it.driver)))
    t.match(await it.driver.commit([write({ base, put: { a: int(2) } })]), { ok: true }, label)
    t.match((await reopened(it)).business, { parts: { a: '0300000002' } }, label)
  }
})

void t.test('every call of reading, removing and listing fails typed, and works again', async (t) => {
  t.testdir()
  const it = await rig(t)
  await it.driver.commit([write({ put: { a: int(1) } })])
  const actions: [string, () => Promise<{ ok: boolean }>][] = [
    ['read', () => it.driver.read(players(), ROOMY)],
    ['list', () => it.driver.list('players')],
    ['remove', () => it.driver.remove(players())],
  ]
  for (const [name, act] of actions) {
    it.fs.arm(null)
    t.match(await act(), { ok: true })
    for (const fault of faultsAt([...it.fs.calls])) {
      // a file system that has no syncing of folders is none that fails
      if (fault.call === 'sync' && fault.code === 'ENOTSUP') continue
      if (!(await it.driver.read(players(), ROOMY)).ok) t.fail('not readable before the fault')
      await it.driver.commit([write({ put: { a: int(1) } })])
      it.fs.arm(fault)
      const result = await act()
      it.fs.arm(null)
      t.match(
        result,
        { ok: false, failure: { code: /^system:storage_(failed|unknown)$/ } },
        `${name}: ${fault.call}`,
      )
      t.match(await act(), { ok: true }, `${name} after ${fault.call}`)
    }
  }
})

void t.test('a scanner that holds the file for a while is waited for, five times', async (t) => {
  t.testdir()
  for (const code of ['EPERM', 'EBUSY']) {
    for (const [times, end] of [
      [5, { ok: true }],
      [6, refused('system:storage_failed')],
    ] as const) {
      const it = await rig(t)
      it.fs.arm({ call: 'rename', nth: 0, code, times })
      t.match(await it.driver.commit([write({})]), end, `${code} ${times} times`)
      await it.driver.close()
    }
  }
})

void t.test('a rename that is reported as failed and was done is not called a failure', async (t) => {
  t.testdir()
  const it = await rig(t)
  await it.driver.commit([write({ put: { a: int(1) } })])
  const rename = it.fs.rename.bind(it.fs)
  it.fs.rename = (from, to) => {
    void rename(from, to)
    throw Object.assign(new Error('EIO'), { code: 'EIO' })
  }
  t.match(await it.driver.commit([write({ base: 1, put: { a: int(2) } })]), refused('system:storage_unknown'))
  it.fs.rename = rename
  t.match(await shown(it.driver), { revision: 2, parts: { a: '0300000002' } })
  await it.driver.close()
})

void t.test('a disk that is really full', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (mounted.status !== 0) {
    rmdirSync(folder)
    t.pass('skipped: no file system can be mounted here')
    return
  }
  t.teardown(() => {
    spawnSync('umount', [folder])
    rmdirSync(folder)
  })
  const driver = await openFileDriver(folder)
  t.match(await driver.commit([write({ put: { a: noise(10_000) } })]), { ok: true })
  const path = join(folder, `system/players/${PLAYER}.dat`)
  const old = readFileSync(path)
  writeFileSync(join(folder, 'filler'), Buffer.alloc(24_000))
  for (let round = 0; round < 3; round += 1) {
    t.match(await driver.commit([write({ base: 1, put: { a: noise(30_000) } })]), {
      ok: false,
      failure: { code: 'system:storage_failed', cause: /ENOSPC/ },
    })
    t.strictSame(readFileSync(path), old)
    t.strictSame(readdirSync(join(folder, 'system/players')), [`${PLAYER}.dat`])
  }
  t.match(await driver.commit([write({ base: 1, put: { b: noise(500) } })]), { ok: true })
  await driver.close()
})
