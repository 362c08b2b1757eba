import t from 'tap'
import type { SquidServer } from '../../../../plugins/squid/types.js'
import { VERSIONS, bootSquid, joinRaw } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf } from './support.js'

interface MobServer {
  readonly registry: {
    readonly entitiesByName: Readonly<Record<string, { readonly id: number }>>
    readonly mobs: Readonly<Record<number, unknown>>
  }
  spawnMob(type: number, world: unknown, position: unknown): { readonly id: number; readonly name: string }
}

const mobServer = (serv: SquidServer): MobServer => serv as unknown as MobServer

function spawn(serv: SquidServer, name: string): { readonly id: number; readonly name: string } {
  const inside = mobServer(serv)
  const { world, position } = playerOf(serv, 'alice')
  const at = (position as unknown as { clone(): unknown }).clone()
  return inside.spawnMob(inside.registry.entitiesByName[name]?.id ?? -1, world, at)
}

for (const version of VERSIONS) {
  void t.test(`${version}: stock knows hardly any mob from 1.20 on`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    await joinRaw(t, port, version, 'alice')
    if (version === '1.16.5') t.equal(spawn(serv, 'zombie').name, 'zombie')
    else t.throws(() => spawn(serv, 'zombie'))
  })

  void t.test(`${version}: with the repair`, async (t) => {
    const { serv, port, errors, log } = await bootShielded(t, version, { only: ['mob-registry'] })
    const alice = await joinRaw(t, port, version, 'alice')
    const { mobs } = mobServer(serv).registry
    const known = Object.keys(mobs)
    alice.received.length = 0
    for (const name of ['zombie', 'cow', 'bat', 'villager', 'squid', 'slime']) {
      const { id, name: given } = spawn(serv, name)
      t.equal(given, name)
      await isServed(alice)
      t.ok(
        alice.received.some(
          ({ name: packet, data }) => packet.startsWith('spawn_entity') && data['entityId'] === id,
        ),
        `${name} is seen`,
      )
    }
    t.strictSame(Object.keys(mobs), known, 'the table of all servers is as it was')
    const count = Object.keys(serv.entities).length
    // there, minecraft-data calls everything a mob
    if (version !== '1.16.5') t.throws(() => spawn(serv, 'player'))
    t.throws(() => spawn(serv, 'constructor'))
    t.equal(Object.keys(serv.entities).length, count, 'nothing is left of what could not be')
    t.strictSame([errors, log.lines, alice.clientErrors], [[], [], []])
  })
}
