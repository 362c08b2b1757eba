import t from 'tap'
import { z } from 'zod'
import { REASONING_POLICY, type Tool } from '../../../lib/agent/index.js'
import { FailureError, failure, type Failure } from '../../../lib/core/failure.js'
import { identifier } from '../../../lib/core/ids.js'
import { ScriptedModel, type ModelStep } from '../../../lib/testing/index.js'
import { questionModule } from '../../../lib/questions/question.js'
import { reasoningModule } from '../../../lib/questions/reasoning.js'
import {
  DONE,
  PROMPT,
  TestKernel,
  codeOf,
  testModule,
  testTool,
  type KernelSetup,
} from '../../support/kernel.js'

const cardType = identifier('test:card')
const input = z.strictObject({ query: z.string() })
let ran: string[] = []
const find = testTool(
  {
    id: 'find',
    input,
    output: z.strictObject({ found: z.string() }),
    card: ({ found }) => ({ type: cardType, data: { found } }),
  },
  ({ query }) => {
    ran.push(query)
    if (query === 'boom') throw new Error('boom')
    if (query === 'forbidden') throw new FailureError(failure('system:no_permission'))
    return { found: query }
  },
)
const { reasoning: _, ...quiet } = find.type
const write: Tool = { ...find, type: { ...quiet, id: 'write', write: true } }
const module = reasoningModule as unknown as Parameters<TestKernel['registry']['module']>[0]

/** Asks for reasoning about nothing in particular; the model answers by the script. */
async function reason(script: readonly ModelStep[], setup: KernelSetup = {}) {
  ran = []
  const model = new ScriptedModel(...script)
  const k = new TestKernel({ model, tools: [find, write], modules: [module], ...setup })
  const player = await k.join()
  const outcome = await k.command(player, 'system:reasoning', { text: 'why?' })
  const users = model.requests.map(({ user }) => JSON.parse(user) as Record<string, unknown>)
  return { k, player, outcome, model, users, finals: users.map((user) => user['finalOnly'] === true) }
}
const look = (query: string, type = 'find') => ({ type, input: { query } })
const answer = (text: string, sources: unknown[] = []) => ({ type: 'answer', text, sources })
const answerCard = (text: string, sources: string[]) => ({
  mode: 'SHOW',
  card: { type: 'system:answer', data: { text, sources: sources.map((tool) => ({ tool, label: null })) } },
})
const foundCard = (found: string) => ({ mode: 'SHOW', card: { type: 'test:card', data: { found } } })

void t.test('look, look, answer: the last request is final, sources are those that exist', async (t) => {
  const { k, player, outcome, model, users, finals } = await reason([
    look('a'),
    look('b'),
    answer('Both.', [2, 1, 9]),
  ])
  t.match(outcome.result, { status: 'succeeded', message: null, cards: [answerCard('Both.', ['find'])] })
  t.equal(outcome.result.failure, undefined)
  t.same(finals, [false, false, true])
  t.same(ran, ['a', 'b'])
  model.assertOver()
  t.same(users[2]?.['observations'], [
    { id: 1, tool: 'find', input: { query: 'a' }, output: { found: 'a' } },
    { id: 2, tool: 'find', input: { query: 'b' }, output: { found: 'b' } },
  ])
  t.match(k.engine.log.recent(player), [{ modelCalls: 3, code: 'ok' }])
  t.match(k.meter.state(), { calls: 3, tokens: 360, running: 0 }, 'settled by what the model said')
})

void t.test('what a request says of the asker and of the tools', async (t) => {
  const { users, model } = await reason([answer('Because.')])
  t.same(Object.keys(users[0] ?? {}), ['tools', 'question', 'context', 'observations', 'roundsLeft'])
  t.same(users[0]?.['context'], {
    language: 'en_us',
    player: 'alice',
    game: 'Minecraft 1.21.4',
    time: '2026-01-01T00:00:00.000Z',
  })
  const tools = users[0]?.['tools'] as { id: string }[]
  t.same(
    tools.map(({ id }) => id),
    ['find'],
    'what writes is not offered',
  )
  t.match(model.requests[0], { system: PROMPT, outputTokens: 1_536, endUser: /^hash-/ })
})

void t.test('what writes cannot be reached by name, nor what objects inherit', async (t) => {
  for (const name of ['write', 'constructor', '__proto__']) {
    const { users, outcome } = await reason([look('a', name), answer('No.', [1])])
    t.match(users[1]?.['observations'], [{ id: 1, tool: name, failure: { code: 'system:unknown_tool' } }])
    t.same(ran, [])
    t.match(outcome.result.cards, [answerCard('No.', [])], 'and it is no source')
  }
})

void t.test('a repeated action is not executed; the answer comes next', async (t) => {
  const { finals, outcome } = await reason([look('a'), look('a'), answer('Once.', [1])])
  t.same(ran, ['a'])
  t.same(finals, [false, false, true])
  t.equal(codeOf(outcome), 'ok')
})

void t.test('a tool that fails is an observation', async (t) => {
  const { users, outcome, k } = await reason([look('boom'), answer('It is broken.')])
  t.match(users[1]?.['observations'], [
    { id: 1, failure: { code: 'system:tool_failed', params: { tool: 'find' } } },
  ])
  t.equal(codeOf(outcome), 'ok')
  t.same(k.logger.messages(), ['tool find failed'])
})

void t.test('a wrong answer is corrected once more', async (t) => {
  const { model, outcome, finals } = await reason([
    look('a'),
    { type: 'answer', text: '' },
    answer('Right.', [1]),
  ])
  t.match(model.requests[2]?.system.slice(PROMPT.length - 9), /expected string to have|Too small|text/)
  t.same(finals, [false, false, true])
  t.match(outcome.result.cards, [answerCard('Right.', ['find'])])
})

void t.test('too long an answer is cut', async (t) => {
  const { outcome } = await reason([answer('x'.repeat(5_000))])
  t.match(outcome.result.cards, [answerCard(`${'x'.repeat(3_999)}…`, [])])
})

const timeout: ModelStep = {
  ok: false,
  code: 'system:model_timeout',
  usage: null,
  httpStatus: 0,
  unbilled: false,
}
const refused: ModelStep = { ...timeout, code: 'system:model_auth', unbilled: true }

void t.test('with evidence: one more try, then the cards and the sentence', async (t) => {
  const twice = await reason([look('a'), timeout, timeout])
  t.match(twice.outcome.result, {
    status: 'partially_succeeded',
    cards: [foundCard('a')],
    failure: { code: 'system:incomplete', cause: { code: 'system:model_timeout' } },
  })
  t.same(twice.finals, [false, false, true])
  const saved = await reason([look('a'), timeout, answer('Still.', [1])])
  t.match(saved.outcome.result, { status: 'succeeded', cards: [answerCard('Still.', ['find'])] })
})

void t.test('with evidence, but a failure that allows no last word', async (t) => {
  const { outcome, model, k } = await reason([look('a'), refused])
  t.match(outcome.result, {
    status: 'partially_succeeded',
    cards: [foundCard('a')],
    failure: { code: 'system:incomplete' },
  })
  t.equal(model.requests.length, 2)
  t.same(k.opened, ['system:model_auth'])
})

void t.test('without evidence: the failure alone', async (t) => {
  const failures: readonly [ModelStep, string][] = [
    [timeout, 'system:model_timeout'],
    [refused, 'system:model_auth'],
    ['no JSON at all', 'system:model_invalid'],
    ['', 'system:model_empty'],
  ]
  for (const [step, code] of failures) {
    const { outcome, model } = await reason([step])
    t.match(outcome.result, { status: 'failed', cards: [] })
    t.equal(codeOf(outcome), code)
    t.equal(model.requests.length, 1)
  }
})

void t.test('at most three cards of what was found, the last ones', async (t) => {
  const policy = { ...REASONING_POLICY, modelCalls: 9, steps: 18, reactIterations: 9 }
  const looks = ['a', 'b', 'c', 'd'].map((query) => look(query))
  const { outcome } = await reason([...looks, timeout, timeout], {
    policies: { policies: { 'system:reasoning': policy } },
  })
  t.match(outcome.result.cards, ['b', 'c', 'd'].map(foundCard))
})

void t.test('an answer that recites the prompt is withheld', async (t) => {
  const alone = await reason([answer(PROMPT)])
  t.equal(codeOf(alone.outcome), 'system:model_withheld')
  t.equal(alone.model.requests.length, 1, 'nobody asks for it again')
  const withCards = await reason([look('a'), answer(`Here: ${PROMPT}`)])
  t.match(withCards.outcome.result, { cards: [foundCard('a')], failure: { code: 'system:incomplete' } })
  t.notMatch(JSON.stringify(withCards.outcome.result.cards), /reveal/)
})

void t.test('a right that is lost between two tool calls ends it: no last word, no cards', async (t) => {
  let lost: Failure | null = null
  const lose: ModelStep = () => {
    lost = failure('system:no_permission')
    return look('b')
  }
  const { outcome, model } = await reason([look('a'), lose], { access: () => lost })
  t.match(outcome.result, { status: 'failed', cards: [], failure: { code: 'system:no_permission' } })
  t.same(ran, ['a'])
  t.equal(model.requests.length, 2)
})

void t.test('a tool that refuses its player ends it as well', async (t) => {
  const { outcome, model } = await reason([look('a'), look('forbidden')])
  t.match(outcome.result, { status: 'failed', cards: [], failure: { code: 'system:no_permission' } })
  t.equal(model.requests.length, 2)
})

void t.test('a right that is lost before a model call: it is not made', async (t) => {
  let lost: Failure | null = null
  const taking = testTool({ id: 'find', input, output: z.strictObject({}), kind: 'async' }, () => ({}))
  const { outcome, model } = await reason(
    [
      async () => {
        // after the tool's own checks: while its observation is on the way
        setImmediate(() => (lost = failure('system:not_bound')))
        return look('a')
      },
      answer('Too late.', [1]),
    ],
    { tools: [taking], access: () => lost },
  )
  t.match(outcome.result, { status: 'failed', cards: [], failure: { code: 'system:not_bound' } })
  t.ok(model.requests.length <= 2)
})

void t.test('the policy tightens the loop: one call, one answer', async (t) => {
  const policy = { ...REASONING_POLICY, modelCalls: 1 }
  const { finals, outcome } = await reason([{ text: 'At once.' }], {
    policies: { policies: { 'system:reasoning': policy } },
  })
  t.same(finals, [true])
  t.match(outcome.result.cards, [answerCard('At once.', [])])
})

void t.test('tools that are used up: the answer comes of what there is', async (t) => {
  const policy = { ...REASONING_POLICY, toolCalls: 1 }
  const { finals, outcome } = await reason([look('a'), look('b'), answer('Enough.', [1])], {
    policies: { policies: { 'system:reasoning': policy } },
  })
  t.same(ran, ['a'])
  t.same(finals, [false, false, true])
  t.match(outcome.result.cards, [answerCard('Enough.', ['find'])])
})

void t.test('a question is one answer without tools', async (t) => {
  const model = new ScriptedModel({ text: 'Forty-two.' })
  const k = new TestKernel({ model, tools: [find], modules: [questionModule] })
  const outcome = await k.command(await k.join(), 'system:question', { text: '😀'.repeat(1_000) })
  t.match(outcome.result, { status: 'succeeded', cards: [answerCard('Forty-two.', [])] })
  t.notMatch(model.requests[0]?.user, /"tools"/)
  const tooLong = await k.command(await k.join(), 'system:question', { text: '😀'.repeat(1_001) })
  t.equal(codeOf(tooLong), 'system:not_understood')
})

void t.test("a keep that throws is the module's failure", async (t) => {
  const keep = (): never => {
    throw new Error('boom')
  }
  let seen: unknown
  const odd = testModule(
    'test:odd',
    async (context) => {
      seen = await context.react({
        question: 'q',
        prompt: 'react',
        answer: z.object({ text: z.string() }),
        keep,
      })
      return DONE
    },
    { tools: ['find'], policy: REASONING_POLICY },
  )
  const k = new TestKernel({ model: new ScriptedModel(answer('x')), tools: [find], modules: [odd] })
  t.equal(codeOf(await k.command(await k.join(), 'test:odd')), 'ok')
  t.match(seen, { end: 'failed', failure: { code: 'system:internal' }, observations: [] })
  t.match(k.logger.messages(), [/a handler failed/])
  t.match(k.meter.state(), { running: 0 })
})
