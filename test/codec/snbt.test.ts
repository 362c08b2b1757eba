/** SNBT as vanilla and quest books write it. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { decodeTree, encodeTree, parseSnbt, type NbtTree } from '../../lib/codec/nbt/index.js'
import { QUEST_BOOKS, WITH_QUEST_BOOKS } from '../support/shared.js'

const value = (text: string): unknown => {
  const read = parseSnbt(text)
  return read.ok ? read.value : read.failure.params
}
const int = (value: number): NbtTree => ({ type: 'int', value })

void t.test('each kind of value', (t) => {
  const kinds: readonly [string, unknown][] = [
    ['64', int(64)],
    ['-1', int(-1)],
    ['+7', int(7)],
    ['16b', { type: 'byte', value: 16 }],
    ['-128B', { type: 'byte', value: -128 }],
    ['true', { type: 'byte', value: 1 }],
    ['false', { type: 'byte', value: 0 }],
    ['300s', { type: 'short', value: 300 }],
    ['6186764270916390356L', { type: 'long', value: [1_440_468_307, 1_426_902_484] }],
    ['-1L', { type: 'long', value: [-1, -1] }],
    ['4294967296', { type: 'long', value: [1, 0] }],
    ['5.0f', { type: 'float', value: 5 }],
    ['-6.25d', { type: 'double', value: -6.25 }],
    ['3d', { type: 'double', value: 3 }],
    ['.5', { type: 'double', value: 0.5 }],
    ['-1.7763568394002505E-15d', { type: 'double', value: -1.7763568394002505e-15 }],
    ['stone', { type: 'string', value: 'stone' }],
    ['1.2.3', { type: 'string', value: '1.2.3' }],
    ['-', { type: 'string', value: '-' }],
    ['"a \\"b\\" \\\\ \\n \'"', { type: 'string', value: 'a "b" \\ \n \'' }],
    [`'knight\\'s "x"'`, { type: 'string', value: `knight's "x"` }],
    ['""', { type: 'string', value: '' }],
    ['[]', { type: 'list', value: { type: 'end', value: [] } }],
    ['[1, 2,]', { type: 'list', value: { type: 'int', value: [1, 2] } }],
    ['["x" "y"]', { type: 'list', value: { type: 'string', value: ['x', 'y'] } }],
    ['[I; 0 64 0]', { type: 'intArray', value: [0, 64, 0] }],
    ['[B;1b,0b,-1]', { type: 'byteArray', value: [1, 0, -1] }],
    [
      '[L; 4000000L, 1]',
      {
        type: 'longArray',
        value: [
          [0, 4_000_000],
          [0, 1],
        ],
      },
    ],
    ['[I]', { type: 'list', value: { type: 'string', value: ['I'] } }],
  ]
  for (const [text, tree] of kinds) t.strictSame(value(text), tree, text)
  t.end()
})

void t.test('compounds: separators, keys of every kind, comments, line ends', (t) => {
  const text =
    '\uFEFF'.slice(1) +
    '# a comment\r\n{\r\n\t// another {\r\n\tx: 1\r\n\tquest.0AB.title = "#no" 13: a,, "b:c": {},\r\n\t名: 2\r\n}\r\n'
  t.same(value(text), {
    type: 'compound',
    value: {
      x: int(1),
      'quest.0AB.title': { type: 'string', value: '#no' },
      13: { type: 'string', value: 'a' },
      'b:c': { type: 'compound', value: {} },
      名: int(2),
    },
  })
  const hostile = parseSnbt('{__proto__: 1, constructor: 2, x: 3, x: 4}')
  t.ok(hostile.ok && hostile.value.type === 'compound')
  if (hostile.ok && hostile.value.type === 'compound')
    t.strictSame(Object.entries(hostile.value.value), [
      ['__proto__', int(1)],
      ['constructor', int(2)],
      ['x', int(4)],
    ])
  t.end()
})

void t.test('what is wrong is told with its place', (t) => {
  const faults: readonly [string, number, number, RegExp][] = [
    ['', 1, 1, /missing/],
    ['{a 1}', 1, 4, /':' is missing/],
    ['{\n  a: ,\n}', 3, 1, /value is missing/],
    ['{a:1', 1, 1, /no '}'/],
    ['{a:[1', 1, 4, /no ']'/],
    ['{a:"x}', 1, 4, /does not end/],
    ['{a:"x\n"}', 1, 4, /does not end/],
    ['{a:1}}', 1, 6, /behind/],
    ['[1, 2.0]', 1, 5, /double in a list of int/],
    ['[I; 1L]', 1, 5, /long in an array of ints/],
    ['[B; 128]', 1, 5, /array of bytes/],
    ['200b', 1, 1, /out of its range/],
    ['99999999999999999999', 1, 1, /64 bits/],
    ['minecraft:stone', 1, 10, /behind/],
  ]
  for (const [text, line, column, reason] of faults) t.match(value(text), { line, column, reason }, text)
  const deep = '['.repeat(100_000)
  t.match(value(deep), { column: 513, reason: /inside each other/ })
  t.match(value('{a:'.repeat(600)), { reason: /inside each other/ })
  t.ok(parseSnbt('['.repeat(500) + ']'.repeat(500)).ok)
  // read in one way only: every way to part the digits would be hours
  const word = `${'1'.repeat(2_000_000)}x`
  t.ok(value(word), 'a long word of digits')
  t.end()
})

void t.test('real quest books are read, and what is read can be written', WITH_QUEST_BOOKS, async (t) => {
  const files = (await readdir(QUEST_BOOKS ?? '', { recursive: true })).filter((name) =>
    name.endsWith('.snbt'),
  )
  t.ok(files.length > 50)
  const unread: string[] = []
  for (const name of files) {
    const read = parseSnbt(await readFile(join(QUEST_BOOKS ?? '', name), 'utf8'))
    if (!read.ok) unread.push(`${name} ${JSON.stringify(read.failure.params)}`)
    else {
      const bytes = encodeTree(read.value)
      t.ok(bytes.ok && decodeTree(bytes.value).ok, name)
    }
  }
  t.strictSame(unread, [])
})
