/** The JSON Schemas of pack files that editors read, as validators understand them. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { SCHEMA_FOLDER } from '../../lib/config/index.js'
import { PACK_SCHEMA_FOLDER, packJsonSchemas } from '../../plugins/cli/pack-schemas.js'
import { schemaErrors } from '../support/json-schema.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const schemas = packJsonSchemas()
const errors = (name: string, value: unknown): string | null => schemaErrors(schemas.get(name) ?? {}, value)

/** Which schema is that of a file, by its place. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^pack\.mcmeta$/, 'pack.mcmeta'],
  [/^data\/\w+\/tags\/.*\.json$/, 'tag'],
  [/^data\/\w+\/lang\/\w+\.json$/, 'lang'],
  [/^data\/\w+\/system\/synonyms\/\w+\.json$/, 'synonyms'],
  [/^data\/\w+\/system\/system\/.*\.json$/, 'system'],
  [/^data\/\w+\/system\/card\/.*\.json$/, 'card'],
  [/^data\/\w+\/system\/system_module\/.*\.json$/, 'system_module'],
  [/^data\/\w+\/system\/signin_rewards\/.*\.json$/, 'signin_rewards'],
  [/^data\/\w+\/system\/shop_offers\/.*\.json$/, 'shop_offers'],
  [/^data\/\w+\/system\/lottery_pools\/.*\.json$/, 'lottery_pools'],
]

void t.test('each accepts what ships and what hosts copy', async (t) => {
  const seen = new Set<string>()
  for (const pack of ['datapacks/default', 'examples/pack', 'examples/cards']) {
    const files = readdirSync(join(ROOT, pack), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, pack).length + 1))
    for (const file of files) {
      const name = KINDS.find(([place]) => place.test(file))?.[1] ?? ''
      seen.add(name)
      t.equal(errors(name, JSON.parse(readFileSync(join(ROOT, pack, file), 'utf8'))), null, file)
    }
  }
  t.strictSame([...seen].sort(), [...schemas.keys()].sort(), 'one file of each kind at least')
})

const LEVEL = { type: 'level', min: 10 }
const GOOD: Readonly<Record<string, readonly unknown[]>> = {
  system: [
    { name: 'A', modules: [] },
    { name: 'A', description: 'B', modules: ['#a:b', { module: 'a:b/c', condition: LEVEL }] },
  ],
  system_module: [
    {
      type: 'system:items',
      condition: { type: 'not', condition: { type: 'system:any_of', conditions: [LEVEL] } },
    },
    { server: { type: 'system:reasoning' }, client: 'a:b', condition: LEVEL },
  ],
  signin_rewards: [
    { rewards: [{ type: 'xp', points: 1 }] },
    { weight: 3, rewards: [{ type: 'items', items: [{ item: 'stone' }] }] },
  ],
  shop_offers: [
    { costs: [{ type: 'free' }], rewards: [{ type: 'feature', feature: 'a:b' }] },
    {
      title: 'A',
      costs: [{ type: 'system:item', item: '#a:b', count: 3 }],
      rewards: [{ type: 'xp', points: 1 }],
    },
  ],
  lottery_pools: [
    {
      costs: [{ type: 'xp_levels', levels: 1 }],
      prizes: [{ weight: 1, rewards: [{ type: 'xp', points: 1 }] }],
    },
  ],
  card: [
    { body: [] },
    {
      title: null,
      surface: 'book',
      otherButtons: 'hidden',
      body: [
        {
          type: 'section',
          label: { translate: 'a', with: { b: { client: '{c}', fallback: 'd' } } },
          nodes: [],
        },
        {
          type: 'list',
          each: 'a.b',
          as: 'c',
          nodes: [{ type: 'items', items: [{ item: '{c}', count: 'd' }] }],
        },
        { type: 'entry', title: { item: 'a' }, press: 0, when: '!a' },
        { type: 'button', press: { show: { page: 0 } }, label: 'a', icon: 'a:b' },
      ],
    },
  ],
  tag: [{ values: ['a', '#a:b', { id: 'a:b', required: false }], replace: true }],
  lang: [{}, { 'a.b': 'c' }],
  synonyms: [{ a: ['b'] }],
  'pack.mcmeta': [
    {
      pack: { pack_format: 61, supported_formats: [6, 99], description: [''] },
      overlays: { entries: [{ directory: 'a', formats: { min_inclusive: 1, max_inclusive: 2 } }] },
      filter: { block: [{ namespace: 'a' }] },
    },
    { pack: { min_format: [82, 1], max_format: 99 } },
  ],
}
const BAD: Readonly<Record<string, readonly unknown[]>> = {
  system: [
    { modules: [] },
    { name: 'A', modules: ['a'] },
    { name: 'A', modules: [], x: 1 },
    { name: 'A', modules: [{ module: 'a:b', condition: { type: 'levl' } }] },
  ],
  system_module: [
    { type: 'system:itmes' },
    { type: 'system:items', x: 1 },
    { server: { type: 'system:items', client: 'a:b' } },
    { server: { type: 'system:items' }, type: 'system:items' },
    { type: 'system:items', condition: { type: 'not', condition: { type: 'level', min: -1 } } },
    { type: 'system:items', condition: { type: 'has_item' } },
  ],
  signin_rewards: [{}, { rewards: [] }, { weight: 0, rewards: [{ type: 'xp', points: 1 }] }],
  shop_offers: [
    { rewards: [{ type: 'xp', points: 1 }] },
    { costs: [], rewards: [{ type: 'xp', points: 1 }] },
    { costs: [{ type: 'item', item: 'a:b', count: 0.1 }], rewards: [{ type: 'xp', points: 1 }] },
    { costs: [{ type: 'gold' }], rewards: [{ type: 'xp', points: 1 }] },
  ],
  lottery_pools: [
    { costs: [{ type: 'free' }], prizes: [] },
    { costs: [{ type: 'free' }], prizes: [{ weight: 1.5, rewards: [{ type: 'xp', points: 1 }] }] },
  ],
  card: [
    {},
    { body: {} },
    { body: [{ type: 'txet' }] },
    { body: [{ type: 'grid', nodes: [{ type: 'text', text: 1 }] }] },
    { body: [{ type: 'text', text: { translate: 'a', client: 'b' } }] },
    { body: [{ type: 'button', press: { show: 'all' } }] },
    { body: [], surface: 'screen' },
  ],
  tag: [{}, { values: [5] }, { values: [], replace: 1 }, { values: [{ required: true }] }],
  lang: [{ 'a b': 'c' }, { a: 1 }, []],
  synonyms: [{ a: 'b' }, { a: [] }, { a: [''] }],
  'pack.mcmeta': [
    {},
    { pack: { pack_format: 'x' } },
    { pack: {}, overlays: { entries: [{ directory: '..' }] } },
  ],
}

void t.test('each refuses what the decoder refuses', async (t) => {
  t.strictSame(Object.keys(GOOD).sort(), [...schemas.keys()].sort())
  for (const name of schemas.keys()) {
    for (const value of GOOD[name] ?? [])
      t.equal(errors(name, value), null, `${name} ${JSON.stringify(value)}`)
    for (const value of BAD[name] ?? []) t.ok(errors(name, value), `${name} ${JSON.stringify(value)}`)
  }
})

void t.test('the build writes one file each, beside those of the configuration', async (t) => {
  execFileSync(process.execPath, [
    fileURLToPath(new URL('../../plugins/cli/write-schemas.js', import.meta.url)),
  ])
  const folder = fileURLToPath(new URL(PACK_SCHEMA_FOLDER, SCHEMA_FOLDER))
  t.strictSame(readdirSync(folder).sort(), [...schemas.keys()].map((name) => `${name}.json`).sort())
  for (const [name, schema] of schemas) {
    t.same(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')), schema)
    t.match(schema, { $schema: 'http://json-schema.org/draft-07/schema#', title: String })
  }
})
