import fc from 'fast-check'
import t from 'tap'
import { parseModelObject } from '../../lib/codec/index.js'

/** Null-prototype objects turned into what JSON.parse would give. */
const plain = (text: string): unknown => {
  const result = parseModelObject(text)
  return result.ok ? JSON.parse(JSON.stringify(result.value)) : result.failure.code
}
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`

const ACCEPTED: readonly (readonly [string, string, unknown])[] = [
  ['plain', '{"type":"answer","text":"hi"}', { type: 'answer', text: 'hi' }],
  ['white space around', ' \n\t{"a":1}\r\n', { a: 1 }],
  ['a json fence', '```json\n{"a":1}\n```', { a: 1 }],
  ['a bare fence on one line', '```{"a":1}```', { a: 1 }],
  ['prose before and after', 'Sure! Here it is: {"a":[1,{"b":null}]} Have fun.', { a: [1, { b: null }] }],
  ['prose around a fence', 'Here:\n```json\n{"a":1}\n```\nDone [1].', { a: 1 }],
  ['braces and quotes inside strings', '{"a":"} { \\" [","b":{}}', { a: '} { " [', b: {} }],
  ['escapes', '{"a":"\\u94bb\\n\\/","\\u0062":2}', { a: '钻\n/', b: 2 }],
  ['a raw line break inside a string', '{"a":"one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }],
  ['numbers', '{"a":[0,-1,1.5,2e3,-0.1E-2]}', { a: [0, -1, 1.5, 2000, -0.001] }],
  ['depth 32', nested(32), JSON.parse(nested(32))],
  [
    'the same key in different objects',
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    { a: { a: 1 }, b: [{ a: 1 }, { a: 2 }] },
  ],
]

const INVALID: readonly (readonly [string, string])[] = [
  ['prose only', 'I cannot do that.'],
  ['two objects', '{"a":1}{"b":2}'],
  ['two equal objects', '{"a":1}\n{"a":1}'],
  ['two fences', '```json\n{"a":1}\n```\nor\n```json\n{"b":2}\n```'],
  ['an object and a cut one', '{"a":1} {"b":'],
  ['a cut object', '{"item":"diamond","count":1'],
  ['a cut string', '{"item":"diam'],
  ['a cut object with a whole one inside', '{"type":"answer","x":{"type":"buy"}'],
  ['a whole object inside one that is not JSON', '{type: {"type":"buy"}}'],
  ['a closing brace too many', '{"type":"x","input":{"a":1}},"b":2}'],
  ['a closing brace before', '"b":1} {"a":1}'],
  ['a repeated key', '{"a":1,"a":2}'],
  ['a repeated key, deep', '{"a":{"b":[{"c":1,"c":1}]}}'],
  ['a repeated key, written differently', '{"a":1,"\\u0061":2}'],
  ['a repeated __proto__', '{"__proto__":1,"__proto__":2}'],
  ['an array', '[1,2]'],
  ['an array of one object', '[{"a":1}]'],
  ['an array in a fence', '```json\n[1,{"a":1}]\n```'],
  ['an opened array', 'Result: [ {"a":1}'],
  ['a string', '"hello"'],
  ['a string that holds an object', JSON.stringify('{"a":1}')],
  ['a number', '42'],
  ['null', 'null'],
  ['depth 33', nested(33)],
  ['very deep', '{"a":'.repeat(10_000)],
  ['very deep arrays', `{"a":${'['.repeat(20_000)}`],
  ['a trailing comma', '{"a":1,}'],
  ['a missing comma', '{"a":1 "b":2}'],
  ['single quotes', "{'a':1}"],
  ['a comment', '{"a":1 /* one */}'],
  ['an infinite number', '{"a":1e999}'],
  ['a leading zero', '{"a":01}'],
  ['NaN', '{"a":NaN}'],
  ['a bad escape', '{"a":"\\x41"}'],
  ['an escaped raw line break', '{"a":"\\\n"}'],
  ['an endless fence', `\`\`\`${' '.repeat(60_000)}x`],
  ['a raw NUL', '{"a":"\u0000"}'],
]

void t.test('one object in a reply', (t) => {
  for (const [name, text, value] of ACCEPTED) t.strictSame(plain(text), value, name)
  for (const [name, text] of INVALID) t.equal(plain(text), 'system:model_invalid', name)
  for (const text of ['', ' ', '\n\n\t']) t.equal(plain(text), 'system:model_empty')
  // 64 KiB of UTF-8
  for (const long of ['x'.repeat(65_536), '钻'.repeat(22_000)])
    t.equal(plain(JSON.stringify({ a: long })), 'system:model_too_large')
  t.end()
})

void t.test('words of the language are keys like others', (t) => {
  const result = parseModelObject(
    '{"__proto__":{"admin":true},"constructor":1,"toString":null,"x":{"__proto__":[]}}',
  )
  const value = result.ok ? result.value : {}
  t.equal(Object.getPrototypeOf(value), null)
  t.strictSame(Object.keys(value), ['__proto__', 'constructor', 'toString', 'x'])
  t.equal(value['admin'], undefined)
  t.equal(value['valueOf'], undefined)
  t.equal(({} as Record<string, unknown>)['admin'], undefined)
  t.end()
})

void t.test('any object survives being wrapped', (t) => {
  const prose = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !/[{}[\]`]/.test(text))
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 })
  const wrapped = fc.oneof(
    fc.record({ before: prose, after: prose }).map(
      ({ before, after }) =>
        (json: string) =>
          before + json + after,
    ),
    fc.constantFrom('', 'json', 'JSON').map((info) => (json: string) => `\`\`\`${info}\n${json}\n\`\`\``),
    prose.map((before) => (json: string) => `${before}\n\`\`\`json\n${json}\n\`\`\`\n`),
  )
  fc.assert(
    fc.property(object, wrapped, fc.constantFrom(0, 2), (value, wrap, indent) => {
      const json = JSON.stringify(value, null, indent)
      const result = parseModelObject(wrap(json))
      return result.ok && JSON.stringify(result.value) === JSON.stringify(JSON.parse(json))
    }),
    { seed: 1, numRuns: 500 },
  )
  t.end()
})

void t.test('a cut object never passes', (t) => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 4 })
  fc.assert(
    fc.property(object, fc.double({ min: 0, max: 0.999, noNaN: true }), (value, share) => {
      const json = JSON.stringify(value)
      const cut = json.slice(0, 1 + Math.floor((json.length - 1) * share))
      return !parseModelObject(cut).ok
    }),
    { seed: 2, numRuns: 500 },
  )
  t.end()
})
