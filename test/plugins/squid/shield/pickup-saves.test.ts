/** What one player throws and another picks up reaches both files at once. */
import t from 'tap'
import type { SquidPlayer, SquidServer } from '../../../../plugins/squid/types.js'
import { eventually } from '../../../support/eventually.js'
import { DEFAULT_VERSION } from '../../../support/versions.js'
import { dropClick } from './faults.js'
import { isServed, playerOf } from './support.js'
import { bootWorld, fileOf, readDat, stack, WORLD_REPAIRS, type WorldServer } from './world.js'

interface Thing {
  readonly type: string
  pickupTime?: number
}
const things = (serv: SquidServer): Thing[] =>
  (Object.values(serv.entities) as Thing[]).filter(({ type }) => type === 'object')

/** How many things the player's file has, whatever they are. */
async function saved({ world }: WorldServer, player: SquidPlayer): Promise<number> {
  const { Inventory } = await readDat(fileOf(world, player))
  return (Inventory as { Count: number }[]).reduce((sum, { Count }) => sum + Count, 0)
}

const collect = (player: SquidPlayer, thing: Thing): unknown =>
  (player as unknown as { collect(thing: Thing): unknown }).collect(thing)

void t.test('a pick-up by another player saves both, the thrower first', async (t) => {
  const only = [...WORLD_REPAIRS, 'window-guard', 'pickup-saves'] as const
  const booted = await bootWorld(t, DEFAULT_VERSION, { only })
  const { serv, shield } = booted
  const client = await booted.join('alice')
  await booted.join('bob')
  const [alice, bob] = [playerOf(serv, 'alice'), playerOf(serv, 'bob')]
  alice.inventory?.updateSlot(10, stack(serv, ['diamond', 3]))
  await shield.savePlayers(10_000)
  const order: string[] = []
  for (const player of [alice, bob]) {
    const inside = player as unknown as { save(): Promise<unknown> }
    const { save } = inside
    inside.save = async () => {
      order.push(`${player.username} begins`)
      await save()
      order.push(`${player.username} ends`)
    }
  }
  const throwOne = async (): Promise<Thing> => {
    const before = new Set(things(serv))
    client.write('window_click', dropClick(10))
    await isServed(client)
    const thrown = things(serv).find((thing) => !before.has(thing))
    if (thrown === undefined) throw new Error('nothing was thrown')
    // the host would let whoever is nearest collect it
    delete thrown.pickupTime
    return thrown
  }

  collect(bob, await throwOne())
  await eventually(() => order.length === 4)
  t.strictSame(order.splice(0), ['alice begins', 'alice ends', 'bob begins', 'bob ends'])
  t.strictSame([await saved(booted, alice), await saved(booted, bob)], [2, 1])

  const second = await throwOne()
  const full = bob.inventory?.slots.map((item) => item) ?? []
  for (let slot = 9; slot < 45; slot++) bob.inventory?.updateSlot(slot, stack(serv, ['dirt', 64]))
  collect(bob, second)
  for (const [slot, item] of full.entries()) bob.inventory?.updateSlot(slot, item ?? null)
  collect(alice, second)
  await isServed(client)
  t.strictSame(order, [], 'no room, and nobody else: the interval is enough')

  shield.close()
  const third = serv as unknown as { spawnObject: { name: string } }
  t.notMatch(third.spawnObject.name, 'spawnNoted', 'taken out without a trace')
})
