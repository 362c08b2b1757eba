import t from 'tap'
import { synchronous } from '../../lib/core/synchronous.js'

void t.test("a promise is refused and its rejection is nobody's", async (t) => {
  const stray: unknown[] = []
  const note = (thrown: unknown): void => void stray.push(thrown)
  process.on('unhandledRejection', note)
  t.teardown(() => process.removeListener('unhandledRejection', note))
  t.equal(synchronous(5), 5)
  t.equal(synchronous(undefined), undefined)
  t.throws(() => synchronous(Promise.reject(new Error('late'))), TypeError)
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(stray, [])
})
