/** What a host and a player meet in their first minutes on a real server. */
import t from 'tap'
import { componentText } from '../../lib/text/index.js'
import { ClientView, readItem } from '../support/client-view.js'
import { eventually } from '../support/eventually.js'
import { joinReader, openSystem } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'

void t.test('a join warns of no leak, and a switch of no repair is named', async (t) => {
  const warned: string[] = []
  const note = ({ name, message }: Error): void => void warned.push(`${name}: ${message}`)
  process.on('warning', note)
  t.teardown(() => process.removeListener('warning', note))
  const shield = { 'join-cost': false, 'join-costs': false }
  const system = await openSystem(t, DEFAULT_VERSION, { config: { 'system-surface': { shield } } })
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.strictSame(
    warned.filter((line) => line.includes('listeners added to [Entity]')),
    [],
  )
  const named = system.log.filter((line) => line.includes('no repair is called'))
  t.equal(named.length, 1)
  t.match(named[0], 'join-costs')
})

void t.test('what leads to more of a long list stands below its entries', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.match(await alice.askText('/system item wood'), /Acacia Wood[^]*Dark Oak Wood[^]*\d+ more/)
})

void t.test('each earlier round is a slot of its own in a window', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  await alice.askText('/system me')
  await alice.askText('/system item piston')
  await alice.askText('/system settings surface window')
  const view = new ClientView(alice.client)
  alice.client.say('/system history')
  await eventually(() => view.top.some((slot) => (slot?.itemCount ?? 0) > 0))
  const names = view.top
    .filter((slot) => (slot?.itemCount ?? 0) > 0)
    .map((slot) => componentText(readItem(slot).name))
  t.strictSame(names.slice(0, 2), ['You: /system item piston', 'You: /system me'])
})

void t.test('who has switched the history off is told so, and how to delete what was kept', async (t) => {
  const system = await openSystem(t, DEFAULT_VERSION)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.match(await alice.askText('/system history'), 'There is nothing yet.')
  await alice.askText('/system me')
  await alice.askText('/system settings history off')
  const off = await alice.askText('/system history')
  t.match(off, /switched off[^]*\/system forget/)
  t.notMatch(off, 'nothing yet')
})
