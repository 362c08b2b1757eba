/** What is said of entries that are left out. */
import t from 'tap'
import { z } from 'zod'
import { identifierSchema } from '../../lib/codec/index.js'
import { identifier } from '../../lib/core/ids.js'
import type { Json } from '../../lib/core/json.js'
import {
  decodeContent,
  faultsOf,
  newProblems,
  problemLine,
  type Content,
  type RegistryType,
} from '../../lib/registry/index.js'
import { packData } from '../support/pack-data.js'
import { at, BOOK, problem, SHELF } from './shelves.js'

const ANY: RegistryType<unknown> = {
  id: identifier('test:any'),
  folder: 'test/any',
  schema: z.strictObject({
    name: z.string().min(2).max(4).optional(),
    list: z.array(z.int()).max(2).optional(),
    kind: z.enum(['a', 'b']).optional(),
    one: z.literal(1).optional(),
    id: identifierSchema.optional(),
    table: z.record(z.string().regex(/^[a-z]+$/, 'is no word'), z.int()).optional(),
    cost: z.union([z.string(), z.strictObject({ item: z.string(), count: z.int().min(1) })]).optional(),
    action: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('give'), item: z.string() }),
        z.strictObject({ type: z.literal('say'), text: z.string() }),
      ])
      .optional(),
    module: z
      .union([
        z.strictObject({ server: z.strictObject({ type: z.string() }), client: z.string() }),
        z.strictObject({ type: z.string(), size: z.int().optional() }),
      ])
      .optional(),
    deep: z.union([z.array(z.union([z.int(), z.strictObject({ x: z.int() })])), z.boolean()]).optional(),
  }),
}

const REASONS: readonly [Json, string, string][] = [
  [3, '', 'must be an object'],
  [null, '', 'must be an object'],
  [{ name: 1 }, '/name', 'must be a string'],
  [{ name: 'x' }, '/name', 'must have a length of at least 2'],
  [{ list: [1, 2, 3] }, '/list', 'must have a size of at most 2'],
  [{ list: [1, 1.5] }, '/list/1', 'must be a whole number'],
  [{ kind: 'c' }, '/kind', 'must be one of "a", "b"'],
  [{ one: 2 }, '/one', 'must be 1'],
  [{ id: 'No' }, '/id', 'not an identifier'],
  [{ nmae: 'x' }, '/nmae', 'is not a known field'],
  [{ 'a/b~c': 'x' }, '/a~1b~0c', 'is not a known field'],
  [{ table: { ABC: 1 } }, '/table/ABC', 'its name is no word'],
  [{ table: { abc: 'x' } }, '/table/abc', 'must be a number'],
  [{ cost: 3 }, '/cost', 'must be a string, or must be an object'],
  [{ cost: { item: 'x', count: 0 } }, '/cost/count', 'must be at least 1'],
  [{ cost: { item: 'x' } }, '/cost/count', 'is missing'],
  [{ action: {} }, '/action/type', 'must be one of "give", "say"'],
  [{ action: { type: 'give', item: 1 } }, '/action/item', 'must be a string'],
  [{ module: { type: 'x', sise: 1 } }, '/module/sise', 'is not a known field'],
  [{ module: { type: 7, size: 'x' } }, '/module/type', 'must be a string'],
  [{ module: { server: { tipe: 'x' }, client: 'x' } }, '/module/server/type', 'is missing'],
  [{ deep: [1, { x: 'y' }] }, '/deep/1/x', 'must be a number'],
  [{ name: 'abcde', list: [1, 2, 3] }, '/name', 'must have a length of at most 4'],
]

void t.test('a problem names the place and says in plain words what must be there', async (t) => {
  for (const [value, pointer, reason] of REASONS) {
    const data = packData({ entries: { 'test/any': { 'test:a': value } } })
    const { problems } = await decodeContent([ANY], data, at)
    t.same(problems, [problem(pointer, reason, ['test/any', 'a'])], JSON.stringify(value))
  }
})

void t.test('a problem is bounded and one line, whatever a pack holds', async (t) => {
  const long = 'x'.repeat(1_000_000)
  const data = packData({
    entries: {
      'test/any': { 'test:a': { [`\u001b[31m\n${long}`]: 1 }, 'test:b': { list: Array(200_000).fill('x') } },
      'test/shelf': { 'test:s': { title: 'x', books: [long] } },
    },
  })
  const { problems } = await decodeContent([ANY, SHELF, BOOK], data, at)
  t.equal(problems.length, 3)
  for (const found of problems) {
    t.ok(found.pointer.length <= 512 && found.reason.length <= 240)
    t.match(problemLine(found), /^\P{Cc}{1,600}$/u)
  }
})

void t.test('a new problem is one that was not there before, wherever its line is now', async (t) => {
  let line = 0
  const broken = (pages: Json): Promise<Content> => {
    line += 1
    const data = packData({ entries: { 'test/book': { 'test:a': { pages } } } })
    return decodeContent([BOOK], data, { ...at, locate: async () => [{ line, column: 1 }] })
  }
  const [sound, mistyped, negative, again] = await Promise.all([
    broken(1),
    broken('x'),
    broken(-1),
    broken('x'),
  ])
  const count = (before: Content, now: Content): number => newProblems(before, now).problems.length
  t.same([count(sound, mistyped), count(mistyped, again), count(mistyped, sound)], [1, 0, 0])
  t.equal(count(mistyped, negative), 1, 'another reason')
  t.equal(problemLine({ ...problem('', 'is no pack'), file: '' }), 'pack: is no pack')
  const warned = {
    packs: [],
    problems: [{ ...problem('', 'is odd'), warning: true as const }],
    moreProblems: 2,
  }
  t.same(faultsOf(newProblems(sound, warned)), { problems: [], more: 2 })
})
