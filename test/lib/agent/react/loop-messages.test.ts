import t from 'tap'
import type { ChatOutcome } from '../../../../lib/agent/models/transport.js'
import { utf8Bytes } from '../../../../lib/core/json.js'
import { USAGE, down, observation, reply, runScript } from '../../../support/scripted-loop.js'

const TOOL = '{"type":"item.query","input":{"query":"diamond"}}'
const ANSWER = '{"type":"answer","text":"Three.","sources":[1]}'
const FAILED_OBSERVATION = { obs: 1, text: '{"id":1,"tool":"x","input":{},"failure":"system:unknown_tool"}' }

void t.test('names that objects inherit go to the kernel like any other', async (t) => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'no.such.tool']) {
    const trace = await runScript({
      replies: [JSON.stringify({ type: name }), ANSWER],
      tools: [FAILED_OBSERVATION],
    })
    t.strictSame(trace.tools, [{ round: 1, tool: name, inputText: '{}' }])
    t.strictSame(trace.end, { end: 'answer', rounds: 2 })
    t.strictSame(trace.users[1]?.['observations'], [JSON.parse(FAILED_OBSERVATION.text)])
  }
})

void t.test('inputs reach the kernel as they were given', async (t) => {
  const inputs = ['{"query":"钻石"}', '"diamond"', 'null', '[1,2]', '{"__proto__":{"admin":true}}']
  for (const input of inputs) {
    const trace = await runScript({ replies: [`{"type":"item.query","input":${input}}`, ANSWER] })
    t.equal(trace.tools[0]?.inputText, input)
  }
})

void t.test('settlements: real usage, unknown usage, certainly nothing', async (t) => {
  const none = { prompt: 0, cached: 0, output: 0, reasoning: 0 }
  const rows: [ChatOutcome | Error, object][] = [
    [reply(ANSWER), { usage: USAGE, finish: 'stop', httpStatus: 200 }],
    [reply(ANSWER, { usage: null, finish: 'x'.repeat(80) }), { usage: null, finish: 'x'.repeat(64) }],
    [down({ httpStatus: 500 }), { usage: null, finish: 'system:model_unavailable', httpStatus: 500 }],
    [down({ unbilled: true }), { usage: none, finish: 'system:model_unavailable', httpStatus: 0 }],
    [down({ usage: USAGE }), { usage: USAGE }],
    [new Error('bug'), { usage: null, finish: 'system:internal' }],
  ]
  for (const [outcome, settled] of rows) t.match((await runScript({ replies: [outcome] })).settled, [settled])
})

void t.test(
  'the reservation is the bytes of both messages; the call gets the time that was granted',
  async (t) => {
    const trace = await runScript({
      job: { question: '钻石在哪里？', prompt: 'Prompt é' },
      replies: [TOOL, ANSWER],
    })
    for (const [index, request] of trace.requests.entries()) {
      t.equal(trace.reserved[index]?.inputBytes, utf8Bytes(request.system) + utf8Bytes(request.user))
      t.match(request, { outputTokens: 100, timeoutMs: 1_000 * (index + 1), endUser: '' })
    }
  },
)

void t.test('two rounds share their messages up to the end of the earlier observations', async (t) => {
  const quirky = '{ "id": 1,  "tool":"item.query","input":{}, "output":{"n":1.0,"é":"\\u00e9"}}'
  const trace = await runScript({
    job: { rounds: 4, answerSchemaText: '{"type":"object","properties":{"text":{"type":"string"}}}' },
    replies: [TOOL, TOOL, TOOL, '{"text":"Three."}'],
    tools: [{ obs: 1, text: quirky }],
  })
  t.strictSame(trace.end, { end: 'answer', rounds: 4 })
  const users = trace.requests.map((request) => request.user)
  for (const [index, user] of users.entries()) {
    const next = users[index + 1]
    if (next === undefined) break
    const shared = user.slice(0, user.lastIndexOf(']'))
    t.ok(next.startsWith(shared))
    t.equal(trace.requests[index + 1]?.system, trace.requests[index]?.system)
  }
  t.ok(users[1]?.includes(quirky), 'an observation goes in byte for byte')
})

void t.test('the user message of a loop', async (t) => {
  const trace = await runScript({
    replies: [TOOL, ANSWER, ANSWER],
    answers: [{ fix: 'There is no source 1.' }],
  })
  const tools = [{ id: 'item.query', description: 'Looks an item up.', input: { type: 'object' } }]
  const stable = { question: 'How many diamonds?', context: { language: 'en_us' }, tools }
  const first = observation(1)
  const observations = ['text' in first ? JSON.parse(first.text) : null]
  t.strictSame(trace.users, [
    { ...stable, observations: [], roundsLeft: 3 },
    { ...stable, observations, roundsLeft: 2 },
    { ...stable, observations, roundsLeft: 1, finalOnly: true },
  ])
  t.strictSame(
    trace.requests.map(({ system }) => system),
    [
      'Answer in JSON.',
      'Answer in JSON.',
      'Answer in JSON.\n\nThe last answer was not accepted: "There is no source 1."',
    ],
  )
  t.strictSame(Object.keys(trace.users[2] ?? {}).slice(0, 5), [
    'tools',
    'question',
    'context',
    'observations',
    'roundsLeft',
  ])
})
