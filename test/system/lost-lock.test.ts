/** What happens to players when another process has taken the data folder, and when the server closes. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openLive } from '../support/live-system.js'
import { joinRaw, nextEvent } from '../support/squid.js'
import { temporaryFolder } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'
import { playerOf } from '../plugins/squid/shield/support.js'
import { fileOf, keepNoBlocks, put, stack } from '../plugins/squid/shield/world.js'

void t.test('a lost lock sends players away and keeps their files as they are', async (t) => {
  const world = join(await temporaryFolder(t), 'world')
  const live = await openLive(t, { squid: { worldFolder: world } })
  keepNoBlocks(live.serv)
  const client = await joinRaw(t, live.port, DEFAULT_VERSION, 'alice')
  const player = playerOf(live.serv, 'alice')
  const inside = player as unknown as { save(): Promise<unknown> }
  await inside.save()
  const before = await readFile(fileOf(world, player))
  put(player, 36, stack(live.serv, ['diamond', 5]))
  const ended = nextEvent(client, 'end', () => true, 30_000)
  const lock = join(world, 'system', 'store.lock')
  const seen = JSON.parse(await readFile(lock, 'utf8')) as object
  await writeFile(lock, JSON.stringify({ ...seen, id: 'a successor' }))
  await ended
  t.match(JSON.stringify(client.received.at(-1)), /Another server is using this data/)
  await t.rejects(joinRaw(t, live.port, DEFAULT_VERSION, 'bob', { timeoutMs: 1_500 }))
  await live.stop()
  t.ok(before.equals(await readFile(fileOf(world, player))))
  t.match(await readFile(lock, 'utf8'), 'a successor')
})

void t.test('the parts are there until they have ended, as last saves need them', async (t) => {
  const world = join(await temporaryFolder(t), 'world')
  const live = await openLive(t, { squid: { worldFolder: world } })
  keepNoBlocks(live.serv)
  await joinRaw(t, live.port, DEFAULT_VERSION, 'alice')
  const player = playerOf(live.serv, 'alice')
  put(player, 36, stack(live.serv, ['diamond', 5]))
  const system = live.system as typeof live.system & { readonly runtime: unknown }
  t.not(system.runtime, null)
  live.serv.emit('close')
  t.not(system.runtime, null)
  await system.closed
  t.equal(system.runtime, null)
})
