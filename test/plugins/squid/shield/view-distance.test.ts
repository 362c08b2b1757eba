import t from 'tap'
import { VERSIONS, bootSquid, joinRaw } from '../../../support/squid.js'
import { bootShielded, isServed, playerOf, settingsPacket } from './support.js'

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
}
