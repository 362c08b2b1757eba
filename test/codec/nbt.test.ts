import { inspect, isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import nbt from 'prismarine-nbt'
import t from 'tap'
import {
  composeCompound,
  composeRoot,
  decodeTree,
  DEFAULT_NBT_LIMITS,
  encodeTree,
  splitCompound,
  splitRoot,
  TagType,
  type NbtTree,
} from '../../lib/codec/nbt/index.js'
import type { Result } from '../../lib/core/result.js'
import { anyCompound, plain } from '../support/any-nbt.js'

const valueOf = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.failure.code, { cause: result.failure.cause })
  return result.value
}
const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.failure.code)
const split = (document: Uint8Array) => splitRoot(document, DEFAULT_NBT_LIMITS)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const theirs = (tree: NbtTree, name = ''): Buffer =>
  nbt.writeUncompressed({ ...tree, name } as unknown as nbt.NBT)
/** A document of ours made from a compound. */
const ours = (tree: NbtTree): Uint8Array =>
  composeRoot(valueOf(splitCompound(valueOf(encodeTree(tree)), DEFAULT_NBT_LIMITS)))

const stringTag = (payload: string): Uint8Array => {
  const bytes = Buffer.from(payload.replaceAll(' ', ''), 'hex')
  return Buffer.concat([Uint8Array.of(TagType.String, bytes.length >> 8, bytes.length & 255), bytes])
}

void t.test('trees become the bytes that prismarine-nbt writes, and come back', async (t) => {
  fc.assert(
    fc.property(anyCompound, (tree) => {
      const document = ours(tree)
      if (hex(document) !== hex(theirs(tree))) return false
      const parsed = nbt.parseUncompressed(Buffer.from(document))
      const back = valueOf(decodeTree(valueOf(encodeTree(tree))))
      return (
        isDeepStrictEqual(plain({ ...back, name: '' }), plain(parsed)) &&
        hex(valueOf(encodeTree(back))) === hex(valueOf(encodeTree(tree)))
      )
    }),
    { seed: 1, numRuns: 500 },
  )
  t.pass('500 trees')
})

void t.test('a part is cut out and put back as it is', async (t) => {
  fc.assert(
    fc.property(anyCompound, fc.string({ unit: 'binary', maxLength: 9 }), (tree, name) => {
      const root = valueOf(split(composeRoot([['a', valueOf(encodeTree(tree))]], name)))
      return (
        root.name === name && hex(root.parts.get('a') ?? new Uint8Array()) === hex(valueOf(encodeTree(tree)))
      )
    }),
  )
  const names = ['__proto__', 'constructor', '', 'a:b/c', '\0', '😀', '石']
  const parts = names.map((name, index) => [name, Uint8Array.of(TagType.Byte, index)] as const)
  t.strictSame([...valueOf(split(composeRoot(parts))).parts], parts, 'whatever the names are')
  t.strictSame([...valueOf(splitCompound(composeCompound(parts), DEFAULT_NBT_LIMITS))], parts)
  const part = valueOf(split(composeRoot(parts))).parts.get('😀')
  t.equal(part?.buffer.byteLength, part?.byteLength, 'alone in its buffer, so it may be transferred')
})

void t.test('documents of others are read', async (t) => {
  const seven: NbtTree = { type: 'int', value: 7 }
  const tree: NbtTree = { type: 'compound', value: { a: seven } }
  const named = valueOf(split(theirs(tree, 'hello')))
  t.equal(named.name, 'hello')
  t.strictSame(decodeTree(named.parts.get('a') ?? new Uint8Array()), {
    ok: true,
    value: seven,
  })
  const nameless = valueOf(split(valueOf(encodeTree(tree))))
  t.equal(nameless.name, '')
  t.strictSame([...nameless.parts], [...named.parts], 'a root without a name')
  t.equal(codeOf(split(Uint8Array.of(10, 0))), 'system:storage_unreadable', 'two bytes of a torn document')
  t.strictSame([...valueOf(split(Uint8Array.of(10, 0, 0, 0))).parts], [])
  const astral = theirs({ type: 'compound', value: { '😀': { type: 'string', value: '\0😀' } } })
  const [[name, tag] = ['', new Uint8Array()]] = valueOf(split(astral)).parts
  t.equal(name, '😀', 'plain UTF-8 in a name')
  t.strictSame(valueOf(decodeTree(tag)), { type: 'string', value: '\0😀' }, 'and in a text')
})

void t.test('longs are pairs, and bigints are written too', async (t) => {
  for (const [pair, value] of [
    [[0x7fffffff, -1], 2n ** 63n - 1n],
    [[-0x80000000, 0], -(2n ** 63n)],
    [[-1, -1], -1n],
    [[0x200000, 1], 2n ** 53n + 1n],
  ] as const) {
    const tag = valueOf(encodeTree({ type: 'long', value }))
    t.strictSame(valueOf(decodeTree(tag)), { type: 'long', value: pair })
    t.equal(hex(valueOf(encodeTree({ type: 'long', value: pair }))), hex(tag))
  }
})

void t.test('text is modified UTF-8', async (t) => {
  const vectors: readonly (readonly [string, string])[] = [
    ['A', '41'],
    ['A\0', '41 c0 80'],
    ['é', 'c3 a9'],
    ['石', 'e7 9f b3'],
    ['😀', 'ed a0 bd ed b8 80'],
    ['\uFFFF\u0800\u07FF\u0080\u007F', 'ef bf bf e0 a0 80 df bf c2 80 7f'],
  ]
  for (const [text, payload] of vectors) {
    for (const pad of ['', 'x'.repeat(40)]) {
      const tag = stringTag(hex(Buffer.from(pad)) + payload)
      const tree: NbtTree = { type: 'string', value: pad + text }
      t.equal(hex(valueOf(encodeTree(tree))), hex(tag), `${payload} written`)
      t.strictSame(valueOf(decodeTree(tag)), tree, `${payload} read`)
    }
  }
  for (const lone of ['\uD83D', '\uDE00', '\uDE00\uD83D', 'a\uD83Db', '\uD83D\uD83D\uDE00\uDE00']) {
    const sound = lone.replace(/\p{Surrogate}/gu, '\uFFFD')
    for (const pad of ['', 'x'.repeat(40)]) {
      const tag = valueOf(encodeTree({ type: 'string', value: pad + lone }))
      t.strictSame(valueOf(decodeTree(tag)), { type: 'string', value: pad + sound })
    }
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) =>
      isDeepStrictEqual(valueOf(decodeTree(valueOf(encodeTree({ type: 'string', value })))), {
        type: 'string',
        value,
      }),
    ),
  )
})

void t.test('text of other programs is read as far as it is UTF-8', async (t) => {
  const read = (payload: string): unknown => {
    const tree = decodeTree(stringTag(payload))
    return tree.ok ? tree.value.value : tree.failure.code
  }
  t.equal(read('f0 9f 98 80 c0 80'), '😀\0')
  t.equal(read('00 41'), '\0A')
  t.equal(read('ed a0 bd 41'), '\uFFFDA', 'a lone surrogate')
  t.equal(read('ef bf bd'), '\uFFFD')
  t.equal(read('ef bb bf 41'), '\uFEFFA')
  for (const bad of [
    '80',
    '41 ff',
    'c1 81',
    'e0 80 80',
    'e7 9f',
    'c3',
    'f0 80 80 80',
    'f4 90 80 80',
    'f8 88 80 80 80',
    'c3 41',
  ])
    t.equal(read(bad), 'system:storage_unreadable', bad)
})

void t.test('strings above 65,535 bytes are refused whole', async (t) => {
  for (const [unit, most] of [
    ['a', 65_535],
    ['石', 21_845],
    ['\0', 32_767],
    ['😀', 10_922],
  ] as const) {
    const fits: NbtTree = { type: 'string', value: unit.repeat(most) }
    t.strictSame(valueOf(decodeTree(valueOf(encodeTree(fits)))), fits)
    const tree: NbtTree = { type: 'string', value: unit.repeat(most + 1) }
    t.equal(codeOf(encodeTree(tree)), 'system:storage_too_large')
    t.equal(
      codeOf(encodeTree({ type: 'compound', value: { [tree.value]: fits } })),
      'system:storage_too_large',
    )
    t.throws(() => composeRoot([[tree.value, Uint8Array.of(1, 1)]]), TypeError)
  }
})

void t.test('what NBT can’t hold is refused with its place', async (t) => {
  const bad: readonly (readonly [string, unknown])[] = [
    ['', null],
    ['', { type: 'end', value: 0 }],
    ['', { type: 'byte', value: 128 }],
    ['', { type: 'int', value: 0.5 }],
    ['', { type: 'long', value: 2n ** 63n }],
    ['', { type: 'long', value: [1] }],
    ['', { type: 'string', value: 5 }],
    [
      'a.1.b: ',
      { a: { type: 'list', value: { type: 'compound', value: [{}, { b: { type: 'short', value: 1e9 } }] } } },
    ],
    ['a: ', { a: { type: 'bool', value: 1 } }],
    ['a: ', { a: undefined }],
    ['\uD800: ', { '\uD800': { type: 'byte', value: 1 } }],
    ['l.0: ', { l: { type: 'list', value: { type: 'end', value: [1] } } }],
    ['l: ', { l: { type: 'list', value: 3 } }],
  ]
  for (const [place, value] of bad) {
    const tree = place === '' ? value : { type: 'compound', value }
    const result = encodeTree(tree as NbtTree)
    t.equal(codeOf(result), 'system:storage_invalid', inspect(value))
    t.ok(
      !result.ok && result.failure.cause instanceof Error && result.failure.cause.message.startsWith(place),
    )
  }
  t.throws(() => composeRoot([['\uDC00', Uint8Array.of(1, 1)]]), TypeError)
  t.throws(() => composeRoot([['a', new Uint8Array()]]), TypeError)
})

void t.test('values keep their bytes wherever the buffer grows', async (t) => {
  // a buffer of this size isn't kept: the next writer starts with a small one
  const large: NbtTree = {
    type: 'list',
    value: { type: 'string', value: Array.from({ length: 40 }, () => 'x'.repeat(60_000)) },
  }
  for (let size = 8_140; size < 8_200; size++) {
    valueOf(encodeTree(large))
    const tree: NbtTree = {
      type: 'compound',
      value: {
        s: { type: 'string', value: 'x'.repeat(size) },
        b: { type: 'byte', value: 5 },
        l: { type: 'long', value: [1, 2] },
      },
    }
    t.equal(hex(ours(tree)), hex(theirs(tree)), String(size))
  }
})
