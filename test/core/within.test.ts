import t from 'tap'
import { within } from '../../lib/core/within.js'
import { ManualClock } from '../../lib/testing/manual-clock.js'

void t.test('work in time gives what it gives, and leaves no timer', async (t) => {
  const clock = new ManualClock()
  t.equal(await within(Promise.resolve('done'), { clock, ms: 100, late: 'late' }), 'done')
  await t.rejects(within(Promise.reject(new Error('broken')), { clock, ms: 100, late: 'late' }), /broken/)
  t.equal(clock.pending, 0)
})

void t.test('work that is late is not waited for, and may fail unseen', async (t) => {
  const clock = new ManualClock()
  let fail = (_: Error): void => {}
  const work = new Promise<string>((_, reject) => (fail = reject))
  const waiting = within(work, { clock, ms: 100, late: 'late' })
  clock.advance(99)
  let isOver = false
  void waiting.then(() => (isOver = true))
  await new Promise((resolve) => setImmediate(resolve))
  t.notOk(isOver)
  clock.advance(1)
  t.equal(await waiting, 'late')
  fail(new Error('nobody hears it'))
  await new Promise((resolve) => setImmediate(resolve))
})
