import t from 'tap'
import { VERSIONS, joinRaw } from '../../../support/squid.js'
import { FAULTS } from './faults.js'
import { bootShielded, isServed, playerOf, settingsPacket } from './support.js'

for (const version of VERSIONS) {
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

  void t.test(`${version}: names that vanilla clients choke on`, async (t) => {
    const { port, serv } = await bootShielded(t, version)
    for (const name of ['x'.repeat(17), 'a b', '']) {
      await t.rejects(joinRaw(t, port, version, name, { timeoutMs: 300 }), JSON.stringify(name))
    }
    t.equal(serv.players.length, 0)
  })
}
