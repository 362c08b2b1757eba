import t from 'tap'
import type { Endpoint } from '../../../lib/agent/models/index.js'
import { faults } from '../../../lib/testing/index.js'
import { openRig } from './provider.js'

const MESSAGES = [
  { role: 'system', content: 'Reply with one json object.' },
  { role: 'user', content: '{"question":"who am I"}' },
]
const STREAM = { stream: true, stream_options: { include_usage: true } }
const DEEPSEEK = {
  model: 'deepseek-flash',
  messages: MESSAGES,
  max_tokens: 200,
  response_format: { type: 'json_object' },
  thinking: { type: 'disabled' },
  user_id: 'a1b2c3',
  ...STREAM,
}
const GENERIC = { model: 'deepseek-flash', messages: MESSAGES, max_tokens: 200, ...STREAM }

const PROTECTED = {
  model: 'dear',
  messages: [],
  stream: false,
  stream_options: null,
  n: 9,
  max_tokens: 9e9,
  max_completion_tokens: 9e9,
}

const BODIES: readonly (readonly [string, Partial<Endpoint>, unknown])[] = [
  ['deepseek', {}, DEEPSEEK],
  ['deepseek, thinking', { thinking: true }, { ...DEEPSEEK, thinking: { type: 'enabled' } }],
  ['generic', { provider: 'generic', thinking: true }, GENERIC],
  [
    'extra',
    { provider: 'generic', extra: { temperature: 0.2, top_p: 1 } },
    { ...GENERIC, temperature: 0.2, top_p: 1 },
  ],
  ['extra replaces what is ours to choose', { extra: { thinking: null } }, { ...DEEPSEEK, thinking: null }],
  [
    'extra cannot replace what decides',
    {
      provider: 'generic',
      extra: PROTECTED,
    },
    GENERIC,
  ],
]

for (const [name, endpoint, body] of BODIES) {
  void t.test(`body: ${name}`, async (t) => {
    const { provider, send } = await openRig(t, endpoint)
    provider.script('yes')
    t.match(await send(), { ok: true })
    t.strictSame(provider.requests[0]?.body, body)
  })
}

void t.test('an end-user id that the provider would refuse is left out', async (t) => {
  const { provider, send } = await openRig(t)
  for (const endUser of ['', 'Alice Müller', 'x'.repeat(513)]) {
    provider.script('yes')
    await send({ endUser })
  }
  for (const { body } of provider.requests) t.notOk('user_id' in body)
})

void t.test('headers: the key and no fingerprint, whatever the environment says', async (t) => {
  const names = [
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'OPENAI_ORG_ID',
    'OPENAI_PROJECT_ID',
    'OPENAI_CUSTOM_HEADERS',
  ]
  for (const name of names)
    process.env[name] = name === 'OPENAI_CUSTOM_HEADERS' ? 'authorization: env\nx-env: 1' : 'env'
  t.teardown(() => names.forEach((name) => delete process.env[name]))
  const { provider, send } = await openRig(t)
  const keyless = await openRig(t, { apiKey: '' })
  provider.script('yes')
  keyless.provider.script('yes')
  t.match(await send(), { ok: true })
  t.match(await keyless.send(), { ok: true })
  const headers = provider.requests[0]?.headers ?? {}
  t.equal(headers.authorization, 'Bearer sk-secret')
  t.equal(headers['user-agent'], 'flying-squid-system')
  // what undici adds by itself beside our own
  const known =
    /^(accept|accept-encoding|accept-language|authorization|connection|content-length|content-type|host|sec-fetch-mode|user-agent)$/
  t.strictSame(
    Object.keys(headers).filter((name) => !known.test(name)),
    [],
  )
  t.equal(keyless.provider.requests[0]?.headers.authorization, undefined)
})

const bodyError = (body: unknown, status = 400) => faults.otherJson(body).with({ status })

const REJECTIONS: readonly (readonly [
  string,
  Partial<Endpoint>,
  ReturnType<typeof faults.status>,
  dropped: readonly string[],
])[] = [
  ['param', {}, faults.status(400, { param: 'thinking' }), ['thinking']],
  ['param with a path', {}, faults.status(422, { param: 'response_format.type' }), ['response_format']],
  [
    'stream_options in a sentence',
    {},
    faults.status(400, { message: 'stream_options is only allowed when stream is true' }),
    ['stream_options'],
  ],
  [
    'a quoted plain word',
    {},
    faults.status(400, { message: "Unknown parameter: 'thinking'." }),
    ['thinking'],
  ],
  [
    'a labelled plain word',
    {},
    faults.status(400, { message: 'Unrecognized request argument supplied: thinking' }),
    ['thinking'],
  ],
  ['user_id', {}, faults.status(422, { message: 'user_id: extra fields not permitted' }), ['user_id']],
  [
    'pydantic',
    { provider: 'generic' },
    bodyError(
      {
        detail: [
          { type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' },
        ],
      },
      422,
    ),
    ['stream_options'],
  ],
  [
    'an error that is a text',
    {},
    bodyError({ error: 'json mode: response_format is not supported' }),
    ['response_format'],
  ],
  ['no JSON', {}, faults.status(400).with({ raw: 'unsupported: response_format' }), ['response_format']],
  [
    'extra',
    { extra: { 'top.k': 3, temperature: 0 } },
    faults.status(400, { message: '`temperature` is not supported' }),
    ['temperature'],
  ],
  [
    'extra with a strange name',
    { extra: { 'top(k': 3 } },
    faults.status(400, { message: "bad 'top(k'" }),
    ['top(k'],
  ],
  [
    'stream',
    {},
    faults.status(400, { param: 'stream', message: 'stream is not supported by this model' }),
    ['stream', 'stream_options'],
  ],
]

for (const [name, endpoint, step, dropped] of REJECTIONS) {
  void t.test(`a rejected parameter is left out, now and later: ${name}`, async (t) => {
    const { provider, clock, send } = await openRig(t, endpoint)
    provider.script(step, 'one', 'two')
    t.match(await send(), { ok: true, text: 'one', finish: 'stop' })
    t.match(await send(), { ok: true, text: 'two' })
    t.equal(provider.requests.length, 3, 'the second call needs one request')
    const [first, second, third] = provider.requests.map(({ body }) => Object.keys(body))
    t.strictSame(first?.filter((key) => !second?.includes(key)).sort(), [...dropped].sort())
    t.strictSame(third, second)
    await clock.whenIdle()
  })
}

void t.test('the output limit changes its name when the provider asks for it', async (t) => {
  const { provider, send } = await openRig(t, { provider: 'generic' })
  const message =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  provider.script(faults.status(400, { message, param: 'max_tokens' }), 'one')
  t.match(await send(), { ok: true, text: 'one' })
  t.match(provider.requests[1]?.body, { max_completion_tokens: 200 })
  t.notOk('max_tokens' in (provider.requests[1]?.body ?? {}))
})

const KEPT: readonly (readonly [string, string, string?])[] = [
  ['an output limit that is too large', 'max_tokens is too large: 200', 'max_tokens'],
  ['messages', "'messages' must contain the word json", 'messages'],
  ['a plain word that is no name', 'This model is always thinking; stream of tokens too long'],
  ['a name inside another', 'my_user_id_field and stream_options2 are bad'],
  ['nothing', 'context length exceeded'],
]

for (const [name, message, param] of KEPT) {
  void t.test(`refused and not repeated: ${name}`, async (t) => {
    const { provider, send } = await openRig(t)
    provider.script(faults.status(400, param === undefined ? { message } : { message, param }))
    t.match(await send(), { ok: false, code: 'system:model_refused', httpStatus: 400, unbilled: true })
    t.equal(provider.requests.length, 1)
  })
}

void t.test('one repeat a call; a second rejected parameter is left out of the next call', async (t) => {
  const { provider, send } = await openRig(t)
  provider.script(faults.status(400, { param: 'thinking' }), faults.status(400, { param: 'user_id' }), 'two')
  t.match(await send(), { ok: false, code: 'system:model_refused', unbilled: true })
  t.equal(provider.requests.length, 2)
  t.match(await send(), { ok: true, text: 'two' })
  t.notOk('thinking' in (provider.requests[2]?.body ?? {}))
  t.notOk('user_id' in (provider.requests[2]?.body ?? {}))
})

void t.test('leaving out what did not help is taken back', async (t) => {
  const { provider, send } = await openRig(t)
  provider.script(
    faults.status(400, { param: 'thinking' }),
    faults.status(400, { message: 'too long' }),
    'two',
  )
  t.match(await send(), { ok: false, code: 'system:model_refused' })
  t.match(await send(), { ok: true, text: 'two' })
  t.ok('thinking' in (provider.requests[2]?.body ?? {}))
})
