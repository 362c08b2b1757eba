import t from 'tap'
import { VERSIONS } from '../../../support/squid.js'
import { eventually } from '../../../support/eventually.js'
import { playerOf } from './support.js'
import { bootWorld, edit, fileOf, put, readDat, seen, stack, type WorldServer } from './world.js'

const string = (value: string) => ({ type: 'string', value })
const byte = (value: number) => ({ type: 'byte', value })
const int = (value: number) => ({ type: 'int', value })

interface Ours {
  readonly extras: {
    readonly parked: readonly { entry: { id: string } }[]
    readonly slots: readonly object[]
  }
}
const parkedIn = async (path: string): Promise<readonly string[]> => {
  const { extras } = (await readDat(path))['flying-squid-system'] as Ours
  return extras.parked.map(({ entry }) => entry.id)
}

/** Lets alice come and go with one dirt, and gives the path of her file. */
async function firstVisit(server: WorldServer): Promise<string> {
  const client = await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  put(player, 9, stack(server.serv, ['dirt', 1]))
  await server.leave(client)
  return fileOf(server.world, player)
}

for (const version of VERSIONS) {
  void t.test(`${version}: entries of other versions are kept until they can be used`, async (t) => {
    const server = await bootWorld(t, version)
    const path = await firstVisit(server)
    await edit(path, (members) => {
      const entries = (members['Inventory'] as { value: { value: object[] } }).value.value
      entries.push(
        { Slot: byte(10), id: string('minecraft:heavy_core_of_tomorrow'), Count: byte(3) },
        { Slot: byte(11), id: string('minecraft:diamond'), count: int(4) },
        {
          Slot: byte(12),
          id: string('minecraft:stone'),
          count: int(5),
          components: { type: 'compound', value: { 'minecraft:damage': int(3) } },
        },
        { Slot: byte(11), id: string('minecraft:stick'), Count: byte(2) },
        { Slot: byte(13), id: string('constructor'), Count: byte(2) },
        { Slot: byte(14), Count: byte(2) },
      )
      Object.assign(members, { SomebodyElse: string('kept') })
    })
    for (const visit of [1, 2]) {
      const client = await server.join('alice')
      const player = playerOf(server.serv, 'alice')
      t.match(seen(player, 11), /diamond.*4|4.*diamond/, `visit ${visit}: vanilla's count`)
      t.match(JSON.stringify(player.inventory?.slots.map((item) => item?.name)), 'stick', 'two in one slot')
      t.equal(seen(player, 12), 'empty')
      await server.leave(client)
      t.same(await parkedIn(path), [
        'minecraft:heavy_core_of_tomorrow',
        'minecraft:stone',
        'constructor',
        undefined,
      ])
      t.equal((await readDat(path))['SomebodyElse'], 'kept')
    }
    // a version that has it
    await edit(path, (members) => {
      const text = JSON.stringify(members).replace('heavy_core_of_tomorrow', 'emerald')
      Object.assign(members, JSON.parse(text))
    })
    await server.join('alice')
    const names = playerOf(server.serv, 'alice').inventory?.slots.map((item) => item?.name)
    t.ok(names?.includes('emerald'))
    t.strictSame(server.errors, [])
  })

  void t.test(`${version}: crafting grid and cursor go back, or wait`, async (t) => {
    const server = await bootWorld(t, version)
    const { serv } = server
    const client = await server.join('alice')
    const player = playerOf(serv, 'alice')
    for (let slot = 9; slot < 45; slot += 1) put(player, slot, stack(serv, ['dirt', 64]))
    put(player, 20, stack(serv, ['stick', 60]))
    put(player, 2, stack(serv, ['stick', 3]))
    put(player, 3, stack(serv, ['diamond', 7]))
    Object.assign(player.inventory ?? {}, { selectedItem: stack(serv, ['emerald', 2]) })
    await server.leave(client)
    const path = fileOf(server.world, player)
    t.same((await parkedIn(path)).toSorted(), ['minecraft:diamond', 'minecraft:emerald'])
    const slots = (await readDat(path))['Inventory'] as { Slot: number; id: string; Count: number }[]
    t.equal(slots.find(({ id }) => id === 'minecraft:stick')?.Count, 63)
    t.equal(slots.length, 36, 'none of them stands for a slot of the hotbar')

    const second = await server.join('alice')
    const again = playerOf(serv, 'alice')
    put(again, 9, null)
    put(again, 10, null)
    await server.leave(second)
    await server.join('alice')
    const third = playerOf(serv, 'alice')
    const names = [seen(third, 9), seen(third, 10)].toSorted()
    t.match(names[0], 'diamond')
    t.match(names[1], 'emerald')
    // until the login's last step the file is as it was
    await eventually(async () => (await parkedIn(path)).length === 0)
  })
}
