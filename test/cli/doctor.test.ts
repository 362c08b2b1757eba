/** `flying-squid-system doctor` against a provider with each fault that it is to find. */
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import {
  faults,
  replies,
  type ProviderStep,
  type RecordedRequest,
  type SimulatedReply,
} from '../../lib/testing/index.js'
import { temporaryFolder } from '../support/system.js'
import { findings, goodReply, KEY, OK, open, run, runHere } from './doctor-place.js'
import { cli } from './world.js'

void t.test('a provider without a fault', async (t) => {
  const place = await open(t)
  const { status, stderr, lines } = await run(t, place)
  t.equal(stderr, '')
  t.strictSame([...findings(lines, 'fail'), ...findings(lines, 'warn')], [], lines.join('\n'))
  t.equal(status, 0)
  t.match(lines[1], /^asks 127\.0\.0\.1:\d+ up to 8 times, about 10,000 tokens in all, which may cost money$/)
  t.strictSame(
    findings(lines, 'ok').map((line) => line.slice(3)),
    [
      'configuration',
      'reach',
      'key',
      'model',
      'parameters',
      'end-user id',
      'stream',
      'stream usage',
      'first byte',
      'JSON',
      'thinking off',
      'plain',
      'plain usage',
      'output limit',
      'cancel',
      'long prompt',
    ],
  )
  t.equal(lines.at(-1), '5 requests: 16 ok, 0 warn, 0 fail')
  const [first, plain, limit, cancelled] = place.provider.requests
  t.match(first?.body, { stream: true, user_id: 'doctor', thinking: { type: 'disabled' } })
  t.notOk('stream' in (plain?.body ?? {}))
  t.equal(limit?.body['max_tokens'], 16)
  t.ok(cancelled?.aborted, 'the one that was cancelled was closed')
  t.equal(first?.headers.authorization, `Bearer ${KEY}`)
})

void t.test('as JSON', async (t) => {
  const { status, stderr, lines } = await run(t, await open(t), '--json', '--config', 'config/system')
  t.equal(status, 0)
  t.match(stderr, /^asks 127/)
  t.equal(lines.length, 1)
  t.match(JSON.parse(lines[0] ?? ''), {
    provider: 'deepseek',
    model: 'deepseek-flash',
    host: /^127\.0\.0\.1:\d+$/,
    requests: 5,
    findings: [
      { status: 'ok', what: 'configuration' },
      { status: 'ok', what: 'reach' },
    ],
  })
})

/** What ends the examination at its first reply. */
const FATAL: readonly (readonly [string, ProviderStep, RegExp])[] = [
  ['a wrong key', faults.status(401), /^fail key: refused: .* \(HTTP 401\)$/],
  ['a forbidden key', faults.status(403), /^fail key: refused: .* \(HTTP 403\)$/],
  ['no credit', faults.status(402), /^fail credit: used up/],
  ['no credit, OpenAI', faults.insufficientQuota(), /^fail credit: used up/],
  [
    'an unknown model',
    faults.status(404),
    /^fail model: not known there, or the address is wrong \(HTTP 404\)/,
  ],
  [
    'an unknown model, DeepSeek',
    faults.status(400, { message: 'Model Not Exist' }),
    /^fail model: not known there/,
  ],
  ['a refusal', faults.status(400, { message: 'no' }), /^fail request: refused \(HTTP 400\)/],
  ['too fast', faults.status(429), /^fail rate:/],
  ['a page', faults.htmlPage(), /^fail reply: a page instead of a completion at 127/],
  ['other JSON', faults.otherJson({ hello: 1 }), /^fail reply: no completion: check baseUrl/],
  ['an error', faults.status(500), /^fail reply: HTTP 500 at 127/],
  ['nothing but thinking', faults.reasoningOnly(), /^fail thinking off: the model thinks and never/],
  ['empty', faults.emptyContent(), /^fail reply: empty/],
  ['no end', faults.noEnd(), /^fail reply: cut off/],
]

for (const [name, step, expected] of FATAL) {
  void t.test(name, async (t) => {
    const place = await open(t, step)
    const { status, lines } = await runHere(t, place)
    t.equal(status, 1)
    const failed = lines.filter((line) => line.startsWith('fail '))
    t.equal(failed.length, 1, lines.join('\n'))
    t.match(failed[0], expected)
    t.equal(place.provider.requests.length, 1, 'nothing more is asked')
  })
}

void t.test('stalled: before the reply, in it', async (t) => {
  for (const [step, expected] of [
    [faults.slowHeaders(), /^fail reach: no answer at all in time/],
    [faults.stalledBody(), /^fail reply: it began and did not end in time \(HTTP 200\)/],
  ] as const) {
    const { status, lines } = await run(t, await open(t, step), '--timeout', '1')
    t.equal(status, 1)
    t.match(lines.at(-2), expected)
  }
})

void t.test('refused', async (t) => {
  const place = await open(t)
  await place.provider.refuse()
  const { status, lines } = await run(t, place)
  t.equal(status, 1)
  t.match(lines.at(-2), /^fail reach: ECONNREFUSED at 127\.0\.0\.1:\d+: start the server there/)
})

void t.test('something that speaks no HTTP', async (t) => {
  const server = createServer((socket) => void socket.end('hello\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const { status, lines } = await run(t, await open(t, goodReply, { baseUrl }))
  t.equal(status, 1)
  // Node 20 names the parser's code, Node 24 says that the connection was lost
  t.match(lines.at(-2), /^fail reach: [\w ]+ at 127/)
})

/** One fault in an otherwise good provider. */
const SINGLE: readonly (readonly [string, (request: RecordedRequest) => SimulatedReply, RegExp])[] = [
  [
    'thinking that can not be switched off',
    (r) => goodReply(r).with({ reasoning: 'hm '.repeat(40) }),
    /^fail thinking off: the model thinks all the same \(30 tokens for one word\)/,
  ],
  [
    'thinking that is not counted',
    (r) =>
      goodReply(r).with({
        reasoning: 'hm',
        usage: { prompt_tokens: 9, completion_tokens: isLimit(r) ? 16 : 9 },
      }),
    /^fail thinking off: the model thinks all the same \(text of unknown length for one word\)/,
  ],
  [
    'no usage',
    (r) => goodReply(r).with({ usage: null }),
    /^warn stream usage: none: .*\n[^]*^warn plain usage: none/m,
  ],
  ['no [DONE]', (r) => goodReply(r).with({ done: false }), /^warn stream: it ends without \[DONE\]/],
  ['no stream', (r) => goodReply(r).with({ plain: true }), /^warn stream: a whole reply came/],
  [
    'no JSON',
    (r) => (isSmall(r) ? replies.text('Fine, thanks.') : goodReply(r)),
    /^fail JSON: the reply holds no JSON object/,
  ],
  [
    'fenced JSON',
    (r) => (isSmall(r) ? faults.fenced(OK) : goodReply(r)),
    /^warn JSON: the object stands among other text/,
  ],
  [
    'no output limit',
    (r) =>
      isLimit(r) ? replies.withUsage('1 2 3', { prompt_tokens: 9, completion_tokens: 900 }) : goodReply(r),
    /^fail output limit: 900 tokens came where 16 were allowed/,
  ],
  [
    'a hidden output limit',
    (r) => (isLimit(r) ? faults.truncated('{"a":1', 'stop') : goodReply(r)),
    /^warn output limit: honoured, but finish_reason hides it/,
  ],
  [
    'a short context',
    (r) => (/secret/.test(r.body.messages[1]?.content ?? '') ? replies.text(OK) : goodReply(r)),
    /^warn long prompt: 24000 bytes: its beginning was not read/,
  ],
  [
    'an end-user id that is refused',
    (r) => ('user_id' in r.body ? faults.status(400, { param: 'user_id' }) : goodReply(r)),
    /^warn parameters: the parameter for “end user” was refused/,
  ],
  [
    'a reply that is no stream fails',
    (r) => ('stream' in r.body ? goodReply(r) : faults.status(500)),
    /^warn plain: a reply that is no stream fails \(system:model_unavailable\)/,
  ],
]

const isSmall = ({ body }: RecordedRequest): boolean =>
  /connection fine/.test(body.messages[1]?.content ?? '')
const isLimit = ({ body }: RecordedRequest): boolean => body['max_tokens'] === 16

for (const [name, otherwise, expected] of SINGLE) {
  void t.test(name, async (t) => {
    const { status, lines } = await runHere(t, await open(t, otherwise))
    const bad = lines.filter((line) => /^(warn|fail) /.test(line)).join('\n')
    t.match(bad, expected)
    t.ok(bad.split('\n').length <= 2, bad)
    t.equal(status, expected.source.startsWith('^fail') ? 1 : 0)
  })
}

void t.test('parameters are refused one after the other: never more than eight requests', async (t) => {
  const optional = ['user_id', 'thinking', 'response_format', 'stream_options', 'stream']
  const place = await open(t, ({ body }) => {
    const param = optional.find((name) => name in body)
    return param === undefined ? replies.text(OK) : faults.status(400, { param })
  })
  const { status, lines } = await runHere(t, place)
  t.equal(status, 1)
  t.match(lines.at(-2), /^fail request: refused \(HTTP 400\)/)
})

void t.test('with thinking configured, switching it off takes a request of its own', async (t) => {
  const place = await open(
    t,
    (request) =>
      (request.body['thinking'] as { type?: string } | undefined)?.type === 'enabled'
        ? goodReply(request).with({ reasoning: 'hm' })
        : goodReply(request),
    { thinking: true },
  )
  const { status, lines } = await runHere(t, place)
  t.equal(status, 0, lines.join('\n'))
  t.equal(place.provider.requests.length, 6)
  t.match(lines.join('\n'), /^ok thinking off:/m)
})

void t.test('nothing is asked without a key or a sound configuration', async (t) => {
  for (const [config, expected] of [
    [{ apiKeyEnv: 'NOT_SET_AT_ALL' }, /^fail key: the environment variable NOT_SET_AT_ALL holds nothing/m],
    [{ baseUrl: 'nonsense' }, /^fail configuration: .*baseUrl/m],
    [{ provider: 'nobody' }, /^fail configuration: .*provider/m],
  ] as const) {
    const place = await open(t, goodReply, config)
    const { status, lines } = await run(t, place)
    t.equal(status, 1)
    t.match(lines.join('\n'), expected)
    t.equal(lines.at(-1)?.startsWith('0 requests'), true)
    t.equal(place.provider.requests.length, 0)
  }
  const strange = await open(t)
  await writeFile(join(strange.folder, '.env'), 'DOCTOR_KEY="sk two words"\n')
  t.match((await run(t, strange)).lines.join('\n'), /^fail key: DOCTOR_KEY holds spaces/m)
  const keyless = await open(t, goodReply, { apiKeyEnv: '' })
  t.equal((await run(t, keyless)).status, 0)
  t.equal(keyless.provider.requests[0]?.headers.authorization, undefined)
})

void t.test('how it is used', async (t) => {
  const folder = await temporaryFolder(t)
  const help = await cli(folder, 'doctor', '--help')
  t.equal(help.status, 0)
  t.match(help.stdout, /^flying-squid-system doctor \[options\]/)
  t.match((await cli(folder, '--help')).stdout, /doctor .*\n.*validate/)
  for (const args of [['--wrong'], ['something'], ['--timeout', '0'], ['--timeout', 'x'], ['--config']]) {
    const wrong = await cli(folder, 'doctor', ...args)
    t.equal(wrong.status, 2, args.join(' '))
    t.equal(wrong.stdout, '')
    t.match(wrong.stderr, /doctor --help/)
  }
})
