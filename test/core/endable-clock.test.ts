import t from 'tap'
import { endableClock } from '../../lib/core/clock.js'
import { ManualClock } from '../../lib/testing/index.js'

void t.test('its timers run as those of the clock beneath, until all are ended', (t) => {
  const beneath = new ManualClock()
  const { clock, end } = endableClock(beneath)
  const ran: string[] = []
  clock.after(10, () => ran.push('once'))
  clock.every(10, () => ran.push('again'))
  clock.after(10, () => ran.push('cancelled'))()
  clock.after(50, () => ran.push('late'))
  beneath.advance(20)
  t.strictSame(ran.sort(), ['again', 'again', 'once'])
  t.equal(clock.now(), beneath.now())
  t.equal(clock.monotonic(), beneath.monotonic())
  end()
  clock.after(1, () => ran.push('after the end'))()
  clock.every(1, () => ran.push('after the end'))
  beneath.advance(100)
  t.equal(ran.length, 3)
  end()
  t.end()
})
