import { readFile } from 'node:fs/promises'
import t from 'tap'
import { DEFAULT_VERSION, VERSIONS, joinRaw } from '../../../support/squid.js'
import { playerOf } from './support.js'
import { bootWorld, edit, fileOf, namedStack, put, seen, stack, type WorldServer } from './world.js'

const int = (value: number) => ({ type: 'int', value })

/** Lets alice come and go with one dirt, and gives the path of her file. */
async function firstVisit(server: WorldServer): Promise<string> {
  const client = await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  put(player, 9, stack(server.serv, ['dirt', 1]))
  await server.leave(client)
  return fileOf(server.world, player)
}

for (const version of VERSIONS.filter((v) => v.startsWith('1.21'))) {
  void t.test(`${version}: without item-persistence names are lost, as with stock`, async (t) => {
    const server = await bootWorld(t, version, { only: ['playerdata', 'sessions', 'leaks'] })
    const client = await server.join('alice')
    put(playerOf(server.serv, 'alice'), 36, namedStack(server.serv, { item: 'stick', name: 'Zauberstab' }))
    await server.leave(client)
    await server.join('alice')
    t.notMatch(seen(playerOf(server.serv, 'alice'), 36), 'Zauberstab')
    t.match(seen(playerOf(server.serv, 'alice'), 36), 'stick')
  })
}

void t.test('components belong to the inventory whose hash they name', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION)
  const client = await server.join('alice')
  const player = playerOf(server.serv, 'alice')
  put(player, 36, namedStack(server.serv, { item: 'stick', name: 'Zauberstab' }))
  put(player, 37, stack(server.serv, ['dirt', 200]))
  await server.leave(client)
  const path = fileOf(server.world, player)
  const again = await server.join('alice')
  t.match(seen(playerOf(server.serv, 'alice'), 37), '200', 'more than a byte says')
  await server.leave(again)
  await edit(path, (members) => {
    const [first] = (members['Inventory'] as { value: { value: { Count: { value: number } }[] } }).value.value
    if (first !== undefined) first.Count.value = 2
  })
  await server.join('alice')
  t.notMatch(seen(playerOf(server.serv, 'alice'), 36), 'Zauberstab', 'somebody else changed it')
})

void t.test('a newer file is refused untouched', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION)
  const path = await firstVisit(server)
  await edit(path, (members) => {
    const ours = members['flying-squid-system'] as { value: Record<string, unknown> }
    ours.value['v'] = int(2)
  })
  const bytes = await readFile(path)
  await t.rejects(joinRaw(t, server.port, DEFAULT_VERSION, 'alice', { timeoutMs: 1_500 }))
  t.ok(bytes.equals(await readFile(path)))
})
