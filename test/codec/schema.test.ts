import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { z } from 'zod'
import { codecOf, decodeEntries } from '../../lib/codec/index.js'
import { decodeTree, encodeTree, type NbtTree } from '../../lib/codec/nbt/index.js'
import type { Result } from '../../lib/core/result.js'
import { plain } from '../support/any-nbt.js'

const valueOf = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.failure.code, { cause: result.failure.cause })
  return result.value
}
/** The place and reason of a refusal. */
const causeOf = (result: Result<unknown>): string =>
  result.ok ? 'ok' : result.failure.cause instanceof Error ? result.failure.cause.message : ''
const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.failure.code)
const treeOf = (schema: z.ZodType, value: unknown): unknown =>
  plain(valueOf(decodeTree(valueOf(codecOf(schema).encode(value)))))
const tagOf = (tree: NbtTree): Uint8Array => valueOf(encodeTree(tree))

void t.test('each schema has its tags', async (t) => {
  const compound = (value: Record<string, unknown>): unknown => ({ type: 'compound', value })
  const list = (type: string, value: unknown[]): unknown => ({ type: 'list', value: { type, value } })
  const cases: readonly (readonly [string, z.ZodType, unknown, unknown])[] = [
    ['int32', z.int32(), -5, { type: 'int', value: -5 }],
    ['int', z.int(), -5, { type: 'long', value: [-1, -5] }],
    ['number().int()', z.number().int(), 2 ** 40, { type: 'long', value: [256, 0] }],
    ['uint32', z.uint32(), 4_294_967_295, { type: 'long', value: [0, -1] }],
    ['bigint', z.bigint(), 2n ** 53n + 1n, { type: 'long', value: [0x200000, 1] }],
    ['number', z.number(), 5, { type: 'double', value: 5 }],
    ['float32', z.float32(), 0.5, { type: 'float', value: 0.5 }],
    ['boolean', z.boolean(), true, { type: 'byte', value: 1 }],
    ['string', z.string(), 'a', { type: 'string', value: 'a' }],
    ['enum', z.enum(['a', 'b']), 'b', { type: 'string', value: 'b' }],
    ['literal', z.literal([1, 2]), 2, { type: 'int', value: 2 }],
    ['literal of fractions', z.literal([0.5, 2]), 2, { type: 'double', value: 2 }],
    ['custom text', z.custom<string>((v) => typeof v === 'string'), 'a', { type: 'string', value: 'a' }],
    ['bytes', z.instanceof(Uint8Array), Uint8Array.of(255), { type: 'byteArray', value: [-1] }],
    ['array', z.array(z.int32()), [1, 2], list('int', [1, 2])],
    ['empty array', z.array(z.int32()), [], list('end', [])],
    [
      'mixed array',
      z.array(z.union([z.string(), z.int32()])),
      ['a', 1],
      list('compound', [{ '': { type: 'string', value: 'a' } }, { '': { type: 'int', value: 1 } }]),
    ],
    [
      'mixed array of one type',
      z.array(z.union([z.string(), z.int32()])),
      ['a'],
      list('compound', [{ '': { type: 'string', value: 'a' } }]),
    ],
    ['tuple', z.tuple([z.int32(), z.int32()]), [1, 2], list('int', [1, 2])],
    ['object', z.object({ a: z.int32() }), { a: 1 }, compound({ a: { type: 'int', value: 1 } })],
    ['record', z.record(z.string(), z.int32()), { a: 1 }, compound({ a: { type: 'int', value: 1 } })],
    ['absent', z.object({ a: z.int32().optional() }), {}, compound({})],
    ['undefined', z.object({ a: z.int32().optional() }), { a: undefined }, compound({})],
    ['null', z.object({ a: z.int32().nullable() }), { a: null }, compound({ a: list('end', []) })],
    ['not null', z.object({ a: z.int32().nullable() }), { a: 5 }, compound({ a: list('int', [5]) })],
    ['unknown', z.unknown(), { b: 1, a: [null] }, { type: 'string', value: '{"a":[null],"b":1}' }],
    [
      'long unknown',
      z.unknown(),
      'x'.repeat(70_000),
      { type: 'byteArray', value: [34, ...Array<number>(70_000).fill(120), 34] },
    ],
  ]
  for (const [name, schema, value, tree] of cases) {
    t.ok(isDeepStrictEqual(treeOf(schema, value), tree), name)
    t.ok(
      isDeepStrictEqual(
        valueOf(codecOf(schema).decode(valueOf(codecOf(schema).encode(value)))),
        plain(value),
      ) ||
        name === 'undefined' ||
        name === 'record' ||
        name === 'bytes',
      `${name} comes back`,
    )
  }
})

void t.test('what encode refuses, it names', async (t) => {
  const inner = z.object({ b: z.array(z.int32().max(3)) })
  const cases: readonly (readonly [z.ZodType, unknown, string])[] = [
    [z.object({ a: inner }), { a: { b: [1, 9] } }, 'a.b.1: '],
    [z.object({ a: inner }), { a: {} }, 'a.b: missing'],
    [z.object({ a: z.int32() }), { a: 1, c: 2 }, 'unknown member c'],
    [z.object({ a: z.int32() }), { a: null }, 'a: no number'],
    [z.record(z.string(), z.int32()), { a: 1.5 }, 'a: '],
    [z.record(z.enum(['a', 'b']), z.int32()), { a: 1 }, 'b: missing'],
    [z.record(z.enum(['a', 'b']), z.int32()), { a: 1, b: 2, c: 3 }, 'c: no key'],
    [z.record(z.string(), z.int32()), { '\uD800': 1 }, '\uD800: '],
    [z.tuple([z.int32()]), [1, 2], 'a tuple'],
    [z.array(z.int32()).max(1), [1, 2], 'too_big'],
    [z.bigint(), 2n ** 63n, 'no integer of 64 bits'],
    [z.int(), 2 ** 53, ''],
    [z.int32(), 2 ** 31, ''],
    [z.number(), Number.NaN, ''],
    [z.number(), Infinity, ''],
    [z.float32(), 0.1, ''],
    [z.uuid(), 'x', 'invalid_format'],
    [z.string().refine((text) => text !== 'x', 'not x'), 'x', ''],
    [
      z.object({ a: z.int32(), b: z.int32() }).refine(({ a, b }) => a < b, { path: ['b'] }),
      { a: 2, b: 1 },
      'b: ',
    ],
    [
      z.string().refine(() => {
        throw new Error('of the check')
      }),
      'x',
      'of the check',
    ],
    [z.string().refine(async () => true), 'x', 'a check that answers later'],
    [z.unknown(), { a: new Date(0) }, 'not a plain object'],
    [z.unknown(), undefined, ''],
    [z.int32().optional(), undefined, ''],
    [
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('c') })]),
      { k: 'b' },
      'no option',
    ],
    [z.string().url(), ' https://example.org ', 'a check that changes'],
  ]
  for (const [schema, value, cause] of cases) {
    const result = codecOf(schema).encode(value)
    t.equal(codeOf(result), 'system:storage_invalid', cause)
    t.ok(causeOf(result).startsWith(cause), causeOf(result))
  }
  t.equal(codeOf(codecOf(z.string()).encode('a'.repeat(65_536))), 'system:storage_too_large')
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  t.equal(codeOf(codecOf(z.json()).encode(cyclic as z.core.util.JSONType)), 'system:storage_invalid')
  t.equal(codeOf(codecOf(z.unknown()).encode(cyclic)), 'system:storage_invalid')
})

void t.test('decode takes nothing that encode would not write', async (t) => {
  const one: NbtTree = { type: 'int', value: 1 }
  const cases: readonly (readonly [z.ZodType, NbtTree])[] = [
    [z.int32(), { type: 'short', value: 1 }],
    [z.int32().min(2), one],
    [z.int(), { type: 'long', value: [0x200000, 0] }],
    [z.boolean(), { type: 'byte', value: 2 }],
    [z.number(), { type: 'double', value: Number.NaN }],
    [z.enum(['a']), { type: 'string', value: 'b' }],
    [z.object({ a: z.int32() }), { type: 'compound', value: {} }],
    [z.object({ a: z.int32() }), { type: 'compound', value: { a: one, b: one } }],
    [z.object({}), { type: 'list', value: { type: 'end', value: [] } }],
    [z.record(z.uuid(), z.int32()), { type: 'compound', value: { a: one } }],
    [z.record(z.enum(['a', 'b']), z.int32()), { type: 'compound', value: { a: one } }],
    [z.array(z.int32()), { type: 'list', value: { type: 'short', value: [1] } }],
    [z.array(z.int32()).min(1), { type: 'list', value: { type: 'end', value: [] } }],
    [z.array(z.union([z.string(), z.int32()])), { type: 'list', value: { type: 'string', value: ['a'] } }],
    [
      z.array(z.union([z.string(), z.int32()])),
      { type: 'list', value: { type: 'compound', value: [{ a: one }] } },
    ],
    [z.array(z.union([z.string(), z.int32()])), { type: 'list', value: { type: 'compound', value: [{}] } }],
    [z.tuple([z.int32()]), { type: 'list', value: { type: 'int', value: [1, 2] } }],
    [z.int32().nullable(), { type: 'list', value: { type: 'int', value: [1, 2] } }],
    [z.int32().nullable(), one],
    [z.null(), { type: 'list', value: { type: 'int', value: [1] } }],
    [z.unknown(), { type: 'string', value: '{' }],
    [z.unknown(), { type: 'string', value: 'undefined' }],
    [
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') })]),
      { type: 'compound', value: { k: { type: 'string', value: 'b' } } },
    ],
    [z.discriminatedUnion('k', [z.object({ k: z.literal('a') })]), { type: 'compound', value: {} }],
    [z.string().optional(), one],
  ]
  for (const [schema, tree] of cases)
    t.equal(
      codeOf(codecOf(schema).decode(tagOf(tree))),
      'system:storage_unreadable',
      JSON.stringify(tree.value),
    )
  const shuffled = tagOf({ type: 'compound', value: { b: { type: 'string', value: 'x' }, a: one } })
  t.strictSame(
    valueOf(codecOf(z.object({ a: z.int32(), b: z.string() })).decode(shuffled)),
    { b: 'x', a: 1 },
    'members in any order',
  )
})

void t.test('schemas that can’t be kept are refused when the codec is made', async (t) => {
  const a = z.object({ k: z.literal('a'), x: z.int32() })
  const loose = z.object({ k: z.string() })
  const schemas: readonly z.ZodType[] = [
    z.date(),
    z.map(z.string(), z.string()),
    z.set(z.string()),
    z.symbol(),
    z.never(),
    z.string().transform((text) => text.length),
    z.string().trim(),
    z.string().catch('x'),
    z.preprocess((value) => value, z.string()),
    z.looseObject({}),
    z.object({}).catchall(z.string()),
    z.looseRecord(z.string(), z.string()),
    z.intersection(a, loose),
    z.array(z.string().optional()),
    z.tuple([z.string().optional()]),
    z.union([a, loose]),
    z.union([a, z.record(z.string(), z.string())]),
    z.union([z.int(), z.bigint()]),
    z.union([z.array(z.string()), z.string().nullable()]),
    z.union([z.unknown(), z.string()]),
    z.xor([z.string(), z.int32()]),
    z.literal('\uD800'),
    z.custom(() => true),
    z.object({ deep: z.array(z.lazy(() => z.date())) }),
  ]
  for (const schema of schemas) t.throws(() => codecOf(schema), TypeError, schema.def.type)
  t.throws(() => decodeEntries(z.date(), new Uint8Array()), TypeError)
})

void t.test('absent, null and a default are three things', async (t) => {
  const codec = codecOf(
    z.object({
      a: z.string().nullable().optional(),
      b: z.int32().default(7),
      c: z.object({ d: z.int32().default(1) }).prefault({}),
      e: z
        .string()
        .optional()
        .refine((value) => value !== 'never'),
    }),
  )
  const back = (value: unknown): unknown =>
    valueOf(codec.decode(valueOf(codec.encode(value as z.infer<z.ZodType<never>>))))
  t.strictSame(back({ b: 1, c: { d: 2 } }), { b: 1, c: { d: 2 } })
  t.strictSame(back({ a: null, b: 1, c: { d: 2 }, e: 'x' }), { a: null, b: 1, c: { d: 2 }, e: 'x' })
  t.strictSame(valueOf(codec.decode(tagOf({ type: 'compound', value: {} }))), { b: 7, c: { d: 1 } })
  const strict = codecOf(
    z.object({
      a: z
        .string()
        .optional()
        .refine((value) => value !== undefined),
    }),
  )
  t.equal(codeOf(strict.encode({})), 'system:storage_invalid', 'what couldn’t be read is not written')
})

void t.test('keys that objects inherit', async (t) => {
  const shape = z.object({ constructor: z.int32().optional(), toString: z.int32().optional() })
  t.strictSame(treeOf(shape, {}), { type: 'compound', value: {} })
  const record = codecOf(z.record(z.string(), z.int32()))
  const keys = JSON.parse('{"__proto__":1,"constructor":2,"":3}') as Record<string, number>
  const back = valueOf(record.decode(valueOf(record.encode(keys))))
  t.strictSame(Object.entries(back), Object.entries(keys))
  t.equal(Object.getPrototypeOf(back), null)
})

void t.test('a codec is made once, and may be used inside a check', async (t) => {
  const schema = z.object({ a: z.string() })
  t.equal(codecOf(schema), codecOf(schema))
  const outer = z.object({
    x: z.string(),
    y: z.string().refine((a) => codecOf(schema).encode({ a }).ok),
    z: z.string(),
  })
  const value = { x: 'x'.repeat(100), y: 'y'.repeat(100), z: 'z' }
  t.strictSame(valueOf(codecOf(outer).decode(valueOf(codecOf(outer).encode(value)))), value)
  const [first, second] = [
    valueOf(codecOf(schema).encode({ a: '1' })),
    valueOf(codecOf(schema).encode({ a: '2' })),
  ]
  t.not(Buffer.compare(first, second), 0, 'results share no buffer')
  t.equal(first.buffer.byteLength, first.byteLength)
})

void t.test('entries of a list are read one by one', async (t) => {
  const entry = z.object({ a: z.int32().max(9) })
  const loose = codecOf(z.array(z.object({ a: z.int32(), b: z.string().optional() })))
  const tag = valueOf(loose.encode([{ a: 1 }, { a: 10 }, { a: 2, b: 'new' }, { a: 3 }]))
  t.strictSame(valueOf(decodeEntries(entry, tag)), { values: [{ a: 1 }, { a: 3 }], dropped: 2 })
  t.equal(codeOf(codecOf(z.array(entry)).decode(tag)), 'system:storage_unreadable')
  t.strictSame(valueOf(decodeEntries(z.string(), tag)), { values: [], dropped: 4 }, 'entries of another type')
  t.strictSame(valueOf(decodeEntries(entry, valueOf(loose.encode([])))), { values: [], dropped: 0 })
  const mixed = z.union([z.string(), z.int32()])
  const wide = codecOf(z.array(z.union([z.string(), z.int32(), z.boolean()])))
  t.strictSame(valueOf(decodeEntries(mixed, valueOf(wide.encode(['a', true, 1])))), {
    values: ['a', 1],
    dropped: 1,
  })
  const texts = valueOf(codecOf(z.array(z.string())).encode(['a', 'é', 'b']))
  texts[texts.lastIndexOf(0xa9)] = 0x41
  t.strictSame(
    valueOf(decodeEntries(z.string(), texts)),
    { values: ['a', 'b'], dropped: 1 },
    'a damaged text',
  )
  t.equal(codeOf(decodeEntries(entry, tag.slice(0, -1))), 'system:storage_unreadable')
  t.equal(codeOf(decodeEntries(entry, tagOf({ type: 'int', value: 1 }))), 'system:storage_unreadable')
  const throwing = z.object({
    a: z.int32().refine((a) => {
      if (a === 2) throw new Error('of the check')
      return true
    }),
  })
  const plainTag = valueOf(codecOf(z.array(z.object({ a: z.int32() }))).encode([{ a: 1 }, { a: 2 }]))
  t.strictSame(valueOf(decodeEntries(throwing, plainTag)), { values: [{ a: 1 }], dropped: 1 })
})
