/** What `/give` and things on the ground bring, with and without the repair. */
import t from 'tap'
import type { SquidServer } from '../../../../plugins/squid/types.js'
import { VERSIONS, bootSquid, joinRaw, nextEvent } from '../../../support/squid.js'
import { bootShielded, heard, playerOf } from './support.js'
import { namedStack, put, stack } from './world.js'

interface Thing {
  readonly id: number
  readonly itemCount: number
}
interface Ground {
  spawnObject(type: number, world: unknown, position: unknown, options: object): Thing
}

/** Lies still, and nobody takes it by walking. */
function lay(serv: SquidServer, name: string, count: number): Thing {
  const { entitiesByName } = serv.registry as unknown as { entitiesByName: Record<string, { id: number }> }
  const { world, position } = playerOf(serv, 'alice')
  const itemId = serv.registry.itemsByName[name]?.id
  const type = entitiesByName['item']?.id ?? 0
  const ground = serv as unknown as Ground
  return ground.spawnObject(type, world, (position as { clone?(): unknown }).clone?.(), {
    itemId,
    itemCount: count,
  })
}
const collect = (serv: SquidServer, thing: Thing): unknown =>
  (playerOf(serv, 'alice') as unknown as { collect(thing: Thing): unknown }).collect(thing)

function things(serv: SquidServer, name: string): string {
  const slots = playerOf(serv, 'alice').inventory?.slots ?? []
  return slots.flatMap((item, slot) => (item?.name === name ? [`${slot}:${item.count}`] : [])).join(' ')
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    await joinRaw(t, port, version, 'alice')
    await serv.handleCommand('give alice diamond 3')
    await serv.handleCommand('give alice diamond 2')
    t.equal(things(serv, 'diamond'), '36:32', 'three and two')
    const thing = lay(serv, 'dirt', 5)
    collect(serv, thing)
    t.equal(things(serv, 'dirt'), '37:1', 'one of five')
    t.notOk(serv.entities[thing.id], 'four are gone')
  })

  void t.test(`${version}: repaired`, async (t) => {
    const { serv, port, shield, errors } = await bootShielded(t, version, { only: ['safe-write', 'give'] })
    const client = await joinRaw(t, port, version, 'alice')
    const alice = playerOf(serv, 'alice')
    alice.op = true
    put(alice, 36, namedStack(serv, { item: 'diamond', name: 'Fine' }))
    for (const count of ['3', '2', '0', '-4', '3x', '1e1', ''])
      await serv.handleCommand(`give alice diamond ${count}`.trim())
    t.equal(things(serv, 'diamond'), '36:1 37:6', 'numbers alone, and named things stay apart')
    await serv.handleCommand('give alice ender_pearl 20')
    t.equal(things(serv, 'ender_pearl'), '38:16 39:4')

    client.say('/give alice dirt 32200')
    await heard(client, `${32 * 64}; ${32_200 - 32 * 64}`)
    t.equal(things(serv, 'dirt').split(' ').length, 32)
    const before = things(serv, 'ender_pearl')
    client.say('/give alice stone')
    await heard(client, '0; 1')
    t.equal(things(serv, 'ender_pearl'), before)

    const pearls = lay(serv, 'ender_pearl', 15)
    const seen = nextEvent<Record<string, unknown>>(client, 'entity_metadata', (data) => {
      const [entry] = data['metadata'] as { value?: { itemCount?: number } }[]
      return data['entityId'] === pearls.id && entry?.value?.itemCount === 3
    })
    const taken = nextEvent<Record<string, unknown>>(client, 'collect')
    collect(serv, pearls)
    t.equal((await taken)['pickupItemCount'], 12)
    await seen
    t.equal(things(serv, 'ender_pearl'), '38:16 39:16')
    t.equal(pearls.itemCount, 3)
    collect(serv, pearls)
    t.equal(pearls.itemCount, 3, 'no room')
    put(alice, 9, null)
    alice.health = 0
    collect(serv, pearls)
    t.equal(things(serv, 'ender_pearl'), '38:16 39:16', 'the dead take nothing')
    alice.health = 20
    for (const _ of [1, 2]) collect(serv, pearls)
    t.equal(things(serv, 'ender_pearl'), '9:3 38:16 39:16', 'once')
    t.notOk(serv.entities[pearls.id])
    t.strictSame([errors, client.clientErrors], [[], []])

    shield.close()
    put(alice, 9, stack(serv, ['stone', 1]))
    await serv.handleCommand('give alice stone 2')
    t.equal(things(serv, 'stone'), '9:3')
    put(alice, 10, null)
    collect(serv, lay(serv, 'bread', 5))
    t.equal(things(serv, 'bread'), '10:1', 'as stock')
  })
}
