/** `/system reason`: a bounded loop over real tools, asked of a real provider over HTTP. */
import t, { type Test } from 'tap'
import { z } from 'zod'
import type { Registration } from '../../lib/agent/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { ProviderStep, RecordedRequest } from '../../lib/testing/index.js'
import { DEFAULT_VERSION, VERSIONS } from '../support/squid.js'
import { consoleSays, joinReader, openSystem, type Reader, type SystemServer } from '../support/system.js'

/** How often the extension's tools ran, by id. */
type Runs = Map<string, number>

/** A counting look-up, one that always fails, one whose output is not what it declares. */
function extension(runs: Runs): (registration: Registration) => void {
  const count = (id: string): void => void runs.set(id, (runs.get(id) ?? 0) + 1)
  const base = {
    input: z.strictObject({ n: z.int() }),
    output: z.strictObject({ twice: z.int() }),
    kind: 'game' as const,
    write: false,
    reasoning: 'Doubles.',
  }
  return (registration) => {
    const tool = (id: string, handler: (input: { n: number }) => { twice: number }): void =>
      registration.tool({
        type: { ...base, id },
        owner: identifier('test:extension'),
        handler: (input) => {
          count(id)
          return handler(input)
        },
      })
    tool('test:double', ({ n }) => ({ twice: 2 * n }))
    tool('test:broken', () => {
      throw new Error('secret path /etc/passwd')
    })
    tool('test:liar', () => ({ twice: 'no' }) as unknown as { twice: number })
    registration.tool({
      type: {
        id: 'test:write',
        input: base.input,
        output: base.output,
        kind: 'game',
        write: true,
      },
      owner: identifier('test:extension'),
      handler: ({ n }) => {
        count('test:write')
        return { twice: n }
      },
    })
  }
}

interface LoopMessage {
  readonly question: string
  readonly context: Record<string, unknown>
  readonly tools: readonly { id: string; description: string; input: unknown }[]
  readonly observations: readonly Record<string, unknown>[]
  readonly roundsLeft: number
  readonly finalOnly?: boolean
}

const messageOf = ({ body }: RecordedRequest): LoopMessage =>
  JSON.parse(body.messages[1]?.content ?? '') as LoopMessage

const ALLOWED = new Set(['question', 'context', 'tools', 'observations', 'roundsLeft', 'finalOnly'])

/** Asks for reasoning and gives the answer with the messages that the model was sent. */
async function reason(
  system: SystemServer,
  reader: Reader,
  ...replies: readonly ProviderStep[]
): Promise<{ text: string; sent: LoopMessage[] }> {
  const before = system.provider.requests.length
  system.provider.script(...replies)
  const text = await reader.askText('/system reason could I make a piston?')
  return { text, sent: system.provider.requests.slice(before).map(messageOf) }
}

const RECIPE = { type: 'recipe.query', input: { query: 'piston' } }
const INFO = { type: 'player.info', input: {} }
const double = (n: number) => ({ type: 'test:double', input: { n } })
const answer = (text: string, sources: unknown = []) => ({ type: 'answer', text, sources })

for (const version of VERSIONS) {
  void t.test(`${version}: look-ups, then an answer that cites them`, async (t) => {
    const system = await openSystem(t, version)
    const alice = await joinReader(t, system, 'alice', 'zh_cn')
    await alice.next()
    const { text, sent } = await reason(
      system,
      alice,
      INFO,
      RECIPE,
      answer('你还缺红石。', [2, 1, 9, -1, 'x', 2]),
    )
    t.equal(text, '你还缺红石。\n查询来源：你的状态, 配方', 'only observations that exist are cited')
    t.strictSame(
      sent.map(({ roundsLeft, finalOnly }) => [roundsLeft, finalOnly]),
      [
        [3, undefined],
        [2, undefined],
        [1, true],
      ],
    )
    const last = sent[2]
    t.match(last?.observations, [
      { id: 1, tool: 'player.info', input: {}, output: { rows: [{ label: 'position' }] } },
      { id: 2, tool: 'recipe.query', input: { query: 'piston' }, output: { item: 'minecraft:piston' } },
    ])
    t.match(last?.context, { language: 'zh_cn', player: 'alice', game: `Minecraft ${version}` })
    for (const message of sent) {
      t.strictSame(
        Object.keys(message).filter((key) => !ALLOWED.has(key)),
        [],
        'no other field',
      )
      for (const tool of message.tools) t.strictSame(Object.keys(tool), ['id', 'description', 'input'])
      t.strictSame(message.tools.map(({ id }) => id).sort(), [
        'item.query',
        'lottery.query',
        'player.info',
        'recipe.query',
        'shop.query',
      ])
      t.equal(message.question, 'could I make a piston?')
    }
    t.ok(alice.progress.length > 0, 'progress above the hotbar')
    t.strictSame([await alice.rest(), system.errors, system.provider.errors], [[], [], []])
  })
}

void t.test('the loop', async (t) => {
  const runs: Runs = new Map()
  const system = await openSystem(t, DEFAULT_VERSION, { register: extension(runs) })
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  await t.test('never more than three requests', (t) => bounded(t, system, alice))
  await t.test('a repeated action runs once', (t) => repeated(t, runs, system, alice))
  await t.test('names without a tool', (t) => unknownTools(t, runs, system, alice))
  await t.test('tools that fail', (t) => failingTools(t, system, alice))
  await t.test('answers that are none', (t) => badAnswers(t, system, alice))
  t.strictSame(await alice.rest(), [], 'exactly one message each')
  t.strictSame([system.provider.errors, system.provider.left, system.errors], [[], 0, []])
  const status = await consoleSays(system, 'system status')
  t.match(
    status.find((line) => line.startsWith('requests: ')),
    'requests: active=0 waiting=0 refused=0',
  )
  t.match(
    status.find((line) => line.startsWith('model-calls: ')),
    /running=0 waiting=0$/,
  )
})

async function bounded(t: Test, system: SystemServer, alice: Reader): Promise<void> {
  const { text, sent } = await reason(system, alice, double(1), double(2), double(3))
  t.equal(sent.length, 3)
  t.strictSame(
    sent.map(({ finalOnly }) => finalOnly),
    [undefined, undefined, true],
  )
  t.match(text, /^I couldn't finish the analysis/, 'a third action is not executed')
  // a bare answer will do in the last round, and only there
  const bare = await reason(system, alice, double(1), double(2), { text: 'Four.', sources: [2] })
  t.equal(bare.text, 'Four.\nLooked up: test:double')
  const early = await reason(system, alice, { text: 'At once.' })
  t.equal(early.sent.length, 1)
  t.match(early.text, /made no sense/)
}

async function repeated(t: Test, runs: Runs, system: SystemServer, alice: Reader): Promise<void> {
  runs.clear()
  const { text, sent } = await reason(
    system,
    alice,
    double(21),
    '{ "input": { "n": 2.1e1 }, "type": "test:double" }',
    answer('42.', [1]),
  )
  t.equal(text, '42.\nLooked up: test:double')
  t.equal(runs.get('test:double'), 1)
  t.strictSame(sent[2]?.observations, [
    { id: 1, tool: 'test:double', input: { n: 21 }, output: { twice: 42 } },
  ])
  t.equal(sent[2]?.finalOnly, true)
}

async function unknownTools(t: Test, runs: Runs, system: SystemServer, alice: Reader): Promise<void> {
  runs.clear()
  for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'test:write', 'op', '../x']) {
    const { text, sent } = await reason(
      system,
      alice,
      JSON.stringify({ type, input: { n: 1 } }),
      answer('Nothing.', [1]),
    )
    t.equal(text, 'Nothing.', `${type}: a failed look-up is no source`)
    t.strictSame(sent[1]?.observations, [
      { id: 1, tool: type, input: null, failure: { code: 'system:unknown_tool', params: { tool: type } } },
    ])
  }
  t.strictSame([...runs], [], 'nothing ran')
  t.equal(Object.getPrototypeOf({}), Object.prototype)
  t.notOk('n' in {}, 'nothing was polluted')
  const { sent } = await reason(
    system,
    alice,
    '{"type":"test:double","input":{"n":1,"__proto__":{"n":9}}}',
    answer('No.'),
  )
  t.match(sent[1]?.observations, [{ failure: { code: 'system:tool_input' } }])
}

async function failingTools(t: Test, system: SystemServer, alice: Reader): Promise<void> {
  for (const [id, code] of [
    ['test:broken', 'system:tool_failed'],
    ['test:liar', 'system:tool_failed'],
  ] as const) {
    const { text, sent } = await reason(
      system,
      alice,
      { type: id, input: { n: 1 } },
      answer('It failed.', [1]),
    )
    t.equal(text, 'It failed.')
    t.strictSame(sent[1]?.observations, [
      { id: 1, tool: id, input: { n: 1 }, failure: { code, params: { tool: id } } },
    ])
    t.notOk(JSON.stringify(sent).includes('secret'), 'no cause leaves the server')
    t.ok(
      system.log.some((line) => line.includes(id)),
      'the log names it',
    )
  }
  const { sent } = await reason(system, alice, { type: 'test:double', input: { n: 'two' } }, answer('Hm.'))
  t.match(sent[1]?.observations, [
    { id: 1, failure: { code: 'system:tool_input', params: { tool: 'test:double' } } },
  ])
}

async function badAnswers(t: Test, system: SystemServer, alice: Reader): Promise<void> {
  const wrong = await reason(system, alice, { type: 'answer', text: 5 }, answer('Five.'))
  t.equal(wrong.text, 'Five.')
  t.equal(wrong.sent[1]?.finalOnly, true)
  t.strictSame(
    Object.keys(wrong.sent[1] ?? {}).filter((key) => !ALLOWED.has(key)),
    [],
  )
  const noise = await reason(system, alice, 'I think so.')
  t.match(noise.text, /made no sense/)
  t.equal(noise.sent.length, 1, 'without evidence it ends')
  const late = await reason(system, alice, double(4), 'I think so.', answer('Eight.', [1]))
  t.equal(late.text, 'Eight.\nLooked up: test:double')
  t.equal(late.sent[2]?.finalOnly, true, 'with evidence one final request follows')
  const disguised = await reason(system, alice, answer(JSON.stringify(double(1))))
  t.notMatch(disguised.text, /test:double/, 'tool JSON is no answer')
}
