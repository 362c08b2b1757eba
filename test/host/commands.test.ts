import t from 'tap'
import type { CommandSource } from '../../lib/command/index.js'
import { silentLogger } from '../../lib/core/logger.js'
import { openCommands, type CommandSurface } from '../../plugins/squid/commands/index.js'
import type { SquidPlayer, SquidServer } from '../../plugins/squid/types.js'
import { acceptsLine, firstGraph, graphsOf, nextGraph, rootWords } from '../support/command-client.js'
import { ADMIN, PLAYER, TREE, UNBOUND } from '../support/command-tree.js'
import { VERSIONS, bootSquid, joinRaw, nextEvent, type RawClient } from '../support/squid.js'

interface Heard {
  readonly player: string | null
  readonly text: string
}

/** A real server with the surface on it, and what its callback heard. */
async function serve(
  t: { teardown(fn: () => unknown): void },
  version: string,
  settings: Record<string, unknown> = {},
) {
  const { serv, port, errors } = await bootSquid(t, version, { settings })
  const heard: Heard[] = []
  const logged: unknown[] = []
  const unbound = new Set<string>()
  const waiting: (() => void)[] = []
  const source = (player: SquidPlayer): CommandSource =>
    player.op === true ? ADMIN : unbound.has(player.username ?? '') ? UNBOUND : PLAYER
  const surface = openCommands({
    serv,
    root: TREE,
    info: 'the System',
    chatPrefix: () => '@system',
    source,
    onCommand(player, text) {
      heard.push({ player: player?.username ?? null, text })
      waiting.shift()?.()
      if (text.trim() === 'throw') throw new Error('from the callback')
      return text.trim() === 'reject' ? Promise.reject(new Error('later')) : undefined
    },
    send: (player, packet, fields) => player._client.write(packet, fields),
    log: { ...silentLogger, error: (_message, cause) => logged.push(cause) },
  })
  t.teardown(() => surface.close())
  const nextHeard = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  return { serv, port, errors, heard, logged, unbound, surface, nextHeard }
}

const playerOf = (serv: SquidServer, name: string): SquidPlayer => {
  const player = serv.getPlayer(name)
  if (!player) throw new Error(`${name} is not online`)
  return player
}

/** What the client was sent to read besides the notices of logins. */
const chatOf = (client: RawClient): string[] =>
  client.received
    .filter(({ name }) => name === 'chat' || name === 'system_chat')
    .map(({ data }) => JSON.stringify(data))
    .filter((line) => !line.includes('joined the game'))

/** Resolves when the client was sent a chat line with the word in it. */
function nextChat(client: RawClient, word: string): Promise<unknown> {
  const named = (value: unknown): boolean => JSON.stringify(value).includes(word)
  return Promise.race(['chat', 'system_chat'].map((event) => nextEvent(client, event, named)))
}

/** Answers tab_complete as the smallest possible listener would. */
function answerCompletion(serv: SquidServer, player: SquidPlayer, surface: CommandSurface): void {
  player._client.removeAllListeners('tab_complete')
  player._client.on('tab_complete', ({ transactionId, text }: { transactionId: number; text: string }) => {
    const given = surface.complete(player, text) ?? { start: 0, length: 0, matches: [] }
    const matches = given.matches.map(({ match }) => ({ match, tooltip: undefined }))
    player._client.write('tab_complete', { transactionId, ...given, matches })
  })
}

for (const version of VERSIONS) {
  void t.test(`${version}: the graph follows rights and holds flying-squid's commands`, async (t) => {
    const { serv, port, errors, unbound, surface, logged } = await serve(t, version)
    const client = await joinRaw(t, port, version, 'alice')
    const first = await firstGraph(client)
    const right = [
      'system',
      'system ask x',
      'system ask what is {"this"} @e §c?',
      'system item dia',
      'system me',
    ]
    const shown = [
      'system help',
      'system where am I',
      'system act AbC-_012',
      'system grant x',
      'help',
      '? 2',
      'ping 1',
    ]
    for (const line of [...right, ...shown]) t.ok(acceptsLine(first, line), `not red: ${line}`)
    for (const line of ['give', 'give alice dirt', 'op alice', 'nope', 'constructor'])
      t.notOk(acceptsLine(first, line), `unknown to players: ${line}`)
    const words = first.nodes.map((node) => node.extraNodeData?.name)
    for (const word of ['grant', 'revoke', 'reset', 'reload', 'save', 'item-test', 'status', 'give'])
      t.notOk(words.includes(word), `no ${word}`)
    const asks = first.nodes.filter((node) => node.extraNodeData?.suggestionType === 'minecraft:ask_server')
    t.ok(asks.length > 10 && asks.every((node) => node.flags.has_custom_suggestions === 1))

    const asOp = nextGraph(client)
    await serv.handleCommand('op alice')
    const second = await asOp
    t.equal(playerOf(serv, 'alice').op, true)
    Object.assign(playerOf(serv, 'alice'), { op: true })
    const forAdmins = [
      'system grant system:default',
      'system grant system:default Bob',
      'system revoke',
      'system status x',
      'system save',
      'system item-test give Bob minecraft:dirt 64',
      'system item-test count Bob dirt',
    ]
    for (const line of [...right, ...shown, ...forAdmins, 'give alice dirt'])
      t.ok(acceptsLine(second, line), `not red for an operator: ${line}`)
    t.ok(second.nodes.some((node) => node.extraNodeData?.name === 'grant'))
    t.equal(new Set(rootWords(second)).size, rootWords(second).length, 'no word twice')
    t.notOk(rootWords(second).includes('SYSTEM'), 'other spellings are not offered')

    const afterwards = nextGraph(client)
    await serv.handleCommand('deop alice')
    t.strictSame(await afterwards, first)

    unbound.add('alice')
    const withoutBinding = nextGraph(client)
    surface.refresh(playerOf(serv, 'alice'))
    const third = await withoutBinding
    t.ok(acceptsLine(third, 'system help'))
    t.notOk(acceptsLine(third, 'system ask x'))
    t.equal(graphsOf(client).length, 4, 'one graph for each change, none besides')
    t.strictSame([errors, client.clientErrors, logged], [[], [], []])
  })

  void t.test(`${version}: every form of a command reaches the callback once, literally`, async (t) => {
    const { serv, port, errors, heard, logged, nextHeard } = await serve(t, version)
    const alice = await joinRaw(t, port, version, 'alice')
    const bob = await joinRaw(t, port, version, 'bob')
    const cases: [string, string][] = [
      ['/system', ''],
      ['/system ask what?', 'ask what?'],
      ['/system    ASK   two  words ', '   ASK   two  words '],
      ['/SYSTEM help', 'help'],
      ['/System help', 'help'],
      ['@system secret question', ' secret question'],
      ['@SYSTEM   ask secret', '   ask secret'],
      [`/system ask ${'长'.repeat(10_000)}`, `ask ${'长'.repeat(10_000)}`],
      ['/system ask {"text":"x","clickEvent":{}} [1,2]', 'ask {"text":"x","clickEvent":{}} [1,2]'],
      ['/system ask @e[type=zombie] @a @z', 'ask @e[type=zombie] @a @z'],
      ['/system ask §cred &kblue ${x} %s \\n', 'ask §cred &kblue ${x} %s \\n'],
      ['/system constructor __proto__', 'constructor __proto__'],
      ['@system throw', ' throw'],
    ]
    const logLines: string[] = []
    playerOf(serv, 'alice').on('chat', ({ message }: { message: string }) => logLines.push(message))
    for (const [line] of cases) {
      const arrived = nextHeard()
      alice.say(line)
      await arrived
    }
    t.strictSame(
      heard,
      cases.map(([, text]) => ({ player: 'alice', text })),
    )

    // an ordinary line comes after them, so whatever was broadcast has arrived when it has
    const fence = nextChat(bob, 'fence')
    alice.say('@systematic fence')
    await fence
    t.match(chatOf(bob), [/fence/])
    t.equal(chatOf(bob).length, 1, 'nothing of it was broadcast')
    t.equal(chatOf(alice).length, 1, 'nothing was answered in place of the receiver')
    t.strictSame(logLines, ['@system', '@system', '@system', '@systematic fence'], 'the log sees no question')
    t.equal(heard.length, cases.length)

    for (const line of ['system status --json', 'SYSTEM  grant a b', 'system throw', 'system reject'])
      await serv.handleCommand(line)
    t.strictSame(
      heard.slice(cases.length),
      ['status --json', ' grant a b', 'throw', 'reject'].map((text) => ({ player: null, text })),
    )
    t.strictSame(logged.map(String), ['Error: from the callback', 'Error: from the callback', 'Error: later'])
    t.strictSame([errors, alice.clientErrors, bob.clientErrors], [[], [], []])
    t.notOk(alice.ended)
  })

  void t.test(`${version}: completion decodes and stands where the client expects it`, async (t) => {
    const { serv, port, errors, surface } = await serve(t, version)
    const client = await joinRaw(t, port, version, 'alice')
    const player = playerOf(serv, 'alice')
    answerCompletion(serv, player, surface)
    const ask = async (text: string): Promise<unknown> => {
      const answer = nextEvent<{ start: number; length: number; matches: { match: string }[] }>(
        client,
        'tab_complete',
      )
      client.write('tab_complete', { transactionId: 7, text })
      const { start, length, matches } = await answer
      return [start, length, matches.map(({ match }) => match)]
    }
    t.strictSame(await ask('/system item dia'), [13, 3, ['diamond']])
    t.strictSame(await ask('/system  RECIPE  di'), [17, 2, ['diamond', 'diorite', 'dirt']])
    t.strictSame(await ask('/system revoke '), [15, 0, []])
    player.op = true
    t.strictSame(await ask('/system revoke '), [15, 0, ['alice', 'Bob', 'constructor', '__proto__']])
    t.strictSame(await ask('/give alice '), [0, 0, []])
    t.strictSame([errors, client.clientErrors], [[], []])
  })
}

void t.test('closing takes everything away; opening late serves who is there', async (t) => {
  const { serv, port, surface, heard } = await serve(t, '1.21.4')
  const client = await joinRaw(t, port, '1.21.4', 'alice')
  await firstGraph(client)
  const player = playerOf(serv, 'alice')
  const counts = (): number[] =>
    ['chat_cancel', 'spawned', 'disconnected'].map((event) => player.listenerCount(event))
  const open = counts()
  player.op = true
  surface.close()
  surface.close()
  t.strictSame(
    counts(),
    open.map((count) => count - 1),
  )
  const own = Object.getOwnPropertyDescriptor(player, 'op')
  t.strictSame(own, { value: true, writable: true, enumerable: true, configurable: true })
  await serv.handleCommand('system help')
  const refused = nextChat(client, 'not found')
  client.say('/SYSTEM help')
  await refused
  t.strictSame(heard, [])
  t.equal(graphsOf(client).length, 2)
  t.equal(surface.complete(player, '/system can')?.matches.length, 1)

  const late = nextGraph(client)
  const again = openCommands({
    serv,
    root: TREE,
    info: 'the System',
    chatPrefix: () => '',
    source: () => ADMIN,
    onCommand: (_player, text) => void heard.push({ player: 'late', text }),
    send: (player, packet, fields) => player._client.write(packet, fields),
    log: silentLogger,
  })
  t.teardown(() => again.close())
  t.ok(acceptsLine(await late, 'system status'))
  const said = nextChat(client, '@system ordinary')
  client.say('@system ordinary')
  await said
  t.strictSame(heard, [], 'without a prefix nothing is taken from the chat')
})

void t.test('rights given during the login wait for its end', async (t) => {
  const { port, errors } = await serve(t, '1.21.4', { 'everybody-op': true })
  const client = await joinRaw(t, port, '1.21.4', 'alice')
  t.ok(acceptsLine(await firstGraph(client), 'give alice dirt'))
  const names = client.received.map(({ name }) => name)
  t.equal(graphsOf(client).length, 1)
  t.ok(names.indexOf('login') < names.indexOf('declare_commands'))
  t.strictSame([errors, client.clientErrors], [[], []])
})

void t.test('a source that throws costs its own graph and completion only', async (t) => {
  const { serv, port, errors } = await bootSquid(t, '1.21.4')
  const logged: string[] = []
  const surface = openCommands({
    serv,
    root: TREE,
    info: 'the System',
    chatPrefix: () => '@system',
    source: () => {
      throw new Error('no source')
    },
    onCommand: () => {},
    send: (player, packet, fields) => player._client.write(packet, fields),
    log: { ...silentLogger, error: (message) => logged.push(message) },
  })
  t.teardown(() => surface.close())
  const client = await joinRaw(t, port, '1.21.4', 'alice')
  const chat = nextChat(client, 'fence')
  client.say('fence')
  await chat
  t.equal(surface.complete(playerOf(serv, 'alice'), '/system '), null)
  t.strictSame(logged, ['the command graph was not sent', 'a line was not completed'])
  t.strictSame([errors, client.clientErrors, graphsOf(client)], [[], [], []])
})
