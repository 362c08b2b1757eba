import fc from 'fast-check'
import t from 'tap'
import { boundedJson } from '../../lib/core/bounded-json.js'
import { canonicalJson, utf8Bytes } from '../../lib/core/json.js'

void t.test('canonical JSON: equal values, equal text', async (t) => {
  t.equal(
    canonicalJson({ b: 1, a: [true, null, 'x'], ab: undefined, '': {} }),
    '{"":{},"a":[true,null,"x"],"b":1}',
  )
  t.equal(canonicalJson({ é: 1, z: 2, Z: 3, 10: 4, 9: 5 }), '{"10":4,"9":5,"Z":3,"z":2,"é":1}')
  t.equal(canonicalJson(-0), canonicalJson(0))
  t.equal(canonicalJson(JSON.parse('{"__proto__":1,"constructor":2}')), '{"__proto__":1,"constructor":2}')
  t.equal(canonicalJson(Object.assign(Object.create(null), { a: 1 })), '{"a":1}')
})

void t.test('canonical JSON refuses what JSON cannot hold', async (t) => {
  const things = [undefined, () => 1, Symbol('s'), 1n, NaN, Infinity, new Date(0), new Map(), new Set([1])]
  for (const [at, thing] of things.entries()) {
    t.throws(() => canonicalJson(thing), TypeError, `${at}`)
    t.throws(() => canonicalJson({ deep: [thing] }), TypeError, `${at}, inside`)
  }
})

void t.test('canonical JSON means the same and does not depend on the order of keys', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      const reversed = (node: unknown): unknown =>
        Array.isArray(node)
          ? node.map(reversed)
          : typeof node === 'object' && node !== null
            ? Object.fromEntries(
                Object.entries(node)
                  .reverse()
                  .map(([key, member]) => [key, reversed(member)]),
              )
            : node
      return (
        canonicalJson(JSON.parse(text)) === text &&
        canonicalJson(reversed(JSON.parse(JSON.stringify(value)))) === text
      )
    }),
  )
})

/** Dropped elements and remaining ones together, by object with lists. */
function countElements(node: unknown): number {
  if (Array.isArray(node)) return node.length
  const { items, more } = node as { items: unknown[]; more?: number }
  return items.length + (more ?? 0)
}

void t.test('bounded JSON shortens lists and says by how much', async (t) => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => `element ${at}`)
  t.equal(boundedJson({ a: 1 }, 7), '{"a":1}', 'exactly the limit')
  t.equal(boundedJson({ a: 1 }, 6), null, 'no list to shorten')
  t.same(JSON.parse(boundedJson(list(9), 60) ?? ''), { items: list(2), more: 7 }, 'a list at the root')
  t.same(
    JSON.parse(boundedJson({ head: 'kept', items: list(100), name: 'kept' }, 200) ?? ''),
    { head: 'kept', items: list(12), name: 'kept', more: 88 },
    'everything else stays',
  )
  t.same(JSON.parse(boundedJson({ items: list(8), more: 2 }, 80) ?? ''), { items: list(4), more: 6 })
  t.same(
    JSON.parse(boundedJson({ found: [{ id: 1, uses: list(64) }] }, 150) ?? ''),
    { found: [{ id: 1, uses: list(8), more: 56 }] },
    'what a list of one holds is shortened before the list is emptied',
  )
  t.same(JSON.parse(boundedJson({ items: ['x'.repeat(500)] }, 50) ?? ''), { items: [], more: 1 })
  t.equal(boundedJson(undefined, 100), null)
})

void t.test('bounded JSON changes nothing of what it is given', async (t) => {
  const deep = Object.freeze({ uses: Object.freeze(Array.from({ length: 50 }, () => 'use')) })
  const root = Object.freeze([deep, deep])
  t.ok(boundedJson(root, 100))
  t.equal(root.length, 2)
  t.equal(deep.uses.length, 50)
  t.notOk('more' in deep)
})

void t.test('bounded JSON: never above the limit, always JSON, counts add up', async () => {
  const value = fc.oneof(
    fc.array(fc.string({ unit: 'binary' }), { maxLength: 60 }),
    fc.record({ items: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 40 }) }),
  )
  fc.assert(
    fc.property(value, fc.integer({ min: 0, max: 400 }), (value, limit) => {
      const text = boundedJson(value, limit)
      if (text === null) return true
      const read: unknown = JSON.parse(text)
      return utf8Bytes(text) <= limit && countElements(read) === countElements(value)
    }),
    { numRuns: 500 },
  )
})
