import { getEventListeners } from 'node:events'
import t from 'tap'
import { createChatTransport } from '../../../lib/agent/models/index.js'
import { createProviderSimulator, faults, replies, type SimulatedReply } from '../../../lib/testing/index.js'
import { endpointOf, NO_SIGNAL, openRig, requestOf } from './provider.js'

const IDLE_MS = 10_000
/** Shorter than the idle limit, so that only the total deadline can end a call. */
const STALL_MS = 8_000
const TAIL_MS = 1_000
const ERROR_BODY_MS = 1_000

const STALLS: readonly (readonly [string, SimulatedReply, status: number])[] = [
  ['no headers', faults.slowHeaders(), 0],
  ['headers, then silence', faults.stalledBody(), 200],
  ['plain, headers, then silence', faults.stalledBody().with({ plain: true }), 200],
  ['blank lines for ever', faults.paddingForever('\n'), 200],
  ['comments for ever', faults.paddingForever(': keep-alive\n\n'), 200],
]

for (const [name, step, httpStatus] of STALLS) {
  void t.test(`total deadline: ${name}`, async (t) => {
    const { provider, clock, send } = await openRig(t)
    provider.script(step)
    const sent = send({ timeoutMs: STALL_MS })
    const request = await provider.request(1)
    if (httpStatus > 0) await request.answering
    // short of the deadline nothing ends
    clock.advance(STALL_MS - 1)
    t.equal(await Promise.race([sent, new Promise((resolve) => setImmediate(resolve, 'waiting'))]), 'waiting')
    clock.advance(1)
    t.match(await sent, { ok: false, code: 'system:model_timeout', usage: null, unbilled: false })
    await request.over
    t.ok(request.aborted, 'the connection was closed')
    t.equal(provider.requests.length, 1)
    await clock.whenIdle()
  })

  void t.test(`cancelled: ${name}`, async (t) => {
    const { provider, clock, send } = await openRig(t)
    provider.script(step)
    const asker = new AbortController()
    const sent = send({}, asker.signal)
    const request = await provider.request(1)
    if (httpStatus > 0) await request.answering
    asker.abort()
    t.match(await sent, { ok: false, code: 'system:cancelled', usage: null, unbilled: false })
    await request.over
    t.ok(request.aborted, 'the connection was closed')
    await clock.whenIdle()
  })
}

void t.test('padding does not extend the real deadline', async (t) => {
  const provider = await createProviderSimulator({ otherwise: faults.paddingForever() })
  t.teardown(() => provider.close())
  const transport = createChatTransport(endpointOf(provider))
  const outcome = await transport.send(requestOf({ timeoutMs: 200 }), NO_SIGNAL)
  t.match(outcome, { ok: false, code: 'system:model_timeout', httpStatus: 200, unbilled: false })
  await provider.requests[0]?.over
  t.ok(provider.requests[0]?.aborted)
})

void t.test('silence inside a body', async (t) => {
  const { provider, clock, send } = await openRig(t)
  provider.script(faults.stalledTail('half an ans'))
  const sent = send()
  await clock.whenSet(IDLE_MS)
  clock.advance(IDLE_MS)
  t.match(await sent, { ok: false, code: 'system:model_timeout', unbilled: false })
  await provider.requests[0]?.over
  t.ok(provider.requests[0]?.aborted)
  await clock.whenIdle()
})

void t.test('an error body that stalls is not waited for', async (t) => {
  const { provider, clock, send } = await openRig(t)
  provider.script(faults.status(401).with({ hold: 'body' }))
  const sent = send()
  await clock.whenSet(ERROR_BODY_MS)
  clock.advance(ERROR_BODY_MS)
  t.match(await sent, { ok: false, code: 'system:model_auth', httpStatus: 401, unbilled: true })
  await provider.requests[0]?.over
  t.ok(provider.requests[0]?.aborted)
})

void t.test('a finished answer is not lost because its stream never closes', async (t) => {
  const finished = 'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\n'
  const { provider, clock, send } = await openRig(t)
  provider.script(replies.text('').with({ raw: finished, hold: 'tail' }))
  const sent = send()
  await clock.whenSet(TAIL_MS)
  clock.advance(TAIL_MS)
  t.match(await sent, { ok: true, text: 'yes', finish: 'stop', usage: null })
  await provider.requests[0]?.over
  t.ok(provider.requests[0]?.aborted)
})

void t.test('an answer is given at [DONE], whatever the connection does then', async (t) => {
  const { provider, clock, send } = await openRig(t)
  const done = 'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  provider.script(replies.text('').with({ raw: done, hold: 'tail' }))
  t.match(await send(), { ok: true, text: 'yes' })
  clock.advance(250)
  await provider.requests[0]?.over
  t.ok(provider.requests[0]?.aborted, 'a body that does not close is given up')
  await clock.whenIdle()
})

void t.test('a good connection is used again, also when its body closes after the answer', async (t) => {
  const { provider, clock, send } = await openRig(t)
  const ports = new Set<number | undefined>()
  const done =
    'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n'
  for (let round = 0; round < 3; round += 1) {
    provider.script(replies.text('').with({ raw: done, hold: 'tail' }))
    t.match(await send(), { ok: true })
    const request = await provider.request(round + 1)
    ports.add(request.clientPort)
    await request.held
    provider.release()
    await request.over
    await clock.whenIdle()
    // undici hands a connection back one turn after its body is over
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.equal(ports.size, 1)
})

void t.test('cancelled between the answer and its end', async (t) => {
  const { provider, clock, send } = await openRig(t)
  const finished = 'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\n'
  provider.script(replies.text('').with({ raw: finished, hold: 'tail' }))
  const asker = new AbortController()
  const sent = send({}, asker.signal)
  await clock.whenSet(TAIL_MS)
  asker.abort()
  t.match(await sent, { ok: false, code: 'system:cancelled' })
})

void t.test('the signal of a long request is let go of after each call', async (t) => {
  const { provider, send } = await openRig(t)
  const asker = new AbortController()
  provider.script('yes', faults.status(500))
  await send({}, asker.signal)
  await send({}, asker.signal)
  t.equal(getEventListeners(asker.signal, 'abort').length, 0)
})

void t.test('a huge body is not taken in', async (t) => {
  for (const step of [faults.hugeBody(), faults.hugeBody().with({ plain: true })]) {
    const { provider, send } = await openRig(t)
    provider.script(step)
    t.match(await send(), { ok: false, code: 'system:model_too_large', httpStatus: 200, unbilled: false })
    const request = await provider.request(1)
    await request.over
    t.ok(request.aborted, 'the connection was closed before the body was over')
  }
})

void t.test('nothing is sent for a call that is over before it begins', async (t) => {
  const { provider, clock, send } = await openRig(t)
  t.match(await send({}, AbortSignal.abort()), { code: 'system:cancelled', unbilled: true, httpStatus: 0 })
  t.match(await send({ timeoutMs: 0 }), { code: 'system:model_timeout', unbilled: true, httpStatus: 0 })
  t.equal(provider.requests.length, 0)
  t.equal(clock.pending, 0)
})

void t.test('an abort during the answer wins over what had arrived', async (t) => {
  const { provider, send } = await openRig(t)
  const asker = new AbortController()
  provider.script(() => {
    setImmediate(() => asker.abort())
    return faults.stalledTail('much was said')
  })
  t.match(await send({}, asker.signal), { ok: false, code: 'system:cancelled' })
})

void t.test('an unusable endpoint is a failure, not an exception', async (t) => {
  const provider = await createProviderSimulator()
  await provider.close()
  for (const change of [{ baseUrl: 'nonsense' }, { apiKey: 'line\nbreak' }]) {
    const outcome = await createChatTransport(endpointOf(provider, change)).send(requestOf(), NO_SIGNAL)
    t.match(outcome, { ok: false, usage: null, httpStatus: 0 })
  }
})
