import t from 'tap'
import { z } from 'zod'
import {
  FAST_POLICY,
  RegistrationError,
  Registry,
  type AgentModule,
  type Tool,
} from '../../lib/agent/index.js'
import { DONE, testModule, testTool } from '../support/kernel.js'

const read = testTool({ id: 'read.it', input: z.strictObject({}), output: z.string() }, () => '')
const silent = (({ type, ...rest }: Tool): Tool => {
  const { reasoning: _, ...quiet } = type
  return { ...rest, type: { ...quiet, id: 'silent' } }
})(read)
const write: Tool = { ...silent, type: { ...silent.type, id: 'write.it', write: true } }
const module = (over: Parameters<typeof testModule>[2], id = 'test:module'): AgentModule =>
  testModule(id, () => Promise.resolve(DONE), over)
const withType = (over: Partial<Tool['type']>): Tool => ({ ...read, type: { ...read.type, ...over } })

/** Registers all and freezes. */
function registered(tools: readonly Tool[], modules: readonly AgentModule[] = []): Registry {
  const registry = new Registry()
  for (const tool of tools) registry.tool(tool)
  for (const each of modules) registry.module(each)
  registry.freeze()
  return registry
}

const refused: readonly [string, readonly Tool[], readonly AgentModule[], RegExp][] = [
  ['a tool twice', [read, withType({ output: z.number() })], [], /tool read\.it is registered twice/],
  ['a module twice', [], [module({}), module({ version: 2 })], /module test:module is registered twice/],
  ['a write tool for models', [withType({ write: true })], [], /tool read\.it writes/],
  ['a tool named as the final answer', [withType({ id: 'answer' })], [], /tool answer /],
  ['a tool without a name', [withType({ id: '' })], [], /RegistrationError|name/],
  ['a tool with a name for people', [withType({ id: 'read it' })], [], /name that a model cannot use/],
  ['a tool with an endless name', [withType({ id: 'x'.repeat(257) })], [], /name that a model cannot use/],
  ['an input that JSON cannot express', [withType({ input: z.date() })], [], /tool read\.it is refused/],
  ['a tool of no kind', [withType({ kind: 'quick' as never })], [], /tool read\.it: type\.kind/],
  ['a description that is no text', [withType({ reasoning: 5 as never })], [], /type\.reasoning/],
  ['a label that is no message', [withType({ label: 'Reading' as never })], [], /type\.label/],
  ['a tool without a handler', [{ ...read, handler: undefined as never }], [], /handler: must be a function/],
  [
    'a tool that takes all room',
    [withType({ reasoning: 'x'.repeat(4_100) })],
    [],
    /a model reads 4096 at most/,
  ],
  ['a module without an id', [], [{ ...module({}), id: '__proto__' as never }], /must be an id/],
  ['a module of no version', [], [{ ...module({}), version: undefined as never }], /test:module: version/],
  ['a module of a version that is no number', [], [{ ...module({}), version: Number.NaN }], /version/],
  ['a module that helps nobody', [], [module({ help: { key: 5 as never } })], /help\.key/],
  ['a module that does nothing', [], [{ ...module({}), execute: undefined as never }], /execute: must be/],
  ['a module that takes all room', [], [module({ description: 'x'.repeat(4_100) })], /4096 at most/],
  [
    'examples that are no texts',
    [],
    [module({ routing: { selection: 'NORMAL', examples: { en_us: [5 as never] } } })],
    /routing\.examples\.en_us\.0/,
  ],
  [
    'an action that JSON cannot express',
    [],
    [module({ action: z.bigint() })],
    /module test:module is refused/,
  ],
  ['an unknown tool', [read], [module({ tools: ['read.it', 'constructor'] })], /unknown tools: constructor/],
  ['no time at all', [], [module({ policy: { ttlMillis: 0 } })], /invalid policy/],
  [
    'a call longer than the request',
    [],
    [module({ policy: { modelTimeoutMillis: 14_501 } })],
    /invalid policy/,
  ],
  [
    'local examples of a module that is chosen explicitly',
    [],
    [module({ routing: { selection: 'EXPLICIT_ONLY', examples: { en_us: ['do it'] } } })],
    /may not be routed locally/,
  ],
  [
    'a local extractor of a module for buttons',
    [],
    [module({ routing: { selection: 'STRUCTURED_ONLY', extract: () => ({}) } })],
    /may not be routed locally/,
  ],
  [
    'local examples of a module that writes',
    [write],
    [module({ tools: ['write.it'], routing: { selection: 'NORMAL', examples: {} } })],
    /may not be routed locally/,
  ],
  [
    'local examples of a module that may write',
    [read],
    [
      module({
        tools: ['read.it'],
        policy: { writeSteps: 1 },
        routing: { selection: 'NORMAL', extract: () => ({}) },
      }),
    ],
    /may not be routed locally/,
  ],
]
for (const [name, tools, modules, message] of refused) {
  void t.test(`refused: ${name}`, async (t) => {
    let thrown: unknown
    try {
      registered(tools, modules)
    } catch (error) {
      thrown = error
    }
    t.ok(thrown instanceof RegistrationError, String(thrown))
    t.match(String(thrown), message)
  })
}

void t.test('what is read-only and NORMAL may be routed locally', async (t) => {
  const routing = { selection: 'NORMAL', examples: { en_us: ['read it'] }, extract: () => ({}) } as const
  t.ok(registered([read], [module({ tools: ['read.it'], routing })]).findModule('test:module'))
})

void t.test('registration ends with the freeze', async (t) => {
  const registry = registered([read])
  t.throws(() => registry.tool(silent), /silent comes too late/)
  t.throws(() => registry.module(module({})), /test:module comes too late/)
  t.same(
    registry.tools().map(({ id }) => id),
    ['read.it'],
  )
  t.same(registry.modules(), [])
})

void t.test(
  '`reasoning`: exactly the tools that declare themselves, those of later extensions too',
  async (t) => {
    const registry = new Registry()
    registry.module(module({ tools: 'reasoning' }))
    t.same(registry.findModule('test:module')?.tools, [])
    for (const tool of [read, silent, write, withType({ id: 'ext:late' })]) registry.tool(tool)
    registry.freeze()
    t.same(registry.findModule('test:module')?.tools, ['read.it', 'ext:late'])
  },
)

void t.test('names that objects inherit are found nowhere', async (t) => {
  const registry = registered([read], [module({})])
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    t.equal(registry.findTool(name), undefined)
    t.equal(registry.findModule(name), undefined)
  }
})

void t.test('a registered tool decodes, projects and names its actions', async (t) => {
  const input = z.strictObject({ query: z.string(), page: z.int().default(1) })
  const plain = testTool({ id: 'find', input, output: z.strictObject({ all: z.array(z.string()) }) }, () => ({
    all: [],
  }))
  const registry = registered([
    plain,
    {
      ...plain,
      type: {
        ...plain.type,
        id: 'find.own',
        private: true,
        project: (output) => (output as { all: string[] }).all.length,
        key: (input) => (input as { query: string }).query.toLowerCase(),
      },
    },
  ])
  const tool = registry.findTool('find')
  t.match(tool, { write: false, private: false, kind: 'game', reasoning: 'does find' })
  t.same(JSON.parse(tool?.schemaText ?? ''), {
    type: 'object',
    properties: {
      query: { type: 'string' },
      page: {
        default: 1,
        type: 'integer',
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
    },
    required: ['query'],
    additionalProperties: false,
  })
  t.same(tool?.decodeInput({ query: 'x' }), { ok: true, value: { query: 'x', page: 1 } })
  for (const wrong of [
    null,
    {},
    { query: 1 },
    { query: 'x', page: 1.5 },
    { query: 'x', more: 1 },
    { query: null },
  ]) {
    t.match(tool?.decodeInput(wrong), {
      ok: false,
      failure: { code: 'system:tool_input', params: { tool: 'find' } },
    })
  }
  t.match(tool?.decodeOutput({ all: [1] }), { ok: false, failure: { code: 'system:tool_failed' } })
  t.equal(tool?.key({ page: 1, query: 'x' }), 'find {"page":1,"query":"x"}')
  t.same(tool?.project({ all: ['a'] }), { all: ['a'] })
  const own = registry.findTool('find.own')
  t.equal(own?.key({ query: 'X' }), 'find.own x')
  t.equal(own?.project({ all: ['a', 'b'] }), 2)
  t.equal(own?.private, true)
})

void t.test('an action is decoded strictly, whatever was wrong with it', async (t) => {
  const action = z.strictObject({ text: z.string().min(1), count: z.int().optional() })
  const found = registered([], [module({ action, policy: FAST_POLICY })]).findModule('test:module')
  t.same(found?.decode({ text: 'x' }), { ok: true, value: { text: 'x' } })
  const wrong = [
    undefined,
    null,
    'x',
    [],
    {},
    { text: '' },
    { text: 'x', count: null },
    { text: 'x', count: 0.5 },
    { text: 'x', moduleId: 'y' },
  ]
  for (const input of wrong)
    t.match(found?.decode(input), { ok: false, failure: { code: 'system:not_understood' } })
})
