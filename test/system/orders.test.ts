/** Orders and inbox on a server: what players take in every state that they are in, and what administrators decide. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { identifier } from '../../lib/core/ids.js'
import { ok } from '../../lib/core/result.js'
import {
  addEntry,
  INBOX,
  NO_GOODS,
  ORDERS,
  reserveOrder,
  type ExternalAnswer,
  type NewEntry,
} from '../../lib/inventory/index.js'
import { RESOURCES } from '../../lib/rewards/index.js'
import { componentText, type Component } from '../../lib/text/index.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem, type Seat } from '../support/live-system.js'
import { putPack } from '../support/module-world.js'
import { commandOf, consoleSays, temporaryFolder } from '../support/system.js'
import { gate } from './revoke-stage.js'

/** A bank outside of the server, which a test lets answer. */
class Bank {
  charge: (order: string) => ExternalAnswer | Promise<ExternalAnswer> = () => 'unknown'
  status: ExternalAnswer = 'unknown'
}

const VAULT = {
  title: 'A vault',
  costs: [
    { type: 'bank:coins', amount: 5 },
    { type: 'item', item: 'minecraft:emerald', count: 2 },
    { type: 'resource', resource: 'town:fame', amount: 3 },
  ],
  rewards: [
    { type: 'items', items: [{ item: 'minecraft:chest' }] },
    { type: 'resource', resource: 'town:keys', amount: 1 },
  ],
}

interface Stage {
  readonly live: LiveSystem
  readonly bank: Bank
  readonly world: string
  alice: Seat
  says(line: string): Promise<string>
  /** Puts entries into alice's inbox. */
  owe(...entries: readonly NewEntry[]): Promise<void>
}

async function open(t: Test): Promise<Stage> {
  const world = join(await temporaryFolder(t), 'world')
  putPack(world, {
    'data/test/system/shop_offers/vault.json': VAULT,
    'data/test/system/system_module/bank.json': { type: 'system:shop', offers: ['test:vault'] },
    'data/test/system/shop_offers/broken.json': {
      costs: [{ type: 'free' }],
      rewards: [{ type: 'items', items: [{ item: 'minecraft:no_such_thing' }] }],
    },
    'data/system/tags/system/system_module/default.json': { values: ['test:bank'] },
  })
  const bank = new Bank()
  const live = await openLive(t, {
    squid: { worldFolder: world },
    register: (registration) =>
      registration.costType({
        id: identifier('bank:coins'),
        members: () => ({ amount: z.int().min(1) }),
        prepare: async () => ok({ text: '5 coins', amount: 5 }),
        charge: async (order) => bank.charge(order),
        status: async () => bank.status,
      }),
  })
  const alice = await live.join('alice')
  return {
    live,
    bank,
    world,
    alice,
    says: async (line) => (await consoleSays(live, line)).join('\n'),
    async owe(...entries) {
      const done = await live.runtime.store.update(alice.id, (tx) => {
        for (const entry of entries) addEntry(tx, entry)
      })
      if (!done.ok) throw new Error(done.failure.code)
    },
  }
}

const entry = (id: string, item: string, count = 1): NewEntry => ({
  id,
  source: 'system:signin',
  lines: [{ item: `minecraft:${item}`, count, data: '' }],
  xp: 0,
})

const has = async ({ says }: Stage, item: string): Promise<string> =>
  (await says(`system item-test count alice ${item}`)).replace('item-test count ', '')

/** Looks at the vault and confirms; gives the card that says what became of it. */
async function buy({ alice }: Stage): Promise<Component> {
  const shop = await alice.reader.ask('/system shop vault')
  const quote = await alice.reader.ask(commandOf(shop, 'A vault'))
  return alice.reader.ask(commandOf(quote, '[Buy it]'))
}

const orderId = (text: string): string => /Order: ([\w-]{22})/.exec(text)?.[1] ?? 'none'

const CLOSED = ['test:bank', 'system:shop', 'system:lottery', 'system:signin']

void t.test('inbox and orders', async (t) => {
  const stage = await open(t)
  const { live, says } = stage
  await t.test('status counts what there is', async (t) => {
    const { catalogue, orders } = await live.status()
    t.match(catalogue, /^version=[\w-]{22} signin=\d+ offers=12 pools=\d+ unusable=1$/)
    t.equal(orders, 'open=0 doubted=0')
  })
  await t.test('taken in creative mode, by the dead, in another world, with closed shops', (t) =>
    states(t, stage),
  )
  await t.test('B29: a balance at its limit stays as it is, on the disk too', (t) => limit(t, stage))
  await t.test('a payment in doubt is settled, or refunded', (t) => doubted(t, stage))
  await t.test('what a login finds outside of the server is told', (t) => outside(t, stage))
  await t.test('a revoke in the middle of a purchase and of a claim', (t) => revoked(t, stage))
  t.match(await says('system resource give alice town:fame 1'), /alice has no System/)
  await live.stop()
  await audited(t, stage)
  t.strictSame(live.stray, [])
})

interface Mortal {
  takeDamage(damage: object): void
  changeWorld(world: unknown, options: object): Promise<unknown>
}

async function states(t: Test, stage: Stage): Promise<void> {
  const { alice, live, owe, says } = stage
  await owe(entry('a', 'apple'), entry('b', 'bread', 2), entry('c', 'carrot', 3), entry('d', 'dirt', 4))
  const inbox = await alice.reader.ask('/system inbox')
  t.match(componentText(inbox), /^Inbox\n[^]*Apple[^]*for signing in[^]*Bread × 2/)
  await live.serv.handleCommand?.('gamemode creative alice')
  await eventually(() => alice.player.gameMode === 1)
  const creative = await alice.reader.ask(commandOf(inbox, /Apple/))
  t.match(componentText(creative), /^Inbox\nReceived: Apple × 1\n/)
  t.match(await alice.ask(commandOf(inbox, /Apple/)), /newer|already/, 'the button of before')
  t.equal(await has(stage, 'apple'), 'inventory=1 inbox=0')
  await live.serv.handleCommand?.('gamemode survival alice')
  await eventually(() => alice.player.gameMode === 0)
  ;(alice.player as unknown as Mortal).takeDamage({ damage: 20 })
  t.equal(alice.player.health, 0)
  const dead = await alice.reader.ask(commandOf(creative, /Bread/))
  t.match(componentText(dead), /^Inbox\nReceived: Bread × 2\n/)
  alice.reader.client.write('client_command', { actionId: 'perform_respawn' })
  await eventually(() => alice.player.health > 0)
  t.equal(await has(stage, 'bread'), 'inventory=2 inbox=0', 'and lives on with it')
  void (alice.player as unknown as Mortal).changeWorld(live.serv.netherworld, { dimension: -1 })
  await eventually(() => alice.player.world === live.serv.netherworld)
  for (const module of CLOSED) await says(`system module alice ${module} deny`)
  t.match(await alice.ask('/system shop'), /isn't open to you/)
  const closed = await alice.reader.ask('/system inbox')
  t.match(componentText(closed), /^Inbox\n/, 'what is owed stays to be had')
  t.match(await alice.ask(commandOf(closed, '[Take all]')), /^Inbox\nReceived: /)
  t.match(await alice.ask('/system orders'), /^Orders\n/)
  for (const module of CLOSED) await says(`system module alice ${module} default`)
  t.strictSame(
    [await has(stage, 'carrot'), await has(stage, 'dirt')],
    ['inventory=3 inbox=0', 'inventory=4 inbox=0'],
  )
  t.match(await alice.ask('/system inbox'), /^Inbox\nNothing waits for you\.$/m)
}

async function limit(t: Test, { live, alice, world, says }: Stage): Promise<void> {
  const { store } = live.runtime
  const most = Number.MAX_SAFE_INTEGER
  await store.update(alice.id, (tx) =>
    tx.set(RESOURCES, [{ resource: identifier('town:gold'), amount: most }]),
  )
  await store.settled()
  const file = join(world, 'system', 'players', `${alice.id}.dat`)
  const before = await readFile(file)
  t.match(
    await says('system resource give alice town:gold 2'),
    /^alice has 9007199254740991 town:gold\. Nothing was/,
  )
  t.match(await says('system resource take alice town:silver 1'), /^alice has 0 town:silver\. Nothing was/)
  for (const bad of ['town:gold 0.5', 'town:gold 3074457345618258603', 'Town! 1', 'town:gold'])
    t.notMatch(await says(`system resource give alice ${bad}`), /^resource/, bad)
  await store.settled()
  t.ok(before.equals(await readFile(file)))
  t.equal(await says('system resource show alice'), `resource town:gold ${most}`)
  t.match(await says('system resource take alice town:gold 1'), /^resource town:gold 9007199254740990 \(-1\)/)
  t.notOk(before.equals(await readFile(file)))
  await store.update(alice.id, (tx) => tx.set(RESOURCES, []))
}

async function doubted(t: Test, stage: Stage): Promise<void> {
  const { alice, live, says } = stage
  await says('system item-test give alice emerald 10')
  t.match(await says('system resource give alice town:fame 9'), /^resource town:fame 9 \(\+9\) alice$/)
  const [first, second] = [componentText(await buy(stage)), componentText(await buy(stage))]
  t.match(first, /^Order: A vault\nIt isn't certain whether this was paid/)
  t.equal(await has(stage, 'emerald'), 'inventory=6 inbox=0')
  t.match(await says('system resource show alice'), /^resource town:fame 3$/)
  t.equal(await says('system resource show alice town:keys'), 'resource town:keys 0')
  t.match(await alice.ask('/system inbox'), /^Inbox\nNothing waits for you\.\nBalance: 3 town:fame/, 'locked')
  const listed = await alice.reader.ask('/system orders')
  t.match(componentText(listed), /^Orders\n[^]*A vault\n[^]*It isn't certain[^]*A vault\n/)
  t.match(
    componentText(await alice.reader.ask(commandOf(listed, /A vault/))),
    new RegExp(`^Order: A vault\\n[^]*Order: ${orderId(second)}`),
    'the newest first',
  )
  t.equal((await live.status())['orders'], 'open=2 doubted=2')
  const lines = (await says('system orders alice')).split('\n')
  t.match(
    lines[1],
    new RegExp(`^order ${orderId(first)} PAYMENT_UNKNOWN system:shop "A vault" price=.*external=unknown`),
  )
  t.match(await says(`system orders alice settle ${orderId(first)}`), /is completed/)
  t.match(await says(`system orders alice settle ${orderId(first)}`), /isn't waiting/, 'once')
  t.match(await says(`system orders alice refund ${orderId(first)}`), /isn't waiting/)
  t.match(await alice.ask('/system inbox'), /^Inbox\nChest × 1/)
  const bob = await live.join('bob')
  const asked = live.provider.requests.length
  t.match(await bob.ask('/system orders alice'), /not allowed/)
  t.equal(live.provider.requests.length, asked, 'no sentence for a model')
  t.match(await bob.ask('/system orders'), /There are no orders/)
  await bob.leave()
  await alice.leave()
  t.match(
    await says(`system orders alice refund ${orderId(second)}`),
    /has failed/,
    'of a player who is not here',
  )
  t.match(await says('system orders alice'), /^order .* FAILED .*\norder .* COMPLETED /)
  stage.alice = await live.join('alice')
  t.match(await says('system resource show alice'), /^resource town:fame 6$/, 'what was reserved is back')
  t.equal(await has(stage, 'emerald'), 'inventory=6 inbox=2')
  const inbox = await stage.alice.reader.ask('/system inbox')
  t.match(await stage.alice.ask(commandOf(inbox, '[Take all]')), /^Inbox\nReceived: .*Chest × 1.*\n/)
  t.equal(await has(stage, 'emerald'), 'inventory=8 inbox=0')
  t.equal(await says('system resource show alice town:keys'), 'resource town:keys 1')
}

async function outside(t: Test, stage: Stage): Promise<void> {
  const { live, bank } = stage
  await stage.alice.leave()
  const order = {
    source: 'system:shop',
    costs: NO_GOODS,
    gives: NO_GOODS,
    entry: null,
    isIrreversible: false,
  }
  const put = await live.runtime.store.update(stage.alice.id, (tx) =>
    reserveOrder(tx, { ...order, id: 'late', externalType: 'bank:coins' }),
  )
  t.ok(put.ok)
  bank.status = 'charged'
  stage.alice = await live.join('alice')
  t.match(
    await stage.alice.reader.nextText(),
    /: 1 deliveries or payments completed, 0 undone, 0 for an admin/,
  )
  t.strictSame(await stage.alice.rest(), [])
}

async function revoked(t: Test, stage: Stage): Promise<void> {
  const { alice, bank, live, owe, says } = stage
  const { runtime } = live
  const waiting = gate()
  bank.charge = async (): Promise<ExternalAnswer> => {
    await waiting.pass()
    return 'charged'
  }
  const card = await alice.reader.ask('/system inbox')
  await owe(entry('late', 'potato', 7))
  const shop = await alice.reader.ask('/system shop vault')
  const quote = await alice.reader.ask(commandOf(shop, 'A vault'))
  alice.say(commandOf(quote, '[Buy it]'))
  await waiting.reached
  const claim = runtime.items.lane.give(alice.id, 'late')
  const revoking = says('system revoke alice')
  await eventually(() => runtime.bindings.boundTo(alice.id) === null)
  waiting.open()
  t.match(await claim, { ok: false, failure: { code: 'system:revoked' } }, 'what waits ends')
  t.match(await revoking, /no longer has a System/)
  t.match(await alice.reader.nextText(), /taken away/)
  t.match(await alice.ask(commandOf(card, '[All orders]')), /don't have a System/)
  t.match(await alice.ask('/system inbox'), /don't have a System/)
  t.equal(await has(stage, 'emerald'), 'inventory=6 inbox=0', 'a payment under way finishes')
  t.equal(await has(stage, 'potato'), 'inventory=0 inbox=0')
  const kept = await runtime.store.read(alice.id)
  t.ok(kept.ok)
  if (kept.ok)
    t.strictSame([kept.value.get(INBOX), kept.value.get(ORDERS), kept.value.get(RESOURCES)], [[], [], []])
  t.strictSame(await alice.rest(), [])
}

async function audited(t: Test, { world, alice }: Stage): Promise<void> {
  const text = await readFile(join(world, 'trace', 'audit.jsonl'), 'utf8')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  t.ok(lines.every(({ at, player }) => Number(at) > 0 && player === alice.id))
  const vaults = lines.filter(({ what, entry }) => what === 'order' && entry === 'test:vault')
  t.strictSame(
    vaults.map(({ state }) => state),
    [
      'RESERVED',
      'PAYMENT_UNKNOWN',
      'RESERVED',
      'PAYMENT_UNKNOWN',
      'COMPLETED',
      'FAILED',
      'RESERVED',
      'COMPLETED',
    ],
  )
  t.match(vaults[0], {
    lines: [{ item: 'minecraft:emerald', count: 2 }],
    resources: [{ amount: 3 }],
    external: 'open',
  })
  const deleted = lines.filter(({ what }) => what === 'deleted')
  t.equal(deleted.length, 1)
  const [{ entries = [], resources } = {}] = deleted as {
    entries?: { lines: unknown[] }[]
    resources?: unknown
  }[]
  t.match(
    entries.flatMap((one) => one.lines),
    [{ item: 'minecraft:potato', count: 7 }, { item: 'minecraft:chest' }],
  )
  t.match(resources, [
    { resource: 'town:keys', amount: 1 },
    { resource: 'town:fame', amount: 3 },
  ])
  t.match(
    lines.filter(({ what }) => what === 'resource'),
    [
      { source: 'system:admin', resource: 'town:gold', amount: -1, balance: 9007199254740990 },
      { source: 'system:admin', resource: 'town:fame', amount: 9, balance: 9 },
    ],
  )
}
