import t from 'tap'
import { ChatProviders, type ChatContext, type ChatProvider } from '../../lib/agent/index.js'
import { failure, FailureError } from '../../lib/core/failure.js'
import { identifier } from '../../lib/core/ids.js'
import { ManualClock } from '../../lib/testing/index.js'
import { RecordingLogger, TestKernel, DONE, testModule, turn } from '../support/kernel.js'

/** Asks inside of a real request. */
async function ask(...answers: readonly ChatProvider['answer'][]) {
  const k = new TestKernel({
    modules: [
      testModule('test:chat', async (context) => {
        given.push(await providers.answer(context, 'hi'))
        return DONE
      }),
    ],
  })
  const given: unknown[] = []
  const providers = new ChatProviders(k)
  for (const [at, answer] of answers.entries()) providers.add({ id: identifier(`my:chat${at}`), answer })
  const player = await k.join()
  const outcome = k.command(player, 'test:chat')
  return { k, player, given, outcome }
}

void t.test('the first provider with an answer gives it; the others pass', async (t) => {
  const contexts: ChatContext[] = []
  const { outcome, given, k } = await ask(
    () => null,
    async (context, text) => {
      contexts.push(context)
      return `${context.playerName} said ${text}`
    },
    () => {
      throw new Error('nobody asks me')
    },
  )
  await outcome
  t.strictSame(given, [{ ok: true, value: { provider: 'my:chat1', text: 'alice said hi' } }])
  t.match(contexts, [{ playerName: 'alice', language: 'en_us', signal: { aborted: true } }])
  t.strictSame(k.logger.lines, [])
})

void t.test('nobody has one: a model may be asked', async (t) => {
  for (const answers of [[], [() => null]]) {
    const { outcome, given } = await ask(...answers)
    await outcome
    t.strictSame(given, [null])
  }
})

void t.test('what a provider does wrong is named, and the next one is asked', async (t) => {
  const wrong: readonly [string, ChatProvider['answer'], RegExp][] = [
    [
      'throws',
      () => {
        throw new Error('oops')
      },
      /oops/,
    ],
    ['rejects', () => Promise.reject(new Error('oops')), /oops/],
    ['gives a number', () => 7 as never, /must be a text or null/],
    ['gives nothing', () => undefined as never, /must be a text or null/],
    ['gives an empty text', () => ' ', /must be a text or null/],
    [
      'says that a right is missing',
      () => {
        throw new FailureError(failure('system:revoked'))
      },
      /system:revoked/,
    ],
  ]
  for (const [name, answer, cause] of wrong) {
    const { outcome, given, k } = await ask(answer, () => 'hello')
    t.match(await outcome, { result: DONE }, name)
    t.match(given, [{ ok: true, value: { text: 'hello' } }], name)
    t.match(k.logger.lines, [{ message: 'chat provider my:chat0 failed' }], name)
    t.match(String(k.logger.lines[0]?.cause), cause, name)
    const alone = await ask(answer)
    await alone.outcome
    t.match(alone.given, [{ ok: false, failure: { code: 'system:tool_failed' } }], name)
  }
})

void t.test('one that never answers is passed over in time; one that computes is named', async (t) => {
  const signals: AbortSignal[] = []
  const { k, outcome, given } = await ask(
    ({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    },
    () => {
      k.clock.advance(200)
      return 'x'.repeat(9_000)
    },
  )
  await turn()
  // before the request's own deadline
  k.clock.advance(10_000)
  await outcome
  t.equal(signals[0]?.aborted, true)
  t.match(given, [{ ok: true, value: { provider: 'my:chat1', text: /^x{3999}…$/ } }])
  t.match(k.logger.messages(), [/my:chat0 failed/, /chat provider my:chat1 computed for 200\.0 ms/])
})

void t.test('a request that ends meanwhile gets no answer', async (t) => {
  const signals: AbortSignal[] = []
  const { k, player, outcome, given } = await ask(({ signal }) => {
    signals.push(signal)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  })
  await turn()
  k.engine.cancel(player)
  t.equal(signals[0]?.aborted, true, 'its provider hears of it at once')
  t.match(await outcome, { result: { failure: { code: 'system:cancelled' } } })
  await turn()
  k.clock.advance(30_000)
  await turn()
  t.strictSame(given, [], 'and its workflow goes no further')
  t.strictSame(k.logger.lines, [], 'the provider was waited for no longer, and did nothing wrong')
})

void t.test('what is none is refused', (t) => {
  const providers = new ChatProviders({ clock: new ManualClock(), logger: new RecordingLogger() })
  t.throws(() => providers.add({ id: 'chat' as never, answer: () => null }), /no id of the form/)
  t.end()
})
