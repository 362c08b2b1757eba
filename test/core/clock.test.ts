import t from 'tap'
import { systemClock } from '../../lib/core/clock.js'

void t.test('a delay beyond what a timer can hold does not run at once', async (t) => {
  const ran: string[] = []
  const cancel = [
    systemClock.after(2_147_483_648, () => ran.push('after')),
    systemClock.after(Infinity, () => ran.push('never')),
    systemClock.every(3_000_000_000, () => ran.push('every')),
  ]
  // Node would run them after 1 ms, before this one
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 2)
  })
  t.strictSame(ran, [])
  for (const stop of cancel) stop()
})
