/** Death and what comes after it, with and without the repair. */
import t from 'tap'
import { watchLives } from '../../../../plugins/squid/life-watch.js'
import { Lives } from '../../../../plugins/squid/lives.js'
import { idOf } from '../../../../plugins/squid/players.js'
import type { SquidPlayer } from '../../../../plugins/squid/types.js'
import { eventually } from '../../../support/eventually.js'
import { VERSIONS, bootSquid, joinRaw, nextEvent, type RawClient } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf } from './support.js'
import { put, stack } from './world.js'

type Fields = Record<string, unknown>
interface Mortal {
  takeDamage(damage: object): void
  changeWorld(world: unknown, options: object): Promise<unknown>
}
const mortal = (player: SquidPlayer): Mortal => player as unknown as Mortal
const press = (client: RawClient): void => client.write('client_command', { actionId: 'perform_respawn' })
const respawns = (client: RawClient): number =>
  client.received.filter(({ name }) => name === 'respawn').length

for (const version of VERSIONS) {
  void t.test(`${version}: stock does nothing`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    const client = await joinRaw(t, port, version, 'alice')
    mortal(playerOf(serv, 'alice')).takeDamage({ damage: 20 })
    press(client)
    await isServed(client)
    t.equal(playerOf(serv, 'alice').health, 0)
    t.equal(respawns(client), 0)
  })

  void t.test(`${version}: repaired`, async (t) => {
    const { serv, port, errors, log } = await bootShielded(t, version, { only: ['safe-write', 'respawn'] })
    const client = await joinRaw(t, port, version, 'alice')
    const other = await joinRaw(t, port, version, 'bob')
    const alice = playerOf(serv, 'alice')
    const lives = new Lives()
    t.teardown(watchLives(serv, lives))
    const id = idOf(alice)
    if (id === null) throw new Error('alice has no uuid')
    put(alice, 36, stack(serv, ['diamond', 5]))
    const first = lives.lifeOf(id)

    press(client)
    await isServed(client)
    t.equal(respawns(client), 0, 'the living press in vain')

    await serv.handleCommand('kill alice')
    await isServed(client)
    t.equal(lives.lifeOf(id), first + 1)
    client.received.length = 0
    const again = nextEvent<Fields>(other, 'packet', (data) =>
      ['entityUUID', 'playerUUID', 'objectUUID'].some((field) => data[field] === alice.uuid),
    )
    const gone = nextEvent<Fields>(other, 'entity_destroy')
    for (let n = 0; n < 20; n += 1) press(client)
    await Promise.all([gone, again])
    await isServed(client)
    t.equal(respawns(client), 1, 'once')
    t.equal(lives.lifeOf(id), first + 2)
    const after = (name: string): Fields | undefined =>
      client.received.filter((packet) => packet.name === name).at(-1)?.data
    t.match(after('update_health'), { health: 20, food: 20 })
    t.match((after('window_items')?.['items'] as unknown[] | undefined)?.[36], { itemCount: 5 })
    t.match(after('position'), { x: alice.position.x, z: alice.position.z })

    const at = { x: alice.position.x + 1, y: alice.position.y, z: alice.position.z }
    client.write('position', { ...at, onGround: true, flags: { onGround: true } })
    await eventually(() => alice.position.x === at.x)
    mortal(alice).takeDamage({ damage: 4 })
    await nextEvent<Fields>(client, 'update_health', ({ health }) => health === 16)

    const changed = nextEvent<Fields>(client, 'respawn')
    void mortal(alice).changeWorld(serv.netherworld, { dimension: -1 })
    await changed
    await isServed(client)
    t.equal(lives.lifeOf(id), first + 3)
    mortal(alice).takeDamage({ damage: 20 })
    const back = nextEvent<Fields>(client, 'respawn')
    press(client)
    await back
    await isServed(client)
    t.equal(alice.world, (serv as unknown as { overworld: unknown }).overworld)
    t.equal(alice.health, 20)
    t.strictSame([errors, client.clientErrors, other.clientErrors, log.lines], [[], [], [], []])
  })
}
