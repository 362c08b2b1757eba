import t from 'tap'
import { META, problems, rawTexts, readAll, readOne } from '../support/packs.js'

const RECIPE = 'data/a/recipe/x.json'
const read = (t: Parameters<typeof readOne>[0], meta: unknown) =>
  readOne(t, { 'pack.mcmeta': meta, [RECIPE]: { base: 1 } })

const FORMATS: [object, number, boolean][] = [
  [{ pack_format: 61 }, 61, true],
  [{ pack_format: 1 }, 1, false],
  [{ pack_format: 15, supported_formats: 61 }, 15, true],
  [{ pack_format: 15, supported_formats: [15, 61] }, 15, true],
  [{ pack_format: 15, supported_formats: { min_inclusive: 15, max_inclusive: 26 } }, 15, false],
  [{ pack_format: 15, supported_formats: { min_inclusive: 15, max_inclusive: 99 } }, 15, true],
  [{ supported_formats: [60, 98] }, 60, true],
  [{ min_format: 88, max_format: [88, 0] }, 88, false],
  [{ min_format: [61, 0], max_format: 61 }, 61, true],
  [{ min_format: [61, 1], max_format: 99 }, 61, false],
  [{ min_format: [61], max_format: [61] }, 61, true],
]
for (const [pack, format, isFit] of FORMATS) {
  void t.test(`formats as ${JSON.stringify(pack)}`, async (t) => {
    const data = await read(t, { pack })
    t.match(data.packs, [{ format, refused: null }])
    t.strictSame(rawTexts(data, 'recipe'), { 'a:x': '{"base":1}' }, 'read whether it fits or not')
    t.match(data.problems, isFit ? [] : [{ file: 'pack.mcmeta', warning: true }])
    t.equal(data.problems.length, isFit ? 0 : 1)
  })
}

void t.test('from format 82 on min and max count, before it the older members', async (t) => {
  const both = { pack: { pack_format: 15, supported_formats: [15, 61], min_format: 82, max_format: 90 } }
  t.equal((await read(t, both)).problems.length, 0)
  const later = await readOne(t, { 'pack.mcmeta': both }, { packFormat: 88 })
  t.equal(later.problems.length, 0)
  t.equal((await readOne(t, { 'pack.mcmeta': both }, { packFormat: 95 })).problems.length, 1)
})

const REFUSED: [string, unknown, RegExp][] = [
  ['missing', null, /^has no pack.mcmeta$/],
  ['not JSON', '{"pack": ', /is not JSON/],
  ['empty', '', /it is empty/],
  ['a list', '[]', /has no object "pack"/],
  ['without pack', '{}', /has no object "pack"/],
  ['without a format', { pack: {} }, /declares no format/],
  ['with half a range', { pack: { min_format: 3 } }, /declares no format/],
  ['with a text for a format', { pack: { pack_format: '61' } }, /is not a format/],
  ['with a list of three', { pack: { pack_format: 61, supported_formats: [1, 2, 3] } }, /is not a format/],
  ['too large', ' '.repeat(1_048_577), /larger than 64 KiB/],
]
for (const [name, meta, reason] of REFUSED) {
  void t.test(`a pack whose pack.mcmeta is ${name} is refused with one problem`, async (t) => {
    const data = await read(t, meta)
    t.equal(data.raw.size, 0)
    t.match(data.packs, [{ name: 'pack', refused: reason }])
    t.equal(data.problems.length, 1)
  })
}

void t.test('a pack.mcmeta that is a folder is none', async (t) => {
  const data = await readOne(t, { 'pack.mcmeta': null, 'pack.mcmeta/x.json': {} })
  t.strictSame(problems(data), ['pack  has no pack.mcmeta'])
})

void t.test('the likeliest mistake is named: the folder around the pack', async (t) => {
  const data = await readOne(t, { 'pack.mcmeta': null, 'my pack/pack.mcmeta': META })
  t.strictSame(problems(data), ['pack  has no pack.mcmeta at its top; one lies in "my pack"'])
})

void t.test('it is read leniently, a key twice is a warning', async (t) => {
  const data = await read(t, "// ours\n{'pack': {'pack_format': 61, 'pack_format': 61}}")
  t.strictSame(problems(data), [
    'warning pack pack.mcmeta:2:30 has the key "pack_format" twice; the last one holds',
  ])
})

void t.test('overlays lie over the base, later ones on top, in each form of their formats', async (t) => {
  const overlay = (directory: string, formats: unknown) => ({ directory, formats })
  const entries = [
    overlay('int', 61),
    overlay('list', [60, 62]),
    overlay('object', { min_inclusive: 1, max_inclusive: 99 }),
    overlay('not-this', 18),
    overlay('absent', 61),
    { directory: 'min-max', min_format: 61, max_format: [61, 3] },
  ]
  const files = {
    'pack.mcmeta': { ...META, overlays: { entries } },
    'data/a/recipe/base.json': { in: 'base' },
    'data/a/recipe/x.json': { in: 'base' },
    'data/a/tags/item/t.json': { values: ['base'] },
  }
  const layers = Object.fromEntries(
    ['int', 'list', 'object', 'not-this', 'min-max'].flatMap((name, at) => [
      [`${name}/data/a/recipe/only-${name}.json`, {}],
      [`${name}/data/a/recipe/x.json`, { in: name }],
      ...(at < 3 ? [[`${name}/data/a/tags/item/t.json`, { values: [name] }] as const] : []),
    ]),
  )
  const data = await readOne(t, { ...files, ...layers })
  t.strictSame(problems(data), [])
  const texts = rawTexts(data, 'recipe')
  t.strictSame(Object.keys(texts).sort(), [
    'a:base',
    'a:only-int',
    'a:only-list',
    'a:only-min-max',
    'a:only-object',
    'a:x',
  ])
  t.equal(texts['a:x'], '{"in":"min-max"}')
  t.same(
    [...(data.tags.get('item')?.values() ?? [])],
    [['minecraft:object']],
    'one file of a pack, not merged',
  )
})

void t.test('bad overlays are left out one by one, never outside of the pack', async (t) => {
  const entries = [{ directory: '..', formats: 61 }, { directory: 'a/b', formats: 61 }, { directory: 'x' }, 7]
  const data = await readOne(t, { 'pack.mcmeta': { ...META, overlays: { entries } }, [RECIPE]: {} })
  t.strictSame(
    data.problems.map(({ pointer }) => pointer),
    [
      '/overlays/entries/0/directory',
      '/overlays/entries/1/directory',
      '/overlays/entries/2',
      '/overlays/entries/3',
    ],
  )
  t.ok(data.problems.every(({ line, column }) => line !== null && column !== null))
  t.equal(data.raw.get('recipe')?.ids.length, 1)
  const none = await readOne(t, { 'pack.mcmeta': { ...META, overlays: [] } })
  t.match(problems(none), [/overlays/])
})

const LOW = {
  'data/minecraft/advancements/story/root.json': {},
  'data/minecraft/recipe/stick.json': {},
  'data/a/recipe/stick.json': {},
  'data/a/lang/en_us.json': { a: 'b' },
}
const hidden = (t: Parameters<typeof readAll>[0], block: unknown) =>
  readAll(t, {
    low: LOW,
    filter: { 'pack.mcmeta': { ...META, filter: { block } }, 'data/minecraft/recipe/own.json': {} },
    above: { 'data/minecraft/recipe/later.json': {} },
  })

void t.test(
  'a filter hides files of lower packs alone, by namespace and path, in both spellings',
  async (t) => {
    const data = await hidden(t, [
      { namespace: '^minecraft$', path: '^advancement/.*' },
      { namespace: 'minecraft', path: 'recipe' },
      { path: 'lang/' },
    ])
    t.strictSame(problems(data), [])
    t.equal(data.raw.get('advancement'), undefined)
    t.strictSame(Object.keys(rawTexts(data, 'recipe')), ['a:stick', 'minecraft:own', 'minecraft:later'])
    t.equal(data.texts.lang.size, 0)
    const all = await hidden(t, [{}])
    t.strictSame(Object.keys(rawTexts(all, 'recipe')), ['minecraft:own', 'minecraft:later'])
  },
)

void t.test('patterns that can not be used hide nothing and are told', async (t) => {
  const block = [
    { path: '(?!x).*' },
    { namespace: 7 },
    { path: '^(a+)+$' },
    { path: '(.*a.*|.*b.*|.*c.*){30}z' },
  ]
  const data = await hidden(t, block)
  t.equal(data.raw.get('recipe')?.ids.length, 4)
  t.strictSame(
    data.problems.map(({ pointer }) => pointer),
    ['/filter/block/0/path', '/filter/block/1'],
  )
})

void t.test(
  'patterns that cost too much are told, and what was hidden until then stays hidden',
  async (t) => {
    const files = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`data/a/recipe/${'ab/'.repeat(70)}${at}.json`, {}]),
    )
    const block = [{ path: '(.*a.*|.*b.*|.*c.*|.*d.*|.*e.*|.*f.*){12}Z' }]
    const data = await readAll(t, { low: files, filter: { 'pack.mcmeta': { ...META, filter: { block } } } })
    t.strictSame(problems(data), [
      'filter pack.mcmeta#/filter/block its patterns cost too much; what they had not hidden yet stays',
    ])
    t.equal(data.raw.get('recipe')?.ids.length, 1_000)
  },
)
