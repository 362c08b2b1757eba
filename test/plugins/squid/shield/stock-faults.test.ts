import t from 'tap'
import { DEFAULT_VERSION, VERSIONS } from '../../../support/squid.js'
import { FAULTS } from './faults.js'
import { outcomeOf } from './support.js'

for (const version of VERSIONS) {
  void t.test(`${version}: each of the faults ends or hangs a stock server`, async (t) => {
    const shown = [...FAULTS].filter(([, { isHang, versions }]) =>
      isHang === true ? version === DEFAULT_VERSION : versions.includes(version),
    )
    await Promise.all(
      shown.map(async ([name, { isHang }]) =>
        t.equal(await outcomeOf(name, version), isHang === true ? 'hung' : 'ended', name),
      ),
    )
  })
}
