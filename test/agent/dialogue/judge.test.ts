import t from 'tap'
import { z } from 'zod'
import type { Observation } from '../../../lib/agent/index.js'
import { ANSWER_CHARACTERS, judgeAnswer, type Bench } from '../../../lib/agent/dialogue/judge.js'
import { recitesPrompt } from '../../../lib/agent/dialogue/withhold.js'
import { codePoints } from '../../../lib/core/code-points.js'
import { fail, ok } from '../../../lib/core/result.js'

const schema = z.object({ text: z.string().min(1), sources: z.array(z.int()).default([]) })
type Answer = z.infer<typeof schema>
const observed = (id: number, isOk: boolean): Observation => ({
  id,
  tool: 'find',
  input: {},
  outcome: isOk ? ok(1) : fail('system:tool_failed'),
  label: null,
  card: null,
})
const PROMPT = Array.from(
  { length: 60 },
  (_, at) => `Rule ${at}: say "only" what was\n\tfound; never more.`,
).join('\n')
const judge = (value: unknown, over: Partial<Bench<Answer>> = {}) =>
  judgeAnswer(typeof value === 'string' ? value : JSON.stringify(value), {
    schema,
    prompt: PROMPT,
    observations: [observed(1, true), observed(2, false), observed(3, true)],
    ...over,
  })

void t.test('sources that name no observation with an output are removed', async (t) => {
  t.same(judge({ type: 'answer', text: 'x', sources: [3, 1, 3, 2, 4, 0, -1, 1.5, '1', null, [1]] }), {
    accepted: { text: 'x', sources: [3, 1] },
  })
  t.same(judge({ text: 'x' }), { accepted: { text: 'x', sources: [] } }, 'missing ones are none')
})

void t.test('what has the wrong shape goes back with the problem', async (t) => {
  for (const text of ['', 'text', '[]', 'null', '7', '{', '"text"'])
    t.same(judge(text), { fix: 'The answer must be one JSON object.' }, text)
  t.match(judge({}), { fix: /text/ })
  t.match(judge({ text: '' }), { fix: />=1 characters[^]*text/ })
  t.match(judge({ text: 7 }), { fix: /expected string[^]*text/ })
  t.match(judge({ text: 'x', sources: 'all' }), { fix: /expected array[^]*sources/ })
})

void t.test('too long a text is cut, not refused', async (t) => {
  for (const [given, isCut] of [
    ['x'.repeat(ANSWER_CHARACTERS), false],
    ['😀'.repeat(ANSWER_CHARACTERS), false],
    ['😀'.repeat(ANSWER_CHARACTERS + 1), true],
  ] as const) {
    const verdict = judge({ text: given })
    const text = 'accepted' in verdict ? verdict.accepted.text : ''
    t.equal(codePoints(text), ANSWER_CHARACTERS)
    t.equal(text.endsWith('…'), isCut)
  }
})

void t.test('the module has the last word', async (t) => {
  const observations = [observed(1, true)]
  const keep = (answer: Answer, given: readonly Observation[]) => {
    t.equal(given, observations)
    return answer.text === 'bad' ? 'Say something else.' : { answer: { ...answer, text: 'better' } }
  }
  t.same(judge({ text: 'bad' }, { keep, observations }), { fix: 'Say something else.' })
  t.same(judge({ text: 'good' }, { keep, observations }), { accepted: { text: 'better', sources: [] } })
})

void t.test('an answer that recites the prompt is withheld', async (t) => {
  const withheld = { refused: { code: 'system:model_withheld' } }
  const half = PROMPT.slice(0, PROMPT.length / 2)
  t.match(judge({ text: `Sure! ${half}` }), withheld, 'quotes and line breaks are escaped in JSON, not here')
  t.match(judge({ text: half.replace(/\s+/g, ' \n ').toUpperCase() }), withheld)
  t.match(judge({ text: 'x', sources: [half] }), withheld, 'wherever it stands')
  t.match(judge({ text: 'x', [half]: 1 }), withheld)
  t.match(judge({ text: PROMPT.slice(17, 100) }), { accepted: {} }, 'a sentence of it may be a coincidence')
})

void t.test('any 159 characters in a row are a recital', async (t) => {
  const prompt = Array.from({ length: 100 }, (_, at) => `word${at}`).join(' ')
  for (let at = 0; at + 159 <= prompt.length; at++) {
    if (!recitesPrompt(`... ${prompt.slice(at, at + 159)} ...`, prompt)) t.fail(`from ${at}`)
    if (recitesPrompt(prompt.slice(at, at + 119), prompt)) t.fail(`119 from ${at}`)
  }
  t.notOk(recitesPrompt('', ''))
  t.notOk(recitesPrompt('short', 'short'), 'a short prompt cannot be told from chance')
})
