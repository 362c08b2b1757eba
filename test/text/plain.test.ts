import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { clipCodePoints as clip } from '../../lib/core/code-points.js'
import { plain, plainText, wellFormed } from '../../lib/text/index.js'
import { anyText } from './any-text.js'

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]/g
const FORBIDDEN = /(?!\n)[\p{Cc}\u00a7\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u

void t.test('what a client would act on is removed, everything else stays', (t) => {
  const cases: [what: string, given: string, wanted?: string][] = [
    ['a formatting code', '§cred§r', 'red'],
    ['an upper case formatting code', '§KX', 'X'],
    ['a section sign in front of another letter', '§ 5 and §z', ' 5 and z'],
    ['a code hidden by a control character', '§\u0000k§\u200ek', ''],
    ['a code put together by a removal', '§§kk', 'k'],
    ['a code across a line break', 'a§\nkb', 'a kb'],
    ['ampersand codes', '&c &k', '&c &k'],
    ['terminal escapes', '\u001b[31mred\u009b0m', '[31mred0m'],
    ['line breaks of all kinds', 'a\r\nb\nc\u2028d\u0085e\rf', 'a b c d e f'],
    ['a tab', 'a\tb', 'a b'],
    ['direction overrides', 'abc\u202edcba\u202c\u2066x\u2069', 'abcdcbax'],
    ['lone surrogates', 'a\ud83db\ude00', 'a\ufffdb\ufffd'],
    ['halves that a removal would join', '\ud83d\u0000\ude00', '\ufffd\ufffd'],
    ['emoji, joined emoji, CJK', '😀 👩‍🚀 钻石𠀀', '😀 👩‍🚀 钻石𠀀'],
    ['a component in JSON', '{"text":"x","clickEvent":{"action":"run_command"}}'],
    ['a click tag', "<click:run_command:'/pay Mallory 9999'>Claim</click>"],
    ['a link', '[Claim](/pay Mallory 9999)'],
    ['selectors and placeholders', '@a @p[limit=1] ${process.env.KEY} {apiKey} %s $& $1'],
  ]
  for (const [what, given, wanted] of cases) t.equal(plainText(given), wanted ?? given, what)
  t.equal(plainText('a\r\nb\u2029c§c', { newlines: 'keep' }), 'a\nb\nc')
  t.end()
})

void t.test('the limit counts code points and never splits a pair', (t) => {
  t.equal(clip('abc', 3), 'abc')
  t.equal(clip('abcd', 3), 'ab…')
  t.equal(clip('😀😀😀', 3), '😀😀😀')
  t.equal(clip('😀😀😀😀', 3), '😀😀…')
  t.equal(clip('ab', 1), '…')
  t.equal(clip('ab', 0), '')
  const long = plainText('😀'.repeat(1_000_000), { limit: 10 })
  t.equal(long, `${'😀'.repeat(9)}…`)
  t.equal(
    plainText(`${'\u0000'.repeat(1_000)}abc`, { limit: 10 }),
    '…',
    'a flood of removed characters is not read on',
  )
  t.end()
})

void t.test('a style stays beside the text and never replaces it', (t) => {
  const style = { color: 'red', bold: true, text: 'other' } as const
  t.strictSame(plain('§lx', style), { color: 'red', bold: true, text: 'x' })
  t.end()
})

void t.test('any string becomes inert and loses nothing else', (t) => {
  const inert = fc.property(anyText, fc.boolean(), (text, keep) => {
    const options = { newlines: keep ? 'keep' : 'space' } as const
    const clean = plainText(text, options)
    assert.doesNotMatch(clean, FORBIDDEN)
    assert.ok(keep || !clean.includes('\n'))
    assert.equal(clean, wellFormed(clean), 'no lone surrogate')
    assert.equal(plainText(clean, options), clean, 'a second time changes nothing')
    assert.ok(isSubsequence(clean, wellFormed(text).replace(BREAKS, ' \n')))
    const honest = wellFormed(text)
      .replaceAll(new RegExp(FORBIDDEN, 'gu'), '')
      .replace(/[\n\u2028\u2029]/g, '')
    assert.equal(plainText(honest, options), honest, 'a text without removed characters stays itself')
  })
  t.doesNotThrow(() => fc.assert(inert, { seed: 1, numRuns: 3_000 }))
  t.end()
})

void t.test('a limited text has at most so many code points', (t) => {
  const limited = fc.property(anyText, fc.integer({ min: 1, max: 30 }), (text, limit) => {
    const clean = plainText(text, { limit })
    assert.ok(Array.from(clean).length <= limit)
    assert.equal(clean, wellFormed(clean))
  })
  t.doesNotThrow(() => fc.assert(limited, { seed: 2, numRuns: 3_000 }))
  t.end()
})

function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const point of part) {
    at = whole.indexOf(point, at) + point.length
    if (at < point.length) return false
  }
  return true
}
