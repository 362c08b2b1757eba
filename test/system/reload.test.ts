/** `/system reload` on a running server. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { componentText } from '../../lib/text/index.js'
import { eventually } from '../support/eventually.js'
import { graphsOf } from '../support/command-client.js'
import { openLive, type LiveSystem } from '../support/live-system.js'
import { consoleSays } from '../support/system.js'
import { ANSWER, good, TEXT } from './fault-cases.js'

const SAME = 'Configuration read again, nothing in use has changed.'
const PACKS = /^Packs read again: \d+ in use, 0 refused, \d+ entries, 0 left out\.$/
const NO_PERMISSION = 'You are not allowed to do that, please ask an admin if you need it.'

/** A policy of ten limits. */
const POLICY = {
  modelCalls: 2,
  toolCalls: 0,
  steps: 4,
  writeSteps: 0,
  inputBytes: 65_536,
  outputTokens: 99,
  totalTokens: 262_144,
  ttlMillis: 60_000,
  modelTimeoutMillis: 20_000,
  reactIterations: 0,
}

const set = ({ configFolder }: LiveSystem, name: string, content: object | string): void =>
  writeFileSync(
    join(configFolder, `${name}.json`),
    typeof content === 'string' ? content : JSON.stringify(content),
  )
/** What is said of the configuration; the last line is of the packs. */
async function reload(live: LiveSystem): Promise<string[]> {
  const lines = await consoleSays(live, 'system reload')
  const last = lines.pop() ?? ''
  if (!PACKS.test(last)) throw new Error(`not of the packs: ${last}`)
  return lines
}

void t.test('a request that runs keeps model and policy, the next one has the new ones', async (t) => {
  const live = await openLive(t)
  const { provider, runtime } = live
  const alice = await live.join('alice')
  let go = (): void => {}
  const may = new Promise<void>((resolve) => {
    go = resolve
  })
  provider.script(async () => {
    await may
    return good({ module: 'system:question', input: { text: 'why is the sky blue' } })
  }, good(ANSWER))
  alice.say('/system why is the sky blue')
  await provider.request(1)
  set(live, 'system-model', { extra: { seed: 7 } })
  set(live, 'system-agent', { policies: { 'system:question': POLICY } })
  t.same(await reload(live), [
    'Configuration read again, 2 changed: system-model.extra, system-agent.policies',
  ])
  go()
  t.match(componentText(await alice.reader.next()), TEXT)
  provider.script(good(ANSWER))
  t.match(await alice.ask('/system ask why is the sky blue'), TEXT)
  const bodies = provider.requests.map(({ body }) => body)
  t.same(
    bodies.map((body) => body['seed']),
    [undefined, undefined, 7],
    'the model of the whole request',
  )
  t.not(bodies[1]?.['max_tokens'], 99, 'and its policy')
  t.equal(bodies[2]?.['max_tokens'], 99)
  await eventually(() => runtime.groups.agent.state().threads === 1)
  t.strictSame(provider.errors, [])
  t.strictSame(live.stray, [])
})

void t.test('the lines of a reload name fields, never what they hold', async (t) => {
  const live = await openLive(t)
  t.same(await reload(live), [SAME])
  set(live, 'system-agent', {
    threads: { agent: 3 },
    dailyTokens: 'sk-a-secret',
    policies: { 'system:question': { ...POLICY, steps: 0 } },
  })
  set(live, 'system-model', { apiKeyEnv: 'sk-a-secret' })
  set(live, 'system-access', '{"admins":["mallory"]')
  t.same(await reload(live), [
    'Configuration read again, 1 changed: system-agent.policies',
    '1 changed, to take effect at the next start: system-agent.threads',
    '5 not used, what held before stays (the log says why): system-model.json: apiKeyEnv, system-model.json, ' +
      'system-agent.json: dailyTokens, system-access.json, system-agent.json: policies.system:question',
  ])
  t.match(live.log.join('\n'), /system-access\.json is not used: not valid JSON; what held before stays/)
  t.notMatch(live.log.join('\n'), /sk-a-secret/)
  t.equal(readFileSync(join(live.configFolder, 'system-access.json'), 'utf8'), '{"admins":["mallory"]')
  const alice = await live.join('alice')
  live.provider.script(good(ANSWER))
  t.match(await alice.ask('/system ask why is the sky blue'), TEXT, 'the model is there as before')
})

void t.test('limits and the chat prefix are read at each use', async (t) => {
  const live = await openLive(t)
  const { provider } = live
  const alice = await live.join('alice')
  provider.script(good(ANSWER))
  t.match(await alice.ask('@system ask why is the sky blue'), TEXT)
  set(live, 'system-agent', { dailyModelCalls: 1 })
  set(live, 'system-surface', { chatPrefix: '!' })
  t.same(await reload(live), [
    'Configuration read again, 2 changed: system-agent.dailyModelCalls, system-surface.chatPrefix',
  ])
  t.match(await alice.ask('@system ask again'), /alice/, 'said to all')
  t.notMatch(await alice.ask('!ask again'), TEXT, 'one call a day')
  t.equal(provider.requests.length, 1)
  set(live, 'system-agent', {})
  await reload(live)
  provider.script(good(ANSWER))
  t.match(await alice.ask('!ask again'), TEXT)
})

void t.test('administrators reload, and who is one follows', async (t) => {
  const live = await openLive(t)
  const alice = await live.join('alice')
  t.equal(await alice.ask('/system reload'), NO_PERMISSION)
  // the word is offered to nobody else; any other is free text
  const isOffered = (): boolean => JSON.stringify(graphsOf(alice.reader.client).at(-1)).includes('"reload"')
  t.notOk(isOffered())
  set(live, 'system-access', { admins: ['alice'], adminsInOfflineMode: true })
  await reload(live)
  await eventually(isOffered)
  t.equal(await alice.ask('/system reload'), SAME)
  t.match(await alice.reader.nextText(), PACKS)
  set(live, 'system-access', {})
  t.match(await alice.ask('/system reload'), /2 changed: system-access\.admins/)
  t.match(await alice.reader.nextText(), PACKS)
  t.equal(await alice.ask('/system reload'), NO_PERMISSION)
})

void t.test('an open breaker closes when the endpoint is another', async (t) => {
  const live = await openLive(t)
  live.runtime.breaker.record('system:model_auth')
  await reload(live)
  t.match(await live.status(), { breaker: /^open/ })
  set(live, 'system-model', { thinking: true })
  await reload(live)
  t.match(await live.status(), { breaker: 'closed' })
})

void t.test('changes of the server are on disk after a tick and after its end', async (t) => {
  const live = await openLive(t)
  const file = (): unknown =>
    JSON.parse(readFileSync(join(live.configFolder, 'system-access.json'), 'utf8')) as unknown
  live.runtime.live.change('system-access', { admins: ['alice'] })
  await eventually(() => JSON.stringify(file()).includes('alice'))
  live.runtime.live.change('system-access', { admins: ['bob'] })
  await live.serv.quit()
  await live.system.closed
  t.match(file(), { admins: ['bob'] })
})
