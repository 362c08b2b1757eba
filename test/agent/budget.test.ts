import fc from 'fast-check'
import t from 'tap'
import {
  executionPolicySchema,
  FAST_POLICY,
  REASONING_POLICY,
  ROUTING_POLICY,
} from '../../lib/agent/index.js'
import { Budget } from '../../lib/agent/budget.js'
import type { ExecutionPolicy } from '../../lib/agent/policy.js'
import { ManualClock } from '../../lib/testing/index.js'
import { WIDE } from '../support/policies.js'

const budget = (over: Partial<ExecutionPolicy>): Budget =>
  new Budget({ ...WIDE, ...over }, new ManualClock(), { acceptedAt: 0 })
const codes = (results: readonly { ok: boolean; failure?: { code: string } }[]): string[] =>
  results.map((result) => result.failure?.code ?? 'ok')
const usage = (prompt: number, output: number) => ({ prompt, cached: 0, output, reasoning: 0 })

void t.test('counted fields: the limit is reached, never passed', async (t) => {
  const limit = 3
  const model = (b: Budget) => b.takeModelCall(10, 10)
  const read = (b: Budget) => b.takeToolCall('read')
  const write = (b: Budget) => b.takeToolCall('write')
  const cases = [
    ['modelCalls', model, 'system:budget_model_calls'],
    ['toolCalls', read, 'system:budget_tool_calls'],
    ['writeSteps', write, 'system:budget_write_steps'],
    ['steps', read, 'system:budget_steps'],
    ['steps', model, 'system:budget_steps'],
  ] as const
  for (const [field, take, code] of cases) {
    const b = budget({ [field]: limit })
    t.same(codes([take(b), take(b), take(b), take(b)]), ['ok', 'ok', 'ok', code], field)
    const before = b.spent()
    take(b)
    t.same(b.spent(), before, `${field}: a refusal takes nothing`)
    t.same(codes([take(budget({ [field]: field === 'steps' ? 1 : 0 }))]), [field === 'steps' ? 'ok' : code])
  }
})

void t.test('a write step is a tool call and a step; reading needs no write steps', async (t) => {
  const b = budget({ writeSteps: 0 })
  t.ok(b.takeToolCall('read').ok)
  t.same(codes([b.takeToolCall('write')]), ['system:budget_write_steps'])
  const c = budget({ writeSteps: 1 })
  t.ok(c.takeToolCall('write').ok)
  t.match(c.spent(), { toolCalls: 1, writeSteps: 1, steps: 1 })
})

void t.test('sizes: limit - 1, limit, limit + 1', async (t) => {
  for (const [bytes, code] of [
    [999, 'ok'],
    [1_000, 'ok'],
    [1_001, 'system:budget_input_bytes'],
  ] as const)
    t.same(codes([budget({}).takeModelCall(bytes, 1)]), [code], `inputBytes ${bytes}`)
  for (const [tokens, code] of [
    [99, 'ok'],
    [100, 'ok'],
    [101, 'system:budget_tokens'],
  ] as const)
    t.same(codes([budget({}).takeModelCall(1, tokens)]), [code], `outputTokens ${tokens}`)
  for (const [bytes, code] of [
    [899, 'ok'],
    [900, 'ok'],
    [901, 'system:budget_tokens'],
  ] as const)
    t.same(codes([budget({ totalTokens: 1_000 }).takeModelCall(bytes, 100)]), [code], `totalTokens ${bytes}`)
})

void t.test('tokens are reserved in full and corrected up and down', async (t) => {
  const b = budget({ totalTokens: 1_000 })
  t.same(b.takeModelCall(500, 100), { ok: true, value: 600 })
  t.same(codes([b.takeModelCall(500, 100)]), ['system:budget_tokens'])
  b.settleModelCall(600, usage(80, 20))
  t.equal(b.spent().tokens, 100, 'down')
  t.ok(b.takeModelCall(800, 100).ok)
  b.settleModelCall(900, usage(1_500, 100))
  t.equal(b.spent().tokens, 1_700, 'up, above the limit: it was spent')
  t.same(codes([b.takeModelCall(1, 1)]), ['system:budget_tokens'])
  const c = budget({})
  c.takeModelCall(500, 100)
  c.settleModelCall(600, null)
  t.equal(c.spent().tokens, 600, 'nobody said: the reservation stays')
})

void t.test('what routing spent counts: calls, their steps, tokens; not its tools', async (t) => {
  const carried = { modelCalls: 1, toolCalls: 5, writeSteps: 5, steps: 6, tokens: 300 }
  const policy = { ...WIDE, modelCalls: 2, steps: 3, totalTokens: 500 }
  const b = new Budget(policy, new ManualClock(), { acceptedAt: 0, carried })
  t.same(b.spent(), { modelCalls: 1, toolCalls: 0, writeSteps: 0, steps: 1, tokens: 300 })
  t.same(codes([b.takeModelCall(190, 11)]), ['system:budget_tokens'])
  t.same(codes([b.takeModelCall(190, 10), b.takeModelCall(1, 1)]), ['ok', 'system:budget_model_calls'])
  t.same(codes([b.takeToolCall('read'), b.takeToolCall('read')]), ['ok', 'system:budget_steps'])
})

void t.test('the deadline counts from acceptance', async (t) => {
  const clock = new ManualClock()
  clock.advance(500)
  const b = new Budget({ ...WIDE, ttlMillis: 1_000 }, clock, { acceptedAt: 200 })
  t.equal(b.remainingMs(), 700)
  clock.advance(699)
  t.equal(b.remainingMs(), 1)
  clock.advance(1)
  t.equal(b.remainingMs(), 0)
  clock.advance(5_000)
  t.equal(b.remainingMs(), 0)
})

void t.test('the last call is the one after which no tool and answer would fit', async (t) => {
  const calls = budget({ modelCalls: 2 })
  calls.takeModelCall(1, 1)
  t.notOk(calls.isLastCall())
  calls.takeModelCall(1, 1)
  t.ok(calls.isLastCall())
  const steps = budget({ steps: 4 })
  steps.takeModelCall(1, 1)
  t.notOk(steps.isLastCall(), 'a tool, an answer')
  steps.takeToolCall('read')
  steps.takeModelCall(1, 1)
  t.ok(steps.isLastCall(), 'a tool would take the last step')
})

void t.test('policies: each field alone, and the two times together', async (t) => {
  for (const policy of [FAST_POLICY, REASONING_POLICY, ROUTING_POLICY, WIDE])
    t.ok(executionPolicySchema.safeParse(policy).success)
  const least = { modelCalls: 0, toolCalls: 0, steps: 1, writeSteps: 0, inputBytes: 1, outputTokens: 1 }
  const most = { totalTokens: 1, ttlMillis: 1, modelTimeoutMillis: 1, reactIterations: 0 }
  t.ok(executionPolicySchema.safeParse({ ...least, ...most }).success)
  const fields = Object.entries({ ...least, ...most }).filter(([name]) => name !== 'reactIterations')
  for (const [name, smallest] of fields) {
    for (const value of [smallest - 1, 1.5, '3', null, undefined, NaN, Infinity])
      t.notOk(executionPolicySchema.safeParse({ ...WIDE, [name]: value }).success, `${name} ${value}`)
  }
  for (const value of [-1, 1.5, '3', null, undefined]) {
    const parsed = executionPolicySchema.safeParse({ ...WIDE, reactIterations: value })
    t.equal(parsed.data?.reactIterations, 3, `reactIterations ${value}`)
  }
  const { reactIterations: _, ...without } = WIDE
  t.equal(executionPolicySchema.safeParse(without).data?.reactIterations, 3)
  t.notOk(executionPolicySchema.safeParse({ ...WIDE, more: 1 }).success, 'an unknown field')
  t.ok(executionPolicySchema.safeParse({ ...WIDE, modelTimeoutMillis: 10_000 }).success)
  t.notOk(executionPolicySchema.safeParse({ ...WIDE, modelTimeoutMillis: 10_001 }).success)
})

void t.test('no order of attempts passes any limit', async () => {
  const attempt = fc.oneof(
    fc.record({ kind: fc.constant('model' as const), bytes: fc.nat(1_100), tokens: fc.nat(110) }),
    fc.record({ kind: fc.constantFrom('read' as const, 'write' as const) }),
  )
  const policy = { ...WIDE, modelCalls: 4, toolCalls: 5, steps: 7, writeSteps: 2, totalTokens: 2_500 }
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 30 }), (attempts) => {
      const b = budget(policy)
      return attempts.every((next) => {
        if (next.kind === 'model') b.takeModelCall(next.bytes, next.tokens)
        else b.takeToolCall(next.kind)
        const s = b.spent()
        return (
          s.modelCalls <= 4 &&
          s.toolCalls <= 5 &&
          s.writeSteps <= 2 &&
          s.steps <= 7 &&
          s.tokens <= 2_500 &&
          s.steps === s.modelCalls + s.toolCalls
        )
      })
    }),
  )
})
