import fc from 'fast-check'
import t from 'tap'
import { z } from 'zod'
import { Registry, type RegisteredTool, type Tool } from '../../../lib/agent/index.js'
import {
  LOOP_OBSERVATION_BYTES,
  OBSERVATION_BYTES,
  TOOL_INPUT_BYTES,
  ToolContext,
  type ToolDoor,
} from '../../../lib/agent/dialogue/tool-context.js'
import { FailureError, failure, type Failure, type FailureCode } from '../../../lib/core/failure.js'
import { identifier } from '../../../lib/core/ids.js'
import { utf8Bytes } from '../../../lib/core/json.js'
import { fail, ok, type Result } from '../../../lib/core/result.js'
import { testTool } from '../../support/kernel.js'

const input = z.strictObject({ query: z.string(), page: z.int().default(1) })
const find = testTool({ id: 'find', input, output: z.unknown() }, () => null)

interface Setup {
  readonly tools?: readonly Tool[]
  readonly run?: (tool: RegisteredTool, input: unknown) => Result<unknown> | Promise<Result<unknown>>
  readonly enter?: () => Result<void>
}
function setup({ tools = [find], run = () => ok({ found: 1 }), enter = () => ok(undefined) }: Setup = {}) {
  const registry = new Registry()
  for (const tool of tools) registry.tool(tool)
  const ran: [string, unknown][] = []
  const broken: unknown[] = []
  const door: ToolDoor = {
    enter,
    run: async (tool, input) => {
      ran.push([tool.id, input])
      return run(tool, input)
    },
    broken(tool, cause): Failure {
      broken.push(cause)
      return failure('system:tool_failed', { tool: tool.id })
    },
  }
  const context = new ToolContext(registry.tools(), door)
  const use = (query: unknown, name = 'find') => context.use(name, JSON.stringify(query))
  return { context, ran, broken, use }
}
/** The observation's text, parsed. */
const read = (answer: object): Record<string, unknown> =>
  JSON.parse('text' in answer ? String(answer.text) : 'null') as Record<string, unknown>

void t.test('an executed action becomes an observation', async (t) => {
  const { context, ran, use } = setup()
  const answer = await use({ query: 'x' })
  t.same(read(answer), { id: 1, tool: 'find', input: { query: 'x', page: 1 }, output: { found: 1 } })
  t.same(ran, [['find', { query: 'x', page: 1 }]], 'decoded, with its defaults')
  t.same(context.observations, [
    {
      id: 1,
      tool: 'find',
      input: { query: 'x', page: 1 },
      outcome: { ok: true, value: { found: 1 } },
      label: null,
      card: null,
    },
  ])
  t.equal(read(await use({ query: 'y' }))['id'], 2)
})

void t.test('unknown names are observations, whatever objects inherit', async (t) => {
  const { context, ran, use } = setup()
  for (const name of ['nope', 'constructor', '__proto__', 'toString', 'Find', ' find']) {
    t.match(read(await use({ query: 'x' }, name)), {
      tool: name,
      failure: { code: 'system:unknown_tool', params: { tool: name } },
    })
  }
  t.match(read(await use({}, 'n'.repeat(60_000))), {
    tool: 'n'.repeat(64),
    failure: { code: 'system:unknown_tool' },
  })
  t.same(ran, [])
  t.ok(context.observations.every(({ outcome }) => !outcome.ok))
})

void t.test('inputs that do not decode are observations that name the problem', async (t) => {
  const { context, ran, use } = setup()
  const problem = async (answer: object): Promise<unknown> => {
    const failure = read(answer)['failure'] as Failure
    t.equal(failure.code, 'system:tool_input')
    return failure.params['problem']
  }
  t.match(await problem(await context.use('find', '{')), /not JSON/)
  t.match(await problem(await context.use('find', '')), /not JSON/)
  t.match(await problem(await use({ query: 7 })), /expected string.*\n.*query/)
  t.match(await problem(await use({ query: 'x', page: null })), /page/)
  t.match(await problem(await use({ query: 'x', more: 1 })), /more/)
  t.match(await problem(await use([])), /expected object/)
  t.same(ran, [])
})

void t.test('the size limit of an input is exact', async (t) => {
  const { ran, use } = setup()
  const frame = utf8Bytes('{"query":""}')
  await use({ query: 'é'.repeat((TOOL_INPUT_BYTES - frame) / 2) })
  t.equal(ran.length, 1)
  const answer = await use({ query: `${'é'.repeat((TOOL_INPUT_BYTES - frame) / 2)}x` })
  t.match(read(answer), { failure: { code: 'system:tool_input', params: { problem: /too large/ } } })
  t.equal(ran.length, 1)
})

void t.test('a repeated action is not executed', async (t) => {
  const { ran, use } = setup()
  await use({ query: 'a' })
  await use({ query: 'b' })
  t.same(await use({ page: 1, query: 'a' }), { repeat: 1 }, 'order and defaults make no other action')
  t.same(await use({ query: 'b' }), { repeat: 2 })
  t.match(await use({ query: 'a', page: 2 }), { obs: 3 })
  t.equal(ran.length, 3)
})

void t.test('an action that failed is not executed again either', async (t) => {
  const { ran, use } = setup({ run: () => fail('system:unknown_item', { query: 'a' }) })
  t.match(read(await use({ query: 'a' })), {
    failure: { code: 'system:unknown_item', params: { query: 'a' } },
  })
  t.same(await use({ query: 'a' }), { repeat: 1 })
  t.equal(ran.length, 1)
})

void t.test('a tool may say itself which inputs are the same action', async (t) => {
  const own: Tool = {
    ...find,
    type: { ...find.type, key: (input) => (input as { query: string }).query.toLowerCase() },
  }
  const { use } = setup({ tools: [own, { ...own, type: { ...own.type, id: 'seek' } }] })
  await use({ query: 'Stone' })
  t.same(await use({ query: 'STONE', page: 9 }), { repeat: 1 })
  t.match(await use({ query: 'stone' }, 'seek'), { obs: 2 }, 'of this tool')
})

void t.test('observations: 4 KiB each, lists shortened', async (t) => {
  const list = Array.from({ length: 1_000 }, (_, at) => `entry ${at}`)
  const { use, context } = setup({ run: () => ok({ entries: list }) })
  const answer = await use({ query: 'x' })
  const { output } = read(answer) as { output: { entries: string[]; more: number } }
  t.ok('text' in answer && utf8Bytes(answer.text) <= OBSERVATION_BYTES)
  t.equal(output.entries.length + output.more, 1_000)
  t.same(context.observations[0]?.outcome, { ok: true, value: { entries: list } }, 'the whole value is kept')
  t.equal(list.length, 1_000)
})

void t.test('what cannot be shortened is refused, and recoverable', async (t) => {
  const { use, context } = setup({ run: () => ok({ text: 'x'.repeat(OBSERVATION_BYTES) }) })
  t.same(await use({ query: 'x' }), { code: 'system:tool_too_large', recoverable: true })
  t.same(context.observations, [])
})

void t.test('observations: 24 KiB a loop', async (t) => {
  const { use, context } = setup({ run: () => ok('x'.repeat(3_990)) })
  let bytes = 0
  for (let at = 0; at < 6; at++) {
    const answer = await use({ query: `${at}` })
    bytes += 'text' in answer ? utf8Bytes(answer.text) : 0
  }
  t.equal(context.observations.length, 6)
  t.ok(bytes <= LOOP_OBSERVATION_BYTES)
  t.same(await use({ query: 'x' }), { code: 'system:tool_too_large', recoverable: true })
  const small = setup({ run: (_, input) => ok('x'.repeat((input as { page: number }).page)) })
  for (let at = 0; at < 6; at++) await small.use({ query: `${at}`, page: 4_000 })
  t.match(await small.use({ query: 'y', page: 2_000 }), { code: 'system:tool_too_large' })
  t.match(await small.use({ query: 'z', page: 1 }), { obs: 7 }, 'a smaller one still fits')
})

void t.test('no output is never taken for no evidence', async (t) => {
  const { use } = setup({ run: () => ok(undefined) })
  t.same(read(await use({ query: 'x' })), {
    id: 1,
    tool: 'find',
    input: { query: 'x', page: 1 },
    output: null,
  })
})

void t.test("projection and card are the author's", async (t) => {
  const card = { type: identifier('test:card'), data: { n: 1 } }
  const own: Tool = { ...find, type: { ...find.type, project: () => ({ short: true }), card: () => card } }
  const { use, context } = setup({ tools: [own] })
  t.same(read(await use({ query: 'x' }))['output'], { short: true })
  t.same(context.observations[0]?.card, card)
})

void t.test('closures of the author that throw cost their observation, not the loop', async (t) => {
  const boom = (): never => {
    throw new Error('boom')
  }
  const cases: readonly [string, Partial<Tool['type']>, object][] = [
    ['projection', { project: boom }, { failure: { code: 'system:tool_failed' } }],
    ['key', { key: boom }, { failure: { code: 'system:tool_failed' } }],
    [
      'input schema',
      { input: z.string().refine(boom).describe('x') },
      { failure: { code: 'system:tool_failed' } },
    ],
    [
      'a projection of what JSON cannot hold',
      { project: () => ({ big: 1n }) },
      { failure: { code: 'system:tool_failed' } },
    ],
    ['card', { card: boom }, { output: { found: 1 } }],
  ]
  for (const [name, over, expected] of cases) {
    const { use, context, broken } = setup({ tools: [{ ...find, type: { ...find.type, ...over } }] })
    t.match(read(await use(name === 'input schema' ? 'text' : { query: 'x' })), expected, name)
    t.equal(broken.length, 1)
    t.equal(context.observations[0]?.card, null)
  }
})

void t.test('failures of the request are told to the loop, not to the model', async (t) => {
  const codes: readonly [FailureCode, boolean][] = [
    ['system:budget_tool_calls', true],
    ['system:budget_steps', true],
    ['system:stopping', false],
    ['system:deadline', false],
    ['system:not_bound', false],
  ]
  for (const [code, recoverable] of codes) {
    const { use, context, ran } = setup({ enter: () => fail(code) })
    t.same(await use({ query: 'x' }), { code, recoverable })
    t.same(
      await context.use('find', 'not even JSON'),
      { code, recoverable },
      'an attempt is taken before it is read',
    )
    t.same(ran, [])
    const inRun = setup({ run: () => fail(code) })
    t.same(await inRun.use({ query: 'x' }), { code, recoverable })
    t.same(inRun.context.observations, [])
    t.match(await inRun.use({ query: 'x' }), { code }, 'it was no action that could be repeated')
  }
})

void t.test('the end of the request comes through', async (t) => {
  const over = new FailureError(failure('system:revoked'))
  const { use } = setup({ run: () => Promise.reject(over) })
  await t.rejects(use({ query: 'x' }), over)
})

void t.test('whatever a tool gives: bounded JSON, and ids without gaps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 12 }), async (outputs) => {
      let at = 0
      const { use, context } = setup({ run: () => ok(outputs[at++]) })
      let bytes = 0
      for (const index of outputs.keys()) {
        const answer = await use({ query: `${index}` })
        if (!('text' in answer)) continue
        if (utf8Bytes(answer.text) > OBSERVATION_BYTES || read(answer)['id'] !== answer.obs) return false
        bytes += utf8Bytes(answer.text)
      }
      return (
        bytes <= LOOP_OBSERVATION_BYTES && context.observations.every(({ id }, index) => id === index + 1)
      )
    }),
    { numRuns: 60 },
  )
})

const kinds = [
  testTool({ id: 'notes', input, output: z.unknown(), private: true }, () => null),
  testTool({ id: 'fetch', input, output: z.unknown(), web: true }, () => null),
  find,
]
const APART = (tool: string) => ({ tool, failure: { code: 'system:tool_withheld', params: { tool } } })

void t.test(
  'private and web: whichever comes first shuts the other out, before rights and budget',
  async (t) => {
    for (const [first, other] of [
      ['notes', 'fetch'],
      ['fetch', 'notes'],
    ] as const) {
      let entered = 0
      const { ran, use } = setup({ tools: kinds, enter: () => (entered++, ok(undefined)) })
      t.match(read(await use({ query: 'x' }, 'find')), { output: { found: 1 } })
      t.match(read(await use({ query: 'x' }, first)), { output: { found: 1 } })
      t.match(read(await use({ query: 'secret' }, other)), APART(other))
      t.match(read(await use({ query: 'y' }, first)), { output: { found: 1 } }, 'its own kind goes on')
      t.match(read(await use({ query: 'y' }, 'find')), { output: { found: 1 } }, 'other tools go on')
      t.match(read(await use({ query: 'again' }, other)), APART(other))
      t.notMatch(
        ran.map(([id]) => id),
        [other],
        'it never ran',
      )
      t.equal(ran.filter(([id]) => id === other).length, 0)
      t.equal(entered, 4, 'a refusal uses up no budget')
    }
  },
)

void t.test('a look-up that failed has told nothing private', async (t) => {
  const { use } = setup({
    tools: kinds,
    run: ({ id }) => (id === 'notes' ? fail('system:tool_failed', { tool: id }) : ok('page')),
  })
  await use({ query: 'x' }, 'notes')
  t.match(read(await use({ query: 'x' }, 'fetch')), { output: 'page' })
  t.match(read(await use({ query: 'z' }, 'notes')), APART('notes'))
})
