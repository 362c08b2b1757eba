import t from 'tap'
import { VERSIONS, bootSquid, joinRaw, nextEvent } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf, settingsPacket } from './support.js'

const FLAGS = { onGround: true, hasHorizontalCollision: false }
/** Versions with a configuration phase. */
const LATE = ['1.20.4', '1.21.1', '1.21.4']

for (const version of VERSIONS) {
  void t.test(
    `${version}: settings are kept from the first phase on and stay within the server's`,
    async (t) => {
      const { serv, port, shield } = await bootShielded(t, version, {
        only: ['view-distance'],
        settings: { 'view-distance': 3 },
      })
      const alice = await joinRaw(t, port, version, 'alice')
      await isServed(alice)
      t.equal(playerOf(serv, 'alice').view, 2)
      for (const [asked, view] of [
        [12, 3],
        [3, 3],
        [-128, 2],
        [127, 3],
        [0, 2],
      ] as const) {
        alice.write('settings', settingsPacket(asked))
        await isServed(alice)
        t.equal(playerOf(serv, 'alice').view, view, `asked ${asked}`)
      }
      t.equal(shield.status().get('view-distance'), 'on')
    },
  )

  void t.test(`${version}: a client that never speaks in the game`, async (t) => {
    const stock = await bootSquid(t, version, { settings: { 'view-distance': 3 } })
    await joinRaw(t, stock.port, version, 'alice', { settingsPhase: 'configuration' })
    t.equal(playerOf(stock.serv, 'alice').view, undefined)
    const repaired = await bootShielded(t, version, {
      only: ['view-distance'],
      settings: { 'view-distance': 3 },
    })
    await joinRaw(t, repaired.port, version, 'alice', { settingsPhase: 'configuration' })
    // without a configuration phase nothing was said at all: the server's own distance
    t.equal(playerOf(repaired.serv, 'alice').view, LATE.includes(version) ? 2 : 3)
  })

  void t.test(`${version}: chunks come while walking`, async (t) => {
    const { serv, port } = await bootShielded(t, version, { only: ['view-distance'] })
    const alice = await joinRaw(t, port, version, 'alice', { settingsPhase: 'configuration' })
    // the login is over with the first look after it
    const over = nextEvent(alice, 'position')
    alice.write('look', { yaw: 9, pitch: 0, onGround: true, flags: FLAGS })
    await over
    const { x, y, z } = playerOf(serv, 'alice').position
    const came: number[] = []
    alice.on('map_chunk', (chunk: { x: number }) => came.push(chunk.x))
    const hasCome = (): boolean => came.some((chunkX) => chunkX >= Math.floor(x / 16) + 3)
    // the host looks at a step only when it is done with sending the chunks of an earlier one
    for (let step = 1; step <= 1_000 && !hasCome(); step += 1) {
      alice.write('position', { x: x + step, y, z, onGround: true, flags: FLAGS })
      await isServed(alice)
    }
    t.ok(hasCome())
  })
}
