/** Registries decoded from what packs hold. */
import t from 'tap'
import { z } from 'zod'
import { codecOf } from '../../lib/codec/index.js'
import { identifier } from '../../lib/core/ids.js'
import {
  decodeContent,
  emptyContent,
  persistHolderSchema,
  problemLine,
  RegistryTypes,
  type RegistryType,
} from '../../lib/registry/index.js'
import { packData, PACK } from '../support/pack-data.js'
import { at, BOOK, problem, SHELF } from './shelves.js'

void t.test('what decodes is there, frozen, in order of packs and then of ids', async (t) => {
  const data = packData({
    packs: ['first', 'second'],
    entries: {
      'test/book': {
        'test:b': { pages: 2 },
        'test:z': { value: { pages: 26 }, [PACK]: 'first' },
        'test:a': { value: { pages: 1 }, [PACK]: 'second' },
      },
    },
  })
  const content = await decodeContent([BOOK, SHELF], data, at)
  const books = content.registry(BOOK)
  t.same(books.ids(), ['test:b', 'test:z', 'test:a'])
  t.same(books.values()[2], { id: 'test:a', value: { pages: 1 } })
  t.ok(Object.isFrozen(books.get('test:b')?.value))
  t.equal(books.get('test:c'), undefined)
  t.equal(content.version, 'v1')
  t.same(content.problems, [])
  t.throws(() => content.registry({ ...BOOK }), TypeError)
})

void t.test('an entry that does not decode is left out with one problem', async (t) => {
  const books = { 'test:a': { pages: 'many' }, 'test:b': { pages: 1 } }
  const content = await decodeContent([BOOK], packData({ entries: { 'test/book': books } }), at)
  t.same(content.registry(BOOK).ids(), ['test:b'])
  t.same(content.problems, [problem('/pages', 'must be a number')])
  t.equal(content.skipped, 1)
})

void t.test('an entry that names a missing one is left out, then those that name it', async (t) => {
  const NODE: RegistryType<{ next: string; kind: string; required: boolean }> = {
    id: identifier('test:node'),
    folder: 'test/node',
    schema: z.object({
      next: z.string(),
      kind: z.string().default('test:node'),
      required: z.boolean().default(true),
    }),
    references: ({ next, kind, required }) => [
      { registry: identifier(kind), ref: next, pointer: ['next'], required },
    ],
  }
  const node = (next: string, over: object = {}) => ({ next, ...over })
  const data = packData({
    entries: {
      'test/node': {
        'test:a': node('test:b'),
        'test:b': node('test:c'),
        'test:c': node('test:gone'),
        'test:d': node('test:bad'),
        'test:bad': { next: 1 },
        'test:ring1': node('test:ring2'),
        'test:ring2': node('test:ring1'),
        'test:self': node('test:self'),
        'test:lax': node('test:gone', { required: false }),
        'test:tag': node('#test:some'),
        'test:no_tag': node('#test:none'),
        'test:logs': node('#minecraft:logs', { kind: 'minecraft:item' }),
        'test:no_logs': node('#minecraft:none', { kind: 'minecraft:item' }),
        'test:stick': node('minecraft:stick', { kind: 'minecraft:item' }),
        'test:odd': node('test:a', { kind: 'test:unheard_of' }),
      },
    },
    tags: { 'test/node': { 'test:some': ['test:self'] }, item: { 'minecraft:logs': ['minecraft:oak_log'] } },
  })
  const content = await decodeContent([NODE], data, at)
  const kept = ['lax', 'logs', 'ring1', 'ring2', 'self', 'stick', 'tag']
  t.same(
    content.registry(NODE).ids(),
    kept.map((name) => `test:${name}`),
  )
  t.same(Object.fromEntries(content.problems.map(({ file, reason }) => [file.slice(20, -5), reason])), {
    a: 'names test:b of test:node, which was left out',
    b: 'names test:c of test:node, which was left out',
    c: 'names test:gone of test:node, which does not exist',
    d: 'names test:bad of test:node, which was left out',
    bad: 'must be a string',
    no_tag: 'names the tag #test:none of test:node, which does not exist',
    no_logs: 'names the tag #minecraft:none of minecraft:item, which does not exist',
    odd: 'names test:a of test:unheard_of, which is no registry',
  })
  t.equal(content.skipped, 8)
})

void t.test('ten thousand entries that hang on a missing one fall with it, in one pass', async (t) => {
  const CHAIN: RegistryType<{ next: string[] }> = {
    id: identifier('test:chain'),
    folder: 'test/chain',
    schema: z.object({ next: z.array(z.string()) }),
    references: ({ next }) =>
      next.map((ref, place) => ({ registry: identifier('test:chain'), ref, pointer: ['next', place] })),
  }
  const count = 10_000
  let looks = 0
  const chain = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`test:n${n}`, { next: [`test:n${n + 1}`, 'test:n9999'] }]),
  )
  const data = packData({ entries: { 'test/chain': chain } })
  const counted: RegistryType<{ next: string[] }> = {
    ...CHAIN,
    references: (value) => {
      looks += 1
      return CHAIN.references?.(value) ?? []
    },
  }
  const content = await decodeContent([counted], data, at)
  t.equal(content.registry(counted).size, 0)
  t.equal(looks, count)
  t.equal(content.skipped, count)
  t.equal(content.problems.length, 1_000)
  t.equal(content.moreProblems, count - 1_000)
})

void t.test('code of a type that throws costs its entry alone', async (t) => {
  const thrown: string[] = []
  const types: readonly RegistryType<unknown>[] = [
    {
      id: identifier('test:refs'),
      folder: 'test/refs',
      schema: z.unknown(),
      *references(value) {
        if (value === 'throw') throw new Error('at /home/somebody')
        if (value === 'odd') yield undefined as never
        if (value === 'endless')
          for (;;) yield { registry: identifier('minecraft:item'), ref: 'a:b', pointer: [], required: false }
      },
    },
    {
      id: identifier('test:schema'),
      folder: 'test/schema',
      schema: z.unknown().transform((value) => {
        if (value === 'throw') throw new Error('at /home/somebody')
        return value
      }),
    },
  ]
  const entries = { 'test:a': 'throw', 'test:b': 'fine', 'test:c': 'odd', 'test:d': 'endless' }
  const data = packData({ entries: { 'test/refs': entries, 'test/schema': entries } })
  const content = await decodeContent(types, data, {
    ...at,
    onThrown: (type, id) => thrown.push(`${type.id} ${id}`),
  })
  const [refs, schema] = [...content.registries().values()]
  t.same(refs?.ids(), ['test:b'])
  t.same(schema?.ids(), ['test:b', 'test:c', 'test:d'])
  t.same(thrown, ['test:schema test:a', 'test:refs test:a', 'test:refs test:c', 'test:refs test:d'])
  t.notMatch(JSON.stringify(content.problems), /somebody/)
})

void t.test('tags keep what is there', async (t) => {
  const data = packData({
    entries: { 'test/book': { 'test:a': { pages: 1 }, 'test:b': { pages: 2 }, 'test:bad': { pages: 0 } } },
    tags: {
      'test/book': { 'test:all': ['test:b', 'test:bad', 'test:gone', 'test:a'], 'test:none': [] },
      item: { 'minecraft:logs': ['minecraft:oak_log'] },
    },
  })
  const content = await decodeContent([BOOK], data, at)
  const books = content.registry(BOOK)
  const ids = (holders: readonly { readonly id: string }[] | undefined) => holders?.map(({ id }) => id)
  t.same(ids(books.tag('test:all')), ['test:b', 'test:a'])
  t.same(ids(books.tag('test:none')), [])
  t.equal(books.tag('test:other'), undefined)
  t.same(ids(books.resolve(['test:a', '#test:all', 'test:gone', '#test:other', 'test:b'])), [
    'test:a',
    'test:b',
  ])
  t.same([...content.tags('test/book')][0], ['test:all', ['test:b', 'test:a']])
  t.same(content.tags('item').get(identifier('minecraft:logs')), ['minecraft:oak_log'])
  t.equal(content.tags('nothing').size, 0)
  t.same(
    content.problems.map(({ file, reason }) => `${file} ${reason}`),
    ['data/test/test/book/bad.json must be at least 1'],
  )
})

void t.test('places come from the files, for problems alone', async (t) => {
  const asked: string[] = []
  const data = packData({ entries: { 'test/book': { 'test:a': { pages: 'x' }, 'test:b': { pages: 1 } } } })
  const content = await decodeContent([BOOK], data, {
    ...at,
    locate: async (problems) => {
      asked.push(...problems.map(({ file, pointer }) => file + pointer))
      return [{ line: 3, column: 12 }]
    },
  })
  t.same(asked, ['data/test/test/book/a.json/pages'])
  t.match(content.problems, [{ line: 3, column: 12 }])
  t.same(content.problems.map(problemLine), ['pack data/test/test/book/a.json:3:12 /pages: must be a number'])
})

void t.test('others have their turn between entries', async (t) => {
  const books = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`test:b${n}`, { pages: 1 }]))
  let isOthersTurn = false
  let longest = 0
  let steps = 0
  await decodeContent([BOOK], packData({ entries: { 'test/book': books } }), {
    version: 'v',
    yield: () => {
      steps += 1
      longest = Math.max(longest, steps)
      if (steps < 100) return null
      steps = 0
      return Promise.resolve().then(() => void (isOthersTurn = true))
    },
  })
  t.ok(isOthersTurn)
  t.equal(longest, 100, 'asked for each entry')
})

void t.test('texts come in parts, others have their turn between them', async (t) => {
  const parts = Array.from({ length: 40 }, (_, at) => JSON.stringify({ [`key.${at}`]: `v${at}` }))
  const data = packData({
    texts: { synonyms: { en_us: { make: ['craft'] } }, prompts: { react: 'You are ours.' } },
  })
  const lang = new Map([
    ['en_us', parts],
    ['de_de', ['{"__proto__": "x"}']],
  ])
  let turns = 0
  const content = await decodeContent(
    [],
    { ...data, texts: { ...data.texts, lang } },
    {
      ...at,
      yield: () => {
        turns += 1
        return null
      },
    },
  )
  const sentences = content.languages.get('en_us') ?? {}
  t.equal(Object.keys(sentences).length, 40)
  t.equal(sentences['key.39'], 'v39')
  t.strictSame(Object.entries(content.languages.get('de_de') ?? {}), [['__proto__', 'x']])
  t.same([...content.synonyms], [['en_us', { make: ['craft'] }]])
  t.same([...content.prompts], [['react', 'You are ours.']])
  t.ok(turns >= 41)
})

void t.test('what is saved of a holder keeps its value, and comes back', async (t) => {
  const schema = persistHolderSchema(BOOK.schema)
  const data = packData({ entries: { 'test/book': { 'test:a': { pages: 3 } } } })
  const holder = (await decodeContent([BOOK], data, at)).registry(BOOK).get('test:a')
  const codec = codecOf(schema)
  const saved = codec.encode(schema.parse(holder))
  t.ok(saved.ok)
  if (saved.ok) t.same(codec.decode(saved.value), { ok: true, value: { id: 'test:a', value: { pages: 3 } } })
  t.throws(() => schema.parse({ id: 'Not An Id', value: { pages: 3 } }))
})

void t.test('an empty content has every registry', async (t) => {
  const content = emptyContent([BOOK])
  t.same([content.registry(BOOK).ids(), content.problems, content.skipped], [[], [], 0])
})

void t.test('a type has an id and a folder of its own', async (t) => {
  const types = new RegistryTypes()
  types.add(BOOK)
  const undo = types.mark()
  types.add(SHELF)
  t.throws(() => types.add({ ...BOOK, folder: 'test/other' }), /registered twice/)
  t.throws(() => types.add({ ...BOOK, id: identifier('test:other') }), /has a type already/)
  for (const folder of ['', '/a', 'a/', 'A', 'a//b', '..', 'a/../b', 'a b'])
    t.throws(() => types.add({ ...BOOK, id: identifier('test:x'), folder }), /no folder/, folder)
  undo()
  t.same(types.list(), [BOOK])
})
