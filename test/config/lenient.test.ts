import t from 'tap'
import { z } from 'zod'
import { CONFIG_SCHEMAS, readLenient } from '../../lib/config/index.js'

const schema = z.object({
  name: z.string().max(4).default('none'),
  count: z.int().min(0).max(9).default(3),
  list: z.array(z.string()).default(['a']),
  inner: z
    .object({ on: z.boolean().default(true), deep: z.object({ n: z.int().default(7) }).prefault({}) })
    .prefault({}),
})
const defaults = { name: 'none', count: 3, list: ['a'], inner: { on: true, deep: { n: 7 } } }
const read = (input: unknown) => readLenient(schema, input)

void t.test('what is missing takes its default in silence', async (t) => {
  t.same(read({}), { value: defaults, problems: [] })
  t.same(read(undefined), { value: defaults, problems: [] })
  t.same(read({ inner: {} }), { value: defaults, problems: [] })
  t.same(read({ inner: { deep: {} } }), { value: defaults, problems: [] })
  t.same(read({ $schema: './schema.json', inner: { $schema: 'x' } }), { value: defaults, problems: [] })
})

void t.test('what is wrong takes its default alone, and is named', async (t) => {
  const cases: readonly [unknown, object, readonly string[]][] = [
    [{ name: null, count: 5 }, { count: 5 }, ['name']],
    [{ name: 'five5', count: 5 }, { count: 5 }, ['name']],
    [{ name: 'x', count: '5' }, { name: 'x' }, ['count']],
    [{ name: 'x', count: 10 }, { name: 'x' }, ['count']],
    [{ name: 'x', count: -1 }, { name: 'x' }, ['count']],
    [{ name: 'x', count: 1.5 }, { name: 'x' }, ['count']],
    [{ name: 'x', list: ['b', 7] }, { name: 'x' }, ['list']],
    [{ inner: { on: 'yes', deep: { n: 8 } } }, { inner: { on: true, deep: { n: 8 } } }, ['inner.on']],
    [{ inner: { on: false, deep: { n: '8' } } }, { inner: { on: false, deep: { n: 7 } } }, ['inner.deep.n']],
    [{ inner: null, name: 'x' }, { name: 'x' }, ['inner']],
    [{ inner: { deep: [] } }, {}, ['inner.deep']],
    [{ nmae: 'x', inner: { off: 1 } }, {}, ['inner.off', 'nmae']],
    [[], {}, ['']],
    ['text', {}, ['']],
    [null, {}, ['']],
  ]
  for (const [input, value, paths] of cases) {
    const got = read(input)
    t.same(got.value, { ...defaults, ...value }, JSON.stringify(input))
    t.same(
      got.problems.map(({ path }) => path),
      paths,
      JSON.stringify(input),
    )
    for (const { reason } of got.problems) t.match(reason, /\S/)
  }
})

void t.test('keys that objects inherit are unknown fields', async (t) => {
  const got = read(JSON.parse('{"__proto__":{"name":"x"},"constructor":1}'))
  t.same(got.value, defaults)
  t.same(
    got.problems.map(({ path }) => path),
    ['__proto__', 'constructor'],
  )
})

void t.test('every field of every file has a default', async (t) => {
  for (const [name, file] of Object.entries(CONFIG_SCHEMAS)) {
    const { value, problems } = readLenient(file, {})
    t.same(problems, [], name)
    t.same(
      readLenient(file, JSON.parse(JSON.stringify(value))),
      { value, problems: [] },
      `${name} reads itself`,
    )
    for (const field of Object.keys(file.shape)) {
      const broken = readLenient(file, { [field]: Symbol('wrong') })
      if (field !== 'routingPolicy') t.equal(broken.problems.length, 1, `${name}.${field}`)
    }
  }
})

void t.test('the contract of the shipped files: names and defaults', async (t) => {
  const value = (name: keyof typeof CONFIG_SCHEMAS): unknown => readLenient(CONFIG_SCHEMAS[name], {}).value
  t.same(value('system-model'), {
    version: 1,
    provider: 'deepseek',
    baseUrl: 'https://api.deepseek.com/v1',
    model: 'deepseek-flash',
    apiKeyEnv: 'SYSTEM_DEEPSEEK_API_KEY',
    thinking: false,
    effort: null,
    extra: {},
  })
  t.match(value('system-agent'), {
    lanes: {
      interactive: { active: 4, waiting: 32 },
      event: { active: 2, waiting: 64 },
      maintenance: { active: 2, waiting: 32 },
    },
    threads: { agent: 1, storage: 1, compute: 1 },
    dailyTokens: 2_000_000,
    timeZone: 'UTC',
  })
  t.same(value('system-access'), { version: 1, admins: [], trustOp: true, adminsInOfflineMode: false })
})

void t.test('time zones: every name that the machine knows, no offsets', async (t) => {
  for (const [timeZone, isGood] of [
    ['UTC', true],
    ['GMT', true],
    ['Europe/Berlin', true],
    ['Asia/Kolkata', true],
    ['Asia/Calcutta', true],
    ['America/Argentina/Buenos_Aires', true],
    ['+01:00', false],
    ['Mars/Olympus', false],
    ['', false],
    [7, false],
  ] as const) {
    const got = readLenient(CONFIG_SCHEMAS['system-agent'], { timeZone })
    t.equal(got.value.timeZone, isGood ? timeZone : 'UTC')
    t.equal(got.problems.length, isGood ? 0 : 1, String(timeZone))
  }
})

void t.test('a key where its variable belongs is refused and not repeated', async (t) => {
  for (const key of ['sk-abcdef0123456789', 'Bearer x', 'sk.live', '1abc', 'a b', 'é']) {
    const got = readLenient(CONFIG_SCHEMAS['system-model'], { apiKeyEnv: key })
    t.equal(got.value.apiKeyEnv, 'SYSTEM_DEEPSEEK_API_KEY')
    t.same(got.problems, [
      { path: 'apiKeyEnv', reason: 'must be the name of an environment variable, not a key' },
    ])
  }
  for (const name of ['', 'MY_KEY', '_x', 'k8'])
    t.same(readLenient(CONFIG_SCHEMAS['system-model'], { apiKeyEnv: name }).problems, [])
})
