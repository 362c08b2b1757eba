import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  componentText,
  concat,
  failureMessage,
  join,
  Languages,
  parseCatalogue,
  placeholders,
  plainText,
  translate,
} from '../../lib/text/index.js'
import { failure } from '../../lib/core/failure.js'
import { anyText } from './any-text.js'

const catalogues = new Map<string, Record<string, string>>([
  ['en_us', { hello: 'Hello {name}, {count} new', only: 'only English', twice: '{a} {a} {b}', bare: 'Bare' }],
  ['zh_cn', { hello: '{name}你好,{count} 条', bare: '空' }],
  ['pt_br', { bare: 'Nu' }],
])

void t.test('a language is found by word, by region, else English', (t) => {
  const languages = new Languages(catalogues)
  const cases: [string, string][] = [
    ['zh_cn', '空'],
    ['ZH-CN', '空'],
    ['zh_tw', '空'],
    ['zh', '空'],
    ['pt_pt', 'Nu'],
    ['de_de', 'Bare'],
    ['', 'Bare'],
    ['__proto__', 'Bare'],
    ['x'.repeat(100_000), 'Bare'],
  ]
  for (const [lang, wanted] of cases)
    t.equal(languages.text({ key: 'bare' }, lang), wanted, lang.slice(0, 20))
  t.equal(languages.text({ key: 'only' }, 'zh_cn'), 'only English', 'a key that only the fallback has')
  t.equal(languages.has('only', 'zh_cn'), true)
  t.equal(languages.has('none', 'zh_cn'), false)
  t.end()
})

void t.test('an unknown key shows itself and is reported once', (t) => {
  const missing: string[] = []
  const languages = new Languages(catalogues, 'en_us', (key, lang) => missing.push(`${key} ${lang}`))
  for (const key of ['nope', 'nope', 'constructor', '__proto__', 'toString'])
    t.equal(languages.text({ key }, 'zh_cn'), key)
  t.strictSame(missing, ['nope zh_cn', 'constructor zh_cn', '__proto__ zh_cn', 'toString zh_cn'])
  t.end()
})

void t.test('values are put in once and never read again', (t) => {
  const languages = new Languages(catalogues)
  const text = (params: Record<string, string | number>, key = 'twice'): string =>
    languages.text({ key, params }, 'en_us')
  t.equal(text({ a: '{b}', b: '{a}' }), '{b} {b} {a}')
  t.equal(text({ a: '$&', b: "$1 $` $'" }), "$& $& $1 $` $'")
  t.equal(text({ a: '%s', b: '%1$s %%' }), '%s %s %1$s %%')
  t.equal(
    text({ a: '${process.env.KEY}', b: '{constructor}' }),
    '${process.env.KEY} ${process.env.KEY} {constructor}',
  )
  t.equal(text({ a: '§cred\nline', b: 1234567.5 }), 'red line red line 1234567.5')
  t.equal(text({ b: 1 }), '{a} {a} 1', 'a missing value leaves its placeholder')
  const odd = new Languages(new Map([['en_us', { odd: '{constructor} {toString}' }]]))
  t.equal(
    odd.text({ key: 'odd', params: {} }, 'en_us'),
    '{constructor} {toString}',
    'nothing inherited is shown',
  )
  t.end()
})

void t.test('any value comes out as itself', (t) => {
  const languages = new Languages(new Map([['en_us', { x: 'a{v}b{w}' }]]))
  const literal = fc.property(anyText, anyText, (v, w) => {
    const rendered = languages.render({ key: 'x', params: { v, w } }, 'en_us')
    assert.deepEqual(rendered, { text: `a${plainText(v)}b${plainText(w)}` })
  })
  t.doesNotThrow(() => fc.assert(literal, { seed: 3, numRuns: 2_000 }))
  t.end()
})

void t.test('components stay components', (t) => {
  const languages = new Languages(catalogues)
  const name = { ...translate('item.minecraft.diamond', 'Diamond'), color: 'aqua' } as const
  t.strictSame(languages.render({ key: 'hello', params: { name, count: 3 } }, 'en_us'), {
    text: '',
    extra: [{ text: 'Hello ' }, name, { text: ', 3 new' }],
  })
  t.equal(languages.text({ key: 'hello', params: { name, count: 3 } }, 'zh_tw'), 'Diamond你好,3 条')
  t.end()
})

void t.test('the text of a component', (t) => {
  const cases: [Parameters<typeof componentText>[0], string][] = [
    [{ text: 'a', extra: [{ text: 'b', extra: [{ text: 'c' }] }, { text: 'd' }] }, 'abcd'],
    [translate('k', '100% §csure'), '100% sure'],
    [{ translate: 'k' }, 'k'],
    [{ translate: 'k', fallback: '%s-%2$s-%s-%s', with: [{ text: '%s' }, { text: 'B' }] }, '%s-B-B-%s'],
    [join([{ text: 'a' }, { text: 'b' }, { text: 'c' }], { text: ', ' }), 'a, b, c'],
    [concat([]), ''],
  ]
  for (const [component, wanted] of cases) t.equal(componentText(component), wanted)
  t.strictSame(concat([{ text: 'a' }]), { text: 'a' }, 'one part needs no parent')
  t.strictSame(translate('k', '5%'), { translate: 'k', fallback: '5%%' })
  let deep: { text: string; extra?: (typeof deep)[] } = { text: 'x' }
  for (let level = 0; level < 100_000; level += 1) deep = { text: 'x', extra: [deep] }
  t.equal(componentText(deep).length, 65, 'depth is bounded')
  t.end()
})

void t.test('a language file is decoded or refused', (t) => {
  t.strictSame(parseCatalogue(JSON.parse('{"a.b":"x","__proto__":"y"}')), {
    ok: true,
    value: Object.fromEntries([
      ['a.b', 'x'],
      ['__proto__', 'y'],
    ]),
  })
  const refused: [string, unknown, RegExp][] = [
    ['null', null, /not an object/],
    ['a list', ['x'], /not an object/],
    ['a text', 'x', /not an object/],
    ['a number value', { a: 1 }, /"a" is not a string/],
    ['an object value', { a: { b: 'x' } }, /"a" is not a string/],
    ['a strange key', { 'a\u001b[31m b': 'x' }, /"a\[31m b" is no key/],
    ['an empty key', { '': 'x' }, /is no key/],
    ['a long key', { ['k'.repeat(257)]: 'x' }, /is no key/],
    ['a long text', { a: 'x'.repeat(4_097) }, /too long/],
    ['too many', Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`k${n}`, 'x'])), /more than/],
  ]
  for (const [what, json, problem] of refused) {
    const parsed = parseCatalogue(json)
    t.equal(parsed.ok ? '' : parsed.failure.code, 'system:protocol', what)
    t.match(parsed.ok ? '' : String(parsed.failure.cause), problem, what)
  }
  t.end()
})

void t.test('placeholders and failure messages', (t) => {
  t.strictSame(placeholders('{a} {b} {a} {1} {} {a b} {c_1}'), ['a', 'b', 'c_1'])
  t.strictSame(failureMessage(failure('system:unknown_item', { query: '{x}' }, new Error('path'))), {
    key: 'system.failure.unknown_item',
    params: { query: '{x}' },
  })
  t.end()
})

void t.test(
  'an overlay stands before everything, is exchanged whole, and hides no sentence it lacks',
  async (t) => {
    const languages = new Languages(
      new Map([
        ['en_us', { a: 'a', b: 'b', c: 'c' }],
        ['zh_cn', { a: '甲', b: '乙' }],
      ]),
    )
    languages.overlay(
      new Map([
        ['zh_cn', { a: '一' }],
        ['zh_tw', { a: '壹' }],
        ['de_de', { a: 'A' }],
        ['en_us', { c: 'C' }],
      ]),
    )
    const say = (lang: string): string =>
      ['a', 'b', 'c'].map((key) => languages.text({ key }, lang)).join(' ')
    t.same(['zh_cn', 'zh_tw', 'de_de', 'fr_fr'].map(say), ['一 乙 C', '壹 乙 C', 'A b C', 'a b C'])
    t.same(['de_at', 'de', 'zh_hk'].map(say), ['A b C', 'A b C', '一 乙 C'], 'beside another region')
    languages.add('en_us', { d: 'd' })
    languages.overlay(new Map([['en_us', { d: 'D' }]]))
    t.same(['zh_cn', 'zh_tw', 'de_de'].map(say), ['甲 乙 c', '甲 乙 c', 'a b c'])
    t.equal(languages.text({ key: 'd' }, 'zh_cn'), 'D')
    languages.overlay(new Map())
    t.equal(languages.text({ key: 'd' }, 'zh_cn'), 'd')
  },
)

void t.test('what languages call themselves: their own word, or their code, as they are now', async (t) => {
  const languages = new Languages(
    new Map([
      ['en_us', { 'system.language': 'English' }],
      ['fr_fr', { a: 'a' }],
    ]),
  )
  t.same(
    [...languages.named],
    [
      ['en_us', 'English'],
      ['fr_fr', 'fr_fr'],
    ],
  )
  languages.overlay(
    new Map([
      ['de_de', { 'system.language': `\u00a7cDeutsch${'h'.repeat(100)}` }],
      ['tr_tr', { 'system.language': '{name}' }],
    ]),
  )
  t.equal(languages.named.get('de_de')?.length, 64, 'cleaned and cut')
  t.match(languages.named.get('de_de'), /^Deutsch/)
  t.equal(languages.named.get('tr_tr'), 'tr_tr', 'no sentence with gaps')
  const undo = languages.mark()
  languages.add('ja_jp', { a: 'あ' })
  t.ok(languages.named.has('ja_jp'))
  undo()
  t.notOk(languages.named.has('ja_jp'))
  languages.overlay(new Map())
  t.same([...languages.named.keys()], ['en_us', 'fr_fr'])
})
