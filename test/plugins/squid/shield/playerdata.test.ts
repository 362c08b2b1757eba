import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { VERSIONS } from '../../../support/squid.js'
import { playerOf } from './support.js'
import { bootWorld, fileOf, namedStack, put, readAsStock, readDat, seen, stack } from './world.js'

for (const version of VERSIONS) {
  void t.test(`${version}: what a player has survives a rejoin`, async (t) => {
    const server = await bootWorld(t, version)
    const { serv, world } = server
    const alice = await server.join('alice')
    const player = playerOf(serv, 'alice')
    put(player, 36, stack(serv, ['diamond', 12]))
    put(player, 10, stack(serv, ['dirt', 64]))
    put(player, 5, stack(serv, ['iron_helmet', 1]))
    put(player, 45, stack(serv, ['torch', 7]))
    put(player, 20, namedStack(serv, { item: 'stick', name: 'Zauberstab \u{1f600}' }))
    const inside = player as unknown as { setXp(xp: number): void; yaw: number }
    inside.setXp(137)
    player.health = 13.5
    player.food = 7
    Object.assign(player.position, { x: 8.25, y: 50, z: -3.5 })
    const before = [36, 10, 5, 45, 20].map((slot) => seen(player, slot))
    await server.leave(alice)

    const file = fileOf(world, player)
    const read = await readDat(file)
    t.equal(read['XpTotal'], 137)
    t.equal(read['foodLevel'], 7)
    t.strictSame(read['Pos'], [8.25, 50, -3.5])
    const slots = (read['Inventory'] as { Slot: number; id: string; Count: number }[]).map(
      ({ Slot, id, Count }) => [Slot, id, Count],
    )
    t.strictSame(slots, [
      [103, 'minecraft:iron_helmet', 1],
      [10, 'minecraft:dirt', 64],
      [20, 'minecraft:stick', 1],
      [0, 'minecraft:diamond', 12],
      [-106, 'minecraft:torch', 7],
    ])
    const stock = await readAsStock(world, player.uuid ?? '')
    t.equal(stock.player['xp'], 137, 'stock reads it')
    t.equal(stock.inventory.length, 5)

    await server.join('alice')
    const again = playerOf(serv, 'alice')
    t.not(again, player)
    t.strictSame(
      [36, 10, 5, 45, 20].map((slot) => seen(again, slot)),
      before,
    )
    t.match(seen(again, 20), 'Zauberstab')
    t.equal(again.xp, 137)
    t.equal(again.health, 13.5)
    t.equal(again.food, 7)
    t.equal(again.position.z, -3.5)
    const names = await readdir(join(world, 'playerdata'))
    t.strictSame(names.filter((name) => !name.endsWith('.tmp')).sort(), [
      `${player.uuid}.dat`,
      `${player.uuid}.dat_old`,
    ])
    t.strictSame(server.errors, [])
    t.strictSame(server.log.lines, [])
  })
}
