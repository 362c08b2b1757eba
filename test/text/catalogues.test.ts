import t from 'tap'
import { FAILURES, isFailureCode } from '../../lib/core/failure.js'
import { placeholders } from '../../lib/text/index.js'
import { catalogue, catalogueSource } from '../support/catalogues.js'

const LANGUAGES = ['en_us', 'zh_cn'] as const
const PREFIX = 'system.failure.'

for (const lang of LANGUAGES)
  void t.test(`${lang} is well-formed`, (t) => {
    const texts = catalogue(lang)
    // one key a line, as the formatter writes them: a duplicate would vanish while parsing
    const lines = [...catalogueSource(lang).matchAll(/^ {2}("(?:[^"\\]|\\.)*"):/gm)]
    t.equal(lines.length, Object.keys(texts).length, 'no key twice')
    for (const [key, text] of Object.entries(texts)) {
      t.match(key, /^system\.[a-z0-9_.]+$/)
      t.notMatch(text, /[§\p{Cc}]/u, key)
      t.equal(text, text.trim(), key)
      t.ok(text.length > 0 && text.length <= 200, `${key} is short`)
      t.notMatch(text.replaceAll(/\{[a-z][A-Za-z0-9_]*\}/g, ''), /[{}]/, `${key} has no broken placeholder`)
    }
    t.end()
  })

void t.test('both languages say the same', (t) => {
  const english = catalogue('en_us')
  const chinese = catalogue('zh_cn')
  t.strictSame(Object.keys(chinese).sort(), Object.keys(english).sort())
  for (const [key, text] of Object.entries(english)) {
    t.strictSame([...placeholders(chinese[key] ?? '')].sort(), [...placeholders(text)].sort(), key)
    if (/\p{L}/u.test(text.replaceAll(/\{\w+\}/g, '')))
      t.match(chinese[key], /\p{Script=Han}/u, `${key} is Chinese`)
  }
  t.end()
})

void t.test('each failure has its text, and each text its failure', (t) => {
  const texts = catalogue('en_us')
  for (const [code, traits] of Object.entries(FAILURES)) {
    const text = texts[PREFIX + code.slice('system:'.length)]
    if (text === undefined) {
      t.fail(`${code} has no text`)
      continue
    }
    const allowed: readonly string[] = 'params' in traits ? traits.params : []
    for (const name of placeholders(text)) t.ok(allowed.includes(name), `${code} may show {${name}}`)
  }
  for (const key of Object.keys(texts).filter((key) => key.startsWith(PREFIX)))
    t.ok(isFailureCode(`system:${key.slice(PREFIX.length)}`), `${key} belongs to a failure`)
  t.end()
})
