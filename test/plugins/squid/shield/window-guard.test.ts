import { createRequire } from 'node:module'
import t from 'tap'
import type { SquidItem, SquidServer } from '../../../../plugins/squid/types.js'
import { VERSIONS, bootSquid, joinRaw, nextEvent, type BootedServer } from '../../../support/squid.js'
import { click, dropClick } from './faults.js'
import { bootShielded, isServed, playerOf } from './support.js'

const require = createRequire(import.meta.url)

interface Entity {
  readonly type: string
  readonly itemCount?: number
  readonly itemId?: number
}

function makeItem(serv: SquidServer, name: string, count: number): SquidItem {
  const Item = require('prismarine-item')(serv.registry) as new (type: number, count: number) => SquidItem
  const id = serv.registry.itemsByName[name]?.id
  if (id === undefined) throw new Error(`no item ${name}`)
  return new Item(id, count)
}

/** What alice has, and what lies around. */
function things(serv: SquidServer): string {
  const { inventory } = playerOf(serv, 'alice')
  const cursor = (inventory as { selectedItem?: SquidItem | null } | undefined)?.selectedItem
  const slots = (inventory?.slots ?? []).flatMap((item, slot) =>
    item ? [`${slot}:${item.name}x${item.count}`] : [],
  )
  const thrown = (Object.values(serv.entities) as Entity[])
    .filter(({ type }) => type === 'object')
    .map(({ itemCount }) => `thrown x${itemCount}`)
  return [...slots, ...(cursor ? [`cursor ${cursor.name}x${cursor.count}`] : []), ...thrown].join(' ')
}

async function joined(t: Parameters<typeof joinRaw>[0], { serv, port }: BootedServer, version: string) {
  const alice = await joinRaw(t, port, version, 'alice')
  const { inventory } = playerOf(serv, 'alice')
  inventory?.updateSlot(10, makeItem(serv, 'dirt', 5))
  inventory?.updateSlot(36, makeItem(serv, 'diamond', 3))
  await isServed(alice)
  return alice
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock copies with the drop key`, async (t) => {
    const booted = await bootSquid(t, version)
    const alice = await joined(t, booted, version)
    for (let n = 0; n < 3; n += 1) alice.write('window_click', dropClick(10, 0, 101))
    await isServed(alice)
    t.equal(things(booted.serv), '10:dirtx5 36:diamondx3 thrown x1 thrown x1 thrown x1')
  })

  void t.test(`${version}: with the repair`, async (t) => {
    const booted = await bootShielded(t, version, { only: ['window-guard'] })
    const { serv } = booted
    const alice = await joined(t, booted, version)
    const isOld = !serv.supportFeature('stateIdUsed')
    const clicked = async (fields: Record<string, unknown>): Promise<{ items: unknown[] }> => {
      const resync = nextEvent<{ windowId: number; items: unknown[] }>(
        alice,
        'window_items',
        ({ windowId }) => windowId === 0,
      )
      const ack = isOld ? nextEvent(alice, 'transaction') : undefined
      alice.write('window_click', fields)
      await ack
      return resync
    }
    const start = '10:dirtx5 36:diamondx3'
    const claimed = version < '1.20.5' && isOld ? { item: { present: true, itemId: 1, itemCount: 64 } } : {}
    for (const fields of [
      { ...click(10, 0, 0), windowId: 101, ...claimed },
      dropClick(10, 0, 101),
      dropClick(12),
      click(10, 2, 3),
      click(-999, 2, 5),
      click(10, 0, 6),
      click(10, 77, 0),
      click(3_000, 0, 0),
      click(-5, 0, 4),
      click(10, 9, 2),
    ]) {
      t.equal((await clicked(fields)).items.length, 46)
      t.equal(things(serv), start, JSON.stringify(fields))
    }
    // the client's claim about the clicked item counts for nothing
    await clicked({ ...click(10, 0, 0), ...claimed })
    t.equal(things(serv), '36:diamondx3 cursor dirtx5')
    await clicked(click(20, 1, 0))
    t.equal(things(serv), '20:dirtx1 36:diamondx3 cursor dirtx4')
    await clicked(click(20, 0, 0))
    t.equal(things(serv), '20:dirtx5 36:diamondx3')
    await clicked(dropClick(20))
    t.equal(things(serv), '20:dirtx4 36:diamondx3 thrown x1')
    await clicked(dropClick(20, 1))
    t.equal(things(serv), '36:diamondx3 thrown x1 thrown x4')
    t.strictSame(booted.log.lines, [])
    t.strictSame(booted.errors, [])
    t.strictSame(alice.clientErrors, [])
  })

  void t.test(`${version}: the drop key in the game`, async (t) => {
    const booted = await bootShielded(t, version, { only: ['window-guard'] })
    const { serv } = booted
    const alice = await joined(t, booted, version)
    const dig = (status: number): void =>
      alice.write('block_dig', { status, location: { x: 0, y: 0, z: 0 }, face: 0, sequence: 0 })
    dig(4)
    await isServed(alice)
    t.equal(things(serv), '10:dirtx5 36:diamondx2 thrown x1')
    dig(3)
    dig(3)
    dig(4)
    await isServed(alice)
    t.equal(things(serv), '10:dirtx5 thrown x1 thrown x2')
  })

  void t.test(`${version}: a world full of entities takes nothing away`, async (t) => {
    const booted = await bootShielded(t, version, { only: ['window-guard'], settings: { 'max-entities': 1 } })
    const { serv } = booted
    const alice = await joined(t, booted, version)
    alice.write('window_click', dropClick(10, 1))
    await isServed(alice)
    alice.write('block_dig', { status: 3, location: { x: 0, y: 0, z: 0 }, face: 0, sequence: 0 })
    alice.write('window_click', dropClick(36, 1))
    await isServed(alice)
    const left = things(serv)
    t.match(left, /36:diamondx3/)
    t.equal((left.match(/thrown/g) ?? []).length, 1)
    t.equal(booted.log.lines.length, 1)
  })
}
