/** Items with a name, lore and enchantments: given, seen by the client, saved, and the same after a restart. */
import { join } from 'node:path'
import minecraftData from 'minecraft-data'
import nbt from 'prismarine-nbt'
import t from 'tap'
import { componentText } from '../../lib/text/index.js'
import { ClientView, readItem } from '../support/client-view.js'
import { putPack } from '../support/module-world.js'
import { eventually } from '../support/eventually.js'
import { VERSIONS } from '../support/squid.js'
import {
  commandOf,
  consoleSays,
  joinReader,
  openSystem,
  temporaryFolder,
  type Reader,
} from '../support/system.js'

const isModern = (version: string): boolean => version.startsWith('1.21')

/** Fewer characters than a stack may have, and more bytes than a text in NBT. */
const LONG = '中'.repeat(30_000)
/** More than a line of the inbox holds, once it is written out. */
const MANY = Array.from({ length: 2_300 }, (_, at) => at.toString(36))

const offer = (items: object) => ({ costs: [{ type: 'free' }], rewards: [{ type: 'items', items: [items] }] })

const press = async (alice: Reader, line: string, label: RegExp): Promise<string> =>
  commandOf(await alice.ask(line), label)

for (const version of VERSIONS)
  void t.test(`${version}: what a pack describes is what the player has`, async (t) => {
    const world = join(await temporaryFolder(t), 'world')
    // each version's own form holds one thing that the plain members have no name for
    const form = isModern(version)
      ? { components: { 'minecraft:unbreakable': {}, 'minecraft:custom_data': { maker: 'us' } } }
      : { nbt: "{Unbreakable: 1b, maker: 'us', display: {color: 7}}" }
    const foreign = isModern(version)
      ? [
          { nbt: '{a:1}' },
          { components: { 'minecraft:container': [] } },
          { components: { 'minecraft:damage': -1 } },
          { components: { 'minecraft:custom_data': { a: LONG } } },
          { components: { 'minecraft:custom_data': `{a:'${LONG}'}` } },
          { components: { 'minecraft:custom_data': { a: LONG.slice(15_000), b: LONG.slice(15_000) } } },
          { components: { 'minecraft:custom_data': Object.fromEntries(MANY.map((key) => [key, 1])) } },
        ]
      : [{ components: { 'minecraft:damage': 3 } }, { nbt: `{${MANY.map((n) => `${n}:1`).join(',')}}` }]
    const odd = [
      ...foreign,
      { enchantments: { 'minecraft:sharpnes': 1 } },
      { enchantments: { 'x:sharpness': 1 } },
    ]
    const sword = {
      item: 'minecraft:iron_sword',
      name: 'Bite <b>',
      lore: ['it is', '😀 sharp'],
      enchantments: { 'minecraft:sharpness': 3, 'minecraft:mending': 1 },
      ...form,
    }
    putPack(world, {
      'data/system/system/system_module/shop.json': {
        type: 'system:shop',
        offers: ['test:sword', ...odd.map((_, at) => `test:odd${at}`), 'test:gone'],
      },
      'data/test/system/shop_offers/sword.json': {
        title: 'sword',
        ...offer(sword),
      },
      ...Object.fromEntries(
        odd.map((own, at) => [
          `data/test/system/shop_offers/odd${at}.json`,
          { title: `odd${at}`, ...offer({ item: 'minecraft:stick', ...own }) },
        ]),
      ),
      'data/test/system/shop_offers/gone.json': { title: 'gone', ...offer({ item: 'minecraft:dimond' }) },
    })
    const open = async () => {
      const system = await openSystem(t, version, { squid: { worldFolder: world } })
      const alice = await joinReader(t, system, 'alice')
      return { system, alice, view: new ClientView(alice.client) }
    }
    const { system, alice, view } = await open()
    await alice.next()
    for (const at of odd.keys()) {
      const refused = await alice.askText(await press(alice, `/system shop odd${at}`, RegExp(`^odd${at}$`)))
      t.match(refused, /can't be given on this server/, JSON.stringify(odd[at]).slice(0, 80))
    }
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
    t.strictSame(enchantmentsOf(version, find(view)), ['mending 1', 'sharpness 3'])
    t.match(JSON.stringify(find(view)), /maker/)
    t.match(JSON.stringify(find(view)), /unbreakable/i)
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
    t.strictSame(enchantmentsOf(version, told()[0]), ['mending 1', 'sharpness 3'], 'after a restart')
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

/** Enchantments of a stack as a client reads them: `name level`, in the order of the names. */
function enchantmentsOf(version: string, stack: unknown): string[] {
  const { components, nbtData } = stack as {
    components?: readonly { type: string; data?: { enchantments?: { id: number; level: number }[] } }[]
    nbtData?: { value: Record<string, unknown> }
  }
  const { enchantments } = minecraftData(version)
  const modern = components?.find(({ type }) => type === 'enchantments')?.data?.enchantments
  if (modern !== undefined)
    return modern.map(({ id, level }) => `${enchantments[id]?.name ?? '?'} ${level}`).toSorted()
  const tag = nbt.simplify((nbtData?.value['Enchantments'] ?? { type: 'end' }) as never) as {
    id: string
    lvl: number
  }[]
  return tag.map(({ id, lvl }) => `${id.replace('minecraft:', '')} ${lvl}`).toSorted()
}
