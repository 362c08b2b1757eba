/** Any value of any kind of schema comes back from its NBT as it was, and others can read that NBT. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import nbt from 'prismarine-nbt'
import t from 'tap'
import { z } from 'zod'
import { codecOf, decodeEntries } from '../../lib/codec/index.js'
import { composeRoot } from '../../lib/codec/nbt/index.js'
import { plain } from '../support/any-nbt.js'

const text = fc.string({ unit: 'binary', maxLength: 40 })
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const int = fc.maxSafeInteger()
const bigint = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const double = fc.double({ noNaN: true, noDefaultInfinity: true })
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '', '7'))
const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)))

interface Tree {
  readonly v: number
  readonly kids: readonly Tree[]
  readonly next?: Tree | null | undefined
}
const tree: z.ZodType<Tree> = z.object({
  v: z.int32(),
  get kids() {
    return z.array(tree)
  },
  get next() {
    return tree.nullish()
  },
})
const anyTree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record(
    {
      v: int32,
      kids: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('tree'), { maxLength: 3 })),
      next: fc.oneof({ depthSize: 'small' }, fc.constant(null), tie('tree')),
    },
    { requiredKeys: ['v', 'kids'] },
  ),
})).tree

const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('point'), at: z.tuple([z.int32(), z.int32()]) }),
  z.strictObject({ size: z.number(), kind: z.literal('circle') }),
  z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['line', 'arc']), ends: z.array(z.bigint()) }),
    z.object({ kind: z.literal(7), ends: z.string().readonly() }),
  ]),
])
const anyShape = fc.oneof(
  fc.record({ kind: fc.constant('point'), at: fc.tuple(int32, int32) }),
  fc.record({ size: double, kind: fc.constant('circle') }),
  fc.record({ kind: fc.constantFrom('line', 'arc'), ends: fc.array(bigint) }),
  fc.record({ kind: fc.constant(7), ends: text }),
)
const anything = z.union([
  z.string(),
  z.int32(),
  z.number(),
  z.bigint(),
  z.boolean(),
  z.null(),
  shape,
  z.array(z.int()),
])
const anyOfThem = fc.oneof(
  text,
  int32,
  double.map((value) => (value === 0 ? 0 : value)),
  bigint,
  fc.boolean(),
  fc.constant(null),
  anyShape,
  fc.array(int),
)

const CASES: readonly (readonly [string, z.ZodType, fc.Arbitrary<unknown>])[] = [
  ['int32', z.int32(), int32],
  ['int', z.int(), int],
  ['uint32', z.uint32(), fc.integer({ min: 0, max: 2 ** 32 - 1 })],
  ['int64', z.int64(), bigint],
  ['number', z.number(), double],
  ['number or NaN', z.union([z.number(), z.nan()]), fc.double({ noDefaultInfinity: true })],
  ['float32', z.float32(), fc.float({ noNaN: true, noDefaultInfinity: true })],
  ['boolean', z.boolean(), fc.boolean()],
  ['string', z.string(), text],
  [
    'string with checks',
    z
      .string()
      .min(1)
      .max(80)
      .refine((value) => value !== 'x'),
    fc.string({ minLength: 1 }).filter((value) => value !== 'x'),
  ],
  ['uuid', z.uuid(), fc.uuid()],
  ['template', z.templateLiteral(['a-', z.int32()]), fc.nat({ max: 1_000 }).map((n) => `a-${n}`)],
  ['enum', z.enum(['a', 'é', '😀']), fc.constantFrom('a', 'é', '😀')],
  ['literals', z.literal(['a', 1, 2.5, true, null, 5n]), fc.constantFrom('a', 1, 2.5, true, null, 5n)],
  ['bytes', z.instanceof(Uint8Array), fc.uint8Array()],
  ['array', z.array(z.int32()), fc.array(int32)],
  ['nested arrays', z.array(z.array(z.string())), fc.array(fc.array(text))],
  ['nullable twice', z.string().nullable().nullable(), fc.option(text)],
  ['array of nullable', z.array(z.int32().nullable()), fc.array(fc.option(int32))],
  [
    'tuple',
    z.tuple([z.string(), z.int32()]).rest(z.boolean()),
    fc.tuple(text, int32, fc.array(fc.boolean())).map(([a, b, rest]) => [a, b, ...rest]),
  ],
  ['record', z.record(z.string(), z.int()), fc.dictionary(key, int)],
  ['record of an enum', z.record(z.enum(['a', 'b']), z.int32()), fc.record({ a: int32, b: int32 })],
  [
    'partial record',
    z.partialRecord(z.enum(['a', 'b']), z.int32()),
    fc.record({ a: int32, b: int32 }, { requiredKeys: [] }),
  ],
  ['record of numbers', z.record(z.int(), z.string()), fc.dictionary(fc.nat().map(String), text)],
  [
    'object',
    z.object({ a: z.string(), b: z.int32().optional(), c: z.string().nullish(), d: z.object({}) }),
    fc.record({ a: text, b: int32, c: fc.option(text), d: fc.constant({}) }, { requiredKeys: ['a', 'd'] }),
  ],
  ['discriminated union', shape, anyShape],
  ['union', anything, anyOfThem],
  ['mixed list', z.array(anything), fc.array(anyOfThem, { maxLength: 6 })],
  ['brand and readonly', z.object({ a: z.string().brand('A') }).readonly(), fc.record({ a: text })],
  ['unknown', z.unknown(), json],
  ['json', z.json(), json],
  ['list of json', z.array(z.json()), fc.array(json, { maxLength: 4 })],
  ['lazy', z.lazy(() => z.array(z.lazy(() => z.string()))), fc.array(text)],
  ['recursive', tree, anyTree],
]

for (const [index, [name, schema, arbitrary]] of CASES.entries()) {
  void t.test(`any value comes back: ${name}`, async (t) => {
    const codec = codecOf(schema)
    const list = codecOf(z.array(schema))
    fc.assert(
      fc.property(arbitrary, (value) => {
        const tag = codec.encode(value)
        if (!tag.ok) throw new Error('not written', { cause: tag.failure })
        const back = codec.decode(tag.value)
        if (!back.ok) throw new Error('not read', { cause: back.failure })
        if (value instanceof Uint8Array) return isDeepStrictEqual(back.value, value)
        // readable by others; a name of that kind is lost there
        nbt.parseUncompressed(Buffer.from(composeRoot([['value', tag.value]])))
        return isDeepStrictEqual(plain(back.value), plain(value)) && schema.safeParse(back.value).success
      }),
      { seed: index, numRuns: 200 },
    )
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 5 }), (values) => {
        const tag = list.encode(values)
        const back = tag.ok ? decodeEntries(schema, tag.value) : tag
        return (
          back.ok && back.value.dropped === 0 && isDeepStrictEqual(plain(back.value.values), plain(values))
        )
      }),
      { seed: index, numRuns: 50 },
    )
    t.pass()
  })
}

void t.test('a value of another schema is refused or comes back as it was', async (t) => {
  const all = fc.oneof(...CASES.map(([, , arbitrary]) => arbitrary))
  fc.assert(
    fc.property(fc.constantFrom(...CASES), all, ([, schema], value) => {
      const tag = codecOf(schema).encode(value)
      if (!tag.ok) return tag.failure.code === 'system:storage_invalid'
      const back = codecOf(schema).decode(tag.value)
      return back.ok && schema.safeParse(back.value).success
    }),
    { seed: 9, numRuns: 3_000 },
  )
  t.pass()
})
