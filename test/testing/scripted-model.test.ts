import t from 'tap'
import type { ChatRequest } from '../../lib/agent/models/index.js'
import { ScriptedModel } from '../../lib/testing/index.js'

const request = (user: string): ChatRequest => ({
  system: 's',
  user,
  outputTokens: 10,
  timeoutMs: 1_000,
  endUser: '',
})
const { signal } = new AbortController()

void t.test('answers in order and records what it was asked', async (t) => {
  const failure = {
    ok: false,
    code: 'system:model_empty',
    usage: null,
    httpStatus: 200,
    unbilled: false,
  } as const
  const model = new ScriptedModel('plain', { type: 'answer', text: 'x' }, failure)
  model.script(
    ({ user }) => `you said ${user}`,
    async () => Promise.resolve({ late: true }),
  )
  t.throws(() => model.assertOver(), /5 step/)
  t.match(await model.send(request('1'), signal), {
    ok: true,
    text: 'plain',
    finish: 'stop',
    httpStatus: 200,
  })
  t.match(await model.send(request('2'), signal), { ok: true, text: '{"type":"answer","text":"x"}' })
  t.equal(await model.send(request('3'), signal), failure)
  t.match(await model.send(request('4'), signal), { text: 'you said 4' })
  t.match(await model.send(request('5'), signal), { text: '{"late":true}' })
  t.strictSame(model.requests.map(({ user }) => user).join(''), '12345')
  model.assertOver()
})

void t.test('fails loudly when the script is over', async (t) => {
  const model = new ScriptedModel('one')
  await model.send(request('1'), signal)
  await t.rejects(model.send(request('2'), signal), /script is over \(request 2\)/)
  t.equal(model.requests.length, 2)
})

void t.test('a cancelled request ends, also while its step is held', async (t) => {
  const asker = new AbortController()
  const model = new ScriptedModel(() => new Promise(() => {}), 'unheard')
  const held = model.send(request('1'), asker.signal)
  asker.abort()
  t.match(await held, { ok: false, code: 'system:cancelled' })
  t.match(await model.send(request('2'), asker.signal), { ok: false, code: 'system:cancelled' })
})
