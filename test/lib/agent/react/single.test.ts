import t from 'tap'
import { reply, runScript, type Script } from '../../../support/scripted-loop.js'

const ANSWER = '{"type":"answer","text":"Hello."}'
const CHOICE = '{"module":"system:item_query","input":{"query":"diamond"}}'

void t.test('complete: question and context, one answer', async (t) => {
  const trace = await runScript({ job: { kind: 'complete', rounds: 1 }, replies: [ANSWER] })
  t.strictSame(trace.end, { end: 'answer', rounds: 1 })
  t.strictSame(trace.users, [{ question: 'How many diamonds?', context: { language: 'en_us' } }])
  t.strictSame(trace.answers, ['{"text":"Hello."}'])
  t.equal(trace.settled.length, 1)
})

void t.test('route: the modules, one choice, given to the kernel whole', async (t) => {
  const schemaText = '{"type":"object"}'
  const catalogue = [
    { id: 'system:item_query', description: 'Items.', schemaText },
    { id: 'system:reasoning', description: 'Several look-ups.', schemaText, explicitOnly: true },
  ]
  const trace = await runScript({ job: { kind: 'route', rounds: 1, catalogue }, replies: [CHOICE] })
  t.strictSame(trace.end, { end: 'answer', rounds: 1 })
  t.strictSame(trace.users, [
    {
      question: 'How many diamonds?',
      context: { language: 'en_us' },
      modules: [
        { id: 'system:item_query', description: 'Items.', input: { type: 'object' } },
        {
          id: 'system:reasoning',
          description: 'Several look-ups.',
          input: { type: 'object' },
          explicitOnly: true,
        },
      ],
    },
  ])
  t.strictSame(trace.answers, [CHOICE])
})

const failures: (Script & { name: string; code: string; rounds: number })[] = [
  { name: 'prose', replies: ['Hello.'], code: 'system:model_invalid', rounds: 1 },
  { name: 'nothing', replies: [''], code: 'system:model_empty', rounds: 1 },
  {
    name: 'cut off',
    replies: [reply(ANSWER, { finish: 'length' })],
    code: 'system:model_truncated',
    rounds: 1,
  },
  {
    name: 'not accepted',
    replies: [ANSWER],
    answers: [{ fix: 'no' }],
    code: 'system:model_invalid',
    rounds: 1,
  },
  {
    name: 'refused',
    replies: [ANSWER],
    answers: [{ code: 'system:revoked' }],
    code: 'system:revoked',
    rounds: 1,
  },
  {
    name: 'no budget',
    replies: [],
    reserves: [{ code: 'system:quota_server' }],
    code: 'system:quota_server',
    rounds: 0,
  },
]

for (const kind of ['complete', 'route'] as const) {
  for (const { name, code, rounds, ...script } of failures) {
    void t.test(`${kind}: ${name}`, async (t) => {
      const trace = await runScript({ ...script, job: { kind, rounds: 1 } })
      t.strictSame(trace.end, { end: 'failed', code, rounds })
      t.equal(trace.settled.length, trace.requests.length)
    })
  }
}

void t.test('complete: a tool request is no answer', async (t) => {
  const trace = await runScript({
    job: { kind: 'complete', rounds: 1 },
    replies: ['{"type":"item.query","input":{"query":"diamond"}}'],
  })
  t.strictSame(trace.end, { end: 'failed', code: 'system:model_invalid', rounds: 1 })
  t.strictSame([trace.answers, trace.tools], [[], []])
})
