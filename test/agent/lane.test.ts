import fc from 'fast-check'
import t from 'tap'
import { Lane, type LanePlace } from '../../lib/agent/lane.js'
import { turn } from '../support/kernel.js'

function setup(active: number, waiting: number) {
  const limits = { active, waiting }
  const lane = new Lane(() => limits)
  const started: string[] = []
  const places = new Map<string, LanePlace>()
  /** Enters; `started` gets the name when it may begin, `-name` when it may not. */
  const enter = (name: string): string => {
    const entered = lane.enter()
    if (!entered.ok) return entered.failure.code
    places.set(name, entered.value)
    void entered.value.start.then((may) => started.push(may ? name : `-${name}`))
    return 'ok'
  }
  const leave = (name: string): void => places.get(name)?.leave()
  return { limits, lane, started, enter, leave }
}

void t.test('so many run, so many wait, the next is refused at once', async (t) => {
  const { lane, enter, started } = setup(2, 1)
  t.same(['a', 'b', 'c', 'd', 'e'].map(enter), ['ok', 'ok', 'ok', 'system:busy', 'system:busy'])
  await turn()
  t.same(started, ['a', 'b'])
  t.same(lane.state(), { active: 2, waiting: 1, refused: 2 })
})

void t.test('nobody waits where nobody may', async (t) => {
  const { enter, leave, lane } = setup(1, 0)
  t.same(['a', 'b'].map(enter), ['ok', 'system:busy'])
  leave('a')
  t.equal(enter('c'), 'ok')
  t.same(lane.state(), { active: 1, waiting: 0, refused: 1 })
})

void t.test('in the order of arrival, whoever leaves between', async (t) => {
  const { enter, leave, started, lane } = setup(1, 10)
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name)
  leave('c')
  leave('a')
  await turn()
  t.same(started, ['a', '-c', 'b'])
  leave('b')
  leave('d')
  await turn()
  t.same(started, ['a', '-c', 'b', 'd', 'e'])
  t.same(lane.state(), { active: 1, waiting: 0, refused: 0 })
})

void t.test('leaving twice frees one place', async (t) => {
  const { enter, leave, started, lane } = setup(1, 10)
  for (const name of ['a', 'b', 'c']) enter(name)
  leave('a')
  leave('a')
  await turn()
  t.same(started, ['a', 'b'])
  t.same(lane.state(), { active: 1, waiting: 1, refused: 0 })
})

void t.test('closing: those who run go on, those who wait may not start, nobody enters', async (t) => {
  const { enter, leave, started, lane } = setup(1, 10)
  for (const name of ['a', 'b', 'c']) enter(name)
  lane.close()
  await turn()
  t.same(started, ['a', '-b', '-c'])
  t.equal(enter('d'), 'system:stopping')
  leave('a')
  leave('b')
  t.same(lane.state(), { active: 0, waiting: 0, refused: 0 })
})

void t.test('changed limits hold from the next arrival or leave on', async (t) => {
  const { enter, leave, started, lane, limits } = setup(3, 5)
  for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name)
  limits.active = 1
  leave('a')
  leave('b')
  await turn()
  t.same(started, ['a', 'b', 'c'], 'one still runs')
  limits.active = 3
  enter('f')
  await turn()
  t.same(started, ['a', 'b', 'c', 'd', 'e'], 'those who waited come first')
  t.match(lane.state(), { active: 3, waiting: 1 })
})

void t.test('no order of arrivals and leaves passes the bounds or leaves a place empty', async () => {
  const steps = fc.array(fc.oneof(fc.constant('enter' as const), fc.nat(30)), { maxLength: 80 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 3 }), fc.nat(3), (steps, active, waiting) => {
      const lane = new Lane(() => ({ active, waiting }))
      const places: LanePlace[] = []
      return steps.every((step) => {
        if (step === 'enter') {
          const entered = lane.enter()
          if (entered.ok) places.push(entered.value)
        } else places[step % Math.max(1, places.length)]?.leave()
        const state = lane.state()
        const isFull = state.active === active
        return state.active <= active && state.waiting <= waiting && (isFull || state.waiting === 0)
      })
    }),
  )
})
