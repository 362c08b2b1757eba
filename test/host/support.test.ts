import t from 'tap'
import { VERSIONS, bootSquid, joinRaw } from '../support/squid.js'

for (const version of VERSIONS) {
  void t.test(`a raw client joins a bare ${version} server`, async (t) => {
    const { serv, port, errors } = await bootSquid(t, version)
    const client = await joinRaw(t, port, version, 'alice')
    t.equal(serv.players.length, 1)
    t.strictSame(errors, [])
    t.strictSame(client.clientErrors, [])
  })
}
