import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { CONFIG_SCHEMAS, loadConfig } from '../../lib/config/index.js'
import { RecordingLogger } from '../support/kernel.js'

/** Loads from a folder with these files. */
async function load(t: Test, files: Record<string, string | Buffer>, override: Record<string, unknown> = {}) {
  const folder = t.testdir({})
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const logger = new RecordingLogger()
  const loaded = await loadConfig({ folder, override, logger })
  for (const [name, text] of Object.entries(files))
    t.ok(readFileSync(join(folder, name)).equals(Buffer.from(text)), `${name} is untouched`)
  t.same(readdirSync(folder).sort(), Object.keys(files).sort(), 'and nothing else was written')
  const written = new Map(loaded.missing.map(({ path, text }) => [path.slice(folder.length + 1), text]))
  return { ...loaded, folder, logger, written }
}
const ALL = Object.keys(CONFIG_SCHEMAS)
  .map((name) => `${name}.json`)
  .sort()

void t.test('first start: a text for each file, without what the settings lay over it', async (t) => {
  const { config, written, logger } = await load(t, {}, { 'system-agent': { modelConcurrency: 9 } })
  t.same([...written.keys()].sort(), ALL)
  t.equal(config['system-agent'].modelConcurrency, 9)
  t.match(JSON.parse(written.get('system-agent.json') ?? ''), { version: 1, modelConcurrency: 4 })
  t.same(logger.lines, [])
  const again = await load(t, Object.fromEntries(written))
  t.same(again.missing, [])
  t.same(again.logger.lines, [], 'what is written reads without a complaint')
})

void t.test('the folder is made when it is missing', async (t) => {
  const folder = join(t.testdir({}), 'a', 'b')
  await loadConfig({ folder, override: {}, logger: new RecordingLogger() })
  t.same(readdirSync(folder), [])
})

void t.test('a folder that cannot be made rejects', async (t) => {
  const folder = join(t.testdir({ file: 'text' }), 'file')
  await t.rejects(loadConfig({ folder, override: {}, logger: new RecordingLogger() }))
  await t.rejects(loadConfig({ folder: join(folder, 'sub'), override: {}, logger: new RecordingLogger() }))
})

void t.test('a folder in a place that takes none rejects', async (t) => {
  // Node's own recursive mkdir never comes back from there
  const folder = '/proc/nowhere/system'
  await t.rejects(loadConfig({ folder, override: {}, logger: new RecordingLogger() }))
})

void t.test('what is no file is not waited for', { skip: process.platform === 'win32' }, async (t) => {
  const folder = t.testdir({ 'system-agent.json': {} })
  execFileSync('mkfifo', [join(folder, 'system-model.json')])
  symlinkSync('/dev/zero', join(folder, 'system-access.json'))
  symlinkSync('system-surface.json', join(folder, 'system-surface.json'))
  const logger = new RecordingLogger()
  const { missing, config } = await loadConfig({ folder, override: {}, logger })
  const files = missing.map(({ path }) => basename(path))
  for (const name of ['access', 'agent', 'model', 'surface'])
    t.notOk(files.includes(`system-${name}.json`), 'and nothing is put in its place')
  t.equal(config['system-agent'].modelConcurrency, 4)
  t.same([...logger.messages()].sort(), [
    'no model is asked until provider, baseUrl and apiKeyEnv of system-model.json are right',
    'system-access.json is not used: not a file; defaults hold',
    'system-agent.json is not used: not a file; defaults hold',
    'system-model.json is not used: not a file; defaults hold',
    'system-surface.json is not used: ELOOP; defaults hold',
  ])
})

void t.test('a file that is read: its fields, one by one', async (t) => {
  const { config, logger, written } = await load(t, {
    'system-agent.json':
      '{"modelConcurrency":7,"dailyTokens":-1,"lanes":{"interactive":{"active":0,"waiting":5}}}',
  })
  t.match(config['system-agent'], {
    modelConcurrency: 7,
    dailyTokens: 2_000_000,
    lanes: { interactive: { active: 4, waiting: 5 } },
  })
  t.match(logger.messages(), [
    /^system-agent\.json: lanes\.interactive\.active: .*its default holds$/,
    /^system-agent\.json: dailyTokens: .*its default holds$/,
  ])
  t.equal(written.size, ALL.length - 1)
})

const files: readonly [string, string | Buffer, RegExp][] = [
  ['cut off', '{"modelConcurrency":7', /not valid JSON/],
  ['empty', '', /not valid JSON/],
  ['with a comment', '{"modelConcurrency":7} // seven', /not valid JSON/],
  ['a list', '[{"modelConcurrency":7}]', /not a JSON object/],
  ['null', 'null', /not a JSON object/],
  ['a key twice', '{"modelConcurrency":7,"modelConcurrency":8}', /a key stands twice/],
  [
    'a key twice, inside',
    '{"modelConcurrency":7,"lanes":{"event":{"active":1,"active":2}}}',
    /a key stands twice/,
  ],
  ['a key twice, escaped', '{"modelConcurrency":7,"modelConcurrenc\\u0079":8}', /a key stands twice/],
  ['of a newer version', '{"version":2,"modelConcurrency":7}', /of version 2, this program reads 1/],
  ['too large', `{"modelConcurrency":7,"x":"${'x'.repeat(262_144)}"}`, /larger than 262144 bytes/],
  ['in another encoding', Buffer.from('\uFEFF{"modelConcurrency":7}', 'utf16le'), /not UTF-8 text/],
]
for (const [name, text, reason] of files)
  void t.test(`a file that is not used: ${name}`, async (t) => {
    const { config, logger, written } = await load(t, { 'system-agent.json': text })
    t.equal(config['system-agent'].modelConcurrency, 4, 'defaults hold')
    t.equal(logger.lines.length, 1)
    t.match(logger.messages()[0], /^system-agent\.json is not used: .*; defaults hold$/)
    t.match(logger.messages()[0], reason)
    t.notOk(written.has('system-agent.json'), 'and will not be written')
  })

void t.test('a folder in the place of a file', async (t) => {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'system-model.json'))
  const logger = new RecordingLogger()
  const { missing } = await loadConfig({ folder, override: {}, logger })
  t.match(logger.messages(), [/system-model\.json is not used: not a file/])
  t.equal(missing.length, ALL.length - 1)
})

void t.test('a byte order mark, a wrong version', async (t) => {
  const marked = await load(t, { 'system-agent.json': '\uFEFF{"modelConcurrency":7}' })
  t.equal(marked.config['system-agent'].modelConcurrency, 7)
  t.same(marked.logger.lines, [])
  const odd = await load(t, { 'system-agent.json': '{"version":"one","modelConcurrency":7}' })
  t.match(odd.config['system-agent'], { version: 1, modelConcurrency: 7 })
  t.match(odd.logger.messages(), [/version: /])
})

void t.test('settings lie over the files, member by member', async (t) => {
  const { config, logger } = await load(
    t,
    { 'system-agent.json': '{"modelConcurrency":7,"lanes":{"interactive":{"active":3,"waiting":5}}}' },
    {
      'system-agent': { lanes: { interactive: { active: 1 } }, dailyTokens: 'all', surprise: 1 },
      'system-access': { admins: ['alice'] },
      'system-nothing': 7,
    },
  )
  t.match(config['system-agent'], { modelConcurrency: 7, lanes: { interactive: { active: 1, waiting: 5 } } })
  t.same(config['system-access'].admins, ['alice'])
  t.equal(config['system-agent'].dailyTokens, 2_000_000)
  t.match(logger.messages(), [
    /^plugin settings, system-agent: dailyTokens: /,
    /^plugin settings, system-agent: surprise: unknown field/,
  ])
})

void t.test('settings lie over a broken file too', async (t) => {
  const { config } = await load(t, { 'system-agent.json': '{' }, { 'system-agent': { modelConcurrency: 2 } })
  t.equal(config['system-agent'].modelConcurrency, 2)
})

void t.test('a key never goes to an address that the host did not write', async (t) => {
  const table: readonly [file: Record<string, unknown> | string, isSound: boolean][] = [
    [{}, true],
    [{ baseUrl: 'http://127.0.0.1:11434/v1', apiKeyEnv: '' }, true],
    [{ model: 7, thinking: 'x' }, true],
    [{ baseUrl: 'not an address', apiKeyEnv: 'MY_KEY' }, false],
    [{ baseUrl: 'http://127.0.0.1/v1', apiKeyEnv: 'sk-0123456789' }, false],
    [{ provider: 'unheard of' }, false],
    ['{', false],
  ]
  for (const [file, isSound] of table) {
    const text = typeof file === 'string' ? file : JSON.stringify({ version: 1, ...file })
    const { isEndpointSound, logger } = await load(t, { 'system-model.json': text })
    t.equal(isEndpointSound, isSound, text)
    t.equal(
      JSON.stringify(logger.lines).includes('sk-0123456789'),
      false,
      'and what looks like a key is not logged',
    )
  }
  const over = await load(t, {}, { 'system-model': { baseUrl: 'ftp://x' } })
  t.equal(over.isEndpointSound, false, 'in the settings of the plugin too')
})
