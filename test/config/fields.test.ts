/** Every field of every configuration file, one by one: what is wrong falls back alone, with one line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  CONFIG_NAMES,
  CONFIG_SCHEMAS,
  loadConfig,
  readLenient,
  type ModelPrice,
  type PriceWindow,
  type SearchPrice,
  type TokenPrices,
} from '../../lib/config/index.js'
import { fieldsOf } from '../../lib/config/fields.js'
import { RecordingLogger } from '../support/kernel.js'

type Name = (typeof CONFIG_NAMES)[number]

/** Null, mistyped, out of range: none of them is right for any field, but one that takes whatever there is. */
const WRONG: readonly unknown[] = [null, [[[]]], { '': { '': [] } }, -5, 1e300, 'é'.repeat(300), true]

/** A file in which each field has another value than by default. */
const OTHER: Readonly<Record<Name, Record<string, unknown>>> = {
  'system-model': {
    provider: 'generic',
    baseUrl: 'http://127.0.0.1/v1',
    model: 'other',
    apiKeyEnv: 'OTHER_KEY',
    thinking: true,
    effort: 'high',
    extra: { seed: 1 },
  },
  'system-agent': {
    policies: { a: 1 },
    routingPolicy: { b: 2 },
    lanes: {
      interactive: { active: 5, waiting: 6 },
      event: { active: 7, waiting: 8 },
      maintenance: { active: 9, waiting: 10 },
    },
    threads: { agent: 2, storage: 3, compute: 4 },
    modelConcurrency: 11,
    dailyModelCalls: 12,
    dailyTokens: 13,
    dailyCost: 14.5,
    aiDefault: 'chat',
    timeZone: 'Africa/Cairo',
  },
  'system-storage': {
    businessBytes: 100_000,
    chatBytes: 100_001,
    chatRounds: 15,
    conversations: 16,
    conversationDays: 17,
    receiptBytes: 100_002,
    eventTaskBytes: 100_003,
    databaseBytes: 100_004,
    playerSaveSeconds: 18,
    onUnreadable: 'fresh',
  },
  'system-model-pricing': { currency: 'CNY', prices: [{ model: 'x', hit: 1, miss: 2, output: 3 }] },
  'system-search-pricing': { prices: [{ engine: 'x', thousand: 1 }] },
  'system-access': { admins: ['alice'], trustOp: false, adminsInOfflineMode: true },
  'system-surface': {
    surface: 'book',
    chatPrefix: '!',
    shield: { leaks: false },
  },
  'system-trace': { file: 'trace/system.jsonl', audit: null, maxBytes: 100_005, keep: 19 },
  'system-semantic': {
    mode: 'SHADOW',
    targetPrecision: 0.9,
    cacheSize: 19,
    cacheMinutes: 20,
    examples: { 'a:b': { en_us: ['c'] } },
    synonyms: { en_us: { d: ['e'] } },
  },
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inside, key) => (inside as Record<string, unknown>)[key], value)
}

/** The object with another value at the path; undefined takes the member away. */
function withValue(object: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const members = { ...(object as Record<string, unknown>) }
  const inside = withValue(members[key], rest, value)
  if (inside === undefined) delete members[key]
  else members[key] = inside
  return members
}

for (const name of CONFIG_NAMES)
  void t.test(`${name}: a field that is missing or wrong falls back alone`, async (t) => {
    const schema = CONFIG_SCHEMAS[name]
    const read = (input: unknown) => readLenient<(typeof CONFIG_SCHEMAS)[Name]>(schema, input)
    const defaults = read({}).value
    const good = read({ version: 1, ...OTHER[name] })
    t.same(good.problems, [], 'the other values are right')
    for (const { path } of fieldsOf(schema)) {
      const dotted = path.join('.')
      // of the version, and of engines so far, there is one
      if (dotted !== 'version' && dotted !== 'engine')
        t.not(JSON.stringify(at(good.value, path)), JSON.stringify(at(defaults, path)), dotted)
      const fallen = withValue(good.value, path, at(defaults, path))
      t.same(
        read(withValue(good.value, path, undefined)),
        { value: fallen, problems: [] },
        `${dotted} missing`,
      )
      let refused = 0
      for (const wrong of WRONG) {
        const { value, problems } = read(withValue(good.value, path, wrong))
        if (problems.length === 0) continue
        refused += 1
        t.same(value, fallen, `${dotted}: ${JSON.stringify(wrong)}`)
        t.equal(problems.length, 1, 'one line')
        t.ok(problems[0]?.path.startsWith(dotted), dotted)
      }
      t.ok(refused >= 4 || ['routingPolicy', 'extra', 'policies'].includes(dotted), `${dotted} is checked`)
    }
  })

void t.test('one line names file and path', async (t) => {
  const folder = t.testdir({})
  writeFileSync(
    join(folder, 'system-storage.json'),
    '{"businessBytes":null,"chatRounds":"many","playerSaveSeconds":0,"onUnreadable":"forget"}',
  )
  const logger = new RecordingLogger()
  const { config } = await loadConfig({ folder, override: {}, logger })
  t.match(config['system-storage'], {
    businessBytes: 4_194_304,
    chatBytes: 2_097_152,
    chatRounds: 200,
    receiptBytes: 786_432,
    eventTaskBytes: 262_144,
    databaseBytes: 33_554_432,
    playerSaveSeconds: 30,
    onUnreadable: 'refuse',
  })
  t.match(logger.messages(), [
    /^system-storage\.json: businessBytes: .*; its default holds$/,
    /^system-storage\.json: chatRounds: .*; its default holds$/,
    /^system-storage\.json: playerSaveSeconds: .*; its default holds$/,
    /^system-storage\.json: onUnreadable: .*; its default holds$/,
  ])
})

void t.test('prices: a table where there was none, an empty one where it is broken', async (t) => {
  const folder = t.testdir({})
  const load = async (text: string | null) => {
    if (text !== null) writeFileSync(join(folder, 'system-model-pricing.json'), text)
    const logger = new RecordingLogger()
    const { config } = await loadConfig({ folder, override: {}, logger })
    return { prices: config['system-model-pricing'].prices, lines: logger.messages() }
  }
  const first = await load(null)
  t.same(
    first.prices.map(({ model, hit, miss, output, windows }) => [model, hit, miss, output, windows.length]),
    [
      ['deepseek-flash', 0.003, 0.15, 0.6, 2],
      ['deepseek-v4-pro', 0.022, 0.66, 1.98, 2],
    ],
  )
  t.match(first.prices[1]?.windows[0], {
    days: [1, 2, 3, 4, 5],
    from: '01:00',
    until: '04:00',
    hit: 0.044,
    miss: 1.32,
    output: 3.96,
  })
  t.same((await load('{"prices":[')).prices, [], 'a broken file')
  t.same((await load('{"currency":"CNY"}')).prices, [], 'a file without prices')
  const night: TokenPrices = { hit: 1, miss: 1, output: 1 }
  const row: Partial<ModelPrice> = { model: 'x*', hit: null, miss: 0.15, output: 0.6 }
  const window: Partial<PriceWindow> = { from: '22:00', until: '06:00', ...night }
  const good = await load(JSON.stringify({ prices: [{ ...row, windows: [window] }] }))
  t.match(good, {
    prices: [{ ...row, from: null, timeZone: 'UTC', windows: [{ ...window, except: [] }] }],
    lines: [],
  })
  for (const [bad, where] of [
    [{ ...row, output: -1 }, 'prices: at 1.output'],
    [{ ...row, timeZone: 'Mars/Olympus' }, 'prices: at 1.timeZone'],
    [{ ...row, until: 'tomorrow' }, 'prices: at 1.until'],
    [{ ...row, windows: [{ ...window, days: [0] }] }, 'prices: at 1.windows.0.days.0'],
    [{ ...row, windows: [{ ...window, until: '24:00' }] }, 'prices: at 1.windows.0.until'],
    [{ model: 'x', miss: 1, output: 1 }, 'prices: at 1.hit'],
    [{ ...row, untl: '2026-01-01' }, 'prices: at 1'],
  ] as const) {
    const { prices, lines } = await load(JSON.stringify({ prices: [row, bad] }))
    t.same(prices, [], where)
    t.equal(lines.length, 1)
    t.ok(lines[0]?.startsWith(`system-model-pricing.json: ${where}: `), where)
  }
})

void t.test('searches have a price of their own', async (t) => {
  const { config } = await loadConfig({ folder: t.testdir({}), override: {}, logger: new RecordingLogger() })
  const expected: SearchPrice = {
    engine: 'deepseek',
    from: null,
    until: null,
    timeZone: 'UTC',
    thousand: 0.75,
  }
  t.same(config['system-search-pricing'].prices, [expected])
})
