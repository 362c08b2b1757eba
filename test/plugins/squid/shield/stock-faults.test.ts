import t from 'tap'
import { DEFAULT_VERSION, VERSIONS } from '../../../support/squid.js'
import { FAULTS } from './faults.js'
import { outcomeOf } from './support.js'

const NODE = Number(process.versions.node.split('.')[0])

for (const version of VERSIONS) {
  void t.test(`${version}: each of the faults ends or hangs a stock server`, async (t) => {
    const shown = [...FAULTS].filter(([, { isHang, versions }]) =>
      isHang === true ? version === DEFAULT_VERSION : versions.includes(version),
    )
    await Promise.all(
      shown.map(async ([name, { isHang, isInListener }]) => {
        const outcome = await outcomeOf(name, version)
        if (isHang === true) t.equal(outcome, 'hung', name)
        else if (isInListener === true && NODE > 20) t.match(outcome, /^(ended|survived)$/, name)
        else t.equal(outcome, 'ended', name)
      }),
    )
  })
}
