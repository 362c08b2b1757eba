import fc from 'fast-check'
import t from 'tap'
import { locate, readJson } from '../../lib/packs/lenient-json.js'
import { PACK_LIMITS } from '../../lib/packs/limits.js'

const value = (text: string): unknown => {
  const read = readJson(text)
  return read.ok ? read.value : `${read.place.line}:${read.place.column} ${read.reason}`
}

void t.test('any JSON is read as JSON.parse reads it', async (t) => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), fc.constantFrom(0, 1, '\t'), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent)
      const read = readJson(spaced)
      return read.ok && !read.isLenient && t.strictSame(read.value, JSON.parse(spaced))
    }),
  )
})

void t.test('no text throws, and what JSON.parse takes is taken', async (t) => {
  const piece = fc.constantFrom(
    ...'{ } [ ] , : " \\ / * # a 1 - . e true null \\u00 "a" "\\u0041" 01 1.5e3 __proto__'.split(' '),
    ' ',
    "'",
    '\\n',
    '\\u0000',
    '\\ud800',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const read = readJson(text)
      let strict: unknown
      try {
        strict = JSON.parse(text)
      } catch {
        return true
      }
      return read.ok ? t.strictSame(read.value, strict) : read.reason.includes('too large')
    }),
    { numRuns: 2_000 },
  )
})

const LENIENT: [string, unknown][] = [
  ['{"a": 1 /* one */, // two\n "b": 2 # three\n}', { a: 1, b: 2 }],
  ["{'a': 'it\\'s \"b\"'}", { a: 'it\'s "b"' }],
  ['{"a": "it\\\'s"}', { a: "it's" }],
  ['{a: 1, $b.c-d: 2,}', { a: 1, '$b.c-d': 2 }],
  ['[1, 2,]', [1, 2]],
  ['["two\nlines", "and\\\nmore", "a\ttab"]', ['two\nlines', 'and\nmore', 'a\ttab']],
  ['// first\n[]', []],
]
for (const [text, expected] of LENIENT) {
  void t.test(`taken as vanilla takes it: ${JSON.stringify(text)}`, async (t) => {
    const read = readJson(text)
    t.match(read, { ok: true, isLenient: true })
    t.strictSame(value(text), expected)
  })
}

const FAULTS: [string, string][] = [
  ['', '1:1 is not JSON: it is empty'],
  [' \n// only\n', '3:1 is not JSON: it is empty'],
  ['{"a": 1\n  "b": 2}', "2:3 is not JSON: '\"' instead of ',' or '}'"],
  ['{"a"\n: }', "2:3 is not JSON: '}' instead of a value"],
  ['[1] 2', '1:5 is not JSON: something stands behind the value'],
  ['["a', '1:2 is not JSON: a text does not end'],
  ['["\\x"]', '1:3 is not JSON: no escape: \\x'],
  ['["\\u12g4"]', '1:3 is not JSON: an escape without four digits'],
  ['[/* a', '1:2 is not JSON: a comment does not end'],
  ['[1e999]', '1:2 is not JSON: a number is too large'],
  ['[NaN]', "1:2 is not JSON: 'N' instead of a value"],
  ['[01]', "1:2 is not JSON: '0' instead of a value"],
  ['{"a": 1', "1:8 is not JSON: the end instead of ',' or '}'"],
  ['\u0007', "1:1 is not JSON: '\ufffd' instead of a value"],
]
for (const [text, expected] of FAULTS) {
  void t.test(`refused with its place: ${JSON.stringify(text)}`, async (t) => {
    t.equal(value(text), expected)
  })
}

void t.test('a key twice: the last value holds, and the place is told', async (t) => {
  const read = readJson('{"a": 1,\n "b": {"c": 1, "c": 2},\n "a": 3}')
  t.match(read, { ok: true, value: { a: 3, b: { c: 2 } } })
  t.match(read, { repeated: { key: 'c', place: { line: 2, column: 16 } } })
})

void t.test('keys of prototypes are data', async (t) => {
  const read = value('{"__proto__": {"polluted": 1}, "constructor": 2}') as Record<string, unknown>
  t.strictSame(Object.keys(read), ['__proto__', 'constructor'])
  t.equal(Object.getPrototypeOf(read), Object.prototype)
  t.equal(read['polluted'], undefined)
  t.strictSame(Object.keys(structuredClone(read)), ['__proto__', 'constructor'])
})

void t.test('nesting is bounded, whatever it is made of', async (t) => {
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
  t.match(readJson(nested(PACK_LIMITS.depth)), { ok: true })
  t.match(value(nested(PACK_LIMITS.depth + 1)), /nested more than 64 levels/)
  t.match(value('{"a":'.repeat(300_000)), /nested more than 64 levels/)
  t.match(value(nested(500_000)), /nested more than 64 levels/)
})

void t.test('a pointer leads to line and column, or to what is there on its way', async (t) => {
  const text = '{\n  "a": [1, {"b/c": 2, "~": 3}],\n  "a~1": 4,\n  "twice": {"x": 1}, "twice": {"y": 1}\n}'
  t.strictSame(locate(text, ''), { line: 1, column: 1 })
  t.strictSame(locate(text, '/a/1/b~1c'), { line: 2, column: 20 })
  t.strictSame(locate(text, '/a/1/~0'), { line: 2, column: 28 })
  t.strictSame(locate(text, '/a~01'), { line: 3, column: 10 })
  t.strictSame(locate(text, '/a/1/none/deeper'), { line: 2, column: 12 })
  t.strictSame(locate(text, '/twice/x'), { line: 4, column: 31 }, 'the last of two keys holds')
  t.equal(locate(text, 'a'), null)
  t.equal(locate('{', '/a'), null)
})
