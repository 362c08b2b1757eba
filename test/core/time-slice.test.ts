import t from 'tap'
import { TimeSlice } from '../../lib/core/time-slice.js'
import { ManualClock } from '../support/manual-clock.js'

void t.test(
  'a slice is over after its time, and the next begins after other work of the thread',
  async (t) => {
    const clock = new ManualClock()
    const slice = new TimeSlice(clock, 5)
    const order: string[] = []
    clock.advance(4)
    t.notOk(slice.isOver())
    setImmediate(() => order.push('other work'))
    await slice.pause()
    order.push('still the same slice')
    clock.advance(1)
    t.ok(slice.isOver())
    await slice.pause()
    order.push('next slice')
    t.notOk(slice.isOver())
    t.strictSame(order, ['still the same slice', 'other work', 'next slice'])
  },
)
