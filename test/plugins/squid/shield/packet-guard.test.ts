import { createRequire } from 'node:module'
import { deflateSync } from 'node:zlib'
import t from 'tap'
import { DEFAULT_VERSION, VERSIONS, joinRaw, nextEvent } from '../../../support/squid.js'
import { FAULTS } from './faults.js'
import { bootShielded, isServed, playerOf, settingsPacket, survives } from './support.js'

for (const version of VERSIONS) {
  void t.test(`${version}: each of the faults ends a stock server`, async (t) => {
    for (const [name, fault] of FAULTS) {
      const isShown = fault.isHang === true ? version === DEFAULT_VERSION : fault.versions.includes(version)
      if (isShown) t.notOk(await survives(name, version), name)
    }
  })

  void t.test(`${version}: none of the faults ends a shielded server`, async (t) => {
    const { port } = await bootShielded(t, version)
    const bystander = await joinRaw(t, port, version, 'bob')
    for (const [name, fault] of FAULTS) {
      if (!fault.versions.includes(version)) continue
      const attacker = await joinRaw(t, port, version, 'mallory')
      fault.attack(attacker, version)
      await isServed(bystander)
      attacker.end()
      t.pass(name)
    }
  })

  void t.test(`${version}: what is swallowed and what is corrected`, async (t) => {
    const { port, serv, log, errors } = await bootShielded(t, version)
    const alice = await joinRaw(t, port, version, 'alice')
    const player = playerOf(serv, 'alice')
    const { x, y, z } = player.position
    const flags = { onGround: true, hasHorizontalCollision: false }
    const move = (to: object): void => alice.write('position', { x, y, z, ...to, onGround: true, flags })
    for (const bad of [NaN, Infinity, -Infinity, 1e300, 3.1e7])
      for (const axis of ['x', 'y', 'z']) move({ [axis]: bad })
    alice.write('look', { yaw: NaN, pitch: 0, onGround: true, flags })
    alice.write('position_look', { x, y, z, yaw: 0, pitch: Infinity, onGround: true, flags })
    for (const slotId of [-1, 9, 500]) alice.write('held_item_slot', { slotId })
    alice.write('settings', settingsPacket(-5, 'x'.repeat(3_000)))
    await isServed(alice)
    t.strictSame([player.position.x, player.position.y, player.position.z], [x, y, z])
    t.equal(player.heldItemSlot, 0)
    t.equal(player.view, 2)
    alice.write('look', { yaw: 720 + 90, pitch: 1e9, onGround: true, flags })
    move({ x: x + 1 })
    alice.write('held_item_slot', { slotId: 8 })
    await isServed(alice)
    t.equal(player.position.x, x + 1)
    t.equal(player.heldItemSlot, 8)
    t.match(player, { yaw: 64, pitch: 64 }, 'in 1/256 of a turn')
    t.strictSame(errors, [])
    t.notOk(
      log.lines.some((line) => line.includes('failed')),
      log.lines.join(),
    )
  })

  void t.test(`${version}: packets before the login is over`, async (t) => {
    const early: string[] = []
    const { port, serv } = await bootShielded(t, version, {
      plugin: {
        player: (player) => {
          const client = player._client
          for (const name of ['position', 'chat_message', 'chat', 'window_click', 'use_entity']) {
            client.emit(name, { x: 1, y: 1, z: 1, message: 'x' }, { name })
            client.on(name, () => player.username ?? early.push(name))
          }
          // hooks have run here, but nothing is loaded
          setImmediate(() => client.emit('position', { x: 1, y: 1, z: 1 }, { name: 'position' }))
        },
      },
    })
    const alice = await joinRaw(t, port, version, 'alice')
    await isServed(alice)
    t.strictSame(early, [])
    t.equal(serv.players.length, 1)
  })

  void t.test(`${version}: frames that are none end their connection only`, async (t) => {
    const { port, log, serv } = await bootShielded(t, version)
    const bystander = await joinRaw(t, port, version, 'bob')
    const bomb = deflateSync(Buffer.alloc(3_000_000))
    const frames: readonly (readonly [what: string, bytes: Buffer])[] = [
      ['a negative length', Buffer.from([0xfb, 0xff, 0xff, 0xff, 0x0f])],
      ['a length of four bytes', Buffer.from([0x80, 0x80, 0x80, 0x01])],
      ['no unpacked length', frame(Buffer.from([0x80]))],
      ['an unpacked length beyond the limit', frame(Buffer.concat([varint(3_000_000), bomb]))],
      ['more than was announced', frame(Buffer.concat([varint(1_000), bomb]))],
      ['less than was announced', frame(Buffer.concat([varint(1_000), deflateSync(Buffer.alloc(10))]))],
      ['not compressed at all', frame(Buffer.concat([varint(1_000), Buffer.from('nonsense')]))],
    ]
    for (const [what, bytes] of frames) {
      const mallory = await joinRaw(t, port, version, 'mallory')
      const left = nextEvent(playerOf(serv, 'mallory'), 'disconnected')
      ;(mallory as unknown as { socket: { write(bytes: Buffer): void } }).socket.write(bytes)
      await left
      await isServed(bystander)
      t.pass(what)
    }
    t.ok(log.lines.length > 0)
  })

  void t.test(`${version}: a list of millions of nothing`, async (t) => {
    const { port, serv, log } = await bootShielded(t, version)
    const mallory = await joinRaw(t, port, version, 'mallory')
    const left = nextEvent(playerOf(serv, 'mallory'), 'disconnected')
    ;(mallory as unknown as { writeRaw(packet: Buffer): void }).writeRaw(listOfNothing(version))
    await left
    t.notOk(
      log.lines.some((line) => line.includes('kick_disconnect')),
      log.lines.join(),
    )
  })

  void t.test(`${version}: names that vanilla clients choke on`, async (t) => {
    const { port, serv } = await bootShielded(t, version)
    for (const name of ['x'.repeat(17), 'a b', '']) {
      await t.rejects(joinRaw(t, port, version, name, { timeoutMs: 300 }), JSON.stringify(name))
    }
    t.equal(serv.players.length, 0)
  })
}

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

const frame = (content: Buffer): Buffer => Buffer.concat([varint(content.length), content])

/** A creative slot whose item carries two lists of sixteen million end tags, in 30 bytes. */
function listOfNothing(version: string): Buffer {
  const data = createRequire(import.meta.url)('minecraft-data')(version) as {
    supportFeature(name: string): boolean
    protocol: {
      play: { toServer: { types: { packet: [string, { type: [string, { mappings: object }] }[]] } } }
    }
  }
  const { mappings } = data.protocol.play.toServer.types.packet[1][0]?.type[1] ?? { mappings: {} }
  const id = Number(Object.entries(mappings).find(([, name]) => name === 'set_creative_slot')?.[0])
  const list = Buffer.from([9, 0, 1, 97, 0, 0, 0xff, 0xff, 0xff])
  const isNamed = !data.supportFeature('chatPacketsUseNbtComponents') && version < '1.20.2'
  const root = Buffer.concat([Buffer.from([10]), Buffer.alloc(isNamed ? 2 : 0), list, list, Buffer.from([0])])
  const item = data.supportFeature('itemsWithComponents') ? [1, 1, 1, 0, 0] : [1, 1, 1]
  return Buffer.concat([Buffer.from([id, 0, 20, ...item]), root])
}
