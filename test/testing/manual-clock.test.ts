import t from 'tap'
import { ManualClock } from '../../lib/testing/index.js'

void t.test('both times move together, and only by hand', (t) => {
  const clock = new ManualClock(1_000)
  t.strictSame([clock.now(), clock.monotonic()], [1_000, 0])
  clock.advance(250)
  t.strictSame([clock.now(), clock.monotonic()], [1_250, 250])
  clock.setNow(5)
  t.strictSame([clock.now(), clock.monotonic()], [5, 250])
  clock.advance(1)
  t.strictSame([clock.now(), clock.monotonic()], [6, 251])
  t.end()
})

void t.test('timers run when due, in order, at their own time', (t) => {
  const clock = new ManualClock(0)
  const seen: string[] = []
  const note = (name: string) => () => seen.push(`${name}@${clock.now()}`)
  clock.after(30, note('late'))
  clock.after(10, note('first'))
  clock.after(10, note('second'))
  clock.after(-5, note('past'))
  const cancel = clock.after(20, note('cancelled'))
  clock.after(15, () => clock.after(5, note('nested')))
  cancel()
  cancel()
  clock.advance(29)
  t.strictSame(seen, ['past@0', 'first@10', 'second@10', 'nested@20'])
  clock.advance(1)
  t.equal(seen.at(-1), 'late@30')
  t.equal(clock.pending, 0)
  t.end()
})

void t.test('periods repeat until cancelled, also from inside', (t) => {
  const clock = new ManualClock(0)
  const seen: number[] = []
  const cancel = clock.every(10, () => {
    seen.push(clock.now())
    if (seen.length === 3) cancel()
  })
  clock.advance(100)
  t.strictSame(seen, [10, 20, 30])
  const endless = clock.every(0, () => {})
  clock.advance(5)
  t.equal(clock.pending, 1)
  endless()
  t.equal(clock.pending, 0)
  t.end()
})

void t.test('waiting for a timer and for none', async (t) => {
  const clock = new ManualClock()
  await clock.whenIdle()
  const set = clock.whenSet(40)
  const cancel = clock.after(41, () => {})
  clock.after(40, () => {})
  await set
  await clock.whenSet(40)
  const idle = clock.whenIdle()
  clock.advance(40)
  cancel()
  await idle
  t.equal(clock.pending, 0)
})
