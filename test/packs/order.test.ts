import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import {
  META,
  packPlace,
  problems,
  rawTexts,
  readAll,
  sentences,
  synonyms,
  readFrom,
  readOne,
  values,
  writePack,
} from '../support/packs.js'

const SYSTEM = 'data/a/system/system'

void t.test(
  'built-in, then the world by name, then the settings; later ones override whole files by id',
  async (t) => {
    const place = await packPlace(t)
    const pack = (path: string, files: Record<string, unknown>) => writePack(join(place, path), files)
    await pack('ours/default', {
      [`${SYSTEM}/x.json`]: 'ours'.length,
      [`${SYSTEM}/y.json`]: { only: 'ours' },
    })
    await pack('world/b', { [`${SYSTEM}/x.json`]: { from: 'b' } })
    await pack('world/a', { [`${SYSTEM}/x.json`]: { from: 'a' }, [`${SYSTEM}/deep/z.json`]: [] })
    const extra = [await pack('z', { [`${SYSTEM}/x.json`]: { from: 'z' } }), await pack('other/a', {})]
    const data = await readFrom({ builtIn: join(place, 'ours'), world: join(place, 'world'), extra })
    t.strictSame(
      data.packs.map(({ name }) => name),
      ['default', 'a', 'b', 'z', 'a (2)'],
    )
    t.strictSame(values(data, 'system/system'), {
      'a:y': { only: 'ours' },
      'a:deep/z': [],
      'a:x': { from: 'z' },
    })
    t.match(data.entries.get('system/system'), new Map([['a:x', { pack: 'z', file: `${SYSTEM}/x.json` }]]))
    t.strictSame(problems(data), [])
  },
)

void t.test('folders of packs that are not there are no problem, packs of the settings are', async (t) => {
  const place = await packPlace(t)
  const [world, builtIn] = [join(place, 'no-world', 'datapacks'), join(place, 'none')]
  const data = await readFrom({ builtIn, world, extra: [join(place, 'gone'), join(place, 'gone.zip')] })
  t.strictSame(
    data.packs.map(({ name, kind, refused }) => [name, kind, refused]),
    [
      ['gone', 'folder', 'is not there'],
      ['gone.zip', 'zip', 'is not there'],
    ],
  )
  t.equal(data.problems.length, 2)
  t.notMatch(JSON.stringify(data), place, 'no path of the machine')
})

void t.test(
  'a broken file of a higher pack hides the lower one: what it was to change is not guessed',
  async (t) => {
    const data = await readAll(t, {
      low: { [`${SYSTEM}/x.json`]: {} },
      high: { [`${SYSTEM}/x.json`]: '{' },
    })
    t.strictSame(values(data, 'system/system'), {})
    t.strictSame(problems(data), [
      'high data/a/system/system/x.json:1:2 is not JSON: the end instead of a key',
    ])
  },
)

void t.test('a pack inside of a pack is not read, nor is what lies elsewhere', async (t) => {
  const data = await readOne(t, {
    'data/minecraft/datapacks/inner/pack.mcmeta': META,
    [`data/minecraft/datapacks/inner/${SYSTEM}/x.json`]: {},
    [`nested/${SYSTEM}/x.json`]: {},
    'data/x.json': {},
    'data/a/lang/deep/en_us.json': {},
    '.git/data/a/system/system/x.json': {},
    [`${SYSTEM}/readme.txt`]: 'not JSON',
  })
  t.strictSame([...data.entries.keys()], [])
  t.strictSame(problems(data), [])
})

void t.test('folders count by their names, not by parts of a path', async (t) => {
  const data = await readOne(t, {
    'data/a/loot_tables/advancements/x.json': { loot: 1 },
    'data/a/advancements_old/y.json': {},
    'data/a/system/system_module_old/z.json': {},
    'data/a/system/system_module/system/w.json': { module: 1 },
    'data/a/tags/items/advancements/t.json': { values: ['stone'] },
  })
  t.strictSame([...data.raw.keys()], ['loot_table'])
  t.strictSame(rawTexts(data, 'loot_table'), { 'a:advancements/x': '{"loot":1}' })
  t.strictSame(values(data, 'system/system_module'), { 'a:system/w': { module: 1 } })
  t.strictSame([...data.tags.keys()], ['item'])
})

void t.test('names from before 1.21 are the same folders', async (t) => {
  const old = {
    'data/a/advancements/x.json': {},
    'data/a/recipes/x.json': {},
    'data/a/loot_tables/x.json': {},
    'data/a/tags/items/x.json': { values: ['a'] },
    'data/a/tags/blocks/x.json': { values: ['b'] },
    'data/a/tags/entity_types/x.json': { values: ['c'] },
    'data/a/tags/game_events/x.json': { values: [] },
    'data/a/tags/worldgen/biome/x.json': { values: [] },
    'data/a/tags/system/system/x.json': { values: [] },
  }
  for (const packFormat of [15, 61]) {
    const data = await readOne(t, old, { packFormat })
    t.strictSame([...data.raw.keys()].sort(), ['advancement', 'loot_table', 'recipe'])
    t.strictSame([...data.tags.keys()].sort(), [
      'block',
      'entity_type',
      'game_event',
      'item',
      'system/system',
      'worldgen/biome',
    ])
  }
})

void t.test(
  'a pack for both sides of 1.21 is read as the game would, one for the other side whole',
  async (t) => {
    const files = {
      'data/a/advancements/x.json': { old: 1 },
      'data/a/advancements/gone.json': {},
      'data/a/advancement/x.json': { new: 1 },
      'data/a/recipes/r.json': {},
    }
    const now = await readOne(t, files, { packFormat: 48 })
    t.strictSame(
      problems(now),
      [
        'warning pack data/a/advancements/gone.json lies in a folder for another version of the game, beside the one for this (1 such files); left out',
        "warning pack pack.mcmeta#/pack declares format 61 and not the game's 48; the pack is read nevertheless",
      ].reverse(),
    )
    t.strictSame(rawTexts(now, 'advancement'), { 'a:x': '{"new":1}' })
    t.strictSame(rawTexts(now, 'recipe'), { 'a:r': '{}' })
    const before = await readOne(t, files, { packFormat: 41 })
    t.strictSame(rawTexts(before, 'advancement'), { 'a:gone': '{}', 'a:x': '{"old":1}' })
  },
)

void t.test('the same file by both names in two packs is one entry', async (t) => {
  const data = await readAll(t, {
    low: { 'data/a/advancements/x.json': { old: 1 } },
    high: { 'data/a/advancement/x.json': { new: 1 } },
  })
  t.strictSame(rawTexts(data, 'advancement'), { 'a:x': '{"new":1}' })
})

void t.test('names that are no ids are told, one by one', async (t) => {
  const data = await readOne(t, {
    [`${SYSTEM}/Upper.json`]: {},
    'data/My-Pack/system/system/x.json': {},
    [`${SYSTEM}/${'long/'.repeat(60)}x.json`]: {},
    'data/a/lang/English.json': {},
  })
  t.equal(data.entries.size, 0)
  t.equal(data.problems.length, 4)
  t.match(problems(data).join('\n'), /a:Upper\n/)
})

void t.test('texts kept as text are what JSON.parse takes, and broken ones are left out', async (t) => {
  const data = await readOne(t, {
    'data/a/recipe/plain.json': ' {"a":\n1} ',
    'data/a/recipe/marked.json': '\uFEFF{"a":2}',
    'data/a/recipe/lenient.json': "{'a': 'it\\'s' /* so */}",
    'data/a/recipe/broken.json': '{"a":1',
    'data/a/recipe/binary.json': new Uint8Array([0xff, 0xfe, 0x7b]),
  })
  t.strictSame(rawTexts(data, 'recipe'), {
    'a:lenient': '{"a":"it\'s"}',
    'a:marked': '{"a":2}',
    'a:plain': ' {"a":\n1} ',
  })
  t.strictSame(problems(data), [
    'pack data/a/recipe/binary.json is not UTF-8',
    "pack data/a/recipe/broken.json:1:7 is not JSON: the end instead of ',' or '}'",
  ])
})

void t.test('a key twice is a warning, the file counts', async (t) => {
  const data = await readOne(t, { [`${SYSTEM}/x.json`]: '\uFEFF{"a": 1, "a": 2}' })
  t.strictSame(values(data, 'system/system'), { 'a:x': { a: 2 } })
  t.strictSame(problems(data), [
    'warning pack data/a/system/system/x.json:1:10 has the key "a" twice; the last one holds',
  ])
})

void t.test('words: languages by key, phrases together, prompts by name', async (t) => {
  const data = await readAll(t, {
    low: {
      'data/system/lang/en_us.json': { hello: 'Hello', bye: 'Bye', n: 1 },
      'data/system/system/synonyms/en_us.json': { make: ['craft'] },
      'data/system/system/prompts/react.txt': '\uFEFFBe kind.',
    },
    high: {
      'data/b/lang/en_us.json': '{"hello": "Hi", "__proto__": "x"}',
      'data/b/system/synonyms/en_us.json': { make: ['build', 'craft'], go: ['walk'] },
      'data/b/system/prompts/own/one.txt': '{not JSON',
      'data/system/system/prompts/react.txt': 'Be short.',
    },
  })
  t.strictSame(sentences(data, 'en_us'), [
    ['hello', 'Hi'],
    ['bye', 'Bye'],
    ['__proto__', 'x'],
  ])
  t.same(synonyms(data, 'en_us'), { make: ['craft', 'build'], go: ['walk'] })
  t.strictSame(
    data.texts.prompts,
    new Map([
      ['react', 'Be short.'],
      ['b:own/one', '{not JSON'],
    ]),
  )
  t.strictSame(problems(data), ['low data/system/lang/en_us.json#/n:1:34 no text, left out: n'])
})

void t.test('a file of packs beside packs is left alone', async (t) => {
  const place = await packPlace(t)
  await writePack(join(place, 'world'), { 'pack.mcmeta': null, 'notes.txt': 'x', '.hidden/x': 'x' })
  await mkdir(join(place, 'world', 'empty'))
  const data = await readFrom({ world: join(place, 'world') })
  t.strictSame(problems(data), ['empty  has no pack.mcmeta'])
})
