import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Result } from '../../../lib/core/result.js'
import { asyncFileSystem } from '../../../lib/storage/drivers/file-system.js'
import {
  systemProbe,
  type Liveness,
  type ProcessIdentity,
} from '../../../lib/storage/drivers/process-identity.js'
import { StoreLock, type LockOptions } from '../../../lib/storage/drivers/store-lock.js'
import { eventually } from '../../support/eventually.js'
import { openFileDriver } from '../../support/file-driver.js'
import { ManualClock } from '../../../lib/testing/manual-clock.js'
import { int, players, refused, ROOMY, shown, valueOf, write } from '../../support/storage-driver-contract.js'

const SELF: ProcessIdentity = { pid: 7, host: 'here', bootId: 'b', pidSpace: 'p', startTime: '70' }

interface Rig {
  readonly clock: ManualClock
  readonly path: string
  readonly lost: string[]
  /** What the probe says of whoever holds the lock. */
  liveness: Liveness
  options(name: string): LockOptions
}

function rig(t: Test): Rig {
  const clock = new ManualClock()
  const it: Rig = {
    clock,
    path: join(t.testdir(), 'store.lock'),
    lost: [],
    liveness: 'unknown',
    options: (name) => ({
      path: it.path,
      fs: watched(asyncFileSystem),
      clock,
      probe: { self: async () => SELF, liveness: async () => it.liveness },
      onLost: () => it.lost.push(name),
    }),
  }
  return it
}

/** Waits for the result while time passes for everybody, half a second a look. */
async function passing<T>(clock: ManualClock, asked: Promise<T>): Promise<{ value: T; afterMs: number }> {
  const start = clock.monotonic()
  let isOver = false
  const result = asked.finally(() => (isOver = true))
  for (;;) {
    await Promise.race([result, clock.whenSet(500)])
    // a heartbeat of somebody else gets the time that its file takes
    await new Promise((resolve) => setImmediate(resolve))
    if (isOver) return { value: await result, afterMs: clock.monotonic() - start }
    clock.advance(500)
    await settled()
  }
}

/** File calls of locks that are under way: a slow disk answers whenever it likes. */
let underWay = 0
const watched = <T extends object>(files: T): T =>
  new Proxy(files, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name)
      if (typeof call !== 'function') return call
      return async (...args: unknown[]): Promise<unknown> => {
        underWay += 1
        try {
          const given: unknown = await call.apply(target, args)
          const isOpenFile = typeof given === 'object' && given !== null && 'sync' in given
          return isOpenFile ? watched(given) : given
        } finally {
          underWay -= 1
        }
      }
    },
  })

/** Lets file calls that are under way, and those that follow from them, come to their end. */
const settled = async (): Promise<void> => {
  for (let quiet = 0; quiet < 2; quiet = underWay === 0 ? quiet + 1 : 0)
    await new Promise((resolve) => setImmediate(resolve))
}

const held = (result: Result<StoreLock>): StoreLock => valueOf(result)

void t.test('taken, refused to a second one while it beats, free after its release', async (t) => {
  const it = rig(t)
  const first = held(await StoreLock.acquire(it.options('first')))
  t.ok(await first.isHeld())
  const { value, afterMs } = await passing(it.clock, StoreLock.acquire(it.options('second')))
  t.match(value, { ok: false, failure: { code: 'system:storage_locked', cause: /process 7 of here/ } })
  t.ok(afterMs >= 15_000 && afterMs <= 17_000, `${afterMs}`)
  t.ok(await first.isHeld())
  await Promise.all([first.release(), first.release()])
  t.notOk(existsSync(it.path))
  t.notOk(await first.isHeld())
  const third = held(await StoreLock.acquire(it.options('third')))
  t.ok(await third.isHeld())
  await third.release()
  t.equal(it.clock.pending, 0)
  t.strictSame(it.lost, [])
})

void t.test('an owner that goes while another waits hands over', async (t) => {
  const it = rig(t)
  const first = held(await StoreLock.acquire(it.options('first')))
  const waiting = passing(it.clock, StoreLock.acquire(it.options('second')))
  await it.clock.whenSet(500)
  await first.release()
  const { value, afterMs } = await waiting
  t.ok(value.ok)
  t.ok(afterMs <= 2_000, `${afterMs}`)
  if (value.ok) await value.value.release()
})

/** A lock as a process left it that was killed so long ago. */
function abandoned({ clock, path }: Rig, ageMs: number): void {
  const heartbeat = clock.now() - ageMs
  writeFileSync(path, `${JSON.stringify({ id: 'old', heartbeat, ...SELF })}\n`.padEnd(512))
}

void t.test(
  'a dead owner: at once when that is proven or 15 s ago, after the rest of 15 s otherwise',
  async (t) => {
    for (const [ageMs, liveness, earliest, latest] of [
      [1_000, 'dead', 0, 0],
      [15_000, 'unknown', 0, 0],
      [10_000, 'unknown', 5_000, 6_000],
      [0, 'unknown', 15_000, 16_500],
      // the clock was set back
      [-3_600_000, 'unknown', 15_000, 16_500],
      // woken up with its machine, or hanging for good
      [60_000, 'alive', 15_000, 16_500],
    ] as const) {
      const it = rig(t)
      it.liveness = liveness
      abandoned(it, ageMs)
      const { value, afterMs } = await passing(it.clock, StoreLock.acquire(it.options('new')))
      t.ok(value.ok, `${ageMs} ${liveness}`)
      t.ok(afterMs >= earliest && afterMs <= latest, `${ageMs} ${liveness}: ${afterMs}`)
      if (value.ok) await value.value.release()
    }
  },
)

void t.test('an owner that lives and beats again is not robbed, however old its heartbeat was', async (t) => {
  const it = rig(t)
  it.liveness = 'alive'
  const first = held(await StoreLock.acquire(it.options('first')))
  // the machine slept: the time of day went on, no timer ran
  it.clock.setNow(it.clock.now() + 3_600_000)
  const { value } = await passing(it.clock, StoreLock.acquire(it.options('second')))
  t.match(value, refused('system:storage_locked'))
  t.ok(await first.isHeld())
  await first.release()
})

void t.test('an empty, a cut off and a foreign lock file go by their age', async (t) => {
  for (const text of ['', '{"id":"old","heart', 'pid 7', '\0'.repeat(512), '[]', '{"id":"","heartbeat":1}']) {
    const it = rig(t)
    writeFileSync(it.path, text)
    const seconds = it.clock.now() / 1_000
    utimesSync(it.path, seconds - 5, seconds - 5)
    const young = await passing(it.clock, StoreLock.acquire(it.options('new')))
    t.ok(young.value.ok, text)
    t.ok(young.afterMs >= 10_000 && young.afterMs <= 11_000, `${young.afterMs}`)
    if (young.value.ok) await young.value.value.release()
    writeFileSync(it.path, text)
    utimesSync(it.path, seconds - 60, seconds - 60)
    const old = await passing(it.clock, StoreLock.acquire(it.options('new')))
    t.ok(old.value.ok)
    t.equal(old.afterMs, 0)
    if (old.value.ok) await old.value.value.release()
  }
})

void t.test('of many who find an abandoned lock exactly one has it', async (t) => {
  const it = rig(t)
  abandoned(it, 60_000)
  it.liveness = 'unknown'
  const asked = Array.from({ length: 8 }, (_, index) => StoreLock.acquire(it.options(`${index}`)))
  const { value: results } = await passing(it.clock, Promise.all(asked))
  const owners = results.filter((result) => result.ok)
  t.equal(owners.length, 1)
  t.strictSame(it.lost, [])
  for (const owner of owners) await valueOf(owner).release()
})

void t.test('a claim whose maker died is in the way for 15 s at most', async (t) => {
  const it = rig(t)
  abandoned(it, 60_000)
  writeFileSync(`${it.path}.claim`, '')
  const seconds = it.clock.now() / 1_000
  utimesSync(`${it.path}.claim`, seconds - 10, seconds - 10)
  const { value, afterMs } = await passing(it.clock, StoreLock.acquire(it.options('new')))
  t.ok(value.ok)
  t.ok(afterMs >= 5_000 && afterMs <= 7_000, `${afterMs}`)
  if (value.ok) await value.value.release()
  t.notOk(existsSync(`${it.path}.claim`))
})

void t.test('a lock that somebody else has now, or that is gone, is lost for good', async (t) => {
  for (const end of ['taken over', 'removed'] as const) {
    const it = rig(t)
    const first = held(await StoreLock.acquire(it.options('first')))
    if (end === 'removed') await asyncFileSystem.unlink(it.path)
    else abandoned(it, 0)
    const text = end === 'removed' ? null : readFileSync(it.path, 'utf8')
    it.clock.advance(5_000)
    await settled()
    t.strictSame(it.lost, ['first'])
    t.notOk(await first.isHeld())
    await first.release()
    t.equal(existsSync(it.path) ? readFileSync(it.path, 'utf8') : null, text, 'the successor keeps its file')
  }
})

void t.test('a process that slept looks before it writes', async (t) => {
  const it = rig(t)
  const first = held(await StoreLock.acquire(it.options('first')))
  it.clock.setNow(it.clock.now() + 60_000)
  abandoned(it, 0)
  t.notOk(await first.isHeld())
  t.strictSame(it.lost, ['first'])
  await first.release()
})

void t.test('a driver without its lock reads, and writes nothing', async (t) => {
  const folder = t.testdir()
  let lost = 0
  const clock = new ManualClock()
  const driver = await openFileDriver(folder, { clock, onLockLost: () => (lost += 1) })
  await driver.commit([write({ put: { a: int(1) } })])
  await asyncFileSystem.unlink(join(folder, 'system/store.lock'))
  clock.advance(5_000)
  await eventually(() => lost === 1)
  t.match(await driver.commit([write({ base: 1 })]), refused('system:storage_locked'))
  t.match(await driver.remove(players()), refused('system:storage_locked'))
  t.match(await driver.read(players(), ROOMY), { ok: true, value: { revision: 1 } })
  await driver.close()
})

void t.test(
  'killed with SIGKILL: the next process goes on at once',
  { skip: !existsSync('/proc/self/stat') },
  async (t) => {
    const folder = t.testdir()
    const program = fileURLToPath(new URL('../../fixtures/store-owner.js', import.meta.url))
    const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const clock = new ManualClock()
    const { pid } = JSON.parse(readFileSync(join(folder, 'system/store.lock'), 'utf8')) as { pid: number }
    t.equal(pid, child.pid)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const driver = await openFileDriver(folder, { clock })
    t.equal(clock.monotonic(), 0)
    t.match(await shown(driver), { revision: 1 })
    await driver.close()
  },
)

void t.test('processes are told apart', { skip: !existsSync('/proc/self/stat') }, async (t) => {
  const self = await systemProbe.self()
  t.equal(await systemProbe.liveness(self), 'alive')
  t.equal(
    await systemProbe.liveness({ ...self, startTime: '1' }),
    'dead',
    'the number of another process by now',
  )
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  t.equal(await systemProbe.liveness({ ...self, pid: child.pid ?? 0 }), 'dead')
  for (const other of [
    { host: 'elsewhere' },
    { bootId: 'another' },
    { bootId: null },
    { pidSpace: 'container' },
  ]) {
    t.equal(
      await systemProbe.liveness({ ...self, startTime: '1', ...other }),
      'unknown',
      JSON.stringify(other),
    )
  }
})
