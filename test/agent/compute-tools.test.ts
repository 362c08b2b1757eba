import t from 'tap'
import { z } from 'zod'
import {
  ComputeTools,
  functionsOf,
  Registry,
  type ComputeTool,
  type RegisteredTool,
} from '../../lib/agent/index.js'
import { systemClock } from '../../lib/core/clock.js'
import { identifier } from '../../lib/core/ids.js'
import { openThreadGroups, runJob } from '../../lib/pool/index.js'
import { ManualClock } from '../../lib/testing/index.js'
import { eventually } from '../support/eventually.js'
import { codeOf, DONE, RecordingLogger, TestKernel, testModule } from '../support/kernel.js'

const FILE = new URL('../fixtures/author-functions.js', import.meta.url)
const numbers = z.strictObject({ n: z.int() })

const tool = (name: string, module = FILE): ComputeTool => ({
  type: { id: `my:${name}`, input: numbers, output: numbers, kind: 'compute', write: false, reasoning: name },
  owner: identifier('my:plugin'),
  compute: { module, export: name },
})

/** Real threads; only the time that functions may take is moved by hand. */
function open(t: { teardown(fn: () => unknown): void }, ...tools: readonly ComputeTool[]) {
  const registry = new Registry()
  for (const each of tools) registry.tool(each)
  const logger = new RecordingLogger()
  const groups = openThreadGroups({
    threads: { agent: 1, storage: 1, compute: 1 },
    agentData: { endpoints: [] },
    functions: functionsOf(registry.tools()),
    clock: systemClock,
    logger,
  })
  t.teardown(() => groups.close())
  const clock = new ManualClock()
  const compute = new ComputeTools({
    run: (job, options) => runJob(groups.functions, job, options),
    terminate: () => groups.functions.terminate(null),
    clock,
  })
  const run = (name: string, input: unknown = { n: 2 }, isAbandoned = () => false) =>
    compute.run(registry.findTool(`my:${name}`) as RegisteredTool, input, isAbandoned)
  return { groups, clock, run, logger }
}

void t.test('a function computes in a thread that is imported once and knows nothing', async (t) => {
  const { groups, clock, run } = open(t, tool('double'), tool('count'), tool('later'), tool('environment'))
  t.equal(groups.functions.state().threads, 0, 'no thread before the first call')
  t.strictSame(await run('double'), { ok: true, value: { n: 4 } })
  t.strictSame(await run('later'), { ok: true, value: { n: 2 } })
  await run('count')
  t.strictSame(await run('count'), { ok: true, value: { n: 2 } })
  t.strictSame(await run('environment'), { ok: true, value: { n: 0 } })
  t.equal(groups.functions.state().threads, 1)
  t.equal(clock.pending, 0)
})

void t.test('what is wrong with a function is named, and costs nobody else', async (t) => {
  const missing = new URL('./no-such-file.js', import.meta.url)
  const wrong = ['boom', 'nothing', 'huge', 'circle', 'number', 'absent']
  const { run, groups } = open(t, tool('double'), tool('lost', missing), ...wrong.map((name) => tool(name)))
  for (const [name, problem] of [
    ['boom', /boom/],
    ['nothing', /nothing gave what JSON can't hold/],
    ['huge', /huge gave more than 262144 bytes/],
    ['circle', /circular/],
    ['number', /exports no function number/],
    ['absent', /author-functions\.js exports no function absent/],
    ['lost', /no-such-file\.js/],
  ] as const)
    await t.rejects(run(name), problem, name)
  t.match(await run('double'), { ok: true })
  t.equal(groups.functions.state().crashes, 0)
  t.match(await run('double', { text: 'x'.repeat(300_000) }), {
    ok: false,
    failure: { code: 'system:tool_input' },
  })
})

void t.test('one that never ends costs its thread and a minute of its own tool; others go on', async (t) => {
  const { run, clock, groups, logger } = open(t, tool('loops'), tool('double'))
  await run('double')
  const looping = run('loops')
  const waiting = run('double')
  const abandoned = run('double', { n: 1 }, () => true)
  await eventually(() => clock.pending === 1)
  clock.advance(4_999)
  t.equal(groups.functions.state().crashes, 0)
  clock.advance(1)
  await t.rejects(looping, /computed for more than 5000 ms: its thread was ended, and it rests for 60 s/)
  t.strictSame(await waiting, { ok: true, value: { n: 4 } })
  t.match(await abandoned, { ok: false, failure: { code: 'system:cancelled' } })
  await t.rejects(run('loops'), /rests for 60 s more/)
  clock.advance(60_000)
  const again = run('loops')
  await eventually(() => clock.pending === 1)
  clock.advance(5_000)
  await t.rejects(again, /computed for more than/, 'after its rest it may try')
  t.equal(logger.messages().filter((line) => line.includes('compute tools: a thread was lost')).length, 2)
  t.equal(groups.compute.state().crashes, 0, 'the threads of routing know nothing of it')
})

void t.test('one that ends its thread is named; a server that stops waits for nothing', async (t) => {
  const { run, groups, clock } = open(t, tool('exits'), tool('loops'), tool('double'))
  await t.rejects(run('exits'), /its thread ended under it/)
  t.match(await run('double'), { ok: true })
  const looping = run('loops')
  await eventually(() => clock.pending === 1)
  await groups.close()
  t.match(await looping, { ok: false, failure: { code: 'system:stopping' } })
  t.equal(clock.pending, 0)
})

void t.test('a job names a tool of the start, and no file', async (t) => {
  const { groups } = open(t, tool('double'))
  const job = { kind: 'author-function', tool: 'my:double', inputText: '{"n":1}' }
  t.match(await runJob(groups.functions, job), { ok: true, value: '{"n":2}' })
  for (const bad of [
    { ...job, tool: 'my:other' },
    { ...job, module: FILE.href },
    { ...job, inputText: 7 },
  ])
    t.match(await runJob(groups.functions, bad), { ok: false, failure: { code: 'system:protocol' } })
  t.match(await runJob(groups.functions, { ...job, inputText: '{' }), { ok: false })
  t.match(
    await runJob(groups.compute, job),
    { ok: false, failure: { code: 'system:protocol' } },
    'other threads have no functions',
  )
})

void t.test('a workflow and a model call it as any other tool', async (t) => {
  const double = tool('double')
  const k = new TestKernel({
    tools: [double as never],
    modules: [
      testModule(
        'test:doubles',
        async (context) => {
          const doubled = await context.tool(double.type, { n: 2 })
          t.strictSame(doubled, { ok: true, value: { n: 4 } })
          t.match(await context.tool(double.type, { n: 3 }), {
            ok: false,
            failure: { code: 'system:tool_failed', params: { tool: 'my:double' } },
          })
          return DONE
        },
        { tools: ['my:double'] },
      ),
    ],
    compute: async (_, input) => {
      const { n } = numbers.parse(input)
      if (n === 3) throw new Error('three')
      return { ok: true, value: { n: n * 2 } }
    },
  })
  t.equal(codeOf(await k.command(await k.join(), 'test:doubles')), 'ok')
  t.match(k.logger.lines, [{ level: 'error', message: 'tool my:double failed', cause: /three/ }])
})

void t.test('what is no compute tool is refused', (t) => {
  const good = tool('double')
  const refused: readonly [string, unknown, RegExp][] = [
    [
      'no file',
      { ...good, compute: { ...good.compute, module: new URL('https://x.y/z.js') } },
      /URL of a file/,
    ],
    ['a path', { ...good, compute: { ...good.compute, module: './z.js' } }, /URL of a file/],
    ['no name', { ...good, compute: { ...good.compute, export: 'a b' } }, /name of an export/],
    ['a handler too', { ...good, handler: () => ({}) }, /handler/],
    ['another kind', { ...good, type: { ...good.type, kind: 'async' } }, /must be 'compute'/],
    [
      'one that writes',
      { ...good, type: { ...good.type, write: true, reasoning: undefined } },
      /a pure function writes nothing/,
    ],
    [
      'a handler in its place',
      { type: good.type, owner: good.owner, handler: () => ({}) },
      /names no file and function/,
    ],
  ]
  for (const [name, given, problem] of refused)
    t.throws(() => new Registry().tool(given as never), problem, name)
  t.end()
})
