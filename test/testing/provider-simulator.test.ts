import { request as httpRequest } from 'node:http'
import t from 'tap'
import {
  createProviderSimulator,
  faults,
  ManualClock,
  replies,
  type ProviderSimulator,
  type ProviderSimulatorOptions,
} from '../../lib/testing/index.js'

interface Teardown {
  teardown(fn: () => unknown): void
}

async function open(t: Teardown, options?: ProviderSimulatorOptions): Promise<ProviderSimulator> {
  const provider = await createProviderSimulator(options)
  t.teardown(() => provider.close())
  return provider
}

const body = (change: object = {}): object => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  max_tokens: 50,
  ...change,
})
const STREAM = { stream: true, stream_options: { include_usage: true } }

const ask = (
  provider: ProviderSimulator,
  change: object = {},
  path = '/chat/completions',
): Promise<Response> => fetch(provider.url + path, { method: 'POST', body: JSON.stringify(body(change)) })

interface Completion {
  readonly choices: readonly {
    readonly message: { readonly content: string; readonly reasoning_content?: string }
    readonly finish_reason: string
  }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

void t.test('a plain completion to a plain request', async (t) => {
  const provider = await open(t, { clock: new ManualClock(7_000) })
  t.match(provider.url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  t.ok(provider.url.includes(`:${provider.port}/`))
  provider.script(replies.reasoned('hm', { a: 1 }))
  const response = await ask(provider)
  t.equal(response.headers.get('content-type'), 'application/json')
  const completion = (await response.json()) as Completion
  t.match(completion.choices[0], {
    message: { role: 'assistant', content: '{"a":1}', reasoning_content: 'hm' },
    finish_reason: 'stop',
  })
  t.match(completion.usage, { prompt_tokens: 2, completion_tokens: 3 })
  const [seen] = provider.requests
  t.equal(seen?.at, 7_000)
  t.strictSame(seen?.body, body())
  t.match(seen?.headers['content-type'], /text\/plain/)
  await seen?.over
  t.equal(seen?.aborted, false)
})

void t.test('a stream to a request for one, the same bytes each time', async (t) => {
  const provider = await open(t)
  const texts: string[] = []
  for (const change of [STREAM, STREAM, { stream: true }]) {
    provider.script('twenty characters and more')
    const response = await ask(provider, change)
    t.equal(response.headers.get('content-type'), 'text/event-stream')
    texts.push(await response.text())
  }
  const [first, second, withoutUsage] = texts
  t.equal(first, second)
  const events = first?.trimEnd().split('\n\n') ?? []
  t.equal(events.at(-1), 'data: [DONE]')
  t.match(events.at(-2), '"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":7')
  t.match(events.at(-3), '"finish_reason":"stop"')
  t.equal(events.length, 6, 'role, two pieces, finish, usage, end')
  t.notMatch(withoutUsage, 'usage', 'usage comes only when it was asked for')
})

void t.test('the script is a queue; its end is an error', async (t) => {
  const provider = await open(t)
  provider.script('one', ({ body }) => `asked by ${body.model}`)
  provider.script(async () => Promise.resolve(faults.status(418)))
  t.equal(provider.left, 3)
  const first = (await (await ask(provider)).json()) as Completion
  t.equal(first.choices[0]?.message.content, 'one')
  const second = (await (await ask(provider)).json()) as Completion
  t.equal(second.choices[0]?.message.content, 'asked by m')
  t.equal((await ask(provider)).status, 418)
  t.strictSame(provider.errors, [])
  const over = await ask(provider)
  t.equal(over.status, 500)
  t.match(await over.text(), 'the script is over (request 4)')
  t.strictSame(provider.errors, ['the script is over (request 4)'])
})

void t.test('a default answers what the script does not', async (t) => {
  const provider = await open(t, { otherwise: 'again' })
  provider.script('first')
  const texts: unknown[] = []
  for (let round = 0; round < 3; round += 1) {
    const completion = (await (await ask(provider)).json()) as Completion
    texts.push(completion.choices[0]?.message.content)
  }
  t.strictSame(texts, ['first', 'again', 'again'])
  t.strictSame(provider.errors, [])
})

void t.test('what is no chat completion request is said and recorded', async (t) => {
  const provider = await open(t)
  t.equal((await ask(provider, {}, '/completions')).status, 400)
  t.equal((await ask(provider, { messages: [] })).status, 400)
  t.equal((await fetch(`${provider.url}/chat/completions`, { method: 'POST', body: '{' })).status, 400)
  t.equal(provider.errors.length, 3)
  t.equal(provider.requests.length, 0)
})

void t.test('a step that throws is an error', async (t) => {
  const provider = await open(t)
  provider.script(() => {
    throw new Error('no such item')
  })
  t.equal((await ask(provider)).status, 500)
  t.strictSame(provider.errors, ['no such item'])
})

void t.test('release lets held replies go on', async (t) => {
  const provider = await open(t)
  for (const step of [faults.slowHeaders('late'), faults.stalledBody('late'), faults.stalledTail('late')]) {
    provider.script(step)
    const number = provider.requests.length + 1
    const asked = ask(provider, STREAM)
    const request = await provider.request(number)
    let isAnswering = false
    void request.answering.then(() => (isAnswering = true))
    await request.held
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(isAnswering, step.plan.hold !== 'headers')
    provider.release()
    t.match(await (await asked).text(), 'late')
  }
})

void t.test('errors carry what the script says', async (t) => {
  const provider = await open(t)
  provider.script(faults.status(429, { retryAfter: 'soon', code: 'c', param: 'p', message: 'm' }))
  const response = await ask(provider, STREAM)
  t.equal(response.headers.get('retry-after'), 'soon')
  t.match(await response.json(), { error: { code: 'c', param: 'p', message: 'm' } })
})

void t.test('output that fills the limit', async (t) => {
  const provider = await open(t)
  provider.script(faults.truncated('{', 'stop'), 'x'.repeat(4_000))
  const full = (await (await ask(provider)).json()) as Completion
  t.equal(full.usage?.completion_tokens, 50)
  const estimated = (await (await ask(provider)).json()) as Completion
  t.equal(estimated.usage?.completion_tokens, 49, 'an estimate never looks like a truncation')
})

void t.test('characters arrive in pieces', async (t) => {
  const provider = await open(t)
  provider.script(faults.byteByByte('钻'))
  const bytes = new Uint8Array(await (await ask(provider, STREAM)).arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  t.match(text, /: keep-alive\r\n\r\ndata: .*钻.*\r\n\r\n/)
  t.ok(text.endsWith('data: [DONE]'))
})

void t.test('a cut is ours, a lost client is an abort', async (t) => {
  const provider = await open(t)
  provider.script(faults.cut('half'), faults.stalledBody(), faults.paddingForever(), faults.hugeBody())
  await t.rejects(ask(provider, STREAM).then((response) => response.text()))
  const cut = await provider.request(1)
  await cut.over
  t.equal(cut.aborted, false)
  for (const number of [2, 3, 4]) {
    const asker = new AbortController()
    const options = { method: 'POST', signal: asker.signal }
    const client = httpRequest(`${provider.url}/chat/completions`, options, () => asker.abort())
    client.on('error', () => {})
    client.end(JSON.stringify(body(STREAM)))
    const request = await provider.request(number)
    await request.over
    t.equal(request.aborted, true)
  }
  t.strictSame(provider.errors, [])
})

void t.test('a closed port refuses, an opened one answers again', async (t) => {
  const provider = await open(t)
  await provider.refuse()
  await provider.refuse()
  await t.rejects(ask(provider), { cause: { code: 'ECONNREFUSED' } })
  await provider.accept()
  await provider.accept()
  provider.script('back')
  t.equal((await ask(provider)).status, 200)
})

void t.test('closing ends held replies', async (t) => {
  const provider = await open(t)
  provider.script(faults.stalledBody())
  const asked = ask(provider).then((response) => response.text())
  await (
    await provider.request(1)
  ).answering
  await Promise.all([t.rejects(asked), provider.close()])
  await provider.close()
})

void t.test('a reply with pauses comes in its own time, and leaves no timer behind', async (t) => {
  const clock = new ManualClock()
  const provider = await open(t, { clock })
  const slow = replies.text('twenty characters and more').with({ pauseMs: 25 })
  provider.script(slow, slow)
  const response = await ask(provider, STREAM)
  const text = response.text()
  // the role and two pieces of content, each followed by a pause
  for (let part = 0; part < 3; part += 1) {
    await clock.whenSet(25)
    t.equal(clock.pending, 1)
    clock.advance(25)
  }
  t.match(await text, '[DONE]')
  const abandoned = await ask(provider, STREAM)
  await clock.whenSet(25)
  await abandoned.body?.cancel()
  await provider.requests[1]?.over
  t.equal(clock.pending, 0)
})
