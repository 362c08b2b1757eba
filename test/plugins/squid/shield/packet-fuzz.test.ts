import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { PacketFuzz, SeededRandom } from '../../../support/packet-fuzz.js'
import { VERSIONS, joinRaw, type RawClient } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf } from './support.js'

const SEED = 20_261_130
const PACKETS = 2_000
const RAW_CONNECTIONS = 100
const RAW_JOINED = 10

interface Inside {
  readonly serializer: { createPacketBuffer(packet: { name: string; params: unknown }): Buffer }
  writeRaw(packet: Buffer): void
}
const inside = (client: RawClient): Inside => client as unknown as Inside

for (const version of VERSIONS) {
  void t.test(`${version}: 2,000 random packets of the protocol`, async (t) => {
    const random = new SeededRandom(SEED)
    const fuzz = new PacketFuzz(version, random)
    const { port, serv } = await bootShielded(t, version)
    const bystander = await joinRaw(t, port, version, 'bob')
    let attacker = await joinRaw(t, port, version, 'mallory')
    const sent = new Map<string, number>()
    const unmade = new Set<string>()
    for (let count = 0; count < PACKETS;) {
      if (attacker.ended === true) attacker = await joinRaw(t, port, version, 'mallory')
      const name = random.pick(fuzz.names)
      // 1.20.2 and later leave the game with it, as they may
      if (name === 'configuration_acknowledged') continue
      const packet = made(attacker, fuzz, name)
      if (packet === undefined) {
        unmade.add(name)
        continue
      }
      inside(attacker).writeRaw(packet)
      sent.set(name, (sent.get(name) ?? 0) + 1)
      count += 1
      // lets the server answer, so that a connection that it ends is noticed
      if (count % 50 === 0) await isServed(bystander)
    }
    t.strictSame(
      [...unmade].filter((name) => !sent.has(name)),
      [],
      'every kind of packet was made',
    )
    await isServed(bystander)
    t.notOk(bystander.ended)
    t.strictSame(bystander.clientErrors, [], 'what the bystander received could be read')
    const { x, y, z } = playerOf(serv, 'bob').position
    t.ok([x, y, z].every(Number.isFinite))
  })

  void t.test(`${version}: random bytes`, async (t) => {
    const random = new SeededRandom(SEED + 1)
    const { port } = await bootShielded(t, version)
    const bystander = await joinRaw(t, port, version, 'bob')
    for (let count = 0; count < RAW_CONNECTIONS; count += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.end(random.bytes(random.int(1, 60)))
      await once(socket.resume(), 'close')
    }
    for (let count = 0; count < RAW_JOINED; count += 1) {
      const attacker = await joinRaw(t, port, version, 'mallory')
      for (let frame = 0; frame < 10; frame += 1) inside(attacker).writeRaw(random.bytes(random.int(1, 60)))
      await isServed(bystander)
      attacker.end()
    }
    await isServed(bystander)
    t.strictSame(bystander.clientErrors, [])
  })
}

function made(client: RawClient, fuzz: PacketFuzz, name: string): Buffer | undefined {
  try {
    return inside(client).serializer.createPacketBuffer({ name, params: fuzz.fields(name) })
  } catch {
    return undefined
  }
}
