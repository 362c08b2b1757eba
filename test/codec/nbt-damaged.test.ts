/** Damaged and hostile NBT: a typed failure or a valid value, never a throw, never much memory. */
import fc from 'fast-check'
import t from 'tap'
import { z } from 'zod'
import { codecOf, decodeEntries, type Codec } from '../../lib/codec/index.js'
import {
  composeRoot,
  decodeTree,
  DEFAULT_NBT_LIMITS,
  encodeTree,
  splitCompound,
  splitRoot,
  type NbtLimits,
  type NbtTree,
} from '../../lib/codec/nbt/index.js'
import type { Result } from '../../lib/core/result.js'

const MEGABYTE = 1_048_576
const schema = z.strictObject({
  name: z.string(),
  count: z.int32(),
  when: z.int(),
  worth: z.bigint(),
  share: z.number(),
  flag: z.boolean().nullable(),
  bytes: z.instanceof(Uint8Array),
  notes: z.array(z.union([z.string(), z.int32()])),
  by: z.record(z.string(), z.strictObject({ x: z.int32() })),
  rest: z.unknown(),
})
const sample: z.infer<typeof schema> = {
  name: 'Zoë 石 😀',
  count: -3,
  when: 1_790_000_000_000,
  worth: 2n ** 60n,
  share: 0.25,
  flag: null,
  bytes: Uint8Array.of(1, 2, 255),
  notes: ['a', 7],
  by: { one: { x: 1 }, two: { x: 2 } },
  rest: { a: [1, null] },
}
const codec: Codec<z.infer<typeof schema>> = codecOf(schema)
const encoded = codec.encode(sample)
const tag = encoded.ok ? encoded.value : new Uint8Array()
const others: NbtTree = {
  type: 'compound',
  value: {
    b: { type: 'byteArray', value: [1, -1] },
    i: { type: 'intArray', value: [1, -1] },
    l: { type: 'longArray', value: [[1, -1]] },
    f: { type: 'list', value: { type: 'float', value: [0.5, 1] } },
    s: { type: 'short', value: 300 },
  },
}
const othersTag = encodeTree(others)
const document = composeRoot([
  ['a:b', tag],
  ['c:d', othersTag.ok ? othersTag.value : tag],
])
const CODES = ['system:storage_unreadable', 'system:storage_too_large']

/** Everything that reads; the value of what was readable is written again. */
function readAll(bytes: Uint8Array): Result<unknown>[] {
  const root = splitRoot(bytes, DEFAULT_NBT_LIMITS)
  const parts = root.ok ? [...root.value.parts.values()] : []
  const results: Result<unknown>[] = [root, splitCompound(bytes, DEFAULT_NBT_LIMITS)]
  for (const part of [bytes, ...parts]) {
    const tree = decodeTree(part)
    const value = codec.decode(part)
    results.push(tree, value, decodeEntries(z.string(), part))
    if (tree.ok) results.push(decodeTree(written(encodeTree(tree.value))))
    if (value.ok) results.push(codec.decode(written(codec.encode(value.value))))
  }
  return results
}
const written = (result: Result<Uint8Array>): Uint8Array => {
  if (!result.ok) throw new Error('what was read can’t be written', { cause: result.failure })
  return result.value
}
const isSound = (results: readonly Result<unknown>[]): boolean =>
  results.every((result) => result.ok || CODES.includes(result.failure.code))

/** MiB that stay in use while the result is held. */
function memoryOf(work: () => unknown): { readonly used: number; readonly result: unknown } {
  const before = process.memoryUsage()
  const result = work()
  const after = process.memoryUsage()
  const used = after.heapUsed + after.external - before.heapUsed - before.external
  return { used: used / MEGABYTE, result }
}

void t.test('the sample itself is sound', async (t) => {
  t.strictSame(codec.decode(tag).ok, true)
  t.strictSame(splitRoot(document, DEFAULT_NBT_LIMITS).ok, true)
})

void t.test('truncated at every length', async (t) => {
  for (let length = 0; length < document.length; length++) {
    const cut = document.slice(0, length)
    t.ok(isSound(readAll(cut)) && !splitRoot(cut, DEFAULT_NBT_LIMITS).ok, `${length} bytes are no document`)
  }
  for (let length = 0; length < tag.length; length++) {
    const results = readAll(tag.slice(0, length))
    t.ok(isSound(results) && results.every((result) => !result.ok), `${length} bytes are no tag`)
  }
})

void t.test('bytes behind the end', async (t) => {
  for (const whole of [document, tag])
    t.ok(readAll(Buffer.concat([whole, Uint8Array.of(0)])).every((result) => !result.ok))
})

void t.test('each bit and each byte flipped', async (t) => {
  for (const whole of [document, tag]) {
    for (let at = 0; at < whole.length; at++) {
      const masks = [1, 2, 4, 8, 16, 32, 64, 128, 255]
      const isGood = masks.every((mask) => {
        const bytes = whole.slice()
        bytes[at] = (bytes[at] ?? 0) ^ mask
        return isSound(readAll(bytes))
      })
      t.ok(isGood, `byte ${at}`)
    }
  }
})

void t.test('any bytes', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => isSound(readAll(bytes))),
    { seed: 1, numRuns: 2_000 },
  )
  const tags = fc.array(fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 12), { maxLength: 60 })
  fc.assert(
    fc.property(tags, (bytes) => isSound(readAll(Uint8Array.from([10, ...bytes])))),
    { seed: 2, numRuns: 2_000 },
  )
  t.pass()
})

void t.test('names that repeat', async (t) => {
  const twice = Uint8Array.from([10, 0, 0, 1, 0, 1, 97, 5, 1, 0, 1, 97, 6, 0])
  t.notOk(splitRoot(twice, DEFAULT_NBT_LIMITS).ok)
  const inner = Uint8Array.from([10, 1, 0, 1, 97, 5, 1, 0, 1, 97, 6, 0])
  t.notOk(decodeTree(inner).ok)
  t.notOk(codecOf(z.record(z.string(), z.boolean())).decode(inner).ok)
  const object = codecOf(z.object({ a: z.int32(), b: z.int32().optional() }))
  const member = [3, 0, 1, 97, 0, 0, 0, 1]
  t.ok(object.decode(Uint8Array.from([10, ...member, 0])).ok)
  t.notOk(object.decode(Uint8Array.from([10, ...member, ...member, 0])).ok)
})

const nestedCompounds = (depth: number): Uint8Array =>
  Buffer.concat([Uint8Array.of(10), Buffer.from('0a000161'.repeat(depth), 'hex'), Buffer.alloc(depth + 1)])
const nestedLists = (depth: number): Uint8Array =>
  Buffer.concat([Buffer.from(`09${'0900000001'.repeat(depth)}`, 'hex'), Buffer.alloc(5)])

void t.test('20,000 levels', async (t) => {
  for (const bomb of [
    nestedCompounds(20_000),
    nestedLists(20_000),
    composeRoot([['a', nestedLists(20_000)]]),
  ]) {
    const { used, result } = memoryOf(() => readAll(bomb))
    t.ok(isSound(result as Result<unknown>[]) && (result as Result<unknown>[]).every(({ ok }) => !ok))
    t.ok(used < 64)
  }
  t.ok(decodeTree(nestedCompounds(511)).ok)
  t.notOk(decodeTree(nestedCompounds(512)).ok)
  const json = codecOf(z.unknown())
  const text = '['.repeat(20_000) + ']'.repeat(20_000)
  const jsonTag = codecOf(z.string()).encode(text)
  t.equal(jsonTag.ok && json.decode(jsonTag.value).ok, false, 'inside a JSON text as well')
  t.equal(json.encode(JSON.parse(text)).ok, false)
})

void t.test('what is written can be read, down to the deepest level', async (t) => {
  type Deep = { readonly in?: Deep | undefined }
  const deep: z.ZodType<Deep> = z.object({
    get in() {
      return deep.optional()
    },
  })
  const nested = (levels: number): Deep => (levels === 1 ? {} : { in: nested(levels - 1) })
  const tree = (levels: number): NbtTree => ({
    type: 'compound',
    value: levels === 1 ? {} : { in: tree(levels - 1) },
  })
  for (const encode of [codecOf(deep).encode(nested(500)), encodeTree(tree(500))]) {
    t.ok(encode.ok && decodeTree(encode.value).ok)
    t.ok(encode.ok && splitRoot(composeRoot([['p', encode.value]]), DEFAULT_NBT_LIMITS).ok)
  }
  t.notOk(codecOf(deep).encode(nested(501)).ok)
  t.notOk(encodeTree(tree(501)).ok)
})

void t.test('counts that can’t be true are refused before memory is taken', async (t) => {
  const bombs = [
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0].map(
      (type) => `09 ${type.toString(16).padStart(2, '0')} 7fffffff`,
    ),
    ...['07', '0b', '0c'].flatMap((type) => [`${type} 7fffffff 00`, `${type} ffffffff`, `${type} 80000000`]),
    '09 01 ffffffff',
    '09 00 00000001',
    '09 0a ffffffff 00',
    '08 ffff 61',
    '0d 00',
    '00',
  ]
  for (const bomb of bombs) {
    const bytes = Buffer.from(bomb.replaceAll(' ', ''), 'hex')
    const { used, result } = memoryOf(() => [
      decodeTree(bytes),
      codec.decode(bytes),
      splitRoot(Buffer.concat([Buffer.from('0a0000', 'hex'), bytes, Uint8Array.of(0)]), DEFAULT_NBT_LIMITS),
    ])
    t.ok(
      (result as Result<unknown>[]).every(
        (one) => !one.ok && one.failure.code === 'system:storage_unreadable',
      ),
      bomb,
    )
    t.ok(used < 8)
  }
})

/** A list of so many elements, each of these bytes. */
function listOf(type: number, count: number, element: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(6 + count * element.length)
  bytes.writeUInt16BE(0x0900 | type, 0)
  bytes.writeInt32BE(count, 2)
  for (let i = 0; i < count; i++) bytes.set(element, 6 + i * element.length)
  return bytes
}

void t.test('as much as the limits allow takes bounded memory', async (t) => {
  const most = DEFAULT_NBT_LIMITS.maxTags
  for (const [type, element] of [
    [1, [5]],
    [9, [0, 0, 0, 0, 0]],
    [10, [0]],
    [8, [0, 1, 65]],
    [4, [0, 0, 0, 1, 0, 0, 0, 2]],
  ] as const) {
    const { used, result } = memoryOf(() => decodeTree(listOf(type, most, element)))
    t.ok((result as Result<unknown>).ok)
    t.ok(used < 64, `${used.toFixed()} MiB for type ${type}`)
    t.notOk(decodeTree(listOf(type, most + 1, element)).ok)
  }
  const names = Array.from({ length: most }, (_, index) => index.toString(36).padStart(4, '0'))
  const entries = names.map((name) => [name, Uint8Array.of(1, 1)] as const)
  t.throws(() => composeRoot(entries), TypeError, 'a little less is written than is read')
  const half = composeRoot(entries.slice(0, most / 2)).subarray(3, -1)
  const other = composeRoot(entries.slice(most / 2)).subarray(3)
  const parts = Buffer.concat([Buffer.from('0a0000', 'hex'), half, other])
  const whole = memoryOf(() => splitRoot(parts, DEFAULT_NBT_LIMITS))
  t.ok((whole.result as Result<unknown>).ok)
  t.ok(whole.used < 64, `${whole.used.toFixed()} MiB for parts`)
  const wide = memoryOf(() => decodeTree(Buffer.concat([Uint8Array.of(10), parts.subarray(3)])))
  t.ok((wide.result as Result<unknown>).ok)
  t.ok(wide.used < 64, `${wide.used.toFixed()} MiB for members`)
})

void t.test('limits are the caller’s', async (t) => {
  const limits: NbtLimits = { maxDepth: 1, maxTags: 3, maxBytes: 40 }
  const root = (hex: string): Uint8Array => Buffer.from(`0a0000${hex}00`, 'hex')
  t.ok(splitRoot(root('0a0001610100016205 00'.replaceAll(' ', '')), limits).ok)
  t.notOk(splitRoot(root('0a0001610a00016200 00'.replaceAll(' ', '')), limits).ok, 'two levels')
  t.ok(splitRoot(root('0900016101000000030000 00'.replaceAll(' ', '')), limits).ok)
  t.notOk(splitRoot(root('090001610100000004000000 00'.replaceAll(' ', '')), limits).ok, 'four values')
  const large = splitRoot(new Uint8Array(41), limits)
  t.equal(large.ok ? '' : large.failure.code, 'system:storage_too_large')
  const many = codecOf(z.array(z.int32())).encode(Array.from({ length: 199_901 }, () => 1))
  t.equal(many.ok ? '' : many.failure.code, 'system:storage_too_large', 'writers keep to what is read')
})
