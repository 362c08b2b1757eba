/** docs/PACKS.md says what packs can do, and the pack that it shows is the one in examples/pack. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import { ConditionTypes, type Situation } from '../lib/conditions/index.js'
import { identifier } from '../lib/core/ids.js'
import { silentLogger } from '../lib/core/logger.js'
import { PACK_LIMITS } from '../lib/packs/index.js'
import { decodeContent } from '../lib/registry/index.js'
import { ModuleAccess, ModuleTypes, OVERRIDES } from '../lib/systems/index.js'
import { ManualClock } from '../lib/testing/index.js'
import { packJsonSchemas } from '../plugins/cli/pack-schemas.js'
import { validatePacks } from '../plugins/cli/validate/validate.js'
import { builtInRegistries } from '../plugins/squid/built-in-content.js'
import { packPlaces } from '../plugins/squid/packs/index.js'
import { ALICE } from './support/cards.js'
import { schemaErrors } from './support/json-schema.js'
import { readFrom } from './support/packs.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SAMPLE = join(ROOT, 'examples', 'pack')
const DOC = readFileSync(join(ROOT, 'docs', 'PACKS.md'), 'utf8')

/** Rows of the table below a heading, cell by cell. */
const rows = (heading: string): string[][] =>
  (DOC.split(`# ${heading}\n`)[1] ?? '')
    .split(/\n#/)[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    ) ?? []

void t.test('the pack in the text is the sample, file by file, and nothing is wrong in it', async (t) => {
  const shown = new Map(
    [...DOC.matchAll(/^`((?:data\/|pack\.mcmeta)[^`]*)`[^\n]*\n\n```json\n(.*?)```$/gms)].map(
      ([, file = '', text = '']) => [file, text],
    ),
  )
  const files = readdirSync(SAMPLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(SAMPLE.length + 1))
  t.strictSame([...shown.keys()].sort(), files.sort())
  for (const [file, text] of shown) t.equal(text, readFileSync(join(SAMPLE, file), 'utf8'), file)
  t.strictSame(await validatePacks([SAMPLE], '1.21.4'), [
    {
      pack: 'pack',
      entries: { 'system/system': 1, 'system/system_module': 1 },
      problems: [],
      more: 0,
    },
  ])
})

void t.test('it does what the text says: newcomers reason from level 10 on, others as before', async (t) => {
  const registries = builtInRegistries()
  const types = [registries.definitions, registries.configurations]
  const data = await readFrom(packPlaces(null, [SAMPLE]))
  const content = await decodeContent(types, data, { version: 'sample', yield: () => null })
  let [level, system] = [9, 'town:newcomer']
  const access = new ModuleAccess({
    types: new ModuleTypes(),
    conditions: new ConditionTypes(silentLogger),
    registries,
    clock: new ManualClock(),
    content: () => content,
    boundTo: () => identifier(system),
    overridesOf: () => OVERRIDES.empty,
    situation: (player, of) => ({ player, system: of, facts: { level } }) as unknown as Situation,
  })
  const open = (): string[] => {
    access.forget(ALICE)
    return access.open(ALICE).map(({ id }) => id)
  }
  t.strictSame(open(), ['system:items', 'system:player'])
  level = 10
  t.strictSame(open(), ['system:items', 'system:player', 'town:reasoning'])
  level = 0
  system = 'system:default'
  t.strictSame(open(), ['system:items', 'system:player', 'system:reasoning'])
  t.match(content.languages.get('en_us')?.['town.system.newcomer'], /Newcomer/)
  t.ok(content.synonyms.get('en_us')?.['coordinates']?.includes('whereabouts'))
})

void t.test('every other example is a file that would be taken', async (t) => {
  const kinds = new Map<string, object>([
    ...['system', 'system_module', 'tag', 'synonyms', 'pack.mcmeta'].map(
      (name) => [name, packJsonSchemas().get(name) ?? {}] as const,
    ),
    [
      'condition',
      z.toJSONSchema(new ConditionTypes(silentLogger).schema(), { io: 'input', target: 'draft-07' }),
    ],
  ])
  const texts = [...DOC.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text ?? '')
  t.ok(texts.length > 12)
  for (const text of texts) {
    const value: unknown = JSON.parse(text)
    // language files would be anything
    const isOther = text.includes('json.schemas') || text.includes('"town.system.newcomer.about": ')
    const fits = [...kinds.values()].some((schema) => schemaErrors(schema, value) === null)
    t.ok(isOther || fits, text)
  }
  for (const [, name = ''] of DOC.matchAll(/dist\/schemas\/packs\/([\w.]+)\.json/g))
    t.ok(packJsonSchemas().has(name), name)
})

void t.test('the table of conditions has every type with its members', async (t) => {
  const schema = z.toJSONSchema(new ConditionTypes(silentLogger).schema(), { io: 'input' }) as {
    oneOf: (Shape | { $ref: string })[]
    $defs: Record<string, Shape>
  }
  const shapes = schema.oneOf.flatMap((shape) =>
    '$ref' in shape ? (schema.$defs[shape.$ref.replace('#/$defs/', '')] ?? []) : shape,
  )
  const expected = shapes.map(({ properties, required }) => {
    const members = Object.keys(properties).filter((member) => member !== 'type')
    return [
      properties['type']?.enum?.at(-1),
      members.map((member) => `\`${member}\`${required.includes(member) ? '' : '?'}`),
    ]
  })
  const written = rows('Conditions').map(([type = '', members = '']) => [
    type.slice(1, -1),
    members.match(/`(?!survival|creative|adventure|spectator|#)\w+`\??/g),
  ])
  t.strictSame(written, expected)
})

interface Shape {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>
  readonly required: readonly string[]
}

void t.test('the table of module types has every type, the table of limits every limit', async (t) => {
  const written = rows('Module configurations').map(([type = '']) => type.replaceAll('`', '"'))
  const known = /must be one of (.*)/.exec((await problemOf({ type: 'system:none' })) ?? '')?.[1]
  t.strictSame(written.sort(), known?.split(', ').sort())
  const MEBI = 1_048_576
  const told = Object.entries(PACK_LIMITS).map(([limit, value]) => {
    if (!limit.endsWith('Bytes')) return value.toLocaleString('en-US')
    return value % MEBI === 0 ? `${value / MEBI} MiB` : `${value / 1_024} KiB`
  })
  t.strictSame(
    rows('Limits').map(([, value]) => value),
    told,
  )
})

/** What is wrong with a module configuration. */
async function problemOf(value: { readonly type: string }): Promise<string | undefined> {
  const { configurations } = builtInRegistries()
  const entry = { json: JSON.stringify(value), pack: 'pack', file: 'x.json' }
  const data = await readFrom({})
  const entries = new Map([[configurations.folder, new Map([[identifier('a:b'), entry]])]])
  const content = await decodeContent(
    [configurations],
    { ...data, entries },
    { version: 'one', yield: () => null },
  )
  return content.problems[0]?.reason
}
