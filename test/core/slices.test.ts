import t from 'tap'
import { inSlices } from '../../lib/core/slices.js'

/** Steps that take a while each, so that they never fit into one slice. */
function* steps(count: number): Generator<void, string> {
  for (let at = 0; at < count; at += 1) {
    const end = performance.now() + 1
    while (performance.now() < end);
    yield
  }
  return 'done'
}

void t.test('a computation gives its result; in between others have their turn', async (t) => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  t.equal(await inSlices(steps(20)), 'done')
  isOver = true
  t.ok(turns > 3)
})

void t.test('nothing is done at once, nor when it is not wanted any more', async (t) => {
  let done = 0
  function* counted(): Generator<void, number> {
    for (;;) {
      done += 1
      yield* steps(1)
    }
  }
  let asked = 0
  const result = inSlices(counted(), () => (asked += 1) < 4)
  t.equal(done, 0)
  t.equal(await result, undefined)
  t.ok(done >= 3, 'each slice has a step')
  t.equal(asked, 4)
})

void t.test('what it throws is thrown', async (t) => {
  // oxlint-disable-next-line require-yield
  function* broken(): Generator<void, never> {
    throw new Error('broken')
  }
  await t.rejects(inSlices(broken()), new Error('broken'))
})
