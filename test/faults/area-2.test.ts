/** Faults of agent loops and tool calls that users reported elsewhere: area 2, up to B15. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import t from 'tap'
import { createChatTransport } from '../../lib/agent/models/index.js'
import type { Registration } from '../../lib/agent/index.js'
import { failure, FailureError } from '../../lib/core/failure.js'
import { identifier } from '../../lib/core/ids.js'
import {
  createProviderSimulator,
  faults,
  type ProviderStep,
  type RecordedRequest,
} from '../../lib/testing/index.js'
import { endpointOf, NO_SIGNAL, requestOf } from '../agent/models/provider.js'
import { startChild, type Child } from '../support/child.js'
import { codeOf, testModule, TestKernel, DONE } from '../support/kernel.js'
import { buttonsOf, joinReader, temporaryFolder, type Reader } from '../support/system.js'
import { DEFAULT_VERSION } from '../support/versions.js'
import { ANSWER, good, TEXT } from '../system/fault-cases.js'
import { lineOf } from '../system/fault-rig.js'
import { isQuiet, openFaults, OUTPUT_TOKENS } from './rig.js'

const MAIN = fileURLToPath(new URL('../../plugins/cli/main.js', import.meta.url))
const LINE = '/system reason how deep am I?'
const LOOK = { type: 'player.info', input: {} }

const messageOf = ({ body }: RecordedRequest): Record<string, unknown> =>
  JSON.parse(body.messages[1]?.content ?? '') as Record<string, unknown>

/** A counting look-up that sells nothing and a search that always fails. */
function extension(runs: unknown[]): (registration: Registration) => void {
  const owner = identifier('test:extension')
  const base = { output: z.strictObject({ sold: z.int() }), kind: 'game' as const, write: false }
  return (registration) => {
    registration.tool({
      type: {
        ...base,
        id: 'test:sell',
        reasoning: 'Sells.',
        input: z.strictObject({ item: z.string(), count: z.int() }),
      },
      owner,
      handler: (input) => (runs.push(input), { sold: input.count }),
    })
    registration.tool({
      type: {
        ...base,
        id: 'test:search_docs',
        reasoning: 'Searches.',
        input: z.strictObject({ q: z.string() }),
      },
      owner,
      handler: ({ q }) => {
        runs.push(q)
        throw new FailureError(failure('system:tool_failed', { tool: 'test:search_docs' }))
      },
    })
  }
}

void t.test('B07 twenty requests in one tick by chat, button and command: one is accepted', async (t) => {
  const server = await openFaults(t, { config: { 'system-agent': { dailyModelCalls: 10 } } })
  const { provider, alice } = server
  for (let used = 0; used < 9; used += 1) {
    provider.script(good(ANSWER))
    t.equal(await alice.ask('/system ask how deep?'), TEXT)
  }
  const presses: string[] = []
  for (let card = 0; card < 6; card += 1) {
    const [button] = buttonsOf(await alice.reader.ask('/system item piston'))
    presses.push(button?.command ?? '')
  }
  t.match(presses[0], /^\/system act /)
  provider.script(faults.slowHeaders(ANSWER))
  const lines = Array.from({ length: 7 }, () => ['@system ask how deep?', '/system ask how deep?']).flat()
  for (const line of [...lines, ...presses]) alice.say(line)
  const told: string[] = []
  for (let line = 0; line < 19; line += 1) told.push(await alice.reader.nextText())
  t.strictSame(new Set(told), new Set([lineOf('system:request_active')]), 'nineteen are refused')
  await (
    await provider.request(10)
  ).held
  t.equal(provider.requests.length, 10, 'one has reached the provider')
  provider.release()
  t.equal(await alice.reader.nextText(), TEXT)
  t.equal((await server.booked()).calls, 10, 'final used = 10')
  t.equal(await alice.ask('/system ask how deep?'), lineOf('system:quota_player'), 'the day is used up')
  t.equal(provider.requests.length, 10)
  await isQuiet(t, server)
})

void t.test('B07 twenty players in one tick, room for one call: one is accepted', async (t) => {
  const asking = testModule(
    'test:ask',
    async (context) => {
      const answer = await context.complete({
        question: 'x',
        prompt: 'question',
        answer: z.object({ text: z.string() }),
      })
      if (!answer.ok) throw new FailureError(answer.failure)
      return DONE
    },
    { policy: { modelCalls: 1, outputTokens: 100 } },
  )
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const k = new TestKernel({
    modules: [asking],
    limits: { dailyTokens: 1_200, modelConcurrency: 32 },
    lane: { active: 32, waiting: 0 },
  })
  k.model.script(async () => (await gate, ANSWER))
  const players = await Promise.all(Array.from({ length: 20 }, (_, at) => k.join(`player${at}`)))
  const outcomes = players.map((player) => k.command(player, 'test:ask'))
  const refused = await Promise.race([
    Promise.all(outcomes.slice(1)),
    new Promise<never>((_, reject) => k.clock.after(1e6, reject)),
  ])
  t.strictSame(new Set(refused.map(codeOf)), new Set(['system:quota_server']))
  open()
  t.equal(codeOf(await (outcomes[0] ?? Promise.reject(new Error('none')))), 'ok')
  t.equal(k.model.requests.length, 1)
  t.match(k.meter.state(), { calls: 1, tokens: 120, running: 0 }, 'settled to what was used')
})

const CUT = '{"type":"test:sell","input":{"item":"diamond","count":1'
const WHOLE = { type: 'test:sell', input: { item: 'diamond', count: 1 } }

/** Replies that were cut at the limit, whatever they say of themselves. */
const TRUNCATED: readonly (readonly [string, ProviderStep])[] = [
  ['cut in its arguments', faults.truncated(CUT)],
  ['whole by chance', faults.truncated(JSON.stringify(WHOLE))],
  ['whole by chance, finish_reason stop', faults.truncated(JSON.stringify(WHOLE), 'stop')],
  [
    'whole by chance, finish_reason tool_calls',
    faults.truncated(JSON.stringify(WHOLE), 'stop').with({ finish: 'tool_calls' }),
  ],
]

for (const [name, step] of TRUNCATED) {
  void t.test(`B09 a reply at the output limit runs no tool: ${name}`, async (t) => {
    const sold: unknown[] = []
    const server = await openFaults(t, { register: extension(sold) })
    const { provider, alice } = server
    provider.script(step)
    const code = name.endsWith('tool_calls') ? 'system:model_invalid' : 'system:model_truncated'
    t.equal(await alice.ask(LINE), lineOf(code), 'without evidence it ends')
    // with evidence the model is told once, and the same again ends it
    provider.script(good(LOOK), step, step)
    t.match(await alice.ask(LINE), lineOf('system:incomplete'))
    t.strictSame(sold, [], 'nothing was sold')
    t.equal(provider.requests.length, 4)
    const last = provider.requests.at(-1)
    t.match(last === undefined ? null : messageOf(last), { finalOnly: true })
    if (code === 'system:model_truncated')
      t.match(last?.body.messages[0]?.content, /cut off at the token limit/)
    t.match(
      await server.booked(),
      { calls: 4, estimated: 0, output: 7 + 3 * OUTPUT_TOKENS },
      'every token is booked',
    )
    await isQuiet(t, server)
  })
}

void t.test(
  'B11 one byte per write, CRLF, comments, a last line without its end: exactly what was sent',
  async (t) => {
    const server = await openFaults(t)
    const { provider, alice } = server
    provider.script(faults.byteByByte({ type: 'answer', text: '钻石😀' }))
    t.equal(await alice.ask('/system ask hello'), '钻石😀')
    t.match(await server.booked(), { calls: 1, estimated: 0 }, 'the usage behind it is read too')
    await isQuiet(t, server)
    const bare = await createProviderSimulator()
    t.teardown(() => bare.close())
    const chunk = 'data: {"choices":[{"delta":{"content":"钻石😀"}}]}\r\n\r\n: keep-alive\r\n\r\ndata: [DONE]'
    bare.script(faults.otherJson().with({ raw: chunk, bytewise: true }))
    t.match(await createChatTransport(endpointOf(bare)).send(requestOf(), NO_SIGNAL), {
      ok: true,
      text: '钻石😀',
    })
  },
)

void t.test('B13 names that objects inherit are unknown like any other', async (t) => {
  const server = await openFaults(t)
  const { provider, alice, runtime } = server
  for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    provider.script(good({ type, input: { n: 1 } }), good(ANSWER))
    t.equal(await alice.ask(LINE), TEXT, type)
    const last = provider.requests.at(-1)
    t.match(last === undefined ? null : messageOf(last), {
      observations: [{ id: 1, tool: type, failure: { code: 'system:unknown_tool', params: { tool: type } } }],
    })
  }
  for (const [line, expected] of [
    ['/system item constructor', /constructor/],
    ['/system recipe __proto__', /__proto__/],
    ['/system act toString', /toString|button/],
    ['/system grant hasOwnProperty valueOf', lineOf('system:no_permission')],
  ] as const)
    t.match(await alice.ask(line), expected, line)
  t.equal(Object.getPrototypeOf({}), Object.prototype)
  t.match(await server.booked(), { calls: 8, prompt: 800, output: 56 })
  t.equal(runtime.breaker.describe(), 'closed')
  await isQuiet(t, server)
})

const search = (q: string): ProviderStep => good({ type: 'test:search_docs', input: { q } })

void t.test('B15 the same failing look-up for ever: it runs once, then an answer is asked for', async (t) => {
  const runs: unknown[] = []
  const server = await openFaults(t, { register: extension(runs) })
  const { provider, alice } = server
  // spaces in the JSON make no other action
  provider.script(
    search('x'),
    good('{ "input" : { "q" : "x" }, "type" : "test:search_docs" }' as never),
    search('x'),
  )
  t.equal(await alice.ask(LINE), lineOf('system:incomplete'), 'an honest ending')
  t.strictSame(runs, ['x'])
  t.strictSame(
    provider.requests.map((request) => messageOf(request)['finalOnly']),
    [undefined, undefined, true],
  )
  t.match(await server.booked(), { calls: 3, prompt: 300, output: 21 }, 'all of it is in the table')
  await isQuiet(t, server)
})

void t.test('B15 arguments that differ by spaces or case: the cap of rounds ends it', async (t) => {
  const runs: unknown[] = []
  const server = await openFaults(t, { register: extension(runs) })
  const { provider, alice } = server
  provider.script(...['x', ' x', 'x ', 'X', ' X', 'X '].map(search))
  t.equal(await alice.ask(LINE), lineOf('system:incomplete'))
  t.equal(runs.length, 5, 'the last round runs nothing')
  t.equal(provider.requests.length, 6)
  t.match(await server.booked(), { calls: 6, prompt: 600, output: 42 })
  await isQuiet(t, server)
})

void t.test(
  'B15 killed in the third step: nothing is resumed after the restart',
  { timeout: 60_000 },
  async (t) => {
    const provider = await createProviderSimulator()
    t.teardown(() => provider.close())
    const cwd = await temporaryFolder(t)
    await mkdir(join(cwd, 'settings'))
    const model = { version: 1, provider: 'generic', baseUrl: provider.url, model: 'sim', apiKeyEnv: '' }
    await writeFile(join(cwd, 'settings', 'system-model.json'), JSON.stringify(model))
    const start = async (): Promise<{ child: Child; alice: Reader }> => {
      const child = startChild(t, MAIN, { args: ['--port', '0', '--config', 'settings'], cwd })
      const [, port] = await child.line(/^(?:> )*System ready on port (\d+)$/)
      return { child, alice: await joinReader(t, { port: Number(port), version: DEFAULT_VERSION }, 'alice') }
    }
    const { child, alice } = await start()
    await alice.nextText()
    provider.script(
      good(LOOK),
      good({ type: 'item.query', input: { query: 'diamond' } }),
      faults.slowHeaders(ANSWER),
    )
    alice.client.say(LINE)
    const third = await provider.request(3)
    child.process.kill('SIGKILL')
    t.equal(await child.ended, 'SIGKILL')
    await third.over
    const again = await start()
    t.match(await again.alice.askText('/system cancel'), lineOf('system:nothing_to_cancel'))
    provider.script(good(ANSWER))
    t.equal(await again.alice.askText('/system ask how deep?'), TEXT, 'asking anew works')
    t.equal(provider.requests.length, 4, 'the old turn made no further request')
    t.strictSame(await again.alice.rest(), [])
  },
)
