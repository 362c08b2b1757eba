/** The ledger in a real file. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { StorageDriver } from '../../lib/storage/index.js'
import { LedgerSaver } from '../../lib/usage/index.js'
import { openFileDriver } from '../support/file-driver.js'
import { somePlayer } from '../support/kernel.js'
import { temporaryFolder } from '../support/system.js'
import { granted, openUsage, usageOf, type UsageSetup } from '../support/usage.js'

/** A run of the server on the folder, with the saver on its file. */
async function run(t: Test, folder: string, setup: UsageSetup = {}) {
  const driver: StorageDriver = await openFileDriver(folder)
  t.teardown(() => driver.close())
  const { ledger, clock, logger, take } = openUsage(setup)
  const saver = new LedgerSaver({ ledger, driver, clock, logger })
  await saver.load()
  return { ledger, logger, take, saver, stop: () => saver.close().then(() => driver.close()) }
}

void t.test('a restart finds what was counted, and quotas go on', async (t) => {
  const folder = await temporaryFolder(t)
  const player = somePlayer()
  const first = await run(t, folder)
  granted(first.take(player)).settle(usageOf(40, 2, 10, 1))
  granted(first.take(player))
  await first.stop()
  const second = await run(t, folder, { limits: { dailyModelCalls: 2 } })
  t.match(second.ledger.day().countsOf(player), {
    calls: 2,
    estimated: 1,
    prompt: 140,
    cached: 10,
    output: 52,
    reasoning: 1,
  })
  t.equal(second.ledger.day().total.calls, 2)
  t.match(second.take(player), { ok: false, failure: { code: 'system:quota_player' } })
  await second.stop()
})

void t.test('a damaged file stays as it is, byte for byte', async (t) => {
  const folder = await temporaryFolder(t)
  const first = await run(t, folder)
  granted(first.take()).settle(null)
  await first.stop()
  const path = join(folder, 'data/system/token_usage.dat')
  const whole = await readFile(path)
  for (const damaged of [whole.subarray(0, -9), Buffer.alloc(0), Buffer.from('{}')]) {
    await writeFile(path, damaged)
    const next = await run(t, folder, { limits: { dailyModelCalls: 1 } })
    // a file that is cut short may claim any size
    t.match(next.saver.state(), /^system:storage_(unreadable|too_large)$/)
    const player = somePlayer()
    granted(next.take(player)).settle(usageOf(1, 1))
    t.match(next.take(player), { ok: false, failure: { code: 'system:quota_player' } }, 'caps hold')
    await next.stop()
    t.same(await readFile(path), damaged)
    t.match(next.logger.lines[0], { level: 'error', message: /left as it is/ })
  }
})
