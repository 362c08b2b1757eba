import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import type { SquidPlayer, SquidServer } from '../../../../plugins/squid/types.js'
import type { RepairName } from '../../../../plugins/squid/shield/index.js'
import { eventually } from '../../../support/eventually.js'
import {
  DEFAULT_VERSION,
  VERSIONS,
  bootSquid,
  joinRaw,
  nextEvent,
  type RawClient,
} from '../../../support/squid.js'
import { bootShielded, isServed, playerOf } from './support.js'

const require = createRequire(import.meta.url)
const { Vec3 } = createRequire(require.resolve('flying-squid'))('vec3') as {
  Vec3: new (x: number, y: number, z: number) => unknown
}
const { createClient } = require('minecraft-protocol') as { createClient(options: unknown): RawClient }

interface Bans {
  ban(name: string, reason?: string): Promise<boolean>
  banIP(address: string, reason?: string): Promise<boolean>
  pardonIP(address: string): Promise<boolean>
}
const bans = (serv: SquidServer): Bans => serv as unknown as Bans
const names = (serv: SquidServer): string => serv.players.map(({ username }) => username).join(' ')

/** Tries to join, and gives why it can't. */
async function refusal(t: Test, port: number, version: string, name: string): Promise<string> {
  const client = createClient({
    host: '127.0.0.1',
    port,
    username: name,
    auth: 'offline',
    version,
    hideErrors: true,
  })
  t.teardown(() => client.end('done'))
  client.on('error', () => {})
  const reasons: string[] = []
  for (const event of ['kick_disconnect', 'disconnect'])
    client.on(event, (packet: { reason: unknown }) => reasons.push(JSON.stringify(packet.reason)))
  const spawned = nextEvent(client, 'update_health').then(
    () => 'came in',
    () => '',
  )
  const ended = nextEvent(client, 'end').then(() => reasons.join())
  return Promise.race([spawned, ended])
}

/** What is decided at a login hangs on no packet but the last one: the oldest and the newest. */
const ENDS = VERSIONS.filter((version) => version === VERSIONS[0] || version === DEFAULT_VERSION)

for (const version of ENDS) {
  void t.test(`${version}: stock lets everybody in`, async (t) => {
    const { serv, port } = await bootSquid(t, version, { settings: { 'max-players': 1 } })
    await bans(serv).ban('mallory', 'for ever')
    for (const name of ['alice', 'mallory', 'ALICE']) await joinRaw(t, port, version, name)
    t.equal(names(serv), 'alice mallory ALICE')
  })

  void t.test(`${version}: with the repair`, async (t) => {
    const only: RepairName[] = ['limits', 'sessions']
    const { serv, port, errors, log } = await bootShielded(t, version, {
      only,
      settings: { 'max-players': 2 },
    })
    const alice = await joinRaw(t, port, version, 'alice')
    const denied = (name: string): Promise<string> => refusal(t, port, version, name)
    t.match(await denied('ALICE'), 'Somebody with this name')

    await bans(serv).ban('Mallory', 'for ever')
    t.match(await denied('mallory'), 'for ever')
    await bans(serv).ban('oscar')
    t.match(await denied('oscar'), 'banned')
    await bans(serv).banIP('127.0.0.1', 'from here')
    t.match(await denied('carol'), 'from here')
    await bans(serv).pardonIP('127.0.0.1')

    const bob = await joinRaw(t, port, version, 'bob')
    t.match(await denied('carol'), 'full')
    // several at once don't slip in together, and a second login of the same account has the first one's place
    const left = nextEvent(bob, 'end')
    bob.end()
    await left
    await isServed(alice)
    const results = await Promise.all(['carol', 'dave', 'erin'].map(denied))
    t.equal(results.filter((result) => result === 'came in').length, 1)
    const ended = nextEvent(alice, 'end')
    const again = await joinRaw(t, port, version, 'alice')
    await ended
    await isServed(again)
    t.equal(serv.players.length, 2)
    t.strictSame([errors, log.lines, alice.clientErrors, again.clientErrors], [[], [], [], []])
  })

  void t.test(`${version}: a world full of entities`, async (t) => {
    const stock = await bootSquid(t, version, { settings: { 'max-entities': 0 } })
    const one = spawner(stock.serv)
    one.spawn()
    t.throws(() => one.login(), 'in a login, this ends the process')
    t.throws(() => one.spawn())

    const { serv, port, errors, log } = await bootShielded(t, version, {
      only: ['limits'],
      settings: { 'max-entities': 1 },
    })
    const full = spawner(serv)
    full.spawn()
    full.spawn()
    const alice = await joinRaw(t, port, version, 'alice')
    const bob = await joinRaw(t, port, version, 'bob')
    for (let n = 0; n < 5; n += 1) t.equal(full.spawn(), undefined)
    await isServed(alice)
    await isServed(bob)
    t.equal(Object.keys(serv.entities).length, 4)
    t.match(log.lines, [/^limits: the world has more than 1 entities/])
    t.equal(log.lines.length, 1)
    t.strictSame(errors, [])
  })
}

void t.test('who is refused is not saved', async (t) => {
  const { serv, port } = await bootShielded(t, DEFAULT_VERSION, { only: ['limits'] })
  const saved: string[] = []
  serv.on('newPlayer', (player: SquidPlayer) => {
    const save = (): void => void saved.push(player._client.username)
    Object.assign(player, { save })
  })
  await bans(serv).ban('mallory', 'for ever')
  t.match(await refusal(t, port, DEFAULT_VERSION, 'mallory'), 'for ever')
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  await isServed(alice)
  const left = nextEvent(playerOf(serv, 'alice'), 'disconnected')
  alice.end()
  await left
  await eventually(() => saved.includes('alice'))
  t.notOk(saved.includes('mallory'))
})

interface Spawner {
  spawnObject(type: number, world: unknown, position: unknown, options: unknown): unknown
  initEntity(kind: string, type: null, world: unknown, position: unknown): unknown
  readonly overworld: unknown
  readonly registry: { readonly entitiesByName: Readonly<Record<string, { readonly id: number }>> }
}

function spawner(serv: SquidServer): { spawn(): unknown; login(): unknown } {
  const inside = serv as unknown as Spawner
  const at = (): unknown => new Vec3(0, 5, 0)
  const { item } = inside.registry.entitiesByName
  return {
    spawn: () => inside.spawnObject(item?.id ?? 0, inside.overworld, at(), { itemId: 1 }),
    login: () => inside.initEntity('player', null, inside.overworld, at()),
  }
}
