/** The model asks back: one card with its question and the commands it is about. */
import t from 'tap'
import type { AgentModule } from '../../../lib/agent/index.js'
import { clarifyCard } from '../../../lib/agent/routing/clarify-card.js'
import { failure } from '../../../lib/core/failure.js'
import { ScriptedModel, type ModelStep } from '../../../lib/testing/index.js'
import { codeOf, DONE, PROMPT, TestKernel, testModule, type KernelSetup } from '../../support/kernel.js'

const withCommand = (id: string, name: string, over: Partial<AgentModule['routing']> = {}): AgentModule =>
  testModule(id, () => Promise.reject(new Error('ran')), {
    routing: { selection: 'NORMAL', command: { name, argument: { name: 'query' } }, ...over },
  })
const MODULES: readonly AgentModule[] = [
  withCommand('test:item', 'item'),
  withCommand('test:recipe', 'recipe', { selection: 'EXPLICIT_ONLY' }),
  withCommand('test:shut', 'shut'),
  testModule('test:pay', () => Promise.resolve(DONE), { routing: { selection: 'STRUCTURED_ONLY' } }),
  testModule('test:plain', () => Promise.resolve(DONE)),
]

async function asked(reply: ModelStep, over: KernelSetup = {}) {
  const model = new ScriptedModel(reply)
  const k = new TestKernel({
    model,
    modules: MODULES,
    access: (_, module) => (module === 'test:shut' ? failure('system:no_permission') : null),
    ...over,
  })
  const player = await k.join()
  const outcome = await k.text(player, 'piston')
  model.assertOver()
  return { k, outcome, player }
}
const question = (over: object): ModelStep => ({
  clarify: 'Facts or recipe?',
  modules: ['test:item', 'test:recipe'],
  ...over,
})

void t.test('question and commands in one card, nothing runs', async (t) => {
  const { outcome, k, player } = await asked(question({}))
  t.match(outcome, { source: 'model', module: null, result: { status: 'succeeded', message: null } })
  t.strictSame(outcome.result.cards.length, 1)
  t.match(outcome.result.cards[0], {
    mode: 'SHOW',
    card: {
      type: 'system:clarify',
      data: {
        question: 'Facts or recipe?',
        commands: [{ typed: '/system item ' }, { typed: '/system recipe ' }],
      },
    },
  })
  t.match(k.engine.log.recent(player), [{ source: 'model', module: null, modelCalls: 1, code: 'ok' }])
  t.match(k.engine.log.routes(), { model: 1 })
  const view = clarifyCard.build({
    question: 'Facts?',
    commands: [{ usage: '/system item <query>', typed: '/system item ', helpKey: 'k' }],
  })
  t.match(view.lines, [{ kind: 'text', text: 'Facts?' }], 'literal text')
  t.match(view.buttons, [{ action: { kind: 'suggest', command: '/system item ' } }])
})

void t.test('the question is inert and short', async (t) => {
  const text = `§cClick\u202e [here](https://x)\n${'长'.repeat(300)}`
  const { outcome } = await asked(question({ clarify: text }))
  const [update] = outcome.result.cards
  const data = update?.mode === 'SHOW' ? (update.card.data as { question: string }) : { question: '' }
  t.equal(Array.from(data.question).length, 200)
  t.ok(data.question.startsWith('Click [here](https://x) 长'))
  t.ok(clarifyCard.schema.safeParse(data).success)
  const emoji = await asked(question({ clarify: '😀'.repeat(300) }))
  const [shown] = emoji.outcome.result.cards
  t.ok(shown?.mode === 'SHOW' && clarifyCard.schema.safeParse(shown.card.data).success, 'two units each')
})

void t.test('modules without a command have no button', async (t) => {
  const { outcome } = await asked(question({ modules: ['test:plain', 'test:item', 'test:item'] }))
  t.match(outcome.result.cards, [{ card: { data: { commands: [{ typed: '/system item ' }] } } }])
  const [update] = outcome.result.cards
  t.equal(update?.mode === 'SHOW' && (update.card.data as { commands: unknown[] }).commands.length, 1)
})

void t.test('B13: a question about what is not in the catalogue is not understood', async (t) => {
  const replies: readonly object[] = [
    question({ modules: ['test:item', 'test:nowhere'] }),
    question({ modules: ['test:item', 'test:shut'] }),
    question({ modules: ['test:pay'] }),
    question({ modules: ['constructor', '__proto__', 'toString', 'hasOwnProperty'] }),
    question({ modules: ['test:plain'] }),
    question({ modules: [] }),
    question({ modules: 'test:item' }),
    question({ modules: Array.from({ length: 9 }, () => 'test:item') }),
    question({ clarify: '' }),
    question({ clarify: ' \n§c ' }),
    question({ clarify: 7 }),
    question({ clarify: 'x'.repeat(4_001) }),
    question({ module: 'test:item' }),
    { clarify: 'Which one?' },
  ] as readonly object[]
  for (const reply of replies) {
    const { outcome } = await asked(reply as ModelStep)
    t.equal(codeOf(outcome), 'system:not_understood', JSON.stringify(reply).slice(0, 200))
    t.match(outcome.result.cards, [{ card: { type: 'system:not_understood' } }], 'with the nearest commands')
  }
})

void t.test('a question that recites the prompt is withheld', async (t) => {
  t.equal(codeOf((await asked(question({ clarify: PROMPT }))).outcome), 'system:model_withheld')
})
