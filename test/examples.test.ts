import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import * as bank from '../examples/extending.js'
import * as hello from '../examples/plugin-hello.js'
import * as tour from '../examples/plugin-tour.js'
import * as weather from '../examples/plugin-weather-tool.js'
import { executionPolicySchema } from '../lib/agent/index.js'
import { CONFIG_SCHEMAS, readLenient } from '../lib/config/index.js'
import { createProviderSimulator } from '../lib/testing/index.js'
import { componentText } from '../lib/text/index.js'
import type { SystemHandle } from '../plugins/index.js'
import type { SquidServer } from '../plugins/squid/types.js'
import { decodeComponent } from './support/component.js'
import { putPack } from './support/module-world.js'
import { bootSquid, DEFAULT_VERSION, joinRaw, nextEvent, type RawClient } from './support/squid.js'

const ROOT = new URL('../../', import.meta.url)

const WELCOME = /^(The System is now with you|系统已与你绑定)/

/** The text of the next chat message that is no progress line and no welcome. */
async function answerTo(client: RawClient, line: string): Promise<string> {
  const next = nextEvent<{ content: unknown; isActionBar: boolean }>(
    client,
    'system_chat',
    ({ content, isActionBar }) => !isActionBar && !WELCOME.test(componentText(decodeComponent(content))),
  )
  client.say(line)
  return componentText(decodeComponent((await next).content))
}

void t.test('the weather plugin: command, sentence, model, languages', async (t) => {
  // the examples import the package by its name: so does the server that they run on
  const system = (await import('flying-squid-system')) as {
    server(serv: SquidServer, settings: unknown): void
  }
  const model = await createProviderSimulator()
  t.teardown(() => model.close())
  const settings = {
    configFolder: mkdtempSync(join(tmpdir(), 'system-')),
    autoGrant: 'system:default',
    strict: true,
    config: {
      'system-model': { provider: 'generic', baseUrl: model.url, model: 'sim', apiKeyEnv: '' },
    },
  }
  const { serv, port } = await bootSquid(t, DEFAULT_VERSION, {
    // in this order the extension listens after the System was loaded; the other order works alike
    plugins: { 'flying-squid-system': [system, settings], weather: [weather, {}] },
  })
  await (serv as SquidServer & { system: SystemHandle }).system.ready
  const english = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  const card = await answerTo(english, '/system weather')
  t.match(card, /^Weather\nSky: clear\nTime of day: \d+\n\[Look again\]$/)
  serv.emit('weather', 'rain')
  t.match(await answerTo(english, '/system what is the weather like?'), /Sky: rain/, 'routed without a model')
  t.equal(model.requests.length, 0)

  model.script(
    { type: 'weather:now', input: {} },
    { type: 'answer', text: 'Take an umbrella.', sources: [1] },
  )
  t.match(
    await answerTo(english, '/system reason do I need an umbrella?'),
    'Take an umbrella.\nLooked up: the weather',
  )
  t.match(model.requests[1]?.body.messages.at(-1)?.content, /"output":\{"sky":"rain"/)

  const chinese = await joinRaw(t, port, DEFAULT_VERSION, 'bob', { locale: 'zh_cn' })
  t.match(await answerTo(chinese, '/system 现在天气怎么样'), /^天气\n天空：雨\n/)
  t.equal(model.requests.length, 2)
  t.strictSame(model.errors, [])
})

void t.test('the tour plugin computes in a thread; the pieces of the text do what it says', async (t) => {
  const system = (await import('flying-squid-system')) as {
    server(serv: SquidServer, settings: unknown): void
  }
  const world = mkdtempSync(join(tmpdir(), 'system-'))
  t.teardown(() => rmSync(world, { recursive: true }))
  putPack(world, {
    'data/town/system/system/saver.json': { name: 'Saver', modules: ['town:market'] },
    'data/town/system/system/spender.json': { name: 'Spender', modules: ['town:fair', 'town:market'] },
    'data/town/system/system_module/market.json': { type: 'bank:shop', currency: 'crowns' },
    'data/town/system/system_module/fair.json': { type: 'bank:shop', currency: 'tokens' },
  })
  const settings = { configFolder: join(world, 'config'), autoGrant: 'town:saver', strict: true }
  const { serv, port } = await bootSquid(t, DEFAULT_VERSION, {
    plugins: {
      bank: [bank, {}],
      hello: [hello, {}],
      tour: [tour, {}],
      'flying-squid-system': [system, settings],
    },
    settings: { worldFolder: world },
  })
  const handle = (serv as SquidServer & { system: SystemHandle }).system
  t.equal(await handle.ready, 'ready')
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  t.equal(await answerTo(alice, '/system tour 0 0, 90 10, 5 -40'), 'A way of 139 blocks\n0 0 → 5 -40 → 90 10')
  t.match(await answerTo(alice, '/system tour somewhere'), /I didn't get that/)
  t.equal(await answerTo(alice, '/system greet me please'), 'Hello alice!')
  t.equal(await answerTo(alice, '/system balance'), 'You have 7 crowns.')
  await serv.handleCommand('system revoke alice')
  await nextEvent(alice, 'system_chat')
  await serv.handleCommand('system grant town:spender alice')
  await nextEvent(alice, 'system_chat')
  t.equal(await answerTo(alice, '/system balance'), 'You have 7 tokens.', 'the first of its System')
})

void t.test('the loop of an author runs as a program', async (t) => {
  const program = fileURLToPath(new URL('build/examples/author-loop.js', ROOT))
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 })
  t.match(stdout, '2 nights in Porto\nTwo nights in Porto cost 380 euros.\nmodel requests: 3\n')
})

void t.test('the configuration example is whole and valid', (t) => {
  const path = new URL('examples/agent/system-agent.json', ROOT)
  const example: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const { value, problems } = readLenient(CONFIG_SCHEMAS['system-agent'], example)
  t.strictSame(problems, [])
  t.strictSame(value, example, 'no field is left to its default')
  const policies = [...Object.values(value.policies), value.routingPolicy]
  for (const policy of policies) {
    t.strictSame(executionPolicySchema.parse(policy), policy)
    t.equal(Object.keys(policy as object).length, 10)
  }
  t.end()
})
