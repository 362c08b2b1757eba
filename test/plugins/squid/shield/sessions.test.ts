import t from 'tap'
import { runJob } from '../../../../lib/pool/index.js'
import { eventually } from '../../../support/eventually.js'
import { DEFAULT_VERSION, VERSIONS, joinRaw, nextEvent, type RawClient } from '../../../support/squid.js'
import { playerOf } from './support.js'
import { bootWorld, fileOf, openStorage, put, readDat, seen, stack } from './world.js'

const ended = (client: RawClient): Promise<unknown> => nextEvent(client, 'end')

for (const version of VERSIONS) {
  void t.test(`${version}: a second login ends the first and has what it had`, async (t) => {
    const server = await bootWorld(t, version)
    const { serv } = server
    const first = await server.join('alice')
    const before = playerOf(serv, 'alice')
    put(before, 36, stack(serv, ['diamond', 9]))
    const end = ended(first)
    await server.join('alice')
    await end
    const after = playerOf(serv, 'alice')
    t.not(after, before)
    t.equal(serv.players.length, 1)
    t.match(seen(after, 36), 'diamond')
    t.match(JSON.stringify(first.received.at(-1)), /logged in from another place/)
    t.strictSame(server.errors, [])
  })
}

void t.test('stock lets both in, and the last to leave overwrites', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION, { only: ['leaks', 'safe-write'] })
  await server.join('alice')
  await server.join('alice')
  t.equal(server.serv.players.length, 2)
})

void t.test('without it a second login is refused, the first stays', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION, { only: ['playerdata', 'leaks'] })
  const first = await server.join('alice')
  const refused = joinRaw(t, server.port, DEFAULT_VERSION, 'alice', { timeoutMs: 1_500 })
  await t.rejects(refused)
  t.equal(server.serv.players.length, 1)
  t.not(first.ended, true)
})

void t.test('a login waits for the pending save of the stay before', async (t) => {
  const groups = openStorage(t)
  const held: (() => void)[] = []
  let isHolding = false
  const server = await bootWorld(t, DEFAULT_VERSION, {
    storage: {
      run: async (job, options) => {
        if (isHolding && (job as { kind: string }).kind === 'save-player-file')
          await new Promise<void>((resolve) => held.push(resolve))
        return runJob(groups.storage, job, options)
      },
    },
  })
  const { serv } = server
  const first = await server.join('alice')
  const before = playerOf(serv, 'alice')
  put(before, 36, stack(serv, ['diamond', 5]))
  isHolding = true
  const gone = nextEvent(before, 'disconnected')
  first.end('bye')
  await gone
  const again = server.join('alice')
  await eventually(() => held.length === 1)
  t.equal(serv.players.length, 0, 'not let in yet')
  isHolding = false
  held.splice(0).forEach((go) => go())
  await again
  t.match(seen(playerOf(serv, 'alice'), 36), 'diamond')
  const { Inventory } = await readDat(fileOf(server.world, before))
  t.equal((Inventory as unknown[]).length, 1)
})

void t.test('three logins in a row leave one player, who has everything', async (t) => {
  const server = await bootWorld(t, DEFAULT_VERSION)
  const { serv } = server
  await server.join('alice')
  put(playerOf(serv, 'alice'), 36, stack(serv, ['diamond', 3]))
  const logins = [1, 2, 3].map(() => joinRaw(t, server.port, DEFAULT_VERSION, 'alice', { timeoutMs: 4_000 }))
  const settled = await Promise.allSettled(logins)
  t.ok(settled.some(({ status }) => status === 'fulfilled'))
  await eventually(() => serv.players.length === 1)
  t.match(seen(playerOf(serv, 'alice'), 36), 'diamond')
})
