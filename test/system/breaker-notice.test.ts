/** A refused key: who is told, and how often. */
import t from 'tap'
import { faults } from '../../lib/testing/index.js'
import { DEFAULT_VERSION } from '../support/squid.js'
import { joinReader, openSystem } from '../support/system.js'

const REFUSED = "The AI refused this server's access, please tell an admin."

void t.test('administrators are told once, in their language; players get their own line only', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION, {
    config: { 'system-access': { admins: ['admin'], adminsInOfflineMode: true } },
  })
  const admin = await joinReader(t, system, 'admin', 'zh_cn')
  const alice = await joinReader(t, system, 'alice')
  await admin.nextText()
  await alice.nextText()
  system.provider.script(faults.status(401))
  t.equal(await alice.askText('/system ask who are you?'), REFUSED)
  t.match(await admin.nextText(), /15 分钟/)
  t.match(system.log.join('\n'), /No AI is asked for 15 minutes/)
  await alice.askText('/system ask who are you now?')
  t.strictSame(await admin.rest(), [])
  t.strictSame(await alice.rest(), [])
  t.equal(system.provider.requests.length, 1)
})
