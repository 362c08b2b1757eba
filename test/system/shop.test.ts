/** The shop at a real client: what is offered, what it costs, how a purchase ends, and how what was bought is had. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { componentText } from '../../lib/text/index.js'
import { openLive } from '../support/live-system.js'
import { buttonsOf, consoleSays, joinReader, temporaryFolder, type Reader } from '../support/system.js'

/** Presses the button of that label, and gives the text and the buttons of what comes. */
async function press(alice: Reader, from: Awaited<ReturnType<Reader['ask']>>, label: string) {
  const button = buttonsOf(from).find((one) => one.label === label)
  if (button === undefined) throw new Error(`no ${label} in ${componentText(from)}`)
  return alice.ask(button.command)
}

void t.test('an offer is looked at, bought, paid and taken', async (t) => {
  const folder = await temporaryFolder(t)
  const live = await openLive(t, {
    squid: { worldFolder: join(folder, 'world') },
    settings: { autoGrant: 'system:default', configFolder: join(folder, 'config') },
  })
  const says = async (line: string) => (await consoleSays(live, line)).join('\n')
  const alice = await joinReader(t, live, 'alice')
  await alice.next()
  await says('system item-test give alice emerald 10')
  const shop = await alice.ask('/system shop bread')
  t.match(componentText(shop), /^Shop: bread\nBread\nBread × 6\nfor\nEmerald × 1/)
  const quote = await press(alice, shop, 'Bread')
  t.match(componentText(quote), /^Buy: Bread\nBread × 6\nPrice: Emerald × 1/)
  const order = await press(alice, quote, '[Buy it]')
  t.match(componentText(order), /^Order: Bread\nPaid\. .*\nBread × 6\nPrice: Emerald × 1\nOrder: [\w-]{22}/)
  t.equal(await says('system item-test count alice emerald'), 'item-test count inventory=9 inbox=0')
  t.equal(await says('system item-test count alice bread'), 'item-test count inventory=0 inbox=6')
  const inbox = await press(alice, order, '[Take it]')
  t.match(componentText(inbox), /^Inbox\nReceived: Bread × 6\nNothing waits for you\./)
  t.equal(await says('system item-test count alice bread'), 'item-test count inventory=6 inbox=0')
  t.match(await alice.askText('/system orders'), /^Orders\nBread\n *Paid\./)
  t.match(await says('system orders alice'), /^order [\w-]{22} COMPLETED system:shop "Bread" price=/)
  t.match(await says('system resource give alice shop:coins 12'), /^resource shop:coins 12 \(\+12\) alice$/)
  t.match(await says('system resource take alice shop:coins 13'), /don't have/)
  const signin = await alice.ask('/system signin')
  console.log(componentText(signin), buttonsOf(signin))
  const signed = await alice.ask(buttonsOf(signin)[0]?.command ?? '')
  console.log(componentText(signed), buttonsOf(signed))
  console.log(await alice.askText('/system signin'))
  console.log(await says('system signin repair alice'))
  await says('system item-test give alice iron_ingot 9')
  const pools = await alice.ask('/system lottery')
  const pool = await press(alice, pools, "Miner's luck")
  console.log(componentText(pool))
  console.log(componentText(await press(alice, pool, '[Pay and draw]')))
  await live.stop()
  const log = await readFile(join(folder, 'world', 'trace', 'audit.jsonl'), 'utf8')
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { what: string; state?: string })
  t.match(
    lines.map(({ what, state }) => [what, state].join(' ')),
    ['entry DONE', 'order COMPLETED', 'entry AVAILABLE', 'entry DONE', 'resource '],
  )
  t.strictSame(live.stray, [])
})
