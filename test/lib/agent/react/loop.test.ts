import t from 'tap'
import { USAGE, down, reply, runScript, type Script, type Trace } from '../../../support/scripted-loop.js'

const TOOL = '{"type":"item.query","input":{"query":"diamond"}}'
const ANSWER = '{"type":"answer","text":"Three.","sources":[1]}'
const BARE = '{"text":"Three.","sources":[1]}'
const FAILED_OBSERVATION = { obs: 1, text: '{"id":1,"tool":"x","input":{},"failure":"system:unknown_tool"}' }
const failed = (code: string, rounds: number) => ({ end: 'failed', code, rounds })

interface Case extends Script {
  readonly name: string
  readonly end: Trace['end'] | object
  readonly toolsRun?: number
  readonly answered?: readonly string[]
  /** Per request: whether it said finalOnly. */
  readonly finals: readonly boolean[]
}

const cases: Case[] = [
  {
    name: 'an answer at once',
    replies: [ANSWER],
    end: { end: 'answer', rounds: 1 },
    answered: [BARE],
    finals: [false],
  },
  {
    name: 'tool, tool, answer: the last round is final',
    replies: [TOOL, TOOL, ANSWER],
    end: { end: 'answer', rounds: 3 },
    toolsRun: 2,
    answered: [BARE],
    finals: [false, false, true],
  },
  {
    name: 'a model that never stops asking for tools',
    replies: [TOOL, TOOL, TOOL],
    end: { end: 'rounds', rounds: 3 },
    toolsRun: 2,
    answered: [],
    finals: [false, false, true],
  },
  {
    name: 'the answer without its type, in the last round',
    job: { rounds: 1 },
    replies: [BARE],
    end: { end: 'answer', rounds: 1 },
    answered: [BARE],
    finals: [true],
  },
  {
    name: 'the answer without its type, before the last round',
    replies: [BARE],
    end: failed('system:model_invalid', 1),
    answered: [],
    finals: [false],
  },
  {
    name: 'an object with other fields, in the last round',
    job: { rounds: 1 },
    replies: ['{"text":"x","tool":"item.query"}'],
    end: failed('system:model_invalid', 1),
    answered: [],
    finals: [true],
  },
  {
    name: 'fields of a declared answer',
    job: { rounds: 1, answerSchemaText: '{"type":"object","properties":{"grade":{"type":"integer"}}}' },
    replies: ['{"grade":3}'],
    end: { end: 'answer', rounds: 1 },
    answered: ['{"grade":3}'],
    finals: [true],
  },
  {
    name: 'a repeated action: the next round is final',
    job: { rounds: 6 },
    replies: [TOOL, TOOL, ANSWER],
    tools: [undefined, { repeat: 1 }],
    end: { end: 'answer', rounds: 3 },
    toolsRun: 2,
    answered: [BARE],
    finals: [false, false, true],
  },
  {
    name: 'a repeated action, and yet another tool',
    job: { rounds: 6 },
    replies: [TOOL, TOOL, TOOL],
    tools: [undefined, { repeat: 1 }],
    end: { end: 'rounds', rounds: 3 },
    toolsRun: 2,
    finals: [false, false, true],
  },
  {
    name: 'the kernel allows nothing but an answer',
    replies: [TOOL],
    reserves: [{ ok: true, reservationId: 1, timeoutMs: 1, finalOnly: true }],
    end: { end: 'rounds', rounds: 1 },
    toolsRun: 0,
    finals: [true],
  },
  ...(
    [
      ['not JSON', 'I think three.', 'system:model_invalid'],
      ['an array', '[1]', 'system:model_invalid'],
      ['nothing', '', 'system:model_empty'],
      ['a type that is no text', '{"type":7}', 'system:model_invalid'],
      ['an empty type', '{"type":""}', 'system:model_invalid'],
      ['a tool request as an answer', JSON.stringify({ type: 'answer', text: TOOL }), 'system:model_invalid'],
      ['too much', JSON.stringify({ type: 'answer', text: 'x'.repeat(66_000) }), 'system:model_too_large'],
    ] as const
  ).flatMap(([name, text, code]): Case[] => [
    {
      name: `${name}, without evidence`,
      replies: [text],
      end: failed(code, 1),
      answered: [],
      finals: [false],
    },
    {
      name: `${name}, with evidence`,
      job: { rounds: 6 },
      replies: [TOOL, text, ANSWER],
      end: { end: 'answer', rounds: 3 },
      answered: [BARE],
      finals: [false, false, true],
    },
    {
      name: `${name} twice, with evidence`,
      job: { rounds: 6 },
      replies: [TOOL, text, text],
      end: failed(code, 3),
      answered: [],
      finals: [false, false, true],
    },
    {
      name: `${name} in the last round`,
      job: { rounds: 2 },
      replies: [TOOL, text],
      end: failed(code, 2),
      answered: [],
      finals: [false, true],
    },
  ]),
  {
    name: 'a failed observation is no evidence',
    job: { rounds: 6 },
    replies: [TOOL, 'prose'],
    tools: [FAILED_OBSERVATION],
    end: failed('system:model_invalid', 2),
    finals: [false, false],
  },
  {
    name: 'a reply cut off at the limit runs no tool, though it can be read',
    replies: [reply(TOOL, { finish: 'length' })],
    end: failed('system:model_truncated', 1),
    toolsRun: 0,
    finals: [false],
  },
  {
    name: 'nor does one that used every token under another reason',
    replies: [reply(TOOL, { finish: 'tool_calls', usage: { ...USAGE, output: 100 } })],
    end: failed('system:model_truncated', 1),
    toolsRun: 0,
    finals: [false],
  },
  {
    name: 'a whole answer that used every token counts',
    replies: [reply(ANSWER, { usage: { ...USAGE, output: 100 } })],
    end: { end: 'answer', rounds: 1 },
    finals: [false],
  },
  {
    name: 'a filtered reply',
    replies: [reply(ANSWER, { finish: 'content_filter' })],
    end: failed('system:model_filtered', 1),
    answered: [],
    finals: [false],
  },
  {
    name: 'the model is down without evidence',
    replies: [down()],
    end: failed('system:model_unavailable', 1),
    finals: [false],
  },
  {
    name: 'the model fails with evidence, and comes back',
    job: { rounds: 6 },
    replies: [TOOL, down(), ANSWER],
    end: { end: 'answer', rounds: 3 },
    finals: [false, false, true],
  },
  {
    name: 'the model fails with evidence, and again',
    job: { rounds: 6 },
    replies: [TOOL, down(), down({ code: 'system:model_timeout' })],
    end: failed('system:model_timeout', 3),
    finals: [false, false, true],
  },
  {
    name: 'a wrong key ends it, evidence or not',
    job: { rounds: 6 },
    replies: [TOOL, down({ code: 'system:model_auth' })],
    end: failed('system:model_auth', 2),
    finals: [false, false],
  },
  {
    name: 'a client that throws',
    replies: [new Error('bug')],
    end: failed('system:internal', 1),
    finals: [false],
  },
  {
    name: 'a refused reservation',
    replies: [],
    reserves: [{ code: 'system:quota_player' }],
    end: failed('system:quota_player', 0),
    finals: [],
  },
  {
    name: 'a refused reservation, recoverable, with evidence: one more try',
    job: { rounds: 6 },
    replies: [TOOL, ANSWER],
    reserves: [undefined, { code: 'system:budget_tokens' }],
    end: { end: 'answer', rounds: 2 },
    finals: [false, true],
  },
  {
    name: 'a refused reservation, twice',
    job: { rounds: 6 },
    replies: [TOOL],
    reserves: [undefined, { code: 'system:budget_tokens' }, { code: 'system:budget_tokens' }],
    end: failed('system:budget_tokens', 1),
    finals: [false],
  },
  {
    name: 'a code that nobody knows',
    replies: [],
    reserves: [{ code: 'constructor' }],
    end: failed('system:protocol', 0),
    finals: [],
  },
  {
    name: 'a refused tool without evidence',
    replies: [TOOL],
    tools: [{ code: 'system:budget_tool_calls', recoverable: true }],
    end: failed('system:budget_tool_calls', 1),
    finals: [false],
  },
  {
    name: 'a refused tool with evidence',
    job: { rounds: 6 },
    replies: [TOOL, TOOL, ANSWER],
    tools: [undefined, { code: 'system:budget_tool_calls', recoverable: true }],
    end: { end: 'answer', rounds: 3 },
    finals: [false, false, true],
  },
  {
    name: 'a lost authorization ends it, evidence or not',
    job: { rounds: 6 },
    replies: [TOOL, TOOL],
    tools: [undefined, { code: 'system:revoked', recoverable: false }],
    end: failed('system:revoked', 2),
    finals: [false, false],
  },
  {
    name: 'a corrected answer',
    replies: [ANSWER, ANSWER],
    answers: [{ fix: 'There is no source 1.' }],
    end: { end: 'answer', rounds: 2 },
    answered: [BARE, BARE],
    finals: [false, true],
  },
  {
    name: 'an answer that cannot be corrected any more',
    job: { rounds: 2 },
    replies: [TOOL, ANSWER],
    answers: [{ fix: 'There is no source 1.' }],
    end: failed('system:model_invalid', 2),
    finals: [false, true],
  },
  {
    name: 'corrections end with the rounds',
    replies: [ANSWER, ANSWER, ANSWER],
    answers: [{ fix: 'a' }, { fix: 'b' }, { fix: 'c' }],
    end: failed('system:model_invalid', 3),
    finals: [false, true, true],
  },
  {
    name: 'a refused answer',
    replies: [ANSWER],
    answers: [{ code: 'system:revoked' }],
    end: failed('system:revoked', 1),
    finals: [false],
  },
  {
    name: 'cancelled during the call',
    replies: [TOOL],
    cancelAt: 1,
    end: 'cancelled',
    toolsRun: 0,
    finals: [false],
  },
  {
    name: 'a context that is no JSON',
    job: { contextText: '{"language":' },
    replies: [],
    end: failed('system:protocol', 0),
    finals: [],
  },
]

for (const { name, end, toolsRun, answered, finals, ...script } of cases) {
  void t.test(name, async (t) => {
    const trace = await runScript(script)
    t.strictSame(trace.end, end)
    t.strictSame(
      trace.users.map((user) => user['finalOnly'] === true),
      finals,
    )
    if (toolsRun !== undefined) t.equal(trace.tools.length, toolsRun)
    if (answered !== undefined) t.strictSame(trace.answers, answered)
    // whatever happens, each call was reserved before and settled after, to the byte
    t.strictSame(
      trace.settled.map((settlement) => settlement.reservationId),
      trace.reserved.flatMap((_, index) => {
        const refused = script.reserves?.[index]
        return refused !== undefined && 'code' in refused ? [] : [index + 1]
      }),
    )
    t.equal(trace.settled.length, trace.requests.length)
  })
}
