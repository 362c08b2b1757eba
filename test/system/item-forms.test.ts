/** Items with a name, lore and enchantments: given, seen by the client, saved, and the same after a restart. */
import { join } from 'node:path'
import t from 'tap'
import { componentText, type Component } from '../../lib/text/index.js'
import { ClientView, readItem } from '../support/client-view.js'
import { putPack } from '../support/module-world.js'
import { eventually } from '../support/eventually.js'
import { VERSIONS } from '../support/squid.js'
import {
  buttonsOf,
  consoleSays,
  joinReader,
  openSystem,
  temporaryFolder,
  type Reader,
} from '../support/system.js'

const isModern = (version: string): boolean => version.startsWith('1.21')

const offer = (items: object) => ({ costs: [{ type: 'free' }], rewards: [{ type: 'items', items: [items] }] })

function commandOf(card: Component, label: RegExp): string {
  const button = buttonsOf(card).find((one) => label.test(one.label))
  if (button === undefined) throw new Error(`no ${String(label)} in ${componentText(card)}`)
  return button.command
}

const press = async (alice: Reader, line: string, label: RegExp): Promise<string> =>
  commandOf(await alice.ask(line), label)

for (const version of VERSIONS)
  void t.test(`${version}: what a pack describes is what the player has`, async (t) => {
    const world = join(await temporaryFolder(t), 'world')
    const levels = isModern(version) ? {} : { enchantments: { 'minecraft:sharpness': 3 } }
    putPack(world, {
      'data/system/system/system_module/shop.json': {
        type: 'system:shop',
        offers: ['test:sword', 'test:odd', 'test:gone'],
      },
      'data/test/system/shop_offers/sword.json': {
        title: 'sword',
        ...offer({ item: 'minecraft:iron_sword', name: 'Bite <b>', lore: ['it is', '😀 sharp'], ...levels }),
      },
      'data/test/system/shop_offers/odd.json': {
        title: 'odd',
        ...offer({ item: 'minecraft:stick', nbt: '{a:1}', components: { 'minecraft:damage': 3 } }),
      },
      'data/test/system/shop_offers/gone.json': { title: 'gone', ...offer({ item: 'minecraft:dimond' }) },
    })
    const open = async () => {
      const system = await openSystem(t, version, { squid: { worldFolder: world } })
      const alice = await joinReader(t, system, 'alice')
      return { system, alice, view: new ClientView(alice.client) }
    }
    const { system, alice, view } = await open()
    await alice.next()
    const refused = await alice.askText(await press(alice, '/system shop odd', /^odd$/))
    t.match(refused, /can't be given on this server/)
    t.match(
      await alice.askText(await press(alice, '/system shop gone', /^gone$/)),
      /can't be given on this server/,
    )
    const quote = await alice.ask(await press(alice, '/system shop sword', /^sword$/))
    const order = await alice.ask(commandOf(quote, /Buy it/))
    await alice.ask(commandOf(order, /Take it/))
    const find = (seen: ClientView) => seen.inventory.find((item) => item !== undefined && hasName(item))
    await eventually(() => find(view) !== undefined)
    const item = readItem(find(view))
    t.equal(componentText(item.name), 'Bite <b>')
    t.strictSame(item.lore.map(componentText), ['it is', '😀 sharp'])
    t.equal(item.isMarked, !isModern(version))
    const before = system.serv.players[0]?.inventory
    t.ok(before)
    await consoleSays(system, 'system save')
    await system.stop()
    const again = await open()
    const told = () =>
      again.alice.client.received
        .filter(({ name }) => name === 'window_items' || name === 'set_slot')
        .flatMap(({ data }) => (data['items'] ?? [data['item']]) as unknown[])
        .filter(hasName)
    await eventually(() => told().length > 0)
    t.equal(componentText(readItem(told()[0] as never).name), 'Bite <b>', 'after a restart')
    t.match(await consoleSays(again.system, 'system item-test count alice iron_sword'), [
      /inventory=1 inbox=0/,
    ])
    t.strictSame([system.errors, again.system.errors], [[], []])
  })

function hasName(item: unknown): boolean {
  try {
    return componentText(readItem(item as never).name) !== ''
  } catch {
    return false
  }
}
