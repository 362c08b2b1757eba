import { readFileSync } from 'node:fs'
import t from 'tap'
import { ManualClock } from '../../../../lib/testing/index.js'
import { playerId } from '../../../../lib/core/ids.js'
import { REPAIR_NAMES, installShield } from '../../../../plugins/squid/shield/index.js'
import { DEFAULT_VERSION, VERSIONS, bootSquid, joinRaw, nextEvent } from '../../../support/squid.js'
import { click, dropClick } from './faults.js'
import { LogLines, bootShielded, connectionOf, isServed, playerOf, shieldOptions } from './support.js'

for (const version of VERSIONS) {
  void t.test(`${version}: 500 chat lines in a burst`, async (t) => {
    const { port } = await bootShielded(t, version)
    const bob = await joinRaw(t, port, version, 'bob')
    const mallory = await joinRaw(t, port, version, 'mallory')
    const served = isServed(bob)
    for (let n = 0; n < 500; n += 1) mallory.say(n === 250 ? 'x'.repeat(5_000) : `line ${n}`)
    await served
    await isServed(mallory)
    await isServed(bob)
    t.strictSame(bob.clientErrors, [])
  })

  void t.test(`${version}: installed late, with players on`, async (t) => {
    const { serv, port } = await bootSquid(t, version)
    const alice = await joinRaw(t, port, version, 'alice')
    const log = new LogLines()
    const shield = installShield(serv, shieldOptions(log))
    alice.write('window_click', dropClick(10))
    alice.write('position', { x: NaN, y: 5, z: 5, onGround: true, flags: { onGround: true } })
    alice.say('/constructor')
    connectionOf(serv, 'alice').write('boss_bar', {})
    await isServed(alice)
    t.ok(Number.isFinite(playerOf(serv, 'alice').position.x))
    const bob = await joinRaw(t, port, version, 'bob')
    bob.write('window_click', dropClick(10))
    await isServed(bob)
    shield.close()
  })
}

void t.test('status and switches', async (t) => {
  const { shield } = await bootShielded(t, DEFAULT_VERSION, { only: ['leaks', 'safe-write'] })
  t.strictSame([...shield.status().keys()], [...REPAIR_NAMES])
  t.strictSame(
    [...shield.status()].filter(([, status]) => status === 'on').map(([name]) => name),
    ['safe-write', 'leaks'],
  )
})

void t.test('each repair is described for upstream', async (t) => {
  const text = readFileSync(new URL('../../../../../docs/UPSTREAM.md', import.meta.url), 'utf8')
  const described = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name)
  t.strictSame(new Set(described), new Set(REPAIR_NAMES))
})

void t.test('limits go by the switch and end with the player', async (t) => {
  const alice = playerId('00000000-0000-0000-0000-00000000000a')
  const on = await bootShielded(t, DEFAULT_VERSION, { shield: { clock: new ManualClock() } })
  const verdicts = (shield: typeof on.shield, id = alice): string[] =>
    Array.from({ length: 6 }, () => shield.limits.take(id, 'text'))
  t.strictSame(verdicts(on.shield), ['ok', 'ok', 'ok', 'ok', 'ok', 'notice'])
  const client = await joinRaw(t, on.port, DEFAULT_VERSION, 'bob')
  const bob = playerId(connectionOf(on.serv, 'bob').uuid)
  t.equal(verdicts(on.shield, bob).at(-1), 'notice')
  const left = nextEvent(playerOf(on.serv, 'bob'), 'disconnected')
  client.end()
  await left
  t.equal(on.shield.limits.take(bob, 'text'), 'ok')
  const off = await bootShielded(t, DEFAULT_VERSION, { only: [], shield: { clock: new ManualClock() } })
  t.strictSame(new Set(verdicts(off.shield)), new Set(['ok']))
})

void t.test('close() gives the server and its connections back', async (t) => {
  const { serv, port, shield } = await bootShielded(t, DEFAULT_VERSION)
  await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  const connection = connectionOf(serv, 'alice')
  t.ok(Object.hasOwn(connection, 'emit'))
  const listeners = serv._server.listenerCount('connection')
  shield.close()
  shield.close()
  for (const name of ['emit', 'write']) t.notOk(Object.hasOwn(connection, name), name)
  t.equal(serv._server.listenerCount('connection'), listeners - 1)
  const bob = await joinRaw(t, port, DEFAULT_VERSION, 'bob')
  await isServed(bob)
  t.notOk(Object.hasOwn(connectionOf(serv, 'bob'), 'emit'))
})

void t.test('a wrapper put on top of ours stays and works', async (t) => {
  const { serv, port, shield } = await bootShielded(t, DEFAULT_VERSION)
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  const connection = connectionOf(serv, 'alice')
  const written: string[] = []
  const below = connection.write.bind(connection)
  connection.write = (name, params) => {
    written.push(name)
    below(name, params)
  }
  await isServed(alice)
  t.ok(written.includes('system_chat'))
  shield.close()
  written.length = 0
  await isServed(alice)
  t.ok(written.includes('system_chat'))
})

void t.test('several servers do not disturb each other', async (t) => {
  const first = await bootShielded(t, '1.16.5')
  const second = await bootShielded(t, '1.21.4')
  const plain = await bootSquid(t, '1.21.4')
  const alice = await joinRaw(t, first.port, '1.16.5', 'alice')
  const bob = await joinRaw(t, second.port, '1.21.4', 'bob')
  const carol = await joinRaw(t, plain.port, '1.21.4', 'carol')
  t.notOk(Object.hasOwn(connectionOf(plain.serv, 'carol'), 'write'))
  await first.stop()
  first.shield.close()
  bob.write('window_click', click(3_000, 9, 4))
  bob.say('/constructor')
  await isServed(bob)
  await isServed(carol)
  t.ok(alice)
  t.equal(first.log.lines.length, 0)
  t.equal(second.log.lines.length, 0)
})

void t.test('safe-write and view-distance notice an upstream that has repaired them', async (t) => {
  const { port, shield, serv } = await bootShielded(t, DEFAULT_VERSION, {
    only: ['safe-write', 'view-distance'],
    plugin: {
      server: (serv) => {
        serv._server.prependListener('connection', (client: { constructor: { prototype: object } }) => {
          const { prototype } = client.constructor
          const stock = Object.getOwnPropertyDescriptor(prototype, 'write')
          if (stock === undefined) return
          Object.defineProperty(prototype, 'write', { ...stock, value: repairedWrite })
          t.teardown(() => Object.defineProperty(prototype, 'write', stock))
        })
      },
      player: (player) => {
        player.view = 2
      },
    },
  })
  await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  t.equal(shield.status().get('safe-write'), 'upstream')
  t.equal(shield.status().get('view-distance'), 'upstream')
  t.notOk(Object.hasOwn(connectionOf(serv, 'alice'), 'write'))
})

interface Writer {
  readonly serializer: { createPacketBuffer(packet: unknown): Buffer }
  writeRaw(bytes: Buffer): void
}

function repairedWrite(this: Writer, name: string, params: unknown): void {
  let bytes: Buffer
  try {
    bytes = this.serializer.createPacketBuffer({ name, params })
  } catch {
    return
  }
  this.writeRaw(bytes)
}
