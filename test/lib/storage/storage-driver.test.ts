import t from 'tap'
import { inThreads, MemoryDriver } from '../../../lib/storage/index.js'
import { openFileDriver, storageThreads } from '../../support/file-driver.js'
import {
  int,
  players,
  refused,
  shown,
  storageDriverContract,
  write,
} from '../../support/storage-driver-contract.js'

storageDriverContract('memory', async () => new MemoryDriver())
storageDriverContract('files', async (t) => openFileDriver(t.testdir()))
const threads = storageThreads(t, 2)
storageDriverContract('files in threads', async (t) =>
  openFileDriver(t.testdir(), { run: inThreads(threads) }),
)

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
