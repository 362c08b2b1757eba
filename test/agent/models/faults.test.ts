import t from 'tap'
import type { FailureCode } from '../../../lib/core/failure.js'
import { faults, replies, type ProviderStep } from '../../../lib/testing/index.js'
import { OUTPUT_TOKENS, openRig } from './provider.js'

interface Case {
  readonly name: string
  readonly step: ProviderStep
  /** The text of a success, or the code of a failure. */
  readonly end: { readonly text: string } | { readonly code: FailureCode }
  /** Whether the provider's usage reaches the caller. */
  readonly usage: boolean
  readonly unbilled?: true
  readonly status?: number
}

const TEXT = 'The diamond lies deep: 钻石😀.'
const text = (value: string): Case['end'] => ({ text: value })
const code = (value: FailureCode): Case['end'] => ({ code: value })
const error = (name: string, step: ProviderStep, rest: Omit<Case, 'name' | 'step' | 'usage'>): Case => ({
  name,
  step,
  usage: false,
  ...rest,
})

const CASES: readonly Case[] = [
  { name: 'a good stream', step: TEXT, end: text(TEXT), usage: true },
  {
    name: 'a plain completion in answer to a stream request',
    step: replies.plain(TEXT),
    end: text(TEXT),
    usage: true,
  },
  { name: 'reasoning beside content', step: replies.reasoned('hm', TEXT), end: text(TEXT), usage: true },
  {
    name: 'plain, with reasoning',
    step: replies.reasoned('hm', TEXT).with({ plain: true }),
    end: text(TEXT),
    usage: true,
  },
  {
    name: 'thinking left in the content',
    step: '<think>hm {</think>{"a":1}',
    end: text('{"a":1}'),
    usage: true,
  },
  { name: 'comment lines', step: faults.keepAlive(TEXT), end: text(TEXT), usage: true },
  { name: 'blank lines', step: faults.blankLines(TEXT, 50), end: text(TEXT), usage: true },
  {
    name: 'blank lines before a plain body',
    step: faults.blankLines(TEXT, 90).with({ plain: true }),
    end: text(TEXT),
    usage: true,
  },
  {
    name: 'one byte per write, CRLF, no last line end',
    step: faults.byteByByte(TEXT),
    end: text(TEXT),
    usage: true,
  },
  {
    name: 'plain, one byte per write',
    step: replies.plain(TEXT).with({ bytewise: true }),
    end: text(TEXT),
    usage: true,
  },
  { name: 'no usage', step: faults.missingUsage(TEXT), end: text(TEXT), usage: false },
  {
    name: 'plain, no usage',
    step: faults.missingUsage(TEXT).with({ plain: true }),
    end: text(TEXT),
    usage: false,
  },
  { name: 'finish reason without [DONE]', step: faults.noDone(TEXT), end: text(TEXT), usage: true },
  {
    name: '[DONE] without finish reason',
    step: replies.text(TEXT).with({ finish: null }),
    end: text(TEXT),
    usage: true,
  },
  {
    name: 'a fenced object is passed on',
    step: faults.fenced({ a: 1 }),
    end: text('```json\n{"a":1}\n```'),
    usage: true,
  },
  // what looks like success and is none
  {
    name: 'neither finish reason nor [DONE]',
    step: faults.noEnd(TEXT),
    end: code('system:model_truncated'),
    usage: false,
  },
  { name: 'nothing but a role', step: faults.noEnd(''), end: code('system:model_unavailable'), usage: false },
  { name: 'a cut stream', step: faults.cut(TEXT), end: code('system:model_unavailable'), usage: false },
  {
    name: 'a cut plain body',
    step: faults.cut(TEXT).with({ plain: true }),
    end: code('system:model_unavailable'),
    usage: false,
  },
  {
    name: 'truncated and honest',
    step: faults.truncated('{"a":'),
    end: code('system:model_truncated'),
    usage: true,
  },
  {
    name: 'truncated and dishonest',
    step: faults.truncated('{"a":1}', 'stop'),
    end: code('system:model_truncated'),
    usage: true,
  },
  {
    name: 'truncated, plain',
    step: faults.truncated('{"a":1}', 'stop').with({ plain: true }),
    end: code('system:model_truncated'),
    usage: true,
  },
  {
    name: 'white space up to the limit',
    step: faults.truncated(' '.repeat(64)),
    end: code('system:model_truncated'),
    usage: true,
  },
  {
    name: 'filtered',
    step: replies.text('I').with({ finish: 'content_filter' }),
    end: code('system:model_filtered'),
    usage: true,
  },
  {
    name: 'no resources',
    step: faults.unknownFinish(TEXT, 'insufficient_system_resource'),
    end: code('system:model_unavailable'),
    usage: true,
  },
  {
    name: 'unknown finish reason',
    step: faults.unknownFinish(TEXT),
    end: code('system:model_unavailable'),
    usage: true,
  },
  {
    name: 'finish reason constructor',
    step: faults.unknownFinish(TEXT, 'constructor'),
    end: code('system:model_unavailable'),
    usage: true,
  },
  {
    name: 'a vendor tool call',
    step: faults.unknownFinish('', 'tool_calls'),
    end: code('system:model_invalid'),
    usage: true,
  },
  { name: 'empty content', step: faults.emptyContent(), end: code('system:model_empty'), usage: true },
  { name: 'blank content', step: ' \n ', end: code('system:model_empty'), usage: true },
  { name: 'reasoning only', step: faults.reasoningOnly(), end: code('system:model_empty'), usage: true },
  { name: 'thinking only', step: '<think>hm {"a":1}', end: code('system:model_empty'), usage: true },
  {
    name: 'plain, empty',
    step: faults.emptyContent().with({ plain: true }),
    end: code('system:model_empty'),
    usage: true,
  },
  { name: 'zero bytes', step: faults.zeroBytes(), end: code('system:model_empty'), usage: false },
  {
    name: 'comments and nothing else',
    step: faults.otherJson().with({ raw: ': keep-alive\n\n' }),
    end: code('system:model_empty'),
    usage: false,
  },
  { name: 'an HTML page', step: faults.htmlPage(), end: code('system:model_unavailable'), usage: false },
  { name: 'broken JSON', step: faults.brokenJson(), end: code('system:model_invalid'), usage: false },
  { name: 'a JSON string', step: faults.otherJson('ok'), end: code('system:model_invalid'), usage: false },
  { name: 'JSON null', step: faults.otherJson(null), end: code('system:model_invalid'), usage: false },
  {
    name: 'JSON of another shape',
    step: faults.otherJson({ choices: 'none' }),
    end: code('system:model_invalid'),
    usage: false,
  },
  {
    name: 'a broken event',
    step: faults.otherJson().with({ raw: 'data: {"choices":[{"del\n\n' }),
    end: code('system:model_invalid'),
    usage: false,
  },
  { name: 'more than a MiB', step: faults.hugeBody(), end: code('system:model_too_large'), usage: false },
  {
    name: 'more than a MiB, plain',
    step: faults.otherJson('x'.repeat(1_048_576)),
    end: code('system:model_too_large'),
    usage: false,
  },
  {
    name: 'an error at once',
    step: faults.errorInStream({ message: 'overloaded' }),
    end: code('system:model_unavailable'),
    usage: false,
  },
  {
    name: 'an error after content',
    step: faults.errorInStream({ code: 'rate_limit_exceeded' }, TEXT),
    end: code('system:model_rate_limited'),
    usage: false,
  },
  {
    name: 'an error with a status as code',
    step: faults.errorInStream({ code: 401 }, TEXT),
    end: code('system:model_auth'),
    usage: false,
  },
  {
    name: 'a quota error in a stream',
    step: faults.errorInStream({ type: 'insufficient_quota' }),
    end: code('system:model_balance'),
    usage: false,
  },
  {
    name: 'an error in a plain 200',
    step: faults.otherJson({ error: { code: '503' } }),
    end: code('system:model_unavailable'),
    usage: false,
  },
  // statuses
  error('400', faults.status(400), { end: code('system:model_refused'), unbilled: true, status: 400 }),
  error('401', faults.status(401), { end: code('system:model_auth'), unbilled: true, status: 401 }),
  error('402', faults.status(402, { retryAfter: '1' }), {
    end: code('system:model_balance'),
    unbilled: true,
    status: 402,
  }),
  error('403', faults.status(403), { end: code('system:model_auth'), unbilled: true, status: 403 }),
  error('404', faults.status(404), { end: code('system:model_refused'), unbilled: true, status: 404 }),
  error('408', faults.status(408), { end: code('system:model_timeout'), status: 408 }),
  error('422', faults.status(422), { end: code('system:model_refused'), unbilled: true, status: 422 }),
  error('429', faults.status(429), { end: code('system:model_rate_limited'), unbilled: true, status: 429 }),
  error('500', faults.status(500, { retryAfter: '1' }), {
    end: code('system:model_unavailable'),
    status: 500,
  }),
  error('503', faults.status(503), { end: code('system:model_unavailable'), status: 503 }),
  error('504', faults.status(504), { end: code('system:model_unavailable'), status: 504 }),
  error('302', faults.status(302).with({ headers: { location: '/elsewhere' } }), {
    end: code('system:model_unavailable'),
    unbilled: true,
    status: 302,
  }),
  error('429 out of quota', faults.insufficientQuota(), {
    end: code('system:model_balance'),
    unbilled: true,
    status: 429,
  }),
  error('403 out of quota', faults.insufficientQuota(403), {
    end: code('system:model_balance'),
    unbilled: true,
    status: 403,
  }),
  error('500 out of quota', faults.insufficientQuota(500), {
    end: code('system:model_balance'),
    unbilled: true,
    status: 500,
  }),
  error('an endless error body', faults.status(500).with({ raw: null, fillBytes: 30_000_000 }), {
    end: code('system:model_unavailable'),
    status: 500,
  }),
]

for (const { name, step, end, usage, unbilled = false, status = 200 } of CASES) {
  void t.test(name, async (t) => {
    const { provider, clock, send } = await openRig(t)
    provider.script(step)
    const outcome = await send()
    const { usage: _usage, httpStatus: _status, cause: _cause, ...rest } = { cause: '', ...outcome }
    const expected = 'text' in end ? { ok: true, ...end, finish: 'stop' } : { ok: false, ...end, unbilled }
    t.strictSame(rest, expected)
    t.equal(outcome.httpStatus, status)
    t.equal(outcome.usage !== null, usage, 'usage is passed on exactly when it came')
    t.equal(provider.requests.length, 1, 'asked once')
    await provider.requests[0]?.over
    await t.resolves(clock.whenIdle(), 'no timer is left')
  })
}

void t.test('reasoning is counted and nowhere to be seen', async (t) => {
  const { provider, send } = await openRig(t)
  provider.script(replies.reasoned('x'.repeat(400), 'ok'))
  const outcome = await send()
  t.equal(outcome.usage?.reasoning, 100)
  t.notMatch(JSON.stringify(outcome), 'xxx')
})

void t.test('a full output is a truncation, whether or not reasoning counts for the limit', async (t) => {
  const { provider, send } = await openRig(t)
  for (const output of [OUTPUT_TOKENS, OUTPUT_TOKENS + 50]) {
    const details = { completion_tokens_details: { reasoning_tokens: 50 } }
    provider.script(replies.withUsage('{"a":1}', { prompt_tokens: 9, completion_tokens: output, ...details }))
    t.match(await send(), { ok: false, code: 'system:model_truncated', usage: { output } })
  }
})

void t.test('more output than asked for, well ended, is no truncation', async (t) => {
  const { provider, send } = await openRig(t)
  provider.script(replies.withUsage('fine', { prompt_tokens: 9, completion_tokens: OUTPUT_TOKENS + 1 }))
  t.match(await send(), { ok: true, text: 'fine' })
})
