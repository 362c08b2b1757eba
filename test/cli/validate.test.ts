/** `flying-squid-system validate` on packs of every kind of fault. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { validatePacks } from '../../plugins/cli/validate/validate.js'
import { builtInRegistries } from '../../plugins/squid/built-in-content.js'
import { openLive } from '../support/live-system.js'
import { packPlace, writePack, zipPack, type PackFiles } from '../support/packs.js'
import { cli, snapshot } from './world.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SAMPLE = join(ROOT, 'examples', 'pack')
const VERSION = '1.21.4'

const module = (name: string): string => `data/test/system/system_module/${name}.json`
const system = (name: string): string => `data/test/system/system/${name}.json`

/** A pack's problems in short: `file:line:column pointer reason`, `!` before a warning. */
async function problemsOf(t: Test, ...packs: readonly PackFiles[]): Promise<string[][]> {
  const folder = await packPlace(t)
  const paths: string[] = []
  for (const [at, files] of packs.entries()) paths.push(await writePack(join(folder, `p${at}`), files))
  const validated = await validatePacks(paths, VERSION)
  return validated.map(({ problems }, at) =>
    problems.map(({ pack, file, line, column, pointer, reason, warning }) => {
      const whose = pack === `p${at}` ? '' : `${pack} `
      const place = line === null ? '' : `:${line}:${column}`
      return `${warning === true ? '!' : ''}${whose}${file}${place} ${pointer} ${reason}`.replace('  ', ' ')
    }),
  )
}

void t.test('nothing is wrong with what ships and with the sample, and nothing is changed', async (t) => {
  const before = await snapshot(SAMPLE)
  const plain = await cli(ROOT, 'validate', 'examples/pack', 'datapacks/default/')
  t.strictSame(plain, {
    status: 0,
    stdout:
      'pack: 1 in system/system, 1 in system/system_module: 0 findings, 0 warnings\n' +
      'default (2): 2 in system/system, 6 in system/system_module, 2 in system/lottery_pools, 10 in system/shop_offers, 9 in system/signin_rewards: 0 findings, 0 warnings\n',
    stderr: '',
  })
  const json = await cli(SAMPLE, 'validate', '.', '--json')
  t.equal(json.status, 0)
  t.strictSame(JSON.parse(json.stdout), {
    packs: [
      {
        pack: 'pack',
        problems: [],
        counts: { entries: { 'system/system': 1, 'system/system_module': 1 }, findings: 0, warnings: 0 },
      },
    ],
  })
  t.strictSame(await snapshot(SAMPLE), before)
})

/** One file each, with what is said of it. */
const FAULTS: readonly (readonly [string, unknown, string])[] = [
  [
    'data/test/system/card/note.json',
    '{\n  "body": [\n    { "type": "txet" }\n  ]\n}',
    'data/test/system/card/note.json:3:15 /body/0/type must be one of "text"',
  ],
  [
    system('two'),
    '{\n  "name": "Two",\n  "modules": ["system:items", "test:gone"]\n}',
    `${system('two')}:3:31 /modules/1 names test:gone of system:system_module, which does not exist`,
  ],
  [system('tag'), { name: 'T', modules: ['#test:no'] }, '/modules/0 names the tag #test:no of'],
  [system('name'), { modules: [] }, `${system('name')}:1:1 /name is missing`],
  [
    system('condition'),
    { name: 'C', modules: [{ module: 'system:items', condition: { type: 'levl' } }] },
    '/modules/0/condition/type must be one of "system:all_of", "all_of"',
  ],
  [module('typo'), { type: 'system:itmes' }, `${module('typo')}:1:9 /type must be one of "system:reasoning"`],
  [module('more'), { type: 'system:items', x: 1 }, '/x is not a known field'],
  [module('none'), {}, '/type must be one of'],
  [
    module('deep'),
    { server: { type: 'system:items' }, condition: { type: 'not', condition: { type: 'level', min: -1 } } },
    '/condition/condition/min must be at least 0',
  ],
  [module('syntax'), '{\n "type": "a', `${module('syntax')}:2:10 is not JSON`],
  [module('BAD'), {}, `${module('BAD')} is not named by lower case`],
  [
    'data/test/tags/system/system_module/x.json',
    { values: ['system:items', 5, 'test:nothing'] },
    '/values/1 is neither an id nor a #tag',
  ],
  ['data/test/tags/item/x.json', '[]', ':1:1 has no list "values"'],
  ['data/test/lang/en_us.json', '{\n "a b": "x" }', ':2:9 /a b is no key of a text, left out: a b'],
  ['data/test/lang/de_de.json', { a: 'x'.repeat(4_097), b: 1 }, '/a is too long, left out: a, b'],
  ['data/test/system/synonyms/en_us.json', '{ "a": ["b"],\n"c": "d" }', ':2:6 /c is no list of 1 to 64'],
  ['data/test/system/prompts/react.txt', ' \n', 'react.txt is empty or longer than 16384 bytes'],
  ['data/system/system/prompts/react.txt', 'In {{gmae}}', 'react.txt has an unknown placeholder {{gmae}}'],
  ['data/test/recipe/x.json', '{', ':1:2 is not JSON'],
  ['pack.mcmeta', { pack: { pack_format: 'x' } }, 'pack.mcmeta:1:24 /pack/pack_format is not a format'],
]

void t.test('each fault is named with its place', async (t) => {
  for (const [file, content, expected] of FAULTS) {
    const [[first = '', ...rest] = []] = await problemsOf(t, { [file]: content })
    t.ok(first.startsWith(file) && first.includes(expected), `${expected}: ${first}`)
    t.equal(rest.length, file.includes('/tags/system/') ? 1 : 0, `${file}: ${rest.join()}`)
  }
})

void t.test(
  'all of them at once, in a folder and in a zip, in order, without paths of the machine',
  async (t) => {
    const folder = await packPlace(t)
    const files = Object.fromEntries(FAULTS.slice(0, -1).map(([file, content]) => [file, content]))
    await writePack(join(folder, 'bad'), files)
    await writeFile(join(folder, 'bad.zip'), zipPack(files))
    const [plain, zip] = [await cli(folder, 'validate', 'bad'), await cli(folder, 'validate', 'bad.zip')]
    t.equal(plain.status, 1)
    t.equal(plain.stderr, '')
    const lines = plain.stdout.trimEnd().split('\n')
    t.equal(
      lines.pop(),
      'bad: 4 in system/system, 4 in system/system_module, 1 in system/card: 20 findings, 0 warnings',
    )
    const named = lines.map((line) => line.split(/[: ]/)[0] ?? '')
    t.strictSame(named, [...named].sort())
    t.equal(new Set(named).size, FAULTS.length - 1)
    t.equal(zip.stdout, plain.stdout.replace('\nbad: ', '\nbad.zip: '))
    t.equal(zip.status, 1)
    t.notMatch(plain.stdout + zip.stdout, folder)
    const json = await cli('/', 'validate', join(folder, 'bad'), '--json')
    t.equal(json.status, 1)
    t.notMatch(json.stdout, folder)
    const { packs } = JSON.parse(json.stdout) as { packs: { problems: object[]; counts: object }[] }
    t.match(packs[0]?.counts, { findings: 20, warnings: 0 })
    t.strictSame(
      packs[0]?.problems.find((problem) => 'file' in problem && problem.file === system('two')),
      {
        pack: 'bad',
        file: system('two'),
        line: 3,
        column: 31,
        pointer: '/modules/1',
        reason: 'names test:gone of system:system_module, which does not exist',
        warning: false,
      },
    )
  },
)

void t.test('types of extensions are warnings, and what is around them is looked at', async (t) => {
  const rain = { type: 'weather:rain', deep: { type: 'x' } }
  const files = {
    [module('report')]: { type: 'weather:report', every: 5, condition: { type: 'not', condition: rain } },
    [module('server')]: { server: { type: 'weather:report', every: 5 }, client: 'weather:screen' },
    [system('one')]: {
      name: 'One',
      modules: [
        'test:report',
        { module: 'test:server', condition: { type: 'any_of', conditions: [rain, { type: 'has_system' }] } },
      ],
    },
  }
  const said = (type: string): string =>
    `${type} of an extension, unknown here: its members were not looked at`
  t.strictSame(await problemsOf(t, files), [
    [
      `!${system('one')}:1:115 /modules/1/condition/conditions/0/type ${said('weather:rain is a condition')}`,
      `!${module('report')}:1:9 /type ${said('weather:report is a module type')}`,
      `!${module('report')}:1:82 /condition/condition/type ${said('weather:rain is a condition')}`,
      `!${module('server')}:1:19 /server/type ${said('weather:report is a module type')}`,
    ],
  ])
  const folder = await writePack(await packPlace(t), files)
  const { status, stdout } = await cli(folder, 'validate', folder)
  t.equal(status, 0, 'warnings alone are no fault')
  t.match(stdout, /^data\/test\/system\/system\/one\.json:1:115 \/modules\S+ warning: weather:rain is/)
  t.match(stdout, /: 0 findings, 4 warnings\n$/)
  for (const [wrong, expected] of [
    [{ type: 'weather:report', condition: { type: 'level', min: 'x' } }, /\/condition\/min must be/],
    [{ type: 'weather:report', client: 'Screen' }, /\/client not an identifier/],
    [{ server: { type: 'weather:report' }, x: 1 }, /\/x is not a known field/],
    [{ server: { type: 'weather:report' }, type: 'weather:report' }, /\/type is not a known field/],
    [{ type: 'weather' }, /\/type must be one of/],
  ] as const) {
    const [found = []] = await problemsOf(t, { [module('wrong')]: wrong })
    t.match(found.filter((line) => !line.startsWith('!')).join('\n'), expected)
  }
})

void t.test('other formats, repeated keys and files that nobody reads are warnings', async (t) => {
  const [found] = await problemsOf(t, {
    'pack.mcmeta': '{\n  "pack": { "pack_format": 48, "description": "" }\n}',
    [module('twice')]: '{ "type": "system:items", "type": "system:items" }',
    'data/test/system/system_modules/x.json': {},
    'data/test/tags/system/x.json': {},
    'data/test/system/system/one.jsn': {},
    'data/test/worldgen/x.json': {},
  })
  const stray = 'is not read: no folder of this name is, or its ending is another one'
  t.strictSame(found, [
    `!data/test/system/system/one.jsn ${stray}`,
    `!${module('twice')}:1:27 has the key "type" twice; the last one holds`,
    `!data/test/system/system_modules/x.json ${stray}`,
    `!data/test/tags/system/x.json ${stray}`,
    "!pack.mcmeta:2:11 /pack declares format 48 and not the game's 61; the pack is read nevertheless",
  ])
})

void t.test(
  'packs stand on ours and on those before them, and answer for what they take from others',
  async (t) => {
    const shop = { [module('shop')]: { type: 'system:items' } }
    const one = { [system('one')]: { name: 'One', modules: ['test:shop', '#system:default'] } }
    t.strictSame(await problemsOf(t, shop, one), [[], []])
    t.match(
      await problemsOf(t, one, shop),
      [[/names test:shop/], []],
      'in the other order it is not there yet',
    )
    const [, hiding] = await problemsOf(t, shop, {
      'pack.mcmeta': {
        pack: { pack_format: 61 },
        filter: { block: [{ path: '^tags/system/system_module/read_only' }] },
      },
      [module('shop')]: { type: 'system:itmes' },
    })
    t.strictSame(hiding, [
      `default data/system/system/system/guide.json:4:15 /modules/0 names the tag #system:read_only of system:system_module, which does not exist`,
      `${module('shop')}:1:9 /type must be one of "system:reasoning", "system:items", "system:player", "system:signin", "system:shop", "system:lottery"`,
    ])
    const folder = await packPlace(t)
    await writePack(join(folder, 'a'), { [module('a')]: {} })
    await writePack(join(folder, 'b'), {})
    const { status, stdout } = await cli(folder, 'validate', 'a', 'b', '--json')
    t.equal(status, 1)
    t.match(JSON.parse(stdout), {
      packs: [
        { pack: 'a', counts: { findings: 1 } },
        { pack: 'b', problems: [] },
      ],
    })
    t.match(
      (await cli(folder, 'validate', 'a', 'b')).stdout,
      /^a\/data\/test\/system\/system_module\/a\.json:1:1 /,
    )
  },
)

void t.test('what is no pack is a finding; what was not meant is said and ends with 2', async (t) => {
  const folder = await packPlace(t)
  await writeFile(join(folder, 'torn.zip'), 'PK')
  await writeFile(join(folder, 'text.txt'), 'text')
  await writePack(join(folder, 'empty'), { 'pack.mcmeta': null })
  for (const [pack, expected] of [
    ['torn.zip', /^torn\.zip is not a zip file/],
    ['text.txt', /^text\.txt is neither a folder nor a \.zip file/],
    ['empty', /^empty has no pack\.mcmeta/],
  ] as const) {
    const { status, stdout } = await cli(folder, 'validate', pack)
    t.equal(status, 1, stdout)
    t.match(stdout, expected)
  }
  for (const words of [
    [],
    ['nowhere'],
    ['empty', '--version', 'x'],
    ['empty', '--what'],
    Array.from({ length: 256 }, () => 'empty'),
  ]) {
    const { status, stdout, stderr } = await cli(folder, 'validate', ...words)
    t.equal(status, 2)
    t.equal(stdout, '')
    t.match(stderr, /\n`flying-squid-system validate --help` shows how it is used\n$/)
  }
  const help = await cli(folder, 'validate', '--help')
  t.equal(help.status, 0)
  t.match(help.stdout, /^flying-squid-system validate <pack>… \[options\]\n/)
  t.match((await cli(folder, '--help')).stdout, /\n {2}validate {9}reads data packs/)
})

void t.test('the format is that of the version', async (t) => {
  const folder = await writePack(await packPlace(t), { 'pack.mcmeta': { pack: { pack_format: 26 } } })
  t.match((await cli(folder, 'validate', folder)).stdout, 'declares format 26')
  t.match((await cli(folder, 'validate', folder, '--version', '1.20.4')).stdout, '0 findings, 0 warnings')
})

void t.test('a template of a card that there is not is a warning', async (t) => {
  const template = { body: [] }
  const file = 'data/system/system/card/itme.json'
  const files = {
    [file]: template,
    'data/system/system/card/item.json': template,
    'data/a/system/card/b.json': template,
  }
  const reason = 'no card of the System has the id system:itme: nothing takes this form'
  t.strictSame(await problemsOf(t, files), [[`!${file} ${reason}`]])
})

void t.test('the command knows what a server knows', async (t) => {
  const { runtime } = await openLive(t)
  const ours = builtInRegistries()
  const shapeOf = (schema: z.ZodType): object => z.toJSONSchema(schema, { io: 'input' })
  for (const registry of ['definitions', 'configurations'] as const) {
    const [here, there] = [ours[registry], runtime.registries[registry]]
    t.equal(here.folder, there.folder)
    t.strictSame(shapeOf(here.schema), shapeOf(there.schema))
  }
  t.equal(runtime.content().registries().size, Object.keys(ours).length, 'and no other registry')
})
