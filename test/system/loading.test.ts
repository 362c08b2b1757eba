/** How a System comes onto a server: early or late, beside others, with broken files; and what it leaves on it. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import type { EventEmitter } from 'node:events'
import { systemClock } from '../../lib/core/clock.js'
import * as plugin from '../../plugins/index.js'
import type { SystemHandle } from '../../plugins/index.js'
import { serverHook } from '../../plugins/system.js'
import type { Installation } from '../../plugins/squid/installation.js'
import type { SquidServer } from '../../plugins/squid/types.js'
import { eventually } from '../support/eventually.js'
import { DEFAULT_VERSION, VERSIONS, bootSquid, joinRaw, nextEvent } from '../support/squid.js'
import {
  consoleSays,
  joinReader,
  logKeeper,
  openSystem,
  temporaryFolder,
  type SystemServer,
} from '../support/system.js'

const handle = (serv: SquidServer): SystemHandle => (serv as unknown as { system: SystemHandle }).system

const systemLines = (log: readonly string[]): string[] => log.filter((line) => line.includes('[system]'))

void t.test('added before and after pluginsReady', async (t) => {
  for (const when of ['before', 'after'] as const) {
    const configFolder = await temporaryFolder(t)
    const settings = { configFolder, autoGrant: 'system:default' }
    const booted = await bootSquid(t, DEFAULT_VERSION, {
      plugins: when === 'before' ? { whatever: [plugin, settings] } : {},
    })
    if (when === 'after') {
      t.ok(booted.serv.pluginsReady)
      booted.serv.addPlugin('another name', plugin, settings)
    }
    t.equal(await handle(booted.serv).ready, 'ready', when)
    const alice = await joinReader(t, { ...booted, version: DEFAULT_VERSION }, 'alice')
    t.match(await alice.nextText(), /^The System is now with you/)
    t.match(await alice.askText('/system item diamond'), /^Diamond\n/)
    booted.serv.addPlugin('twice', plugin, settings)
    t.equal(await handle(booted.serv).ready, 'ready', 'a second time is the same System')
    t.match(await alice.askText('/system item diamond'), /^Diamond\n/)
    t.strictSame([await alice.rest(), booted.errors], [[], []])
  }
})

void t.test('added late, it serves who is there already', async (t) => {
  const booted = await bootSquid(t, DEFAULT_VERSION)
  const alice = await joinReader(t, { ...booted, version: DEFAULT_VERSION }, 'alice')
  const configFolder = await temporaryFolder(t)
  booted.serv.addPlugin('system', plugin, { configFolder, autoGrant: 'system:default' })
  t.match(await alice.nextText(), /^The System is now with you/)
  t.match(await alice.askText('/system me'), /^Your state\n/)
  t.match(await alice.askText('/system why is it so'), /^No AI is set up on this server/)
  t.strictSame([await alice.rest(), booted.errors], [[], []])
})

const require = createRequire(import.meta.url)
const protocol = require('minecraft-protocol') as { createClient(options: unknown): EventEmitter }

for (const version of VERSIONS) {
  void t.test(`${version}: logins before it is ready are told to wait`, async (t) => {
    const configFolder = await temporaryFolder(t)
    // its first files are written when it is told to go: so long the System is starting
    const held = {
      server: serverHook({
        clock: systemClock,
        workersUrl: new URL('../fixtures/held-workers/', import.meta.url),
      }),
    }
    const { serv, port, errors } = await bootSquid(t, version, {
      plugins: { system: [held, { configFolder, autoGrant: 'system:default' }] },
    })
    t.equal(handle(serv).state, 'starting')
    const early = protocol.createClient({
      host: '127.0.0.1',
      port,
      username: 'early',
      auth: 'offline',
      version,
      hideErrors: true,
      validateChannelProtocol: false,
    })
    const reason = await Promise.race(
      ['disconnect', 'kick_disconnect'].map((event) => nextEvent<{ reason: unknown }>(early, event)),
    )
    t.match(JSON.stringify(reason), /still starting/)
    t.equal(serv.players.length, 0)
    await writeFile(join(configFolder, 'go'), '')
    t.equal(await handle(serv).ready, 'ready')
    const alice = await joinReader(t, { port, version }, 'alice')
    t.match(await alice.nextText(), /^The System is now with you/)
    t.strictSame(errors, [])
  })
}

void t.test('a server that ends while packs are read waits for nothing', async (t) => {
  const configFolder = await temporaryFolder(t)
  const log: string[] = []
  const held = {
    server: serverHook({
      clock: systemClock,
      workersUrl: new URL('../fixtures/held-packs/', import.meta.url),
    }),
  }
  const { serv } = await bootSquid(t, DEFAULT_VERSION, {
    plugins: { log: [logKeeper(log), {}], system: [held, { configFolder }] },
  })
  // the instance is there: its threads are asked for packs
  await eventually(() => (serv as unknown as { system: Installation }).system.runtime !== null)
  await serv.quit()
  await handle(serv).closed
  t.same(
    systemLines(log).filter((line) => line.includes('ERROR')),
    [],
  )
})

void t.test('a config folder that cannot be made', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'file'), '')
  const system = await openSystem(t, DEFAULT_VERSION, {
    settings: { configFolder: join(folder, 'file', 'config') },
  })
  t.equal(system.system.state, 'off')
  t.match(systemLines(system.log), [/the System is off; the server runs without it: .*EEXIST/])
  t.equal(systemLines(system.log).length, 1, 'one line')
  t.notMatch(systemLines(system.log)[0], /\n/, 'without a stack')
  await serverRuns(t, system)
})

void t.test('a config folder that takes no files', async (t) => {
  // there, but not even root can write into it
  const system = await openSystem(t, DEFAULT_VERSION, { settings: { configFolder: '/proc/self' } })
  t.equal(system.system.state, 'off')
  const errors = systemLines(system.log).filter((line) => line.includes('ERROR'))
  t.match(errors, [/the System is off; the server runs without it: [^\n]*\/proc\/self[^\n]*$/])
  t.equal(errors.length, 1)
  await serverRuns(t, system)
})

void t.test('settings that are none', async (t) => {
  for (const [settings, reason] of [
    [{ configFolder: 5 }, /its settings are wrong \(configFolder: [^\n]*\)$/],
    [
      { autoGrant: 'Not An Id' },
      /its settings are wrong \(autoGrant: must be an id such as system:default\)$/,
    ],
  ] as const) {
    const system = await openSystem(t, DEFAULT_VERSION, { settings })
    t.equal(system.system.state, 'off')
    t.match(systemLines(system.log), [reason])
    await serverRuns(t, system)
  }
})

/** Players join and use the server's own commands; the System's words are unknown. */
async function serverRuns(t: Test, system: SystemServer): Promise<void> {
  const alice = await joinReader(t, system, 'alice')
  alice.client.say('hello')
  t.match(await alice.nextText(), /hello/)
  t.match(await alice.askText('/system'), /not found|unknown/i)
  t.strictSame(system.errors, [])
}

void t.test('broken files mean defaults, each named once', async (t) => {
  const configFolder = await temporaryFolder(t)
  await writeFile(join(configFolder, 'system-agent.json'), '{"lanes": ')
  await writeFile(
    join(configFolder, 'system-surface.json'),
    '{"chatPrefix": 7, "shield": {"leaks": false}, "typo": 1}',
  )
  await mkdir(join(configFolder, 'system-access.json'))
  const system = await openSystem(t, DEFAULT_VERSION, { settings: { configFolder } })
  t.equal(system.system.state, 'ready')
  const lines = systemLines(system.log)
  for (const [file, reason] of [
    ['system-agent.json', /system-agent\.json is not used: not valid JSON; defaults hold/],
    ['system-access.json', /system-access\.json is not used: not a file; defaults hold/],
    ['system-surface.json: chatPrefix', /its default holds/],
    ['system-surface.json: typo', /unknown field/],
  ] as const) {
    const named = lines.filter((line) => line.includes(file))
    t.equal(named.length, 1, file)
    t.match(named[0], reason)
  }
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  t.match(await alice.askText('@system me'), /^Your state\n/, 'the default prefix')
  t.match(await consoleSays(system, 'system status'), /leaks=off/, 'what is right in a file holds')
  t.equal(
    await readFile(join(configFolder, 'system-agent.json'), 'utf8'),
    '{"lanes": ',
    'a broken file stays',
  )
  t.ok((await readdir(configFolder)).includes('system-model.json'), 'missing files are written')
})

void t.test('two servers of different versions in one process', async (t) => {
  const [old, young] = [
    await openSystem(t, '1.16.5'),
    await openSystem(t, '1.21.4', { settings: { autoGrant: null } }),
  ]
  t.not(old.system, young.system)
  const alice = await joinReader(t, old, 'alice')
  const bob = await joinReader(t, young, 'alice', 'zh_cn')
  await alice.next()
  t.match(await bob.askText('/system me'), /^你还没有系统/, 'a System of the same player elsewhere')
  await consoleSays(young, 'system grant default alice')
  await bob.next()
  old.provider.script({ type: 'answer', text: 'from the old one' })
  young.provider.script({ type: 'answer', text: 'from the young one' })
  const [first, second] = await Promise.all([alice.askText('/system ask x'), bob.askText('/system ask x')])
  t.strictSame([first, second], ['from the old one', 'from the young one'])
  t.match(await alice.askText('/system item bundle'), /^./)
  t.match(await bob.askText('/system item mace'), /^Mace\n/, 'only the young one has it')
  t.match(await alice.askText('/system item mace'), /^I don't know an item called “mace”/)
  await old.stop()
  await old.system.closed
  t.equal(young.system.state, 'ready')
  t.match(await bob.askText('/system me'), /^你的状态\n/, 'one ends, the other goes on')
  t.strictSame([old.errors, young.errors], [[], []])
})

void t.test('nothing but serv.system is added', async (t) => {
  for (const version of ['1.16.5', DEFAULT_VERSION]) {
    const bare = await bootSquid(t, version, {
      plugins: { log: [logKeeper([]), {}], other: [{ server() {} }, {}] },
    })
    const system = await openSystem(t, version)
    const own = (object: object): PropertyKey[] => Reflect.ownKeys(object).filter((key) => key !== '_events')
    const names = async (server: { serv: SquidServer; port: number }) => {
      await joinRaw(t, server.port, version, 'alice')
      const [player] = server.serv.players
      if (player === undefined) throw new Error('nobody there')
      // flying-squid's own, once the client has told its settings
      while (player.view === undefined) await nextEvent(server.serv, 'tick')
      return { serv: new Set(own(server.serv)), player: new Set(own(player)), described: player }
    }
    const [before, after] = [await names(bare), await names(system)]
    const added = (key: 'serv' | 'player'): PropertyKey[] =>
      [...after[key]].filter((name) => !before[key].has(name))
    t.strictSame(added('serv'), ['system'], version)
    t.strictSame(added('player'), [], version)
    t.notOk(Object.keys(system.serv).includes('system'), 'not in the way of whoever walks through them')
    const accessors = own(after.described).filter(
      (key) => Object.getOwnPropertyDescriptor(after.described, key)?.get !== undefined,
    )
    t.strictSame(accessors, ['op'])
  }
})
