/** The ten fields of a policy through the door that workflows use: limit - 1, limit, limit + 1; nested contexts tighten. */
import fc from 'fast-check'
import t from 'tap'
import { z } from 'zod'
import {
  REASONING_POLICY,
  type ExecutionContext,
  type ExecutionPolicy,
  type Tool,
} from '../../lib/agent/index.js'
import { Budget, tightened } from '../../lib/agent/budget.js'
import { Execution } from '../../lib/agent/execution.js'
import { LiveRequest } from '../../lib/agent/live-request.js'
import { randomIds } from '../../lib/core/ids.js'
import { ManualClock, ScriptedModel } from '../../lib/testing/index.js'
import { codeOf, DONE, TestKernel, testModule, testTool } from '../support/kernel.js'

const WIDE: ExecutionPolicy = { ...REASONING_POLICY, modelCalls: 9, toolCalls: 9, steps: 20, writeSteps: 9 }
const nothing = z.strictObject({})
const read = testTool({ id: 'read', input: z.strictObject({ n: z.int() }), output: nothing }, () => ({}))
const { reasoning: _, ...quiet } = read.type
const write: Tool = { ...read, type: { ...quiet, id: 'write', kind: 'async', write: true } }
const answer = z.strictObject({ text: z.string() })
const GOOD = { type: 'answer', text: 'so' }

const complete = (context: ExecutionContext) =>
  context.complete({ question: 'q', prompt: 'question', answer })
const code = (result: { ok: boolean; failure?: { code: string } }): string => result.failure?.code ?? 'ok'

/** Runs a workflow with that policy; the model answers as often as it is asked. */
async function run(
  policy: Partial<ExecutionPolicy>,
  workflow: (context: ExecutionContext, k: TestKernel) => Promise<unknown>,
  model = new ScriptedModel(...Array.from({ length: 9 }, () => GOOD)),
) {
  const k: TestKernel = new TestKernel({
    model,
    tools: [read, write],
    modules: [
      testModule('test:run', (context) => workflow(context, k), {
        tools: ['read', 'write'],
        policy: { ...WIDE, ...policy },
      }),
    ],
  })
  const reserved: { inputTokens: number; outputTokens: number }[] = []
  const acquire = k.meter.acquire.bind(k.meter)
  k.meter.acquire = (call, wait) => (reserved.push(call), acquire(call, wait))
  const outcome = await k.command(await k.join(), 'test:run')
  return { k, outcome, model, reserved }
}

const ATTEMPTS: readonly [
  keyof ExecutionPolicy,
  (context: ExecutionContext, n: number) => Promise<{ ok: boolean; failure?: { code: string } }>,
  string,
][] = [
  ['modelCalls', complete, 'system:budget_model_calls'],
  ['toolCalls', (context, n) => context.tool(read.type, { n }), 'system:budget_tool_calls'],
  ['toolCalls', (context, n) => context.tool(write.type, { n }), 'system:budget_tool_calls'],
  ['writeSteps', (context, n) => context.tool(write.type, { n }), 'system:budget_write_steps'],
  ['writeSteps', (context) => context.store().update(() => null), 'system:budget_write_steps'],
  ['steps', (context, n) => context.tool(read.type, { n }), 'system:budget_steps'],
  ['steps', complete, 'system:budget_steps'],
]
for (const [field, attempt, refusal] of ATTEMPTS)
  void t.test(`${field}, by ${refusal}: limit - 1, limit, limit + 1`, async (t) => {
    const { outcome } = await run({ [field]: 2 }, async (context) => {
      const codes = [1, 2, 3].map(() => 'ok')
      for (const n of [0, 1, 2]) codes[n] = code(await attempt(context, n))
      t.strictSame(codes, ['ok', 'ok', refusal])
      return DONE
    })
    t.equal(codeOf(outcome), 'ok', 'a budget that is used up ends no workflow')
  })

void t.test('inputBytes and totalTokens, to the unit', async (t) => {
  const first = await run({}, async (context) => (await complete(context), DONE))
  const bytes = first.reserved[0]?.inputTokens ?? 0
  const output = first.reserved[0]?.outputTokens ?? 0
  t.ok(bytes > 100)
  t.equal(output, WIDE.outputTokens)
  for (const [field, limit, refusal] of [
    ['inputBytes', bytes, 'system:budget_input_bytes'],
    ['totalTokens', bytes + output, 'system:budget_tokens'],
  ] as const)
    for (const [over, expected] of [
      [-1, refusal],
      [0, 'ok'],
      [1, 'ok'],
    ] as const) {
      const { model } = await run({ [field]: limit + over }, async (context) => {
        t.equal(code(await complete(context)), expected, `${field} ${over}`)
        return DONE
      })
      t.equal(model.requests.length, expected === 'ok' ? 1 : 0, 'what does not fit does not go out')
    }
})

void t.test('outputTokens is what a provider is told, and what is reserved', async (t) => {
  for (const outputTokens of [99, 100, 101]) {
    const { model, reserved } = await run({ outputTokens }, async (context) => {
      t.equal(code(await complete(context)), 'ok')
      return DONE
    })
    t.equal(model.requests[0]?.outputTokens, outputTokens)
    t.equal(reserved[0]?.outputTokens, outputTokens)
  }
})

void t.test('ttlMillis: at the limit it is over', async (t) => {
  for (const [ms, expected] of [
    [4_999, 'ok'],
    [5_000, 'system:deadline'],
    [5_001, 'system:deadline'],
  ] as const) {
    const { outcome } = await run({ ttlMillis: 5_000, modelTimeoutMillis: 1_000 }, async (context, k) => {
      k.clock.advance(ms)
      await context.tool(read.type, { n: 1 })
      return DONE
    })
    t.equal(codeOf(outcome), expected, String(ms))
  }
})

void t.test(
  'modelTimeoutMillis: one call has that, or a second more than is left if that is less',
  async (t) => {
    for (const [passed, expected] of [
      [2_999, 3_000],
      [3_000, 3_000],
      [3_001, 2_999],
    ] as const) {
      const { model } = await run({ ttlMillis: 5_000, modelTimeoutMillis: 3_000 }, async (context, k) => {
        k.clock.advance(passed)
        t.equal(code(await complete(context)), 'ok')
        return DONE
      })
      t.equal(model.requests[0]?.timeoutMs, expected, String(passed))
    }
  },
)

void t.test('reactIterations: so many decisions, the last one final', async (t) => {
  for (const reactIterations of [0, 1, 2, 3]) {
    const look = (_: unknown, n = 0) => ({ type: 'read', input: { n } })
    const model = new ScriptedModel(...Array.from({ length: 9 }, look))
    const { model: asked } = await run(
      { reactIterations },
      async (context) => {
        const ended = await context.react({ question: 'q', prompt: 'react', answer })
        t.equal(ended.end, 'failed')
        if (reactIterations === 0) t.match(ended, { failure: { code: 'system:loop_disabled' } })
        return DONE
      },
      model,
    )
    const finals = asked.requests.map(({ user }) => user.includes('"finalOnly":true'))
    t.strictSame(
      finals,
      Array.from({ length: reactIterations }, (_, n) => n === reactIterations - 1),
      String(reactIterations),
    )
  }
})

/** A context inside of another, as free chat makes one of a workflow that it uses as a tool. */
async function nestedIn(outer: Partial<ExecutionPolicy>, inner: Partial<ExecutionPolicy>) {
  const k = new TestKernel({
    model: new ScriptedModel(...Array.from({ length: 9 }, () => GOOD)),
    tools: [read, write],
    modules: [
      testModule('test:outer', async () => DONE, { tools: ['read', 'write'], policy: WIDE }),
      testModule('test:inner', async () => DONE, { tools: ['read', 'write'], policy: { ...WIDE, ...inner } }),
    ],
  })
  const player = await k.join()
  const session = k.sessions.get(player)
  const [module, innerModule] = ['test:outer', 'test:inner'].map((id) => k.registry.findModule(id))
  if (session === undefined || module === undefined || innerModule === undefined) throw new Error('missing')
  const request = Object.assign(new LiveRequest(randomIds.requestId(), session, k.kernel), {
    source: 'command' as const,
  })
  const budget = new Budget({ ...WIDE, ...outer }, k.clock, { acceptedAt: request.acceptedAt })
  const context = new Execution(k.kernel, { request, module, budget })
  return { k, context, nested: context.nested(innerModule), budget }
}

for (const [field, attempt, refusal] of ATTEMPTS)
  void t.test(`nested contexts share and tighten ${field}, by ${refusal}`, async (t) => {
    const both = async (outer: number, inner: number): Promise<string[]> => {
      const { context, nested } = await nestedIn({ [field]: outer }, { [field]: inner })
      const codes = [code(await attempt(context, 9))]
      for (const n of [0, 1, 2]) codes.push(code(await attempt(nested, n)))
      codes.push(code(await attempt(context, 8)))
      return codes
    }
    t.strictSame(await both(2, 9), ['ok', 'ok', refusal, refusal, refusal], 'never wider')
    t.strictSame(await both(9, 2), ['ok', 'ok', 'ok', refusal, 'ok'], 'its own limit, and no more than that')
    t.strictSame(await both(3, 2), ['ok', 'ok', 'ok', refusal, refusal], 'what it took is taken from both')
  })

void t.test('a nested policy is the smaller one, field by field', async (t) => {
  t.strictSame(tightened(WIDE, { ...WIDE, modelCalls: 1, ttlMillis: 99_999 }), { ...WIDE, modelCalls: 1 })
  const clock = new ManualClock()
  const outer = new Budget({ ...WIDE, ttlMillis: 10_000 }, clock, { acceptedAt: 0 })
  clock.advance(4_000)
  const inner = outer.nested({ ...WIDE, ttlMillis: 8_000 })
  t.equal(inner.remainingMs(), 6_000, 'never later than the outer one')
  clock.advance(5_999)
  t.equal(outer.nested({ ...WIDE, ttlMillis: 100 }).remainingMs(), 1)
})

void t.test('no order of attempts on two levels passes a limit of either', async () => {
  const attempt = fc.record({
    level: fc.constantFrom('outer' as const, 'inner' as const),
    kind: fc.constantFrom('model' as const, 'read' as const, 'write' as const),
  })
  const policy = { ...WIDE, modelCalls: 4, toolCalls: 5, steps: 7, writeSteps: 2, totalTokens: 300 }
  const own = { ...WIDE, modelCalls: 2, toolCalls: 9, steps: 5, writeSteps: 1, totalTokens: 150 }
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 40 }), (attempts) => {
      const outer = new Budget(policy, new ManualClock(), { acceptedAt: 0 })
      const inner = outer.nested(own)
      return attempts.every(({ level, kind }) => {
        const budget = level === 'outer' ? outer : inner
        if (kind === 'model') budget.takeModelCall(20, 20)
        else if (budget.takeToolCall(kind).ok && kind === 'write') budget.closeWrite()
        return [[outer.spent(), policy] as const, [inner.spent(), own] as const].every(
          ([spent, limit]) =>
            spent.modelCalls <= limit.modelCalls &&
            spent.toolCalls <= limit.toolCalls &&
            spent.writeSteps <= limit.writeSteps &&
            spent.steps <= limit.steps &&
            spent.tokens <= limit.totalTokens,
        )
      })
    }),
  )
})

void t.test('what is kept of a task leaves out the steps under way', async (t) => {
  const budget = new Budget(WIDE, new ManualClock(), { acceptedAt: 0 })
  budget.takeToolCall('read')
  budget.takeToolCall('write')
  budget.takeToolCall('write')
  t.match(budget.toKeep(), { toolCalls: 1, writeSteps: 0, steps: 1 })
  t.match(budget.toKeep(1), { toolCalls: 2, writeSteps: 1, steps: 2 })
  budget.closeWrite()
  t.match(budget.toKeep(), { toolCalls: 2, writeSteps: 1, steps: 2 })
  const inner = budget.nested(WIDE)
  inner.takeToolCall('write')
  t.match(inner.toKeep(), budget.toKeep(), 'what is kept is the whole task')
  const resumed = new Budget(WIDE, new ManualClock(), { acceptedAt: 0, resumed: budget.toKeep() })
  t.strictSame(resumed.spent(), budget.toKeep())
})
