import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import * as bank from '../examples/extending.js'
import * as digging from '../examples/plugin-digging-reward.js'
import * as economy from '../examples/plugin-economy.js'
import * as hello from '../examples/plugin-hello.js'
import * as tour from '../examples/plugin-tour.js'
import * as village from '../examples/plugin-village-fund.js'
import * as weather from '../examples/plugin-weather-tool.js'
import { executionPolicySchema } from '../lib/agent/index.js'
import { CONFIG_SCHEMAS, readLenient } from '../lib/config/index.js'
import { createProviderSimulator } from '../lib/testing/index.js'
import { componentText, type Component } from '../lib/text/index.js'
import type { SystemHandle } from '../plugins/index.js'
import type { SquidPlayer, SquidServer } from '../plugins/squid/types.js'
import { decodeComponent } from './support/component.js'
import { putPack } from './support/module-world.js'
import {
  bootSquid,
  DEFAULT_VERSION,
  joinRaw,
  nextEvent,
  type PluginObject,
  type RawClient,
} from './support/squid.js'
import { buttonsOf, consoleSays } from './support/system.js'

const ROOT = new URL('../../', import.meta.url)

/** The welcome, and the line that says once where text goes. */
const ASIDE = /^(The System is now with you|系统已与你绑定|What you ask goes to an AI)/

/** The next chat message that is no progress line and nothing said aside. */
async function componentOf(client: RawClient, line: string): Promise<Component> {
  const next = nextEvent<{ content: unknown; isActionBar: boolean }>(
    client,
    'system_chat',
    ({ content, isActionBar }) => !isActionBar && !ASIDE.test(componentText(decodeComponent(content))),
  )
  client.say(line)
  return decodeComponent((await next).content)
}

const answerTo = async (client: RawClient, line: string): Promise<string> =>
  componentText(await componentOf(client, line))

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
  t.match(card, /^Weather\nSky: clear\nTime of day: \d+\n\[Look again\] \[Pin\]$/)
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
  t.equal(
    await answerTo(alice, '/system tour 0 0, 90 10, 5 -40'),
    'A way of 139 blocks\n0 0 → 5 -40 → 90 10\n[Pin]',
  )
  t.match(await answerTo(alice, '/system tour somewhere'), /I didn't get that/)
  t.equal(await answerTo(alice, '/system greet me please'), 'Hello alice!')
  t.equal(await answerTo(alice, '/system balance'), 'You have 7 crowns.')
  await serv.handleCommand('system revoke alice')
  await nextEvent(alice, 'system_chat')
  await serv.handleCommand('system grant town:spender alice')
  await nextEvent(alice, 'system_chat')
  t.equal(await answerTo(alice, '/system balance'), 'You have 7 tokens.', 'the first of its System')
})

/** A server with the System, as its package is installed, and one plugin; `world`: of an earlier one. */
async function startWith(t: Test, plugin: PluginObject, world: string) {
  const system = (await import('flying-squid-system')) as {
    server(serv: SquidServer, settings: unknown): void
  }
  const settings = { configFolder: join(world, 'config'), autoGrant: 'system:default', strict: true }
  const booted = await bootSquid(t, DEFAULT_VERSION, {
    settings: { worldFolder: join(world, 'world') },
    plugins: { 'flying-squid-system': [system, settings], plugin: [plugin, {}] },
  })
  const handle = (booted.serv as SquidServer & { system: SystemHandle }).system
  t.equal(await handle.ready, 'ready')
  return { ...booted, handle }
}

/** The message that comes next at the client. */
const nextMessage = async (client: RawClient): Promise<Component> => {
  const { content } = await nextEvent<{ content: unknown; isActionBar: boolean }>(
    client,
    'system_chat',
    ({ content, isActionBar }) => !isActionBar && !ASIDE.test(componentText(decodeComponent(content))),
  )
  return decodeComponent(content)
}

void t.test('the village plugin: a button that confirms, and what is kept', async (t) => {
  const world = mkdtempSync(join(tmpdir(), 'system-'))
  const first = await startWith(t, village, world)
  const alice = await joinRaw(t, first.port, DEFAULT_VERSION, 'alice')
  const donate = async (line: string): Promise<Component> => {
    const answer = nextMessage(alice)
    alice.say(line)
    return answer
  }
  t.match(componentText(await donate('/system donate many')), /didn't get that|understand/i)
  const offer = await donate('/system donate 4')
  t.equal(componentText(offer), 'Give 4 coins to the village?\n[Give them] [Pin]')
  const [button] = buttonsOf(offer)
  t.equal(
    componentText(await donate(button?.command ?? '')),
    'The village thanks you\nGiven in all: 4\nCoins left: 6',
  )
  t.match(componentText(await donate(button?.command ?? '')), /already|used/i, 'a button is pressed once')
  const [more] = buttonsOf(await donate('/system donate 7'))
  t.match(componentText(await donate(more?.command ?? '')), /not enough|missing|cost/i)
  await first.stop()
  await first.handle.closed

  const second = await startWith(t, village, world)
  const back = await joinRaw(t, second.port, DEFAULT_VERSION, 'alice')
  const again = nextMessage(back)
  back.say('/system donate 6')
  const [last] = buttonsOf(await again)
  const thanks = nextMessage(back)
  back.say(last?.command ?? '')
  t.equal(componentText(await thanks), 'The village thanks you\nGiven in all: 10\nCoins left: 0')
})

void t.test('the digging plugin: tasks that are kept, and the rule that authorizes them', async (t) => {
  const { serv, port } = await startWith(t, digging, mkdtempSync(join(tmpdir(), 'system-')))
  const joined = nextEvent<SquidPlayer>(serv, 'newPlayer')
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  const player = await joined
  t.match(await answerTo(alice, '/system me'), /Health/, 'alice has her System')
  const dig = (blocks: number): void => {
    for (let block = 0; block < blocks; block += 1) player.emit('dug', { block: { type: 0 } })
  }
  const hint = nextMessage(alice)
  dig(1)
  t.equal(componentText(await hint), 'Every 10 blocks that you dig earn a token.')
  const toasts = alice.received.filter(({ name }) => name === 'advancements')
  t.equal(toasts.length, 3)
  t.equal(alice.received.filter(({ name }) => name === 'sound_effect').length, 1)
  const first = nextMessage(alice)
  dig(9)
  t.equal(componentText(await first), 'Tokens for your digging: 1. You have 1.')
  dig(9)
  const second = nextMessage(alice)
  dig(1)
  t.equal(componentText(await second), 'Tokens for your digging: 1. You have 2.')
  const { warn } = console
  const warned = new Promise<unknown>((resolve) => (console.warn = resolve))
  t.teardown(() => (console.warn = warn))
  serv.emit('digging:rewards', false)
  dig(10)
  t.equal(await warned, 'no reward for digging: system:no_permission')
})

void t.test('the loop of an author runs as a program', async (t) => {
  const program = fileURLToPath(new URL('build/examples/author-loop.js', ROOT))
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 })
  t.match(stdout, '2 nights in Porto\nTwo nights in Porto cost 380 euros.\n[Pin]\nmodel requests: 3\n')
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

void t.test('the economy plugin: an offer that its balance and an item pay', async (t) => {
  const system = (await import('flying-squid-system')) as {
    server(serv: SquidServer, settings: unknown): void
  }
  const world = mkdtempSync(join(tmpdir(), 'system-'))
  t.teardown(() => rmSync(world, { recursive: true }))
  const settings = {
    configFolder: join(world, 'config'),
    packs: [fileURLToPath(new URL('examples/economy-pack', ROOT))],
    autoGrant: 'system:default',
    strict: true,
  }
  const { serv, port } = await bootSquid(t, DEFAULT_VERSION, {
    plugins: {
      economy: [economy, {}],
      'flying-squid-system': [system, settings],
    },
    settings: { worldFolder: world },
  })
  const host = serv as SquidServer & {
    system: SystemHandle
    economy: { pay(player: string, amount: number): Promise<void>; balance(player: string): number }
  }
  t.equal(await host.system.ready, 'ready')
  const alice = await joinRaw(t, port, DEFAULT_VERSION, 'alice')
  const uuid = String(host.players[0]?._client.uuid)
  const press = async (card: Component, label: string): Promise<Component> => {
    const button = buttonsOf(card).find((one) => one.label === label)
    t.ok(button, `${label} of ${componentText(card)}`)
    return componentOf(alice, button?.command ?? '')
  }
  const short = await press(await componentOf(alice, '/system shop saddle'), 'A saddle from the town')
  t.match(componentText(short), /Price, not enough: 40 coins \(you have 0\)/)
  t.notMatch(componentText(short), /Buy it/)
  await host.economy.pay(uuid, 100)
  await consoleSays({ serv: host }, 'system item-test give alice leather 5')
  const quote = await press(short, '[Look again]')
  const order = await press(quote, '[Buy it]')
  t.match(componentText(order), /^Order: A saddle from the town\nPaid\./)
  t.equal(host.economy.balance(uuid), 60)
  t.match(await answerTo(alice, '/system inbox'), /Saddle × 1/)
})
