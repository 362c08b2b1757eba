import t from 'tap'
import { DEFAULT_VERSION, VERSIONS, joinRaw } from '../../../support/squid.js'
import { FAULTS } from './faults.js'
import { bootShielded, isServed, survives } from './support.js'

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
}
