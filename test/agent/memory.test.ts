import t from 'tap'
import { z } from 'zod'
import { shown, type ExecutionContext, type Turn } from '../../lib/agent/index.js'
import { CONVERSATION_BYTES, turnsFor } from '../../lib/agent/memory.js'
import { cardOf, type CardType } from '../../lib/cards/index.js'
import { identifier } from '../../lib/core/ids.js'
import { isJsonObject, parseJson, utf8Bytes } from '../../lib/core/json.js'
import { ScriptedModel } from '../../lib/testing/index.js'
import { codeOf, TestKernel, testModule, testTool } from '../support/kernel.js'

const turn = (asked: string, answered = '', facts: readonly string[] = []): Turn => ({
  asked,
  answered,
  facts,
})

void t.test('the newest turns that have room, whole, oldest first', async (t) => {
  t.same(turnsFor([], 65_536), [])
  t.same(turnsFor([turn('a', 'b', ['c']), turn('d')], 65_536), [
    { asked: 'a', answered: 'b', facts: ['c'] },
    { asked: 'd' },
  ])
  const size = (length: number): number => utf8Bytes(JSON.stringify({ asked: 'x'.repeat(length) })) + 1
  const half = CONVERSATION_BYTES / 2 - size(0)
  const exact = [turn('old'), turn('x'.repeat(half)), turn('y'.repeat(half))]
  t.same(turnsFor(exact, 65_536).length, 2)
  t.same(turnsFor([turn('x'.repeat(half)), turn('y'.repeat(half + 1))], 65_536).length, 1)
  t.same(
    turnsFor([turn('old'), turn('é'.repeat(CONVERSATION_BYTES / 2))], 65_536),
    [],
    'nothing older than what has no room',
  )
  t.same(
    turnsFor([turn('a'), turn('b')], 4 * size(1)),
    [{ asked: 'b' }],
    'a quarter of what one call may send',
  )
  t.same(turnsFor([turn('a')], 4 * size(1) - 1), [])
})

const answer: CardType<{ text: string }> = {
  id: identifier('test:answer'),
  schema: z.strictObject({ text: z.string() }),
  build: () => ({ title: null, lines: [], buttons: [] }),
  memoryFact: ({ text }) => text,
}
const tool = testTool({ id: 'test.look', input: z.strictObject({}), output: z.string() }, () => 'seen')

function asking(keepsHistory: boolean) {
  const model = new ScriptedModel()
  const react = async (context: ExecutionContext) => {
    const done = await context.react({
      question: 'why',
      prompt: 'react',
      answer: z.object({ text: z.string() }),
    })
    if (done.end !== 'answer') throw new Error(done.failure.code)
    return shown(cardOf(answer, done.answer))
  }
  const policy = {
    modelCalls: 4,
    toolCalls: 4,
    steps: 8,
    reactIterations: 4,
    outputTokens: 256,
    totalTokens: 262_144,
  }
  const module = testModule('test:ask', react, { tools: [tool.type.id], policy })
  const k = new TestKernel({
    model,
    tools: [tool],
    modules: [module],
    cardTypes: [answer] as readonly CardType[],
    keepsHistory: () => keepsHistory,
  })
  return { k, model }
}

/** The user message of each request so far. */
const messages = (model: ScriptedModel): readonly string[] => model.requests.map(({ user }) => user)
function contextOf(message: string | undefined): Record<string, unknown> {
  const value = parseJson(message ?? '')
  return isJsonObject(value) && isJsonObject(value['context']) ? value['context'] : {}
}

void t.test(
  'rounds of a loop share the conversation byte for byte; a route request has it too',
  async (t) => {
    const { k, model } = asking(true)
    const alice = await k.join()
    model.script({ type: 'answer', text: 'Ravens.' })
    t.equal(codeOf(await k.command(alice, 'test:ask', {}, { said: 'who is wise' })), 'ok')
    t.notOk('conversation' in contextOf(messages(model)[0]))
    model.script({ type: 'test.look', input: {} }, { type: 'answer', text: 'So.' })
    t.equal(codeOf(await k.command(alice, 'test:ask', {}, { said: 'why' })), 'ok')
    const [, first = '', second = ''] = messages(model)
    const conversation = [{ asked: 'who is wise', facts: ['Ravens.'] }]
    t.same(contextOf(first)['conversation'], conversation)
    const end = first.indexOf('"observations":[') + '"observations":['.length
    t.ok(end > 20 && second.startsWith(first.slice(0, end)))
    model.script({ module: 'test:ask', input: {} }, { type: 'answer', text: 'Then.' })
    t.equal(codeOf(await k.text(alice, 'and then')), 'ok')
    t.match(contextOf(messages(model)[3])['conversation'], [...conversation, { asked: 'why' }])
  },
)

void t.test('with history off no request has one', async (t) => {
  const { k, model } = asking(false)
  const alice = await k.join()
  model.script({ type: 'answer', text: 'Ravens.' }, { type: 'answer', text: 'Crows.' })
  await k.command(alice, 'test:ask')
  await k.command(alice, 'test:ask')
  t.equal(model.requests.length, 2)
  for (const message of messages(model)) t.notOk('conversation' in contextOf(message))
})
