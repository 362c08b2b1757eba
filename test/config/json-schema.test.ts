/** The JSON Schemas that editors read, as a validator understands them. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { z } from 'zod'
import {
  CONFIG_NAMES,
  CONFIG_SCHEMAS,
  configJsonSchema,
  loadConfig,
  SCHEMA_FOLDER,
} from '../../lib/config/index.js'
import { fieldsOf } from '../../lib/config/fields.js'
import { RecordingLogger } from '../support/kernel.js'

const validator = (name: (typeof CONFIG_NAMES)[number]): z.ZodType =>
  z.fromJSONSchema(configJsonSchema(name) as Parameters<typeof z.fromJSONSchema>[0])

void t.test('each accepts the file that is written at the first start, which names it', async (t) => {
  const folder = join(t.testdir({}), 'config', 'system')
  const { missing } = await loadConfig({ folder, override: {}, logger: new RecordingLogger() })
  t.equal(missing.length, CONFIG_NAMES.length)
  for (const { path, text } of missing) {
    const name = CONFIG_NAMES.find((candidate) => path.endsWith(`${candidate}.json`))
    if (name === undefined) throw new Error(path)
    const file = JSON.parse(text) as Record<string, unknown>
    t.same(validator(name).safeParse(file).error?.issues, undefined, name)
    t.equal(
      resolve(folder, String(file['$schema'])),
      fileURLToPath(new URL(`${name}.json`, SCHEMA_FOLDER)),
      'the way to the schema of the package',
    )
  }
})

void t.test('each refuses what is wrong, and names its field', async (t) => {
  for (const name of CONFIG_NAMES) {
    t.notOk(validator(name).safeParse({ surprise: 1 }).success, `${name}: an unknown member`)
    for (const { path } of fieldsOf(CONFIG_SCHEMAS[name])) {
      if (path.join('.') === 'routingPolicy') continue
      const file = path.reduceRight<unknown>((inside, key) => ({ [key]: inside }), [[[]]])
      const { error } = validator(name).safeParse(file)
      t.same(
        error?.issues.map((issue) => issue.path.slice(0, path.length)),
        [path],
        `${name}.${path.join('.')}`,
      )
    }
  }
})

void t.test('bounds are in them, and what the marks mean in words', async (t) => {
  const agent = validator('system-agent')
  t.notOk(agent.safeParse({ modelConcurrency: 0 }).success)
  t.notOk(agent.safeParse({ lanes: { event: { activ: 1 } } }).success)
  t.ok(agent.safeParse({ lanes: { event: { active: 1 } }, dailyCost: 1.5 }).success)
  const prices = validator('system-model-pricing')
  const price = { model: 'x', hit: 1, miss: 1, output: null }
  t.ok(prices.safeParse({ prices: [price] }).success)
  for (const wrong of [
    { model: 'x' },
    { ...price, hit: -1 },
    { ...price, form: '2026-01-01' },
    { ...price, from: '2026-02-30' },
  ])
    t.notOk(prices.safeParse({ prices: [wrong] }).success, JSON.stringify(wrong))
  const text = JSON.stringify(configJsonSchema('system-agent'))
  t.match(text, /Threads of each group\. Read when the server starts\./)
  t.notMatch(text, /isStartOnly/)
})

void t.test('the build writes one file each', async (t) => {
  execFileSync(process.execPath, [
    fileURLToPath(new URL('../../plugins/cli/write-schemas.js', import.meta.url)),
  ])
  const folder = fileURLToPath(SCHEMA_FOLDER)
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  t.same(files.sort(), CONFIG_NAMES.map((name) => `${name}.json`).sort())
  for (const name of CONFIG_NAMES)
    t.same(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')), configJsonSchema(name))
})
