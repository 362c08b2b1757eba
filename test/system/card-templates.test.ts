/** A pack on a running server gives the card of an item another form, and a reload gives it another one again. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { componentText } from '../../lib/text/index.js'
import { openLive } from '../support/live-system.js'
import { buttonsOf, consoleSays, temporaryFolder } from '../support/system.js'

const SAMPLE = fileURLToPath(new URL('../../../examples/cards', import.meta.url))

void t.test('the example in the world restyles the card of an item', async (t) => {
  const world = await temporaryFolder(t)
  const pack = join(world, 'datapacks', 'cards')
  cpSync(SAMPLE, pack, { recursive: true })
  const live = await openLive(t, { squid: { worldFolder: world } })
  const alice = await live.join('alice')

  const card = await alice.reader.ask('/system item iron_pickaxe')
  const text = componentText(card).split('\n')
  t.strictSame(text.slice(0, 5), [
    '~ Iron Pickaxe ~',
    'Iron Pickaxe',
    'minecraft:iron_pickaxe',
    'In one slot: 1',
    'Lasts for: 250',
  ])
  t.match(text, /An anvil mends it with/)
  const [make] = buttonsOf(card)
  t.equal(make?.label, '[How to make it]')
  await alice.reader.ask(make?.command ?? '')

  const file = join(pack, 'data/system/system/card/item.json')
  const shipped = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    JSON.stringify({ body: [{ type: 'text', text: 'just {name}' }], otherButtons: 'hidden' }),
  )
  await consoleSays(live, 'system reload')
  t.match(await alice.ask('/system item iron_pickaxe'), /\njust Iron Pickaxe\n\[Pin\]$/)

  writeFileSync(file, JSON.stringify({ body: [{ type: 'text', text: '{nobody.knows}' }] }))
  await consoleSays(live, 'system reload')
  for (const _ of [1, 2]) {
    const fallback = await alice.ask('/system item iron_pickaxe')
    t.match(fallback, /This card can't be shown.*\n\[.*\]$/s, 'the summary and the button')
    t.notMatch(fallback, /iron_pickaxe/)
  }
  t.equal(live.log.filter((line) => line.includes('card system:item could not be shown')).length, 1)

  writeFileSync(file, shipped.replace('"entry"', '"entyr"'))
  const said = await consoleSays(live, 'system reload')
  t.match(said.join('\n'), /card\/item\.json:\d+:\d+ \/body\/0\/type/)
  rmSync(pack, { recursive: true })
  await consoleSays(live, 'system reload')
  t.match(
    await alice.ask('/system item iron_pickaxe'),
    /Uses until it breaks|Durability/i,
    'the form of its type',
  )
  t.strictSame(live.stray, [])
})
