/** What a login decides about items on a server, and that nothing begins before it has. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isUuid, type PlayerId } from '../../lib/core/ids.js'
import { INBOX, NO_GOODS, ORDERS, reserveOrder } from '../../lib/inventory/index.js'
import type { Runtime } from '../../plugins/squid/runtime.js'
import { eventually } from '../support/eventually.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { consoleSays, joinReader, temporaryFolder, type SystemOptions } from '../support/system.js'

// flying-squid's offline uuid of alice
const ALICE = '40f5db53-a47a-33ee-b1f6-db0e20deded4' as PlayerId

const open = (t: Test, folder: string, config: SystemOptions['config'] = {}): Promise<LiveSystem> =>
  openLive(t, {
    squid: { worldFolder: join(folder, 'world') },
    settings: { autoGrant: null, configFolder: join(folder, 'config') },
    config,
  })

const goods = (item: string, count: number) => ({
  lines: [{ item: `minecraft:${item}`, count, data: '' }],
  xp: 0,
})
const SHOP = { source: 'test:shop', gives: NO_GOODS, entry: null, isIrreversible: false }

async function states({ store }: Runtime): Promise<Readonly<Record<string, string>>> {
  const view = await store.read(ALICE)
  if (!view.ok) return { record: view.failure.code }
  const all = [...view.value.get(ORDERS), ...view.value.get(INBOX)]
  return Object.fromEntries(all.map(({ id, state }) => [id, state]))
}

/** Ten diamonds, four of them paid for two emeralds that wait; then the player's file of before is put back. */
async function payAndRestore(t: Test, folder: string): Promise<void> {
  const live = await open(t, folder)
  const { runtime } = live
  const says = async (line: string): Promise<string> => (await consoleSays(live, line)).join('\n')
  await joinReader(t, live, 'alice')
  t.ok(isUuid(ALICE) && live.serv.players[0]?._client.uuid === ALICE)
  await eventually(() => runtime.store.online(ALICE) !== null)
  t.match(await says('system item-test give alice diamond 10'), / done moved=10 rest=0$/)
  await says('system save')
  const file = join(folder, 'world', 'playerdata', `${ALICE}.dat`)
  const before = await readFile(file)
  const order = { ...SHOP, id: 'o', costs: goods('diamond', 4), gives: goods('emerald', 2), entry: 'o-e' }
  t.ok((await runtime.store.update(ALICE, (tx) => reserveOrder(tx, order))).ok)
  t.match(await runtime.items.lane.take(ALICE, 'o'), { ok: true, value: { moved: 4 } })
  await live.stop()
  await writeFile(file, before)
  t.strictSame(live.stray, [])
}

void t.test('a price that came back with an older file and what it bought never meet', async (t) => {
  const folder = await temporaryFolder(t)
  await payAndRestore(t, folder)
  const record = join(folder, 'world', 'system', 'players', `${ALICE}.dat`)
  const backup = await readFile(record)
  await writeFile(record, 'no record')
  const live = await open(t, folder)
  const { runtime } = live
  const first = await joinReader(t, live, 'alice')
  t.match(await first.nextText(), /^Your data can't be read/)
  t.match(await runtime.items.lane.give(ALICE, 'o-e'), { failure: { code: 'system:storage_unknown' } })
  first.client.end('bye')
  await eventually(() => live.serv.players.length === 0)
  await writeFile(record, backup)
  const second = await joinReader(t, live, 'alice')
  t.match(await second.nextText(), / 1 undone, 1 for an admin/)
  t.match(await states(runtime), { o: 'VOIDED', 'o-e': 'WITHDRAWN' })
  t.match(await runtime.items.lane.give(ALICE, 'o-e'), { failure: { code: 'system:unknown_entry' } })
  t.match(
    (await consoleSays(live, 'system item-test count alice diamond')).join(),
    'item-test count inventory=10 inbox=0',
  )
  t.match(
    (await consoleSays(live, 'system item-test count alice emerald')).join(),
    'item-test count inventory=0 inbox=0',
  )
  t.strictSame(live.stray, [])
})

for (const playerdata of [true, false]) {
  void t.test(`no order stays reserved for ever, ${playerdata ? 'exactly' : 'at most'} once`, async (t) => {
    const folder = await temporaryFolder(t)
    const live = await open(t, folder, { 'system-surface': { shield: { playerdata, limits: false } } })
    const { runtime } = live
    t.equal(runtime.items.lane.mode, playerdata ? 'exactly-once' : 'at-most-once')
    const put = await runtime.store.update(ALICE, (tx) => {
      reserveOrder(tx, { ...SHOP, id: 'unpaid', costs: goods('diamond', 4) })
      reserveOrder(tx, { ...SHOP, id: 'outside', costs: NO_GOODS, externalType: 'test:bank' })
    })
    t.ok(put.ok)
    const alice = await joinReader(t, live, 'alice')
    t.match(await alice.nextText(), / 1 undone, 0 for an admin/)
    t.match(await alice.nextText(), /: 0 deliveries .* 0 undone, 1 for an admin/, 'what was asked outside')
    await eventually(async () => (await states(runtime))['outside'] !== 'RESERVED')
    t.strictSame(await states(runtime), { unpaid: 'FAILED', outside: 'PAYMENT_UNKNOWN' })
    t.ok((await runtime.items.lane.resolve(ALICE, 'outside', 'refund')).ok, 'an admin has the last word')
    t.strictSame(live.stray, [])
  })
}
