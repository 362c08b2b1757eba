/** Configuration of a running server: what a reload changes, and how changes of the server's own reach the disk. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { LiveConfig, loadConfig } from '../../lib/config/index.js'
import { fail, ok, type Result } from '../../lib/core/result.js'
import { ManualClock } from '../../lib/testing/index.js'
import { RecordingLogger } from '../support/kernel.js'

type Write = (path: string, text: string) => Promise<Result<unknown>>

const put: Write = (path, text) => {
  writeFileSync(path, text)
  return Promise.resolve(ok(null))
}

async function open(t: Test, files: Record<string, object> = {}, override: Record<string, unknown> = {}) {
  const folder = t.testdir({})
  const logger = new RecordingLogger()
  const clock = new ManualClock()
  const set = (name: string, content: unknown): void =>
    writeFileSync(
      join(folder, `${name}.json`),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  const source = { folder, override, logger }
  for (const [name, content] of Object.entries(files)) set(name, content)
  const loaded = await loadConfig(source)
  for (const { path, text } of loaded.missing) writeFileSync(path, text)
  const disk: { write: Write } = { write: put }
  const live = new LiveConfig({ source, loaded, clock, write: (path, text) => disk.write(path, text) })
  const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
  return { live, set, json, folder, logger, clock, disk }
}

void t.test('a reload says what has changed, by name', async (t) => {
  const { live, set, logger } = await open(t)
  const before = live.config
  t.same(await live.reload(), { changed: [], restart: [], problems: [] })
  set('system-agent', { modelConcurrency: 7, lanes: { event: { active: 3 } } })
  set('system-model', { model: 'other', extra: { secret: 'sk-123' } })
  set('system-access', { admins: ['alice'] })
  t.same(await live.reload(), {
    changed: [
      'system-model.model',
      'system-model.extra',
      'system-agent.lanes.event.active',
      'system-agent.modelConcurrency',
      'system-access.admins',
    ],
    restart: [],
    problems: [],
  })
  t.match(live.config, {
    'system-agent': { modelConcurrency: 7, lanes: { event: { active: 3, waiting: 64 } } },
    'system-model': { model: 'other' },
    'system-access': { admins: ['alice'] },
  })
  t.equal(before['system-agent'].modelConcurrency, 4, 'whoever holds the values of before keeps them')
  t.same(logger.lines, [])
  set('system-agent', {})
  t.same((await live.reload()).changed, ['system-agent.lanes.event.active', 'system-agent.modelConcurrency'])
  t.equal(live.config['system-agent'].modelConcurrency, 4, 'what is taken out has its default again')
})

void t.test('a bad field keeps what held, the good ones beside it count', async (t) => {
  const { live, set, logger } = await open(t, {
    'system-agent': { dailyTokens: 500, modelConcurrency: 2, lanes: { interactive: { active: 3 } } },
    'system-access': { admins: ['alice'] },
  })
  set('system-agent', {
    dailyTokens: 'all',
    modelConcurrency: 9,
    lanes: { interactive: { active: 0, waiting: 5 }, event: null },
  })
  set('system-access', { admins: ['bob', 7], trustOp: false, surprise: 1 })
  const { changed, problems } = await live.reload()
  t.same(changed, [
    'system-agent.lanes.interactive.waiting',
    'system-agent.modelConcurrency',
    'system-access.trustOp',
  ])
  t.same(problems, [
    'system-agent.json: lanes.interactive.active',
    'system-agent.json: lanes.event',
    'system-agent.json: dailyTokens',
    'system-access.json: admins',
    'system-access.json: surprise',
  ])
  t.match(live.config['system-agent'], {
    dailyTokens: 500,
    modelConcurrency: 9,
    lanes: { interactive: { active: 3, waiting: 5 }, event: { active: 2 } },
  })
  t.same(live.config['system-access'].admins, ['alice'])
  t.match(logger.messages(), [
    /^system-agent\.json: lanes\.interactive\.active: .*; what held before stays$/,
    /^system-agent\.json: lanes\.event: must be an object; what held before stays$/,
    /^system-agent\.json: dailyTokens: .*; what held before stays$/,
    /^system-access\.json: admins: at 1: .*; what held before stays$/,
    /^system-access\.json: surprise: unknown field; it is ignored$/,
  ])
})

void t.test('a file that cannot be used changes nothing', async (t) => {
  const { live, set, folder, logger } = await open(t, { 'system-agent': { dailyTokens: 500 } })
  const path = join(folder, 'system-agent.json')
  for (const [text, reason] of [
    ['{"dailyTokens":7', 'not valid JSON'],
    ['{"dailyTokens":7,"dailyTokens":8}', 'a key stands twice'],
    ['{"version":2,"dailyTokens":7}', 'of version 2'],
    [`{"dailyTokens":7,"x":"${'x'.repeat(10_000_000)}"}`, 'larger than'],
  ] as const) {
    set('system-agent', text)
    t.same(await live.reload(), { changed: [], restart: [], problems: ['system-agent.json'] })
    t.equal(live.config['system-agent'].dailyTokens, 500)
    t.equal(readFileSync(path, 'utf8'), text, 'untouched')
    t.match(logger.messages().at(-1), new RegExp(`is not used: ${reason}.*; what held before stays$`))
  }
  rmSync(path)
  t.same((await live.reload()).problems, ['system-agent.json'])
  t.equal(live.config['system-agent'].dailyTokens, 500, 'an editor may be about to put it back')
  t.throws(() => readFileSync(path), /ENOENT/, 'nothing is written in its place')
  set('system-agent', { dailyTokens: 7 })
  t.same((await live.reload()).changed, ['system-agent.dailyTokens'])
})

void t.test('the old key never meets a new address', async (t) => {
  const good = { baseUrl: 'https://one.example/v1', apiKeyEnv: 'ONE_KEY' }
  const { live, set } = await open(t, { 'system-model': good })
  for (const bad of [
    { baseUrl: 'https://two.example/v1', apiKeyEnv: 'sk-0123456789' },
    { baseUrl: 'no address', apiKeyEnv: 'TWO_KEY' },
    { baseUrl: 'https://two.example/v1', apiKeyEnv: 'TWO_KEY', provider: 'unheard of' },
  ]) {
    set('system-model', { ...bad, thinking: true })
    const { changed, problems } = await live.reload()
    t.same(changed, [])
    t.ok(problems.includes('system-model.json'))
    t.match(live.config['system-model'], { ...good, thinking: false })
    t.ok(live.isEndpointSound, 'what held before still does')
  }
  set('system-model', { baseUrl: 'https://two.example/v1', apiKeyEnv: 'TWO_KEY' })
  t.same((await live.reload()).changed, ['system-model.baseUrl', 'system-model.apiKeyEnv'])
})

void t.test('an endpoint that was wrong at the start is right after a reload', async (t) => {
  const { live, set } = await open(t, { 'system-model': { baseUrl: 'no address' } })
  t.notOk(live.isEndpointSound)
  await live.reload()
  t.notOk(live.isEndpointSound, 'still wrong')
  set('system-model', { baseUrl: 'https://one.example/v1' })
  t.same((await live.reload()).changed, ['system-model.baseUrl'])
  t.ok(live.isEndpointSound)
})

void t.test('fields of the start are named until the next one', async (t) => {
  const { live, set } = await open(t)
  set('system-agent', { threads: { agent: 2 }, modelConcurrency: 7 })
  set('system-surface', { shield: { leaks: false }, chatPrefix: '!' })
  const restart = ['system-agent.threads', 'system-surface.shield']
  t.same(await live.reload(), {
    changed: ['system-agent.modelConcurrency', 'system-surface.chatPrefix'],
    restart,
    problems: [],
  })
  t.same(live.config['system-agent'].threads, { agent: 1, storage: 1, compute: 1 }, 'what is effective')
  t.same(live.config['system-surface'].shield, {})
  t.same(await live.reload(), { changed: [], restart, problems: [] }, 'still waiting')
  set('system-agent', { modelConcurrency: 7 })
  t.same(await live.reload(), { changed: [], restart: ['system-surface.shield'], problems: [] }, 'taken back')
})

void t.test('settings of the plugin lie over what is read again', async (t) => {
  const { live, set } = await open(t, {}, { 'system-agent': { dailyTokens: 9 } })
  set('system-agent', { dailyTokens: 7, dailyModelCalls: 3 })
  t.same((await live.reload()).changed, ['system-agent.dailyModelCalls'])
  t.equal(live.config['system-agent'].dailyTokens, 9)
})

void t.test('reloads at the same time take turns', async (t) => {
  const { live, set } = await open(t)
  set('system-agent', { dailyTokens: 7 })
  const [first, second] = await Promise.all([live.reload(), live.reload()])
  t.same([first.changed, second.changed], [['system-agent.dailyTokens'], []])
})

void t.test(
  'a change of the server is effective at once and saved into what the host has written',
  async (t) => {
    const { live, set, json } = await open(t, { 'system-access': { admins: ['alice'], mine: 1 } })
    live.change('system-access', { admins: ['alice', 'bob'] })
    t.same(live.config['system-access'].admins, ['alice', 'bob'])
    t.same(json('system-access'), { admins: ['alice'], mine: 1 }, 'not yet')
    // meanwhile by the host
    set('system-access', { trustOp: false, mine: 2 })
    t.ok(await live.save())
    t.same(json('system-access'), { admins: ['alice', 'bob'], trustOp: false, mine: 2 })
    t.same((await live.reload()).changed, ['system-access.trustOp'])
    t.ok(await live.save(), 'nothing left')
  },
)

void t.test('a reload saves first', async (t) => {
  const { live, json } = await open(t)
  live.change('system-agent', { dailyTokens: 7 })
  t.same(await live.reload(), { changed: [], restart: [], problems: [] })
  t.match(json('system-agent'), { dailyTokens: 7 })
  t.equal(live.config['system-agent'].dailyTokens, 7)
})

void t.test('a save that fails keeps its mark and is tried again', async (t) => {
  const { live, disk, clock, json, logger } = await open(t)
  let calls = 0
  disk.write = () => {
    calls += 1
    return Promise.resolve(fail('system:storage_failed'))
  }
  live.change('system-agent', { dailyTokens: 7 })
  live.tick()
  live.tick()
  t.notOk(await live.save())
  t.same((await live.reload()).changed, [])
  t.equal(live.config['system-agent'].dailyTokens, 7, 'what was not saved is not lost by a reload')
  t.equal(calls, 3, 'one by the ticks, one asked for, one before the reload')
  t.equal(logger.lines.length, 1, 'said once')
  t.match(logger.messages(), [/^system-agent\.json was not saved: /])
  live.tick()
  t.equal(calls, 3, 'not at every tick')
  disk.write = put
  clock.advance(5_000)
  live.tick()
  t.ok(await live.save())
  t.match(json('system-agent'), { dailyTokens: 7 })
})

void t.test('a change during a save is saved with the next one', async (t) => {
  const { live, disk, json } = await open(t)
  let go = (): void => {}
  const begun = new Promise<void>((resolve) => {
    disk.write = async (path, text) => {
      resolve()
      await new Promise<void>((resume) => {
        go = resume
      })
      return put(path, text)
    }
  })
  live.change('system-agent', { dailyTokens: 7 })
  const first = live.save()
  await begun
  live.change('system-agent', { dailyTokens: 8 })
  disk.write = put
  go()
  t.notOk(await first)
  t.match(json('system-agent'), { dailyTokens: 7 })
  t.ok(await live.save())
  t.match(json('system-agent'), { dailyTokens: 8 })
})

void t.test('a file that cannot be used is not written over', async (t) => {
  const { live, set, folder } = await open(t)
  set('system-agent', '{')
  live.change('system-agent', { dailyTokens: 7 })
  t.notOk(await live.save())
  t.equal(readFileSync(join(folder, 'system-agent.json'), 'utf8'), '{')
  t.equal(live.config['system-agent'].dailyTokens, 7)
  rmSync(join(folder, 'system-agent.json'))
  t.ok(await live.save())
  t.match(JSON.parse(readFileSync(join(folder, 'system-agent.json'), 'utf8')), {
    $schema: /system-agent\.json$/,
    dailyTokens: 7,
  })
})

void t.test('whoever reloads is told in the step in which the values change', async (t) => {
  const { live, set } = await open(t)
  set('system-agent', { modelConcurrency: 7 })
  const seen: number[] = []
  const { changed } = await live.reload(() => void seen.push(live.config['system-agent'].modelConcurrency))
  t.same([seen, changed], [[7], ['system-agent.modelConcurrency']])
})
