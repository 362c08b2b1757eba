/** Every call of saving, reading and setting aside a player's file fails in every way. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { composeRoot, encodeTree } from '../../../lib/codec/nbt/index.js'
import type { Result } from '../../../lib/core/result.js'
import { createFileJobs } from '../../../lib/storage/drivers/file-jobs.js'
import { CLAIM, previousGeneration } from '../../../lib/storage/drivers/player-file.js'
import { LEFT_OVER } from '../../../lib/storage/index.js'
import { faultsAt, FaultyFileSystem, hastyClock, type Fault } from '../../support/faulty-file-system.js'

function documentOf(generation: number): Uint8Array {
  const tag = encodeTree({ type: 'int', value: generation })
  if (!tag.ok) throw new Error(tag.failure.code)
  return composeRoot([['generation', tag.value]])
}

let rigs = 0
function rig(t: Test) {
  const fs = new FaultyFileSystem()
  const jobs = createFileJobs(fs, hastyClock)
  rigs += 1
  const folder = join(t.testdirName, `${rigs}`)
  const path = join(folder, 'alice.dat')
  const claim = new Int32Array(new SharedArrayBuffer(4))
  const run = async (job: { kind: string }): Promise<Result<unknown>> => {
    const found = jobs.get(job.kind)
    if (found === undefined) throw new Error(`no job ${job.kind}`)
    return found(job)
  }
  return {
    fs,
    folder,
    path,
    claim,
    save: (generation: number) => {
      claim[0] = CLAIM.open
      return run({
        kind: 'save-player-file',
        path,
        document: documentOf(generation),
        claim: claim.buffer,
      } as { kind: string })
    },
    read: () => run({ kind: 'read-player-file', path } as { kind: string }),
    setAside: (to: string) => run({ kind: 'set-aside-file', path, to } as { kind: string }),
    bytes: (file = path) => (existsSync(file) ? readFileSync(file).toString('hex') : null),
  }
}
type Rig = ReturnType<typeof rig>

const labelOf = ({ call, nth, code, times }: Fault): string => `${call} ${nth}, ${code}, ${times} times`
const endOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.failure.code)

/** The calls of the action on files that are as `prepare` leaves them. */
async function callsOf(t: Test, prepare: (it: Rig) => Promise<unknown>, act: (it: Rig) => Promise<unknown>) {
  const it = rig(t)
  await prepare(it)
  it.fs.arm(null)
  await act(it)
  return [...it.fs.calls]
}

async function twoGenerations(it: Rig): Promise<void> {
  for (const generation of [1, 2]) {
    const saved = await it.save(generation)
    if (!saved.ok) throw new Error(saved.failure.code)
  }
}

void t.test('a save that fails leaves file and generation before, and says what it knows', async (t) => {
  t.testdir()
  const calls = await callsOf(t, twoGenerations, (it) => it.save(3))
  const quiet = rig(t)
  await twoGenerations(quiet)
  const second = quiet.bytes()
  await quiet.save(3)
  const third = quiet.bytes()
  const seen = new Set<string>()
  for (const fault of faultsAt(calls)) {
    const it = rig(t)
    await twoGenerations(it)
    it.fs.arm(fault)
    const end = endOf(await it.save(3))
    it.fs.arm(null)
    seen.add(end)
    const label = labelOf(fault)
    const [now, before] = [it.bytes(), it.bytes(previousGeneration(it.path))]
    if (end === 'ok') t.strictSame([now, before], [third, second], label)
    else if (end === 'system:storage_failed') t.equal(now, second, label)
    else if (end === 'system:storage_unknown') t.ok(now === third || now === second, label)
    else t.fail(`${label}: ${end}`)
    t.not(before, null, `${label}: a generation before is there`)
    const claimed = Atomics.load(it.claim, 0)
    t.equal(claimed === CLAIM.published, end === 'ok', `${label}: the claim says so too`)
    t.not(claimed, CLAIM.publishing, `${label}: nobody waits for it`)
    t.equal(endOf(await it.save(4)), 'ok', `${label}: the next save works`)
    t.match(await it.read(), { ok: true }, label)
    const left = readdirSync(it.folder).filter((name) => !/^alice\.dat(_old)?$/.test(name))
    t.ok(
      left.every((name) => LEFT_OVER.test(name)),
      `${label}: what is left is swept at the next start`,
    )
  }
  t.strictSame([...seen].sort(), ['ok', 'system:storage_failed', 'system:storage_unknown'])
})

void t.test('the first save, in a folder that is not there', async (t) => {
  t.testdir()
  const calls = await callsOf(
    t,
    async () => {},
    (it) => it.save(1),
  )
  t.ok(calls.includes('mkdir'))
  for (const fault of faultsAt(calls)) {
    const it = rig(t)
    it.fs.arm(fault)
    const end = endOf(await it.save(1))
    it.fs.arm(null)
    const label = labelOf(fault)
    if (end === 'system:storage_failed') t.equal(it.bytes(), null, label)
    else if (end !== 'ok' && end !== 'system:storage_unknown') t.fail(`${label}: ${end}`)
    t.equal(endOf(await it.save(2)), 'ok', label)
  }
})

void t.test('a read that fails is typed and changes nothing; the next one reads', async (t) => {
  t.testdir()
  const calls = await callsOf(t, twoGenerations, (it) => it.read())
  for (const fault of faultsAt(calls)) {
    // a file system that has no syncing of folders is none that fails
    if (fault.call === 'sync' && fault.code === 'ENOTSUP') continue
    const it = rig(t)
    await twoGenerations(it)
    const before = it.bytes()
    it.fs.arm(fault)
    const end = endOf(await it.read())
    it.fs.arm(null)
    t.equal(end, 'system:storage_failed', labelOf(fault))
    t.equal(it.bytes(), before, labelOf(fault))
    t.match(await it.read(), { ok: true }, labelOf(fault))
  }
})

void t.test('setting a file aside: it has one of the two names, and a failure is told', async (t) => {
  t.testdir()
  const aside = (it: Rig): string => `${it.path}.unreadable`
  const damaged = (it: Rig): Promise<void> => {
    return it.save(1).then(() => writeFileSync(it.path, 'damaged'))
  }
  const calls = await callsOf(t, damaged, (it) => it.setAside(aside(it)))
  for (const fault of faultsAt(calls)) {
    if (fault.call === 'sync' && fault.code === 'ENOTSUP') continue
    const it = rig(t)
    await damaged(it)
    it.fs.arm(fault)
    const end = endOf(await it.setAside(aside(it)))
    it.fs.arm(null)
    t.equal(end, 'system:storage_failed', labelOf(fault))
    t.equal([it.bytes(), it.bytes(aside(it))].filter((bytes) => bytes !== null).length, 1, labelOf(fault))
    t.equal(endOf(await it.setAside(aside(it))), 'ok', labelOf(fault))
  }
})
