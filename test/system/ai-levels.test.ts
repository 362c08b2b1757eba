/** The four levels on a real server: what players reach, what leaves, who may change it, and what a change under way does. */
import t, { type Test } from 'tap'
import { offersWord } from '../support/command-client.js'
import { eventually } from '../support/eventually.js'
import { NO_PERMISSION } from '../support/module-world.js'
import { DEFAULT_VERSION, nextEvent } from '../support/squid.js'
import {
  consoleSays,
  joinReader,
  openSystem,
  temporaryFolder,
  type Reader,
  type SystemServer,
} from '../support/system.js'

const OFF =
  'An admin has switched the AI off for you, so nothing was sent. Exact commands still work: /system help.'
const OFF_SELF =
  'You have switched the AI off, so nothing is sent. To switch it on again: /system settings externalAi on'
const CHAT = { module: 'system:free_chat', input: { text: 'hi' } }
const ANSWER = { type: 'answer', text: 'Hello there.' }
const NOT_UNDERSTOOD = /^I didn't get that/

const says = async (system: SystemServer, line: string): Promise<string> =>
  (await consoleSays(system, `system ai ${line}`)).join('\n')

async function open(t: Test, options: Parameters<typeof openSystem>[2] = {}) {
  const system = await openSystem(t, DEFAULT_VERSION, options)
  const alice = await joinReader(t, system, 'alice')
  await alice.next()
  return { system, alice }
}

/** Requests that have left for what is typed, and what came of it. */
async function tried(
  { system, alice }: { system: SystemServer; alice: Reader },
  line: string,
  ...replies: readonly Readonly<Record<string, unknown>>[]
): Promise<readonly [text: string, left: number]> {
  const before = system.provider.requests.length
  system.provider.script(...replies)
  const text = await alice.askText(line)
  return [text, system.provider.requests.length - before]
}

void t.test('each level, by each way', async (t) => {
  const world = await open(t)
  const { system, alice } = world
  const modulesOf = (): string => system.provider.requests.at(-1)?.body.messages[1]?.content ?? ''
  for (const level of ['off', 'route', 'chat', 'free'] as const)
    await t.test(level, async (t) => {
      t.match(await says(system, `alice ${level}`), `alice: ${level}. Set by an admin: ${level}.`)
      if (level === 'off')
        t.match(await alice.nextText(), /^What the AI may do for you was changed by an admin: nothing\.$/)
      await eventually(() => offersWord(alice.client, 'ask') === (level !== 'off'))
      t.match(await alice.askText('/system what am I holding?'), /^Your state/, 'found locally')
      t.match(await alice.askText('/system me'), /^Your state/)
      const help = await alice.askText('/system help')
      t.equal(help.includes('/system ask'), level !== 'off', 'help')
      if (level === 'off') {
        for (const line of [
          '/system ask why?',
          '/system reason why?',
          '/system why is it so dark?',
          '@system tell me more',
        ])
          t.same(await tried(world, line), [OFF, 0], line)
        return
      }
      t.same(await tried(world, '/system ask why?', ANSWER), ['Hello there.', 1])
      t.same(await tried(world, '/system reason why?', ANSWER), ['Hello there.', 1])
      t.same(
        await tried(
          world,
          '/system why is it so dark?',
          { module: 'system:question', input: { text: 'x' } },
          ANSWER,
        ),
        ['Hello there.', 2],
      )
      const [text, left] = await tried(
        world,
        '/system let us talk a while',
        ...(level === 'route' ? [CHAT] : [CHAT, ANSWER]),
      )
      if (level === 'route') {
        t.match([text, left], [NOT_UNDERSTOOD, 1], 'not even when the model wants it')
        t.notMatch(modulesOf(), 'free_chat')
      } else t.same([text, left], ['Hello there.', 2])
      const last = JSON.parse(modulesOf()) as Record<string, unknown>
      if (level === 'chat') t.notOk('tools' in last, 'one answer without tools')
      if (level === 'free') t.match(JSON.stringify(last['tools']), 'system:item_query')
    })
  t.strictSame([await alice.rest(), system.provider.errors, system.errors], [[], [], []])
})

void t.test('an own switch can only lower it, and an admin leaves it as it is', async (t) => {
  const world = await open(t)
  const { system, alice } = world
  await says(system, 'alice free')
  t.equal(await alice.askText('/system settings EXTERNALAI off'), 'External AI: off')
  t.same(await tried(world, '/system ask why?'), [OFF_SELF, 0])
  t.same(await tried(world, '/system why is it so dark?'), [OFF_SELF, 0])
  t.match(
    await says(system, 'alice'),
    "alice: off. Set by an admin: free. The player's own switches: external AI off, free chat on, history on.",
  )
  await says(system, 'alice chat')
  t.match(await says(system, 'alice'), /^alice: off\. Set by an admin: chat\. .*external AI off/)
  t.match(await alice.askText('/system settings externalAi on'), /External AI: on/)
  t.match(await alice.askText('/system settings freechat off'), /Free chat: off/)
  t.match(await says(system, 'alice default'), /^alice: route\. By default: route\..*free chat off/)
  const status = await consoleSays(system, 'system status alice')
  t.ok(status.includes('ai: level=route admin=none'))
  t.match(status.join('\n'), /settings: externalAi=true freeChat=false history=true/)
  for (const line of [
    '/system settings nothing on',
    '/system settings history maybe',
    '/system settings history',
  ])
    t.match(await alice.askText(line), /doesn't fit|missing|don't know/, line)
  t.same(await consoleSays(system, 'system settings'), [
    'Only a player in the game can do that, please join and try there.',
  ])
  t.strictSame([await alice.rest(), system.errors], [[], []])
})

void t.test('a change under way ends what needs it, with one line', async (t) => {
  const world = await open(t)
  const { system, alice } = world
  const ways = [
    ['routing', '/system why is it so dark?', []],
    ['a question', '/system ask why?', []],
    ['a loop, behind a look-up', '/system reason why?', [{ type: 'player.info', input: {} }]],
    ['free chat', '/system let us talk a while', [CHAT]],
  ] as const
  for (const [name, line, before] of ways)
    await t.test(name, async (t) => {
      for (const by of ['admin', 'player'] as const) {
        await says(system, 'alice free')
        const at = system.provider.requests.length + before.length
        // never answered: it is the change that ends it
        system.provider.script(...before, () => new Promise<never>(() => {}))
        alice.client.say(line)
        await eventually(() => system.provider.requests.length > at)
        if (by === 'admin') await says(system, 'alice off')
        else {
          alice.client.say('/system settings externalAi off')
        }
        const lines =
          by === 'admin' ? [await alice.nextText()] : [await alice.nextText(), await alice.nextText()]
        t.ok(lines.includes(by === 'admin' ? OFF : OFF_SELF), `${by}: ${lines.join(' | ')}`)
        t.strictSame(await alice.rest(), [], 'and no other line')
        await eventually(() => system.provider.requests[at]?.aborted === true)
        if (by === 'player') await alice.askText('/system settings externalAi on')
      }
    })
  await says(system, 'alice default')
  t.match(await alice.nextText(), /^What the AI may do for you was changed by an admin: choose look-ups/)
  const status = await consoleSays(system, 'system status')
  t.match(
    status.find((line) => line.startsWith('model-calls: ')),
    /running=0 waiting=0/,
  )
  t.strictSame([await alice.rest(), system.errors], [[], []])
})

void t.test('the default of the server: said, changed, kept', async (t) => {
  const configFolder = await temporaryFolder(t)
  const settings = { configFolder }
  const world = await open(t, { settings })
  const { system, alice } = world
  t.equal(await says(system, 'default'), 'By default: route (not set: off without a model, route with one)')
  t.equal(await says(system, 'default off'), 'By default: off')
  t.match(await alice.nextText(), /^What the AI may do for you was changed by an admin: nothing\.$/)
  t.same(await tried(world, '/system ask why?'), [OFF, 0])
  t.match(await says(system, 'default everything'), /don't know|doesn't fit/)
  await system.stop()
  const again = await openSystem(t, DEFAULT_VERSION, { settings })
  t.equal(await says(again, 'default'), 'By default: off')
  t.equal(await says(again, 'default chat'), 'By default: chat')
  t.strictSame([system.errors, again.errors], [[], []])
})

void t.test('without a model', async (t) => {
  const { system, alice } = await open(t, {
    config: { 'system-model': { apiKeyEnv: 'NO_SUCH_VARIABLE_OF_THIS_TEST' } },
  })
  t.equal(await says(system, 'default'), 'By default: off (not set: off without a model, route with one)')
  t.match(await alice.askText('/system ask why?'), /^No AI is set up on this server/)
  t.match(await alice.askText('/system why is it so dark?'), /^No AI is set up on this server/)
  t.match(await alice.askText('/system what am I holding?'), /^Your state/)
  t.notMatch(allTexts(alice), /AI outside of this server/, 'no notice')
})

void t.test('who may: the console; players of an offline server only if the host says so', async (t) => {
  for (const adminsInOfflineMode of [false, true]) {
    const { system, alice } = await open(t, {
      config: { 'system-access': { admins: ['alice'], adminsInOfflineMode } },
    })
    const bob = await joinReader(t, system, 'bob')
    await bob.next()
    for (const line of ['alice', 'alice free', 'default', 'default off'])
      t.equal(await bob.askText(`/system ai ${line}`), NO_PERMISSION, line)
    t.notOk(offersWord(bob.client, 'ai'))
    const text = await alice.askText('/system ai bob off')
    if (!adminsInOfflineMode) t.equal(text, NO_PERMISSION)
    else {
      t.match(text, /^bob: off\. Set by an admin: off\./)
      t.match(await bob.nextText(), /changed by an admin/)
      t.match(await alice.askText('/system ai default'), /^By default: route/)
    }
    t.strictSame([await alice.rest(), await bob.rest(), system.errors], [[], [], []])
  }
})

void t.test('players who are not here, by name and by id; kept over a revoke', async (t) => {
  const { system, alice } = await open(t)
  const id = system.serv.players[0]?._client.uuid ?? ''
  alice.client.end('bye')
  await nextEvent(system.serv.players[0] ?? alice.client, 'disconnected')
  t.match(await says(system, 'nobody off'), /^No player called nobody/)
  t.match(await says(system, 'alice off'), /^alice: off\. Set by an admin: off\./)
  t.match(await says(system, id.toUpperCase()), /off\. Set by an admin: off\./)
  const again = await joinReader(t, system, 'alice')
  await eventually(() => offersWord(again.client, 'me'))
  t.equal(await again.askText('/system ask why?'), OFF)
  await consoleSays(system, 'system revoke alice')
  t.match(await again.nextText(), /taken away/)
  await consoleSays(system, 'system grant default alice')
  t.match(await again.nextText(), /now with you/)
  t.equal(await again.askText('/system ask why?'), OFF, 'a revoke gives no right back')
})

const allTexts = ({ client }: Reader): string => JSON.stringify(client.received)
const notices = (reader: Reader): number =>
  allTexts(reader).split('AI outside of this server: 127.0.0.1').length - 1

void t.test('the notice of first use: once, before the request, over reconnects and restarts', async (t) => {
  const configFolder = await temporaryFolder(t)
  const options = { settings: { configFolder } }
  const system = await openSystem(t, DEFAULT_VERSION, options)
  let alice = await joinReader(t, system, 'alice')
  await alice.next()
  await alice.askText('/system me')
  await alice.askText('/system what am I holding?')
  t.equal(notices(alice), 0, 'not while nothing leaves')
  await says(system, 'alice off')
  await alice.next()
  await alice.askText('/system ask why?')
  t.equal(notices(alice), 0, 'not at level off')
  await says(system, 'alice default')
  system.provider.script(ANSWER, ANSWER)
  await alice.askText('/system ask why?')
  t.equal(notices(alice), 1)
  await alice.askText('/system ask why?')
  t.equal(notices(alice), 1, 'once')
  alice.client.end('bye')
  await nextEvent(system.serv.players[0] ?? alice.client, 'disconnected')
  alice = await joinReader(t, system, 'alice')
  await eventually(() => offersWord(alice.client, 'ask'))
  system.provider.script(ANSWER)
  t.equal(await alice.askText('/system ask why?'), 'Hello there.')
  t.equal(notices(alice), 0, 'not after a reconnect')
  await system.stop()
  const again = await openSystem(t, DEFAULT_VERSION, options)
  alice = await joinReader(t, again, 'alice')
  await eventually(() => offersWord(alice.client, 'ask'))
  again.provider.script(ANSWER)
  t.equal(await alice.askText('/system ask why?'), 'Hello there.')
  t.equal(notices(alice), 0, 'nor after a restart')
  const bob = await joinReader(t, again, 'bob', 'zh_cn')
  await bob.next()
  again.provider.script(ANSWER)
  await bob.askText('/system ask why?')
  t.match(allTexts(bob), /本服务器之外的 AI：127\.0\.0\.1/)
})
