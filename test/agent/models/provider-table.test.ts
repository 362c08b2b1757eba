/** Each row of the provider table, seen on the wire; and each optional parameter of it, rejected. */
import t, { type Test } from 'tap'
import { z } from 'zod'
import type { Endpoint } from '../../../lib/agent/models/index.js'
import { PROVIDERS } from '../../../lib/agent/models/provider.js'
import { providerNameSchema, type ProviderName } from '../../../lib/agent/models/endpoint.js'
import type { ReplyShape } from '../../../lib/agent/models/transport.js'
import { CONFIG_SCHEMAS } from '../../../lib/config/index.js'
import { faults, replies } from '../../../lib/testing/index.js'
import { openRig } from './provider.js'

const CLOSED: ReplyShape = { schema: { type: 'object', additionalProperties: false }, isClosed: true }
const OPEN: ReplyShape = { schema: { type: 'object' }, isClosed: false }
const schemaFormat = ({ schema, isClosed }: ReplyShape) => ({
  type: 'json_schema',
  json_schema: { name: 'reply', strict: isClosed, schema },
})
const OBJECT = { type: 'json_object' }

/** What is in each body, beside what all have. */
const ALWAYS = new Set(['model', 'messages', 'stream', 'stream_options'])

interface Row {
  readonly off: object
  readonly on: object
  /** With effort `max`, beside `on`. */
  readonly max: object
  /** The format for an open and for a closed shape. */
  readonly formats: readonly [unknown, unknown]
  readonly limit: string
  readonly endUser: object
}

const TEMPLATE: Row = {
  off: { chat_template_kwargs: { enable_thinking: false } },
  on: { chat_template_kwargs: { enable_thinking: true } },
  max: {},
  formats: [schemaFormat(OPEN), schemaFormat(CLOSED)],
  limit: 'max_tokens',
  endUser: {},
}

const ROWS: Readonly<Record<ProviderName, Row>> = {
  deepseek: {
    off: { thinking: { type: 'disabled' } },
    on: { thinking: { type: 'enabled' } },
    max: { reasoning_effort: 'max' },
    formats: [OBJECT, OBJECT],
    limit: 'max_tokens',
    endUser: { user_id: 'a1b2c3' },
  },
  qwen: {
    off: { enable_thinking: false },
    on: { enable_thinking: true },
    max: { thinking_budget: 32_768 },
    formats: [OBJECT, OBJECT],
    limit: 'max_tokens',
    endUser: {},
  },
  openai: {
    off: { reasoning_effort: 'none' },
    on: {},
    max: { reasoning_effort: 'xhigh' },
    formats: [OBJECT, schemaFormat(CLOSED)],
    limit: 'max_completion_tokens',
    endUser: { safety_identifier: 'a1b2c3' },
  },
  ollama: {
    ...TEMPLATE,
    off: { reasoning_effort: 'none' },
    on: {},
    max: { reasoning_effort: 'high' },
  },
  'llama.cpp': TEMPLATE,
  vllm: TEMPLATE,
  generic: {
    off: {},
    on: {},
    max: {},
    formats: [undefined, undefined],
    limit: 'max_tokens',
    endUser: {},
  },
}

const NAMES = providerNameSchema.options

void t.test('the configuration knows the rows of the table', async (t) => {
  t.strictSame(z.toJSONSchema(CONFIG_SCHEMAS['system-model'].shape.provider, { io: 'input' }).enum, NAMES)
  t.strictSame(Object.keys(PROVIDERS), NAMES)
})

const format = (value: unknown): object => (value === undefined ? {} : { response_format: value })

for (const provider of NAMES) {
  const row = ROWS[provider]
  const extra = { temperature: 0.2, top_k: 5 }
  const cases: readonly (readonly [Partial<Endpoint>, ReplyShape | undefined, object])[] = [
    [{}, OPEN, { ...row.off, ...format(row.formats[0]) }],
    [{}, CLOSED, { ...row.off, ...format(row.formats[1]) }],
    [{}, undefined, { ...row.off, ...format(row.formats[0] === undefined ? undefined : OBJECT) }],
    [{ effort: 'max' }, OPEN, { ...row.off, ...format(row.formats[0]) }],
    [{ thinking: true }, OPEN, { ...row.on, ...format(row.formats[0]) }],
    [{ thinking: true, effort: 'max' }, OPEN, { ...row.on, ...row.max, ...format(row.formats[0]) }],
    [{ extra }, OPEN, { ...row.off, ...format(row.formats[0]), ...extra }],
  ]
  void t.test(`${provider}: bodies`, async (t) => {
    for (const [endpoint, shape, expected] of cases) {
      const { provider: simulator, send } = await openRig(t, { provider, ...endpoint })
      simulator.script('yes')
      t.match(await send(shape === undefined ? {} : { shape }), { ok: true })
      const body = simulator.requests[0]?.body ?? {}
      const own = Object.fromEntries(Object.entries(body).filter(([name]) => !ALWAYS.has(name)))
      t.strictSame(own, { [row.limit]: 200, ...expected, ...row.endUser }, JSON.stringify(endpoint))
      t.match(body, { stream: true, stream_options: { include_usage: true } })
    }
  })

  void t.test(`${provider}: temperature beside thinking`, async (t) => {
    const { provider: simulator, send } = await openRig(t, { provider, thinking: true, extra })
    simulator.script('yes')
    await send()
    const isSent = provider !== 'deepseek' && provider !== 'openai'
    t.equal(simulator.requests[0]?.body['temperature'], isSent ? 0.2 : undefined)
    t.equal(simulator.requests[0]?.body['top_k'], 5, 'what thinking has nothing to do with stays')
  })

  void t.test(`${provider}: reasoning text is dropped under each of its names`, async (t) => {
    const { provider: simulator, send } = await openRig(t, { provider })
    for (const name of ['reasoning_content', 'reasoning']) {
      const delta = (part: object) => `data: ${JSON.stringify({ choices: [{ delta: part }] })}\n\n`
      const end = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
      simulator.script(
        replies.text('').with({ raw: delta({ [name]: 'secret' }) + delta({ content: 'yes' }) + end }),
        replies.text('').with({ raw: delta({ [name]: 'secret', content: '' }) + end }),
      )
      t.match(await send(), { ok: true, text: 'yes' })
      t.match(await send(), { ok: false, code: 'system:model_empty' }, 'reasoning alone is no answer')
    }
  })

  void t.test(`${provider}: an unknown finish reason is a degraded provider`, async (t) => {
    const { provider: simulator, send } = await openRig(t, { provider })
    simulator.script(faults.unknownFinish('yes'), faults.unknownFinish('yes', 'insufficient_system_resource'))
    t.match(await send(), { ok: false, code: 'system:model_unavailable', usage: { output: 1 } })
    t.match(await send(), { ok: false, code: 'system:model_unavailable' })
  })

  void t.test(`${provider}: each optional parameter, rejected by status 400 and 422`, async (t) => {
    const { provider: simulator, send } = await openRig(t, { provider })
    simulator.script('yes')
    await send({ shape: CLOSED })
    const optional = Object.keys(simulator.requests[0]?.body ?? {}).filter(
      (name) => !['model', 'messages', row.limit].includes(name),
    )
    for (const name of optional)
      for (const status of [400, 422]) await rejected(t, { provider, name, status })
  })
}

/** The endpoint refuses the parameter once; the same call is repeated with another form of it or without it. */
async function rejected(
  t: Test,
  { provider, name, status }: { provider: ProviderName; name: string; status: number },
): Promise<void> {
  const { provider: simulator, send } = await openRig(t, { provider })
  simulator.script(faults.status(status, { message: `${name} is not supported`, param: name }), 'one', 'two')
  t.match(await send({ shape: CLOSED }), { ok: true, text: 'one' })
  t.match(await send({ shape: CLOSED }), { ok: true, text: 'two' })
  const [first, second, third] = simulator.requests.map(({ body }) => body)
  t.equal(simulator.requests.length, 3, `${name}: one repeat, then none`)
  t.notSame(second?.[name], first?.[name], `${name}: another form, or none`)
  t.strictSame(third, second, `${name}: remembered`)
}

/** Rows that know a second form of something: what they fall back to, until nothing is left. */
const LADDERS: readonly (readonly [ProviderName, Partial<Endpoint>, string, readonly unknown[]])[] = [
  ['openai', {}, 'reasoning_effort', ['none', 'minimal', undefined]],
  ['openai', { thinking: true, effort: 'max' }, 'reasoning_effort', ['xhigh', 'high', undefined]],
  ['qwen', { thinking: true, effort: 'low' }, 'thinking_budget', [1_024, undefined]],
  ['vllm', {}, 'response_format', [schemaFormat(CLOSED), OBJECT, undefined]],
  ['llama.cpp', {}, 'response_format', [schemaFormat(CLOSED), OBJECT, undefined]],
  ['ollama', {}, 'response_format', [schemaFormat(CLOSED), OBJECT, undefined]],
  ['openai', {}, 'response_format', [schemaFormat(CLOSED), OBJECT, undefined]],
  ['deepseek', {}, 'response_format', [OBJECT, undefined]],
  ['openai', {}, 'safety_identifier', ['a1b2c3', undefined]],
]

for (const [provider, endpoint, name, values] of LADDERS) {
  void t.test(`${provider}: ${name} ${values.length} steps down`, async (t) => {
    const { provider: simulator, send } = await openRig(t, { provider, ...endpoint })
    for (const _ of values.slice(1)) {
      simulator.script(faults.status(400, { param: name }), 'yes')
      t.match(await send({ shape: CLOSED }), { ok: true })
    }
    simulator.script('yes')
    await send({ shape: CLOSED })
    const sent = simulator.requests.map(({ body }) => body[name])
    t.strictSame(
      [...new Set(sent.map((value) => JSON.stringify(value)))],
      values.map((value) => JSON.stringify(value)),
    )
  })
}

void t.test('openai: the second name of the end-user id, of the output limit', async (t) => {
  const { provider, send } = await openRig(t, { provider: 'openai' })
  provider.script(
    faults.status(400, { param: 'safety_identifier' }),
    'one',
    faults.status(400, { message: "Use 'max_tokens' instead.", param: 'max_completion_tokens' }),
    'two',
  )
  t.match(await send(), { ok: true, text: 'one' })
  t.match(provider.requests[1]?.body, { user: 'a1b2c3' })
  t.match(await send(), { ok: true, text: 'two' })
  t.match(provider.requests[3]?.body, { user: 'a1b2c3', max_tokens: 200 })
  t.notOk('max_completion_tokens' in (provider.requests[3]?.body ?? {}))
})

void t.test('a parameter is known by the names inside of it', async (t) => {
  const sentences: readonly (readonly [ProviderName, string, string])[] = [
    ['vllm', 'json_schema is not supported by this model', 'response_format'],
    ['llama.cpp', 'the template does not know enable_thinking', 'chat_template_kwargs'],
    ['generic', 'include_usage: unknown', 'stream_options'],
  ]
  for (const [provider, message, name] of sentences) {
    const rig = await openRig(t, { provider })
    rig.provider.script(faults.status(400, { message }), 'yes')
    t.match(await rig.send({ shape: OPEN }), { ok: true })
    const [first, second] = rig.provider.requests.map(({ body }) => body)
    t.notSame(second?.[name], first?.[name], message)
  }
})
