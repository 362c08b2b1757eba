/** A budget inside of another spends no more than either has. */
import fc from 'fast-check'
import t from 'tap'
import { Budget } from '../../lib/agent/budget.js'
import type { ExecutionPolicy } from '../../lib/agent/policy.js'
import { ManualClock } from '../../lib/testing/index.js'
import { WIDE } from '../support/policies.js'

const budget = (over: Partial<ExecutionPolicy>, clock = new ManualClock()): Budget =>
  new Budget({ ...WIDE, ...over }, clock, { acceptedAt: 0 })
const codeOf = (result: { ok: boolean; failure?: { code: string } }): string => result.failure?.code ?? 'ok'
const model = (b: Budget) => b.takeModelCall(10, 10)
const read = (b: Budget) => b.takeToolCall('read')
const write = (b: Budget) => b.takeToolCall('write')

const COUNTED = [
  ['modelCalls', model],
  ['toolCalls', read],
  ['writeSteps', write],
  ['steps', read],
] as const

for (const [field, take] of COUNTED)
  void t.test(`${field}: what the outer one has left, and no more`, async (t) => {
    for (const [used, isLeft] of [
      [1, true],
      [2, true],
      [3, false],
    ] as const) {
      const outer = budget({ [field]: 3 })
      for (let n = 0; n < used; n++) take(outer)
      const inner = outer.nested(WIDE)
      t.equal(take(inner).ok, isLeft, `${used} of 3 are used`)
    }
    const outer = budget({})
    const inner = outer.nested({ ...WIDE, [field]: 1 })
    t.equal(take(inner).ok, true)
    const spent = outer.spent()
    t.equal(take(inner).ok, false, 'its own limit holds too')
    t.same(outer.spent(), spent, 'what is refused inside takes nothing outside')
    t.equal(take(outer).ok, true, 'the outer one goes on')
  })

void t.test('what the outer one refuses takes nothing inside', async (t) => {
  const outer = budget({ modelCalls: 1 })
  const inner = outer.nested(WIDE)
  model(outer)
  t.equal(codeOf(model(inner)), 'system:budget_model_calls')
  t.same(inner.spent().modelCalls, 0)
})

void t.test('sizes are the smaller ones', async (t) => {
  const narrow = { inputBytes: 50, outputTokens: 20, modelTimeoutMillis: 700, reactIterations: 1 }
  t.match(budget(narrow).nested(WIDE).policy, narrow)
  t.match(budget({}).nested({ ...WIDE, ...narrow }).policy, narrow)
  const inner = budget({ inputBytes: 50 }).nested(WIDE)
  t.equal(codeOf(inner.takeModelCall(51, 1)), 'system:budget_input_bytes')
  t.equal(codeOf(inner.takeModelCall(50, 1)), 'ok')
})

void t.test('tokens: reserved in both, corrected in both', async (t) => {
  const outer = budget({ totalTokens: 100 })
  const inner = outer.nested(WIDE)
  const taken = inner.takeModelCall(60, 40)
  t.same([taken, outer.spent().tokens, inner.spent().tokens], [{ ok: true, value: 100 }, 100, 100])
  t.equal(codeOf(inner.takeModelCall(1, 0)), 'system:budget_tokens')
  inner.settleModelCall(100, { prompt: 10, cached: 0, output: 5, reasoning: 0 })
  t.same([outer.spent().tokens, inner.spent().tokens], [15, 15])
})

void t.test('the deadline is the earlier one, the inner counted from its beginning', async (t) => {
  const clock = new ManualClock()
  const outer = budget({ ttlMillis: 10_000 }, clock)
  clock.advance(6_000)
  t.equal(outer.nested({ ...WIDE, ttlMillis: 3_000 }).remainingMs(), 3_000)
  const inner = outer.nested({ ...WIDE, ttlMillis: 8_000 })
  t.equal(inner.remainingMs(), 4_000)
  clock.advance(4_000)
  t.equal(inner.remainingMs(), 0)
})

void t.test('the last call of the outer one is the last inside', async (t) => {
  const outer = budget({ modelCalls: 2 })
  const inner = outer.nested(WIDE)
  model(inner)
  t.equal(inner.isLastCall(), false)
  model(inner)
  t.equal(inner.isLastCall(), true)
})

void t.test('whatever is taken where, the outer one is never passed', async () => {
  const limit = fc.integer({ min: 0, max: 6 })
  const policies = fc.record({ modelCalls: limit, toolCalls: limit, writeSteps: limit, steps: limit })
  const takes = fc.array(fc.tuple(fc.constantFrom('outer', 'a', 'b'), fc.constantFrom(model, read, write)), {
    maxLength: 40,
  })
  fc.assert(
    fc.property(policies, policies, policies, takes, (o, a, b, script) => {
      const outer = budget({ ...o, steps: o.steps + 1 })
      const first = outer.nested({ ...WIDE, ...a, steps: a.steps + 1 })
      const second = first.nested({ ...WIDE, ...b, steps: b.steps + 1 })
      for (const [where, take] of script) take(where === 'outer' ? outer : where === 'a' ? first : second)
      for (const [one, policy] of [
        [outer, outer.policy],
        [first, first.policy],
        [second, second.policy],
      ] as const) {
        for (const field of ['modelCalls', 'toolCalls', 'writeSteps', 'steps'] as const)
          if (one.spent()[field] > policy[field]) return false
      }
      return first.spent().steps <= outer.spent().steps && second.spent().steps <= first.spent().steps
    }),
  )
})
