import t from 'tap'
import { z } from 'zod'
import { REASONING_POLICY, type ExecutionContext, type Tool } from '../../lib/agent/index.js'
import { Budget } from '../../lib/agent/budget.js'
import { Execution } from '../../lib/agent/execution.js'
import { LiveRequest } from '../../lib/agent/live-request.js'
import { FailureError, failure, type Failure } from '../../lib/core/failure.js'
import { randomIds } from '../../lib/core/ids.js'
import { TestKernel, codeOf, DONE, testModule, testTool, turn, type KernelSetup } from '../support/kernel.js'

const input = z.strictObject({ n: z.int() })
const output = z.strictObject({ twice: z.int() })
const tool = (over: Partial<Tool['type']>, handler: (n: number) => unknown): Tool =>
  testTool({ id: 'twice', input, output, ...(over as object) }, ({ n }) => handler(n) as { twice: number })

/** Runs a workflow over one tool. */
async function run(
  given: Tool,
  workflow: (context: ExecutionContext, k: TestKernel) => Promise<unknown>,
  setup: KernelSetup & { policy?: Partial<typeof REASONING_POLICY>; more?: readonly Tool[] } = {},
) {
  const tools = [given, ...(setup.more ?? [])]
  const k: TestKernel = new TestKernel({
    modules: [
      testModule('test:run', (context) => workflow(context, k), {
        tools: tools.map(({ type }) => type.id),
        policy: { ...REASONING_POLICY, ...setup.policy },
      }),
    ],
    tools,
    ...setup,
  })
  const outcome = await k.command(await k.join(), 'test:run')
  return { k, outcome }
}

for (const kind of ['game', 'async'] as const) {
  const outcomes: readonly [string, (n: number) => unknown, object, string | null][] = [
    ['a value', (n) => ({ twice: 2 * n }), { ok: true, value: { twice: 6 } }, null],
    [
      'a value of another shape',
      () => ({ twice: '6' }),
      { ok: false, failure: { code: 'system:tool_failed', params: { tool: 'twice' } } },
      'tool twice broke its own output schema',
    ],
    [
      'a throw',
      () => {
        throw new Error('boom')
      },
      { ok: false, failure: { code: 'system:tool_failed', params: { tool: 'twice' } } },
      'tool twice failed',
    ],
    [
      'an expected failure',
      () => {
        throw new FailureError(failure('system:unknown_item', { query: 'x' }))
      },
      { ok: false, failure: { code: 'system:unknown_item', params: { query: 'x' } } },
      null,
    ],
    [
      'a promise',
      (n) => Promise.resolve({ twice: 2 * n }),
      kind === 'async' ? { ok: true } : { ok: false, failure: { code: 'system:tool_failed' } },
      kind === 'async' ? null : 'tool twice failed',
    ],
    [
      'a rejection',
      () => Promise.reject(new Error('boom')),
      { ok: false, failure: { code: 'system:tool_failed' } },
      'tool twice failed',
    ],
  ]
  for (const [name, handler, expected, log] of outcomes)
    void t.test(`a tool of kind ${kind} gives ${name}`, async (t) => {
      const given = tool({ kind }, handler)
      const { k, outcome } = await run(given, async (context) => {
        t.match(await context.tool(given.type, { n: 3 }), expected)
        return DONE
      })
      await turn()
      t.equal(codeOf(outcome), 'ok')
      t.same(k.logger.messages(), log === null ? [] : [log])
    })
}

void t.test("a schema of the author that throws is the tool's failure", async (t) => {
  const broken = z.custom<{ twice: number }>(() => {
    throw new Error('boom')
  })
  const given = tool({ output: broken }, () => ({ twice: 1 }))
  const { outcome } = await run(given, async (context) => {
    t.match(await context.tool(given.type, { n: 3 }), { ok: false, failure: { code: 'system:tool_failed' } })
    return DONE
  })
  t.equal(codeOf(outcome), 'ok')
})

void t.test('a tool that threw at once leaves nothing that a later cancel trips over', async (t) => {
  const given = tool({ kind: 'async' }, () => {
    throw new Error('boom')
  })
  const { outcome } = await run(given, async (context, k) => {
    await context.tool(given.type, { n: 3 })
    k.engine.cancel(context.player)
    return DONE
  })
  t.equal(codeOf(outcome), 'system:cancelled')
  await turn()
})

void t.test('only declared tools, by the very object that was registered', async (t) => {
  let runs = 0
  const given = tool({}, () => ({ twice: ++runs }))
  const other = testTool({ id: 'other', input, output }, () => ({ twice: ++runs }))
  await run(
    given,
    async (context) => {
      const copy = { ...given.type }
      for (const type of [copy, other.type, { ...copy, id: 'constructor' }])
        t.match(await context.tool(type, { n: 1 }), { ok: false, failure: { code: 'system:unknown_tool' } })
      t.equal(runs, 0)
      return DONE
    },
    { tools: [given, other] },
  )
})

void t.test('each attempt counts, one with a bad input too', async (t) => {
  const given = tool({}, (n) => ({ twice: 2 * n }))
  await run(
    given,
    async (context) => {
      t.match(await context.tool(given.type, { n: '1' }), {
        ok: false,
        failure: { code: 'system:tool_input' },
      })
      t.ok((await context.tool(given.type, { n: 1 })).ok)
      t.match(await context.tool(given.type, { n: 1 }), {
        ok: false,
        failure: { code: 'system:budget_tool_calls' },
      })
      return DONE
    },
    { policy: { toolCalls: 2 } },
  )
})

void t.test('a write tool needs write steps', async (t) => {
  const given = ((): Tool => {
    const { reasoning: _, ...type } = tool({ write: true }, () => 1).type
    return { ...tool({}, (n) => ({ twice: n })), type }
  })()
  for (const [writeSteps, code] of [
    [0, 'system:budget_write_steps'],
    [1, 'ok'],
  ] as const)
    await run(
      given,
      async (context) => {
        const result = await context.tool(given.type, { n: 1 })
        t.equal(result.ok ? 'ok' : result.failure.code, code)
        return DONE
      },
      { policy: { writeSteps } },
    )
})

void t.test('nothing writes for a sentence that was routed locally', async (t) => {
  let runs = 0
  const { reasoning: _, ...type } = tool({ write: true }, () => 1).type
  const given: Tool = { ...tool({}, () => ({ twice: ++runs })), type }
  const k = new TestKernel({
    tools: [given],
    modules: [testModule('test:run', () => Promise.resolve(DONE), { tools: ['twice'] })],
  })
  const alice = await k.join()
  const session = k.sessions.get(alice)
  const module = k.registry.findModule('test:run')
  if (session === undefined || module === undefined) throw new Error('missing')
  for (const [source, mayWrite] of [
    ['local', false],
    ['cache', false],
    ['command', true],
    ['structured', true],
    ['model', true],
  ] as const) {
    const request = Object.assign(new LiveRequest(randomIds.requestId(), session, k.kernel), { source })
    const budget = new Budget({ ...REASONING_POLICY, writeSteps: 1 }, k.clock, { acceptedAt: 0 })
    const called = new Execution(k.kernel, { request, module, budget }).tool(type, { n: 1 })
    if (mayWrite) t.ok((await called).ok, source)
    else await t.rejects(called, /system:no_permission/, source)
  }
  t.equal(runs, 3)
})

void t.test('rights are looked at before and after each tool; a lost one ends the request', async (t) => {
  for (const lostIn of ['between', 'inside', 'behind'] as const) {
    let lost: Failure | null = null
    const given = tool({ kind: 'async' }, (n) => {
      if (lostIn === 'inside') lost = failure('system:no_permission')
      return { twice: n }
    })
    let reached = 0
    const { outcome } = await run(
      given,
      async (context) => {
        await context.tool(given.type, { n: 1 })
        reached = 1
        if (lostIn === 'between') lost = failure('system:no_permission')
        await context.tool(given.type, { n: 2 })
        reached = 2
        lost = failure('system:no_permission')
        return DONE
      },
      { access: () => lost },
    )
    t.equal(codeOf(outcome), 'system:no_permission')
    t.equal(reached, { inside: 0, between: 1, behind: 2 }[lostIn])
  }
})

void t.test('a handler that refuses its player ends the request', async (t) => {
  const given = tool({}, () => {
    throw new FailureError(failure('system:no_permission'))
  })
  const { outcome } = await run(given, async (context) => {
    await context.tool(given.type, { n: 1 })
    return DONE
  })
  t.equal(codeOf(outcome), 'system:no_permission')
})

void t.test('computing between two awaits is measured; waiting is not', async (t) => {
  const given = tool({ kind: 'async' }, (n) => ({ twice: n }))
  const slow = (k: TestKernel, ms: number): void => k.clock.advance(ms)
  const { k } = await run(given, async (context, kernel) => {
    slow(kernel, 5)
    await context.tool(given.type, { n: 1 })
    slow(kernel, 6)
    await context.tool(given.type, { n: 2 })
    // somebody else's work in the same turn of the event loop
    process.nextTick(() => slow(kernel, 50))
    await turn()
    slow(kernel, 50)
    return DONE
  })
  t.same(k.logger.messages(), ['module test:run computed for 6.0 ms between two awaits (at most 5 ms)'])
  const eager = await run(given, (_, kernel) => {
    slow(kernel, 7)
    return Promise.resolve(DONE)
  })
  t.same(eager.k.logger.messages(), ['module test:run computed for 7.0 ms between two awaits (at most 5 ms)'])
})

void t.test('what a loop cannot even begin with', async (t) => {
  const answer = z.strictObject({ text: z.string() })
  const long = (id: string): Tool => tool({ id, reasoning: 'x'.repeat(3_900) }, (n) => ({ twice: n }))
  const given = long('twice')
  const more = ['a', 'b', 'c', 'd', 'e', 'f'].map(long)
  const cases = [
    ['system:loop_disabled', { policy: { reactIterations: 0 } }, 'react'],
    ['system:no_model', { isOffline: true }, 'react'],
    ['system:internal', {}, 'no-such-prompt'],
    ['system:budget_input_bytes', {}, 'react'],
  ] as const
  for (const [code, setup, prompt] of cases) {
    const { k } = await run(
      given,
      async (context) => {
        t.match(await context.react({ question: 'q', prompt, answer }), {
          end: 'failed',
          failure: { code },
          observations: [],
        })
        return DONE
      },
      { ...setup, more },
    )
    t.equal(k.model.requests.length, 0)
    t.match(
      k.logger.messages(),
      code === 'system:budget_input_bytes' ? [/prompt react with 7 tools .* at most 24576/] : [],
    )
  }
})
