/** The shop at a real client: what is offered, what it costs, and how a purchase ends. */
import { join } from 'node:path'
import t from 'tap'
import { componentText } from '../../lib/text/index.js'
import { openLive } from '../support/live-system.js'
import { buttonsOf, consoleSays, joinReader, temporaryFolder } from '../support/system.js'

void t.test('an offer is looked at, bought and paid', async (t) => {
  const folder = await temporaryFolder(t)
  const live = await openLive(t, {
    squid: { worldFolder: join(folder, 'world') },
    settings: { autoGrant: 'system:default', configFolder: join(folder, 'config') },
  })
  const alice = await joinReader(t, live, 'alice')
  await alice.next()
  await consoleSays(live, 'system item-test give alice emerald 10')
  const shop = await alice.ask('/system shop bread')
  console.log(componentText(shop))
  console.log(buttonsOf(shop))
  const quote = await alice.ask(buttonsOf(shop)[0]!.command)
  console.log(componentText(quote))
  console.log(buttonsOf(quote))
  const done = await alice.ask(buttonsOf(quote)[0]!.command)
  console.log(componentText(done))
  console.log(await consoleSays(live, 'system item-test count alice emerald'),await consoleSays(live, 'system item-test count alice bread'))
  console.log(live.lines?.slice(-10))
})
