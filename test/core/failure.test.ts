import t from 'tap'
import {
  FAILURES,
  FailureError,
  failure,
  isAuthorization,
  isFailureCode,
  isRecoverable,
  isRetryable,
  toFailure,
  type FailureCode,
} from '../../lib/core/failure.js'
import { shippedLanguages } from '../support/catalogues.js'

const codes = Object.keys(FAILURES) as FailureCode[]

void t.test('codes are of one form, and only own keys are codes', async (t) => {
  for (const code of codes) t.match(code, /^system:[a-z]+(_[a-z]+)*$/)
  for (const word of ['constructor', '__proto__', 'toString', 'system:nope', '']) t.notOk(isFailureCode(word))
})

void t.test('what ends a request at once allows no last word', async (t) => {
  for (const code of codes.filter(isAuthorization)) {
    t.notOk(isRecoverable(code), code)
    t.notOk(isRetryable(code), code)
  }
  const ending = ['system:cancelled', 'system:revoked', 'system:disconnected', 'system:not_bound'] as const
  for (const code of ending) t.ok(isAuthorization(code), code)
})

void t.test('a last answer may follow exactly these', async (t) => {
  t.same(codes.filter(isRecoverable).sort(), [
    'system:budget_input_bytes',
    'system:budget_model_calls',
    'system:budget_steps',
    'system:budget_tokens',
    'system:budget_tool_calls',
    'system:budget_write_steps',
    'system:model_empty',
    'system:model_filtered',
    'system:model_invalid',
    'system:model_rate_limited',
    'system:model_refused',
    'system:model_timeout',
    'system:model_too_large',
    'system:model_truncated',
    'system:model_unavailable',
    'system:tool_failed',
    'system:tool_input',
    'system:tool_too_large',
    'system:tool_withheld',
    'system:unknown_tool',
  ])
})

void t.test('every code has its text in both languages, with only its own parameters', async (t) => {
  const languages = shippedLanguages()
  for (const code of codes) {
    const { params: named = [] } = FAILURES[code] as { readonly params?: readonly string[] }
    const params = Object.fromEntries(named.map((name) => [name, `<${name}>`]))
    for (const language of ['en_us', 'zh_cn']) {
      const text = languages.text({ key: `system.failure.${code.slice('system:'.length)}`, params }, language)
      t.notMatch(text, /\{[a-z]+\}/, `${language} ${code}`)
    }
  }
})

void t.test('whatever is thrown becomes a failure', async (t) => {
  const carried = failure('system:busy', {}, 'why')
  t.equal(toFailure(new FailureError(carried)), carried)
  for (const thrown of [new Error('x'), 'text', undefined, null, 7]) {
    t.equal(toFailure(thrown).code, 'system:internal')
    t.equal(toFailure(thrown).cause, thrown)
  }
  t.equal(new FailureError(carried).message, 'system:busy', 'the message names the code, not the cause')
})

void t.test('what carries no failure of the set, or hides what it is, is ours', async (t) => {
  const own = new FailureError(failure('bank:poor' as FailureCode))
  const hiding = new Proxy(new FailureError(failure('system:busy')), {
    getPrototypeOf() {
      throw new Error('not for you')
    },
  })
  for (const thrown of [own, hiding, Object.create(FailureError.prototype), null, Object.create(null)])
    t.strictSame(toFailure(thrown).code, 'system:internal')
  t.equal(toFailure(own).cause, own, 'the log says its word')
})
