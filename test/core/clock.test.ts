import t from 'tap'
import { LONGEST_TIMER_MS, systemClock } from '../../lib/core/clock.js'

void t.test(
  'a timer longer than Node can hold waits as long as it can, and does not fire at once',
  async (t) => {
    const warnings: string[] = []
    const listen = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', listen)
    const cancel = systemClock.after(LONGEST_TIMER_MS + 1, () => {})
    // Node tells of an overflow in the next turn
    await new Promise((resolve) => setImmediate(resolve))
    cancel()
    process.removeListener('warning', listen)
    t.strictSame(warnings, [])
  },
)
