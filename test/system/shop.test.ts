/** Shop, lottery, inbox and orders at real clients of each version; and how far a model gets. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { componentText, type Component } from '../../lib/text/index.js'
import type { ProviderStep } from '../../lib/testing/index.js'
import { DEFAULT_VERSION, VERSIONS } from '../support/squid.js'
import {
  commandOf,
  consoleSays,
  joinReader,
  openSystem,
  temporaryFolder,
  type Reader,
  type SystemServer,
} from '../support/system.js'

/** Clients before 1.19.4 are told keys alone: their own files have the names. */
const read = (card: Component): string =>
  componentText(card).replace(/(?:item|block)\.minecraft\.([a-z_]+)/g, (_, path: string) =>
    path
      .split('_')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(' '),
  )

interface Stage {
  readonly system: SystemServer
  readonly alice: Reader
  readonly world: string
  /** What the console answers. */
  says(line: string): Promise<string>
}

async function open(t: { teardown(fn: () => unknown): void }, version: string): Promise<Stage> {
  const world = join(await temporaryFolder(t), 'world')
  const system = await openSystem(t, version, { squid: { worldFolder: world } })
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  const says = async (line: string): Promise<string> => (await consoleSays(system, line)).join('\n')
  return { system, alice, world, says }
}

const press = (alice: Reader, card: Component, label: string): Promise<Component> =>
  alice.ask(commandOf(card, label))

for (const version of VERSIONS)
  void t.test(`${version}: an offer is looked at, bought, paid and taken`, async (t) => {
    const { system, alice, world, says } = await open(t, version)
    await says('system item-test give alice emerald 10')
    const shop = await alice.ask('/system shop bread')
    t.match(read(shop), /^Shop: bread\nBread\nBread × 6\nfor\nEmerald × 1/)
    const quote = await press(alice, shop, 'Bread')
    t.match(read(quote), /^Buy: Bread\nBread × 6\nPrice: Emerald × 1/)
    const order = await press(alice, quote, '[Buy it]')
    t.match(read(order), /^Order: Bread\nPaid\. .*\nBread × 6\nPrice: Emerald × 1\nOrder: [\w-]{22}/)
    t.match(
      await alice.askText(commandOf(quote, '[Buy it]')),
      /already pressed|newer/,
      'the old button is dead',
    )
    t.equal(await says('system item-test count alice emerald'), 'item-test count inventory=9 inbox=0')
    t.equal(await says('system item-test count alice bread'), 'item-test count inventory=0 inbox=6')
    const inbox = await press(alice, order, '[Take it]')
    t.match(read(inbox), /^Inbox\nReceived: Bread × 6\nNothing waits for you\./)
    t.equal(await says('system item-test count alice bread'), 'item-test count inventory=6 inbox=0')
    t.match(await alice.askText('/system orders'), /^Orders\nBread\nPaid\./)

    await says('system item-test give alice iron_ingot 4')
    const pool = await press(alice, await alice.ask('/system lottery miner'), "Miner's luck")
    t.match(read(pool), /^Lottery: Miner's luck\nPrice: Iron Ingot × 4\nDiamond × 1\n3 in 100 \(3 %\)\n/)
    const drawn = read(await press(alice, pool, '[Pay and draw]'))
    t.match(drawn, /^Order: Miner's luck\nPaid\..*\n.* × \d+\n\d+ in 100 \(\d+ %\)\nPrice: Iron Ingot × 4\n/)
    t.match(await says('system orders alice'), /^order [\w-]{22} COMPLETED system:lottery /)
    const poor = read(await press(alice, await alice.ask('/system lottery miner'), "Miner's luck"))
    // iron may have been drawn, and waits in the inbox
    t.match(poor, /Price, not enough: Iron Ingot × 4\n.*don't have/)
    t.notMatch(poor, /Pay and draw/)

    await system.stop()
    const log = await readFile(join(world, 'trace', 'audit.jsonl'), 'utf8')
    const lines = log.split('\n').filter((line) => line !== '')
    const states = lines.map((line) => {
      const { what, state } = JSON.parse(line) as { what: string; state: string }
      return `${what} ${state}`
    })
    const bought = ['order RESERVED', 'order COMPLETED', 'entry AVAILABLE']
    t.strictSame(states, ['entry DONE', ...bought, 'entry DONE', 'entry DONE', ...bought])
    t.strictSame(system.errors, [])
  })

void t.test('a model leads to a price at most: buying takes the player’s own press', async (t) => {
  const { system, alice, says } = await open(t, DEFAULT_VERSION)
  await says('system item-test give alice emerald 10')
  system.provider.script({ module: 'system:shop_quote', input: { query: 'iron' } })
  t.match(await alice.askText('/system please buy me sixty four ingots of iron right now'), /^Shop: iron\n/)
  system.provider.script({ module: 'system:shop_quote', input: { offer: 'system:bread' } })
  const quote = await alice.ask('/system buy something to eat for me, whatever it costs')
  t.match(read(quote), /^Buy: Bread\n/)
  const id = /"quote":"([\w-]{22})"/.exec(JSON.stringify(system.provider.requests))?.[1]
  t.equal(id, undefined, 'no model is told of a quote')
  const replies: readonly ProviderStep[] = [
    { module: 'system:shop_purchase', input: { quote: 'x', entry: 'system:bread' } },
    { module: 'system:lottery_draw', input: { quote: 'x', entry: 'system:miner' } },
    { module: 'system:inbox_claim', input: { all: 'yes' } },
    { module: 'system:signin_pick', input: { candidate: 'system:bread' } },
  ]
  for (const reply of replies) {
    system.provider.script(reply, reply)
    const answer = await alice.askText('/system yes, confirm it, I really want that now')
    t.notMatch(answer, /Paid|Received/, JSON.stringify(reply))
  }
  t.equal(await says('system item-test count alice emerald'), 'item-test count inventory=10 inbox=0')
  t.equal(await says('system orders alice'), 'There are no orders.')
  t.strictSame(system.errors, [])
})

void t.test('currencies: what an admin gives and takes', async (t) => {
  const { alice, says } = await open(t, DEFAULT_VERSION)
  t.equal(await says('system resource show alice'), 'alice has no balances.')
  t.equal(await says('system resource give alice shop:coins 12'), 'resource shop:coins 12 (+12) alice')
  t.match(
    await says('system resource take alice shop:coins 13'),
    /^alice has 12 shop:coins\. Nothing was changed/,
  )
  t.match(await says('system resource give alice shop:coins 9007199254740991'), /doesn't fit amount/)
  t.equal(await says('system resource show alice'), 'resource shop:coins 12')
  t.match(await alice.askText('/system inbox'), /Balance: 12 shop:coins/)
  t.match(await says('system resource give nobody shop:coins 1'), /No player called nobody/)
  for (const bad of ['0', '-1', '1.5', '1000000000000000'])
    t.notMatch(await says(`system resource give alice shop:coins ${bad}`), /^resource/, bad)
  t.match(await alice.askText('/system resource give alice shop:coins 5'), /not allowed/)
  t.match(await says('system orders alice settle nothing'), /isn't waiting/)
})
