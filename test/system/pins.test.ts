/** Pinned cards, as players keep, look at and ask for them. */
import t from 'tap'
import { componentText, type Component } from '../../lib/text/index.js'
import { openLive, type Seat } from '../support/live-system.js'
import { buttonsOf, commandOf, consoleSays } from '../support/system.js'

const labels = (card: Component) => buttonsOf(card).map(({ label }) => label.trim())
const pins = ({ reader }: Seat) => reader.ask('/system pins')

void t.test('a card is pinned, looked at, asked for again, and let go', async (t) => {
  const live = await openLive(t)
  const alice = await live.join('alice')
  const bob = await live.join('bob')
  t.match(await alice.ask('/system pins'), /0 of 32\nThere is nothing yet/)
  t.equal(
    await alice.ask('/system pins add'),
    'There is no card to pin, please ask for one first.',
    'the list of pins is none',
  )

  const item = await alice.reader.ask('/system item piston')
  t.match(await alice.ask(commandOf(item, /Pin/)), /^Pinned/)
  t.equal(
    await alice.ask(commandOf(item, /Pin/)),
    'You already pressed this button, please run the command again to get a new one.',
  )
  t.match(componentText(await pins(alice)), /1 of 32\n.*Piston/)
  t.match(componentText(await pins(bob)), /0 of 32/, 'nobody else’s')

  const opened = await alice.reader.ask(commandOf(await pins(alice), /Piston/))
  t.match(componentText(opened), /Piston[^]*Stack size: 64/)
  t.strictSame(
    labels(opened),
    ['[Ask again]', '[Unpin]', '[All pins]'],
    'nothing of the card itself can be pressed',
  )
  const anew = await alice.reader.ask(commandOf(opened, /Ask again/))
  t.match(componentText(anew), /Piston[^]*Stack size: 64/)
  t.ok(labels(anew).includes('[Recipe]'), 'a card of now')

  await t.test('the newest card, without a button', async (t) => {
    await alice.reader.ask('/system item diamond')
    t.match(await alice.ask('/system pins add'), /^Pinned/)
    t.match(await alice.ask('/system pins'), /2 of 32\n.*Diamond[^]*Piston/, 'the newest first')
  })

  await t.test('kept over forget and a new stay', async (t) => {
    await alice.ask('/system forget')
    await alice.leave()
    const again = await live.join('alice')
    const list = await pins(again)
    t.match(componentText(list), /2 of 32/)
    const diamond = await again.reader.ask(commandOf(list, /Diamond/))
    const rest = await again.reader.ask(commandOf(diamond, /Unpin/))
    t.match(componentText(rest), /1 of 32\n.*Piston/)
    t.match(
      await again.ask(commandOf(diamond, /Ask again/)),
      /newer version of this card/,
      'the buttons of what has gone are dead',
    )
    const piston = await again.reader.ask(commandOf(rest, /Piston/))
    await again.ask('/system forget all')
    t.equal(await again.ask(commandOf(piston, /Ask again/)), "That card isn't pinned any more.")
    t.match(await again.ask('/system pins'), /0 of 32/)
  })

  t.match(await consoleSays(live, 'system pins'), [/Only a player/])
  t.strictSame(live.stray, [])
})

void t.test('what changes something is not asked again by a pin, and pins go with the System', async (t) => {
  const live = await openLive(t)
  const alice = await live.join('alice')
  const item = await alice.reader.ask('/system item piston')
  await alice.ask(commandOf(item, /Pin/))
  await consoleSays(live, 'system revoke alice')
  await alice.reader.next()
  await consoleSays(live, 'system grant system:default alice')
  await alice.reader.next()
  t.match(await alice.ask('/system pins'), /0 of 32/)
})
